/* Writes charts as SVG, one below another. */
#include "show/chart/chart.h"

#include <math.h>

#include "show/chart/chart_axis.h"
#include "show/chart/chart_bars.h"

enum {
	WIDTH = 860,
	HEIGHT = 520,
	LEFT = 84,
	RIGHT = 190, /* the legend */
	RIGHT_ALONE = 40, /* where there is none */
	TOP = 66,
	BOTTOM = 62,
	LABEL_STEP = 16, /* between names at the ends of lines */
	ENDS_MAX = 24,
};

/* Told apart also without colours and by most colour-blind eyes (Okabe and Ito). */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
				      "#56b4e9", "#e69f00", "#000000", "#8a8a8a"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

static bool fit(const struct chart *c, struct axis *x, struct axis *y)
{
	axis_empty(x);
	axis_empty(y);
	for (size_t i = 0; i < c->line_count; i++)
		for (size_t k = 0; k < c->lines[i].count; k++) {
			double px = c->lines[i].x[k], py = c->lines[i].y[k];

			if (!axis_shows(x, px) || !axis_shows(y, py))
				continue;
			axis_stretch(x, px);
			axis_stretch(y, py);
			if (c->lines[i].low && axis_shows(y, c->lines[i].low[k]))
				axis_stretch(y, c->lines[i].low[k]);
			if (c->lines[i].high && axis_shows(y, c->lines[i].high[k]))
				axis_stretch(y, c->lines[i].high[k]);
		}
	if (axis_is_empty(x))
		return false;
	axis_round(x);
	axis_round(y);
	return true;
}

/* True if at least one point of the line can be drawn. */
static bool is_visible(const struct chart *c, const struct chart_line *line)
{
	struct axis x = {.log = c->x_log}, y = {.log = c->y_log};

	for (size_t k = 0; k < line->count; k++)
		if (axis_shows(&x, line->x[k]) && axis_shows(&y, line->y[k]))
			return true;
	return false;
}

static void
write_mark(FILE *out, const struct chart_mark *m, const struct axis *x, const struct axis *y)
{
	double at_x = axis_place(x, m->x), at_y = axis_place(y, m->y);

	if (!m->label || !axis_shows(x, m->x) || !axis_shows(y, m->y) || at_x < x->from ||
	    at_x > x->to || at_y < y->to || at_y > y->from)
		return;
	fprintf(out,
		"<path class='guide' d='M%.1f %.1fH%.1fV%.1f'/><circle cx='%.1f' cy='%.1f' "
		"r='4.5'/>\n",
		x->from, at_y, at_x, y->from, at_x, at_y);
	if (at_x < 0.6 * x->from + 0.4 * x->to)
		chart_write_label(out, at_x + 10, at_y - 8, "class='mark'", m->label);
	else
		chart_write_label(out, at_x - 10, at_y + 18, "class='mark' text-anchor='end'",
				  m->label);
}

/* A line that is the same as the one before takes its colour. */
static const char *colour_of(const struct chart *c, size_t line)
{
	size_t own = 0;

	for (size_t i = 1; i <= line; i++)
		own += !c->lines[i].same;
	return colours[own % COLOURS];
}

static void write_line(FILE *out, const struct chart_line *line, const char *colour,
		       const struct axis *x, const struct axis *y)
{
	bool drawing = false;

	fprintf(out, "<path class='%s' stroke='%s'%s d='", line->bold ? "bold line" : "line",
		colour, line->dashed ? " stroke-dasharray='7 5'" : "");
	for (size_t k = 0; k < line->count; k++) {
		bool here = axis_shows(x, line->x[k]) && axis_shows(y, line->y[k]);

		if (here)
			fprintf(out, "%c%.2f %.2f", drawing ? 'L' : 'M',
				axis_place(x, line->x[k]), axis_place(y, line->y[k]));
		drawing = here;
	}
	fputs("'/>\n", out);
}

static void write_whiskers(FILE *out, const struct chart_line *line, const char *colour,
			   const struct axis *x, const struct axis *y)
{
	for (size_t k = 0; k < line->count; k++) {
		double at, low, high;

		if (!axis_shows(x, line->x[k]) || !axis_shows(y, line->y[k]))
			continue;
		at = axis_place(x, line->x[k]);
		fprintf(out, "<circle cx='%.2f' cy='%.2f' r='2.5' fill='%s'/>\n", at,
			axis_place(y, line->y[k]), colour);
		if (!line->low || !axis_shows(y, line->low[k]) || !axis_shows(y, line->high[k]))
			continue;
		low = axis_place(y, line->low[k]);
		high = axis_place(y, line->high[k]);
		fprintf(out,
			"<path class='whisker' d='M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f "
			"%.1fh6'/>\n",
			at, low, high, at - 3, low, at - 3, high);
	}
}

static bool is_named(const struct chart *c, size_t line)
{
	return c->lines[line].name && !c->lines[line].same && is_visible(c, &c->lines[line]);
}

/* Where the plane ends. */
static int right_of(const struct chart *c)
{
	for (size_t i = 0; i < c->line_count; i++)
		if (is_named(c, i))
			return WIDTH - RIGHT;
	return WIDTH - RIGHT_ALONE;
}

static void write_legend(FILE *out, const struct chart *c)
{
	double y = TOP - 8;

	for (size_t i = 0; i < c->line_count; i++) {
		if (!is_named(c, i))
			continue;
		y += 22;
		fprintf(out, "<path class='%s' stroke='%s'%s d='M%d %.1fh26'/>",
			c->lines[i].bold ? "bold line" : "line", colour_of(c, i),
			c->lines[i].dashed ? " stroke-dasharray='7 5'" : "", WIDTH - RIGHT + 16,
			y);
		chart_write_label(out, WIDTH - RIGHT + 50, y + 4, "", c->lines[i].name);
	}
}

/* Where a line ends on the right, and where its name stands. */
struct end {
	size_t line;
	double x, y, label;
};

static bool find_end(const struct chart *c, size_t line, const struct axis *x,
		     const struct axis *y, struct end *out)
{
	const struct chart_line *l = &c->lines[line];

	for (size_t k = l->count; k-- > 0;)
		if (axis_shows(x, l->x[k]) && axis_shows(y, l->y[k])) {
			double at = axis_place(y, l->y[k]);

			*out = (struct end){line, axis_place(x, l->x[k]), at, at};
			return true;
		}
	return false;
}

/* Names keep their order and a line's height between them, and stay beside the plane. */
static void spread(struct end *ends, size_t count)
{
	double lowest = HEIGHT - BOTTOM;

	for (size_t i = 1; i < count; i++) /* by insertion: a dozen at most */
		for (size_t k = i; k > 0 && ends[k].y < ends[k - 1].y; k--) {
			struct end moved = ends[k];

			ends[k] = ends[k - 1];
			ends[k - 1] = moved;
		}
	for (size_t i = 1; i < count; i++)
		ends[i].label = fmax(ends[i].label, ends[i - 1].label + LABEL_STEP);
	for (size_t i = count; i-- > 0; lowest = ends[i].label - LABEL_STEP)
		ends[i].label = fmin(ends[i].label, lowest);
}

static void
write_ends(FILE *out, const struct chart *c, const struct axis *x, const struct axis *y)
{
	struct end ends[ENDS_MAX];
	size_t count = 0;
	char look[64];

	for (size_t i = 0; i < c->line_count && count < ENDS_MAX; i++)
		if (is_named(c, i))
			count += find_end(c, i, x, y, &ends[count]);
	spread(ends, count);
	for (size_t i = 0; i < count; i++) {
		const struct end *e = &ends[i];
		const char *colour = colour_of(c, e->line);

		fprintf(out, "<path stroke='%s' fill='none' d='M%.1f %.1fL%d %.1f'/>", colour,
			e->x + 2, e->y, WIDTH - RIGHT + 22, e->label);
		(void)snprintf(look, sizeof look, "fill='%s'%s", colour,
			       c->lines[e->line].bold ? " font-weight='bold'" : "");
		chart_write_label(out, WIDTH - RIGHT + 27, e->label + 4, look,
				  c->lines[e->line].name);
	}
}

static int height_of(const struct chart *c)
{
	return c->names ? chart_bars_height(c) : HEIGHT;
}

/* The page, high enough for all charts under each other. */
static void write_page(FILE *out, int height)
{
	fprintf(out,
		"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' "
		"font-family='sans-serif' font-size='13' fill='#222'>\n"
		"<style>.grid{stroke:#ddd;fill:none}.line{stroke-width:2;fill:none;"
		"stroke-linejoin:round}.bold{stroke-width:3}.guide{stroke:#555;fill:none;"
		"stroke-dasharray:2 "
		"4}.whisker{stroke:#222;stroke-width:1.3;fill:none}.zero{stroke:#555;fill:none}"
		".mark{paint-order:stroke;stroke:#fff;stroke-width:5px}</style>\n"
		"<rect width='%d' height='%d' fill='#fff'/>\n",
		WIDTH, height, WIDTH, height);
}

static void write_frame(FILE *out, const struct chart *c)
{
	chart_write_label(out, LEFT, TOP - 36, "font-size='17' font-weight='bold'", c->title);
	if (c->subtitle)
		chart_write_label(out, LEFT, TOP - 16, "fill='#555'", c->subtitle);
	chart_write_label(out, (LEFT + right_of(c)) / 2.0, HEIGHT - 16, "text-anchor='middle'",
			  c->x_name);
	fprintf(out, "<g transform='translate(22 %d) rotate(-90)'>",
		(TOP + HEIGHT - BOTTOM) / 2);
	chart_write_label(out, 0, 0, "text-anchor='middle'", c->y_name);
	fputs("</g>\n", out);
}

/* Whiskers come first, so that the line stays on top. */
static void
write_lines(const struct chart *c, const struct axis *x, const struct axis *y, FILE *out)
{
	for (size_t i = 0; i < c->line_count; i++) {
		if (c->lines[i].low)
			write_whiskers(out, &c->lines[i], colour_of(c, i), x, y);
		write_line(out, &c->lines[i], colour_of(c, i), x, y);
	}
}

static bool write_chart(const struct chart *c, FILE *out)
{
	struct axis x = {.from = LEFT, .to = right_of(c), .log = c->x_log, .dates = c->x_dates};
	struct axis y = {.from = HEIGHT - BOTTOM, .to = TOP, .log = c->y_log};

	if (!fit(c, &x, &y))
		return false;
	write_frame(out, c);
	axis_write_level(out, &x, TOP, HEIGHT - BOTTOM);
	axis_write_upright(out, &y, LEFT, right_of(c));
	write_lines(c, &x, &y, out);
	write_mark(out, &c->mark, &x, &y);
	if (c->ends_named)
		write_ends(out, c, &x, &y);
	else
		write_legend(out, c);
	return true;
}

bool chart_write_all(const struct chart *charts, size_t count, FILE *out)
{
	bool drawn = true;
	int height = 0;

	for (size_t i = 0; i < count; i++)
		height += height_of(&charts[i]);
	write_page(out, height);
	height = 0;
	for (size_t i = 0; i < count && drawn; i++) {
		fprintf(out, "<g transform='translate(0 %d)'>\n", height);
		drawn = charts[i].names ? chart_bars_write(&charts[i], out)
					: write_chart(&charts[i], out);
		fputs("</g>\n", out);
		height += height_of(&charts[i]);
	}
	fputs("</svg>\n", out);
	return drawn && !ferror(out);
}

bool chart_write(const struct chart *c, FILE *out)
{
	return chart_write_all(c, 1, out);
}
