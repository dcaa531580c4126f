/*
 * Lays the rows out by an estimate of how wide each name is, because the font is not known;
 * every bar begins at 0.
 */
#include "show/chart/chart_bars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/chart/chart_axis.h"
#include "show/number_text.h"
#include "show/utf8.h"

enum {
	WIDTH = 860,
	TOP = 66,
	BOTTOM = 62,
	RIGHT = 96, /* the numbers */
	ROW = 26,
	NAMES_MOST = 330, /* room for names */
	NAMES_LEAST = 84,
	LETTER = 8, /* about, in the wide fonts that browsers take for sans-serif */
	CAPITAL = 11,
	BESIDE = 24, /* a name, its margin and its distance from the axis */
};

int chart_bars_height(const struct chart *c)
{
	return TOP + ROW * (int)c->lines[0].count + BOTTOM;
}

static int rune_room(const struct utf8_rune *rune)
{
	bool capital =
		rune->code < 128 && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZmw@%", (int)rune->code);

	return capital ? CAPITAL : LETTER * (int)utf8_rune_width(rune->code);
}

static double name_room(const char *name)
{
	struct utf8_rune rune;
	int room = BESIDE;

	for (; (rune = utf8_next(name)).length && room < NAMES_MOST; name += rune.length)
		room += rune_room(&rune);
	return fmin(NAMES_MOST, room);
}

static double left_of(const struct chart *c)
{
	double left = NAMES_LEAST;

	for (size_t i = 0; i < c->lines[0].count; i++)
		left = fmax(left, name_room(c->names[i]));
	return left;
}

static void write_letter(FILE *out, const char *name, const struct utf8_rune *rune)
{
	char letter[5] = "?";

	if (rune->valid)
		snprintf(letter, sizeof letter, "%.*s", (int)rune->length, name);
	chart_write_text(out, letter);
}

/* Of a long name the middle is left out, by whole letters: names often differ at their ends. */
static void write_name(FILE *out, double x, double y, const char *name)
{
	int all = 0, half = (NAMES_MOST - BESIDE - LETTER) / 2, before = 0;
	bool whole, cut = false;
	struct utf8_rune rune;

	for (const char *at = name; (rune = utf8_next(at)).length; at += rune.length)
		all += rune_room(&rune);
	whole = all <= NAMES_MOST - BESIDE;
	fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='end'>", x, y);
	for (; (rune = utf8_next(name)).length; name += rune.length) {
		int room = rune_room(&rune);

		if (whole || before + room <= half || all - before <= half)
			write_letter(out, name, &rune);
		else if (!cut)
			cut = fputs("…", out) >= 0;
		before += room;
	}
	fputs("</text>\n", out);
}

/* From 0 on: a bar that does not begin there misleads. */
static bool fit(const struct chart *c, struct axis *x)
{
	const struct chart_line *line = &c->lines[0];

	axis_empty(x);
	for (size_t i = 0; i < line->count; i++) {
		const double ends[] = {line->y[i], line->low ? line->low[i] : NAN,
				       line->high ? line->high[i] : NAN,
				       c->line_count > 1 ? c->lines[1].y[i] : NAN};

		for (size_t k = 0; k < 4; k++)
			if (axis_shows(x, ends[k]))
				axis_stretch(x, ends[k]);
	}
	if (axis_is_empty(x))
		return false;
	axis_stretch(x, 0);
	axis_round(x);
	return true;
}

static void write_whisker(FILE *out, const struct axis *x, double low, double high, double y)
{
	double a = axis_place(x, low), b = axis_place(x, high);

	fprintf(out, "<path class='whisker' d='M%.1f %.1fH%.1fM%.1f %.1fv10M%.1f %.1fv10'/>\n",
		a, y, b, a, y - 5, b, y - 5);
}

static void
write_bar(FILE *out, const struct chart_line *line, size_t i, const struct axis *x, double y)
{
	double zero = axis_place(x, 0), end;
	char *number;

	if (!axis_shows(x, line->y[i])) {
		chart_write_label(out, zero + 6, y + 4, "fill='#555'", "no value");
		return;
	}
	end = axis_place(x, line->y[i]);
	fprintf(out,
		"<rect x='%.1f' y='%.1f' width='%.1f' height='16' fill='#0072b2' "
		"fill-opacity='0.75'/>",
		fmin(zero, end), y - 8, fabs(end - zero));
	if (line->low && axis_shows(x, line->low[i]) && axis_shows(x, line->high[i]))
		write_whisker(out, x, line->low[i], line->high[i], y);
	number = number_text_brief(line->y[i]);
	chart_write_label(out, WIDTH - RIGHT + 10, y + 4, "", number);
	free(number);
}

/* A value to hold against the bar. */
static void write_diamond(FILE *out, double x, double y)
{
	fprintf(out, "<path d='M%.1f %.1fl5 5l-5 5l-5 -5z' fill='#d55e00' stroke='#fff'/>\n", x,
		y - 5);
}

bool chart_bars_write(const struct chart *c, FILE *out)
{
	const struct chart_line *line = &c->lines[0];
	double left = left_of(c), bottom = chart_bars_height(c) - BOTTOM;
	struct axis x = {.from = left, .to = WIDTH - RIGHT};

	if (!fit(c, &x))
		return false;
	chart_write_label(out, 24, TOP - 36, "font-size='17' font-weight='bold'", c->title);
	if (c->subtitle)
		chart_write_label(out, 24, TOP - 16, "fill='#555'", c->subtitle);
	axis_write_level(out, &x, TOP, bottom);
	for (size_t i = 0; i < line->count; i++) {
		double y = TOP + ROW * (double)i + ROW / 2.0;

		write_name(out, left - 10, y + 4, c->names[i]);
		write_bar(out, line, i, &x, y);
		if (c->line_count > 1 && axis_shows(&x, c->lines[1].y[i]))
			write_diamond(out, axis_place(&x, c->lines[1].y[i]), y);
	}
	if (c->line_count > 1) {
		write_diamond(out, WIDTH - RIGHT + 16, TOP - 40);
		chart_write_label(out, WIDTH - RIGHT + 26, TOP - 36, "", c->lines[1].name);
	}
	fprintf(out, "<path class='zero' d='M%.1f %dV%.0f'/>\n", axis_place(&x, 0), TOP,
		bottom);
	chart_write_label(out, (left + WIDTH - RIGHT) / 2, bottom + 46, "text-anchor='middle'",
			  c->x_name);
	return true;
}
