/*
 * Puts every value on one scale of character cells and chooses for each cell what is drawn
 * there: bar, whisker or zero line; block characters only in a UTF-8 locale.
 */
#include "show/chart/bars_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "show/number_text.h"
#include "show/terminal.h"
#include "show/utf8.h"

enum { NAMES_MOST = 28, NUMBER = 10, BAR_LEAST = 10, BAR_MOST = 60 };

/* What one place of a bar is drawn with. */
struct marks {
	const char *full, *low, *between, *high, *zero;
};

static const struct marks plain = {"#", "|", "-", "|", ":"};
static const struct marks drawn = {"\u2588", "\u251c", "\u2500", "\u2524", "\u2502"};

static const struct marks *marks_of_locale(void)
{
	const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8") ? &drawn
										       : &plain;
	}
	return &plain;
}

/* Prints at most NAMES_MOST columns unless out is NULL; returns how many. */
static size_t print_name(const char *name, FILE *out)
{
	struct utf8_rune rune;
	size_t n = 0;

	for (; (rune = utf8_next(name)).length; name += rune.length) {
		bool shown = rune.valid && !utf8_is_control(rune.code);
		size_t width = shown ? utf8_rune_width(rune.code) : 1;

		if (n + width > NAMES_MOST)
			break;
		if (out && shown)
			fwrite(name, 1, rune.length, out);
		else if (out)
			fputc('?', out);
		n += width;
	}
	return n;
}

/* Values from low to high over so many places. */
struct scale {
	double low, high;
	size_t places;
};

static void stretch(struct scale *s, double x)
{
	if (!isfinite(x))
		return;
	s->low = fmin(s->low, x);
	s->high = fmax(s->high, x);
}

static bool fit(const struct bars_text *b, struct scale *s)
{
	bool any = false;

	for (size_t i = 0; i < b->count; i++) {
		any |= isfinite(b->values[i]);
		stretch(s, b->values[i]);
		stretch(s, b->low[i]);
		stretch(s, b->high[i]);
	}
	if (s->high <= s->low)
		s->high = s->low + 1;
	return any;
}

static size_t place(const struct scale *s, double x)
{
	double share = (x - s->low) / (s->high - s->low);

	return (size_t)lround(share * (double)(s->places - 1));
}

static const char *mark_at(const struct marks *m, const struct bars_text *b, size_t i,
			   const struct scale *s, size_t at)
{
	size_t zero = place(s, 0), end = place(s, b->values[i]);

	if (isfinite(b->low[i]) && isfinite(b->high[i])) {
		size_t low = place(s, b->low[i]), high = place(s, b->high[i]);

		if (at == low)
			return m->low;
		if (at == high)
			return m->high;
		if (at > low && at < high)
			return m->between;
	}
	if (at == zero && zero > 0)
		return m->zero;
	return (at >= zero && at <= end && end > zero) ||
			       (at >= end && at <= zero && end < zero)
		       ? m->full
		       : " ";
}

static void print_bar(const struct marks *m, const struct bars_text *b, size_t i,
		      const struct scale *s, FILE *out)
{
	char *number;

	if (!isfinite(b->values[i])) {
		fputs("no value\n", out);
		return;
	}
	for (size_t at = 0; at < s->places; at++)
		fputs(mark_at(m, b, i, s, at), out);
	number = number_text_brief(b->values[i]);
	fprintf(out, " %*s\n", NUMBER, number);
	free(number);
}

bool bars_text_print(const struct bars_text *b, FILE *out, unsigned width)
{
	const struct marks *m = marks_of_locale();
	struct scale s = {0};
	size_t widest = 0, n;

	if (!fit(b, &s))
		return false;
	for (size_t i = 0; i < b->count; i++) {
		n = print_name(b->names[i], NULL);
		widest = n > widest ? n : widest;
	}
	n = widest + NUMBER + 4;
	s.places = width > n + BAR_LEAST ? width - n : BAR_LEAST;
	s.places = s.places > BAR_MOST ? BAR_MOST : s.places;
	fprintf(out, "%s", terminal_bold(out));
	(void)print_name(b->title, out);
	fprintf(out, "%s\n", terminal_plain(out));
	for (size_t i = 0; i < b->count; i++) {
		n = print_name(b->names[i], out);
		fprintf(out, "%*s", (int)(widest - n + 2), "");
		print_bar(m, b, i, &s, out);
	}
	return true;
}
