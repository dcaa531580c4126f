#include "show/chart.h"

#include <math.h>
#include <string.h>

enum {
	WIDTH = 860,
	HEIGHT = 520,
	LEFT = 84,
	RIGHT = 190, /* the legend */
	TOP = 66,
	BOTTOM = 62,
	TICKS = 7, /* about */
};

/* Told apart also without colours and by most colour-blind eyes (Okabe and Ito). */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
				      "#56b4e9", "#e69f00", "#000000", "#8a8a8a"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

/* One direction of the plane: values from low to high, drawn from `from` to `to`. */
struct axis {
	double low, high; /* as they are, or their decimal logarithm */
	double from, to;
	bool log;
};

static double along(const struct axis *a, double value)
{
	return a->log ? log10(value) : value;
}

static bool drawable(const struct axis *a, double value)
{
	return isfinite(value) && (!a->log || value > 0);
}

static double place(const struct axis *a, double value)
{
	return a->from + (a->to - a->from) * (along(a, value) - a->low) / (a->high - a->low);
}

static void stretch(struct axis *a, double value)
{
	a->low = fmin(a->low, along(a, value));
	a->high = fmax(a->high, along(a, value));
}

/* 1, 2 or 5 times a power of ten, so that there are about TICKS steps. */
static double round_step(double span)
{
	double raw = span / TICKS, power = pow(10, floor(log10(raw)));

	return raw <= power       ? power
	       : raw <= 2 * power ? 2 * power
	       : raw <= 5 * power ? 5 * power
				  : 10 * power;
}

static double tick_step(const struct axis *a)
{
	double step = round_step(a->high - a->low);

	return a->log ? fmax(1, ceil(step)) : step;
}

/* Widens the ends to ticks; a single value gets room on both sides. */
static void round_ends(struct axis *a)
{
	double step;

	if (a->high - a->low < 1e-12 * fmax(1, fabs(a->high))) {
		a->low -= a->log ? 1 : fmax(1, fabs(a->low)) / 2;
		a->high += a->log ? 1 : fmax(1, fabs(a->high)) / 2;
	}
	step = tick_step(a);
	a->low = floor(a->low / step + 1e-9) * step;
	a->high = ceil(a->high / step - 1e-9) * step;
}

static bool fit(const struct chart *c, struct axis *x, struct axis *y)
{
	x->low = y->low = INFINITY;
	x->high = y->high = -INFINITY;
	for (size_t i = 0; i < c->line_count; i++)
		for (size_t k = 0; k < c->lines[i].count; k++) {
			double px = c->lines[i].x[k], py = c->lines[i].y[k];

			if (!drawable(x, px) || !drawable(y, py))
				continue;
			stretch(x, px);
			stretch(y, py);
		}
	if (!isfinite(x->low))
		return false;
	round_ends(x);
	round_ends(y);
	return true;
}

static void write_text(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		default:
			fputc(*text, out);
		}
}

static void write_label(FILE *out, double x, double y, const char *style, const char *text)
{
	fprintf(out, "<text x='%.1f' y='%.1f' %s>", x, y, style);
	write_text(out, text);
	fputs("</text>\n", out);
}

/* 0.001 .. 9999 as they are, beyond as 10 with an exponent. */
static void write_tick(FILE *out, const struct axis *a, double tick)
{
	if (a->log && fabs(tick) > 3)
		fprintf(out, "10<tspan dy='-6' font-size='10'>%.0f</tspan>", tick);
	else
		fprintf(out, "%.10g",
			a->log                         ? pow(10, tick)
			: fabs(tick) < 1e-12 * a->high ? 0
						       : tick);
}

static void write_axis(FILE *out, const struct axis *a, bool upright)
{
	double step = tick_step(a);
	int count = (int)lround((a->high - a->low) / step);

	for (int i = 0; i <= count; i++) {
		double tick = a->low + i * step;
		double at = a->from + (a->to - a->from) * (tick - a->low) / (a->high - a->low);

		if (upright)
			fprintf(out,
				"<path class='grid' d='M%d %.1fH%d'/><text x='%d' y='%.1f' "
				"text-anchor='end'>",
				LEFT, at, WIDTH - RIGHT, LEFT - 8, at + 4);
		else
			fprintf(out,
				"<path class='grid' d='M%.1f %dV%d'/><text x='%.1f' y='%d' "
				"text-anchor='middle'>",
				at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 20);
		write_tick(out, a, tick);
		fputs("</text>\n", out);
	}
}

/* True if at least one point of the line can be drawn. */
static bool is_visible(const struct chart *c, const struct chart_line *line)
{
	struct axis x = {.log = c->x_log}, y = {.log = c->y_log};

	for (size_t k = 0; k < line->count; k++)
		if (drawable(&x, line->x[k]) && drawable(&y, line->y[k]))
			return true;
	return false;
}

static void
write_mark(FILE *out, const struct chart_mark *m, const struct axis *x, const struct axis *y)
{
	double at_x = place(x, m->x), at_y = place(y, m->y);

	if (!m->label || !drawable(x, m->x) || !drawable(y, m->y) || at_x < x->from ||
	    at_x > x->to || at_y < y->to || at_y > y->from)
		return;
	fprintf(out,
		"<path class='guide' d='M%.1f %.1fH%.1fV%.1f'/><circle cx='%.1f' cy='%.1f' "
		"r='4.5'/>\n",
		x->from, at_y, at_x, y->from, at_x, at_y);
	if (at_x < 0.6 * x->from + 0.4 * x->to)
		write_label(out, at_x + 10, at_y - 8, "class='mark'", m->label);
	else
		write_label(out, at_x - 10, at_y + 18, "class='mark' text-anchor='end'",
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
		bool here = drawable(x, line->x[k]) && drawable(y, line->y[k]);

		if (here)
			fprintf(out, "%c%.2f %.2f", drawing ? 'L' : 'M', place(x, line->x[k]),
				place(y, line->y[k]));
		drawing = here;
	}
	fputs("'/>\n", out);
}

static void write_legend(FILE *out, const struct chart *c)
{
	double y = TOP - 8;

	for (size_t i = 0; i < c->line_count; i++) {
		if (!is_visible(c, &c->lines[i]) || c->lines[i].same)
			continue;
		y += 22;
		fprintf(out, "<path class='%s' stroke='%s'%s d='M%d %.1fh26'/>",
			c->lines[i].bold ? "bold line" : "line", colour_of(c, i),
			c->lines[i].dashed ? " stroke-dasharray='7 5'" : "", WIDTH - RIGHT + 16,
			y);
		write_label(out, WIDTH - RIGHT + 50, y + 4, "", c->lines[i].name);
	}
}

/* The page, high enough for count charts under each other. */
static void write_page(FILE *out, size_t count)
{
	int height = HEIGHT * (int)count;

	fprintf(out,
		"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' "
		"font-family='sans-serif' font-size='13' fill='#222'>\n"
		"<style>.grid{stroke:#ddd;fill:none}.line{stroke-width:2;fill:none;"
		"stroke-linejoin:round}.bold{stroke-width:3}.guide{stroke:#555;fill:none;"
		"stroke-dasharray:2 "
		"4}.mark{paint-order:stroke;stroke:#fff;stroke-width:5px}</style>\n"
		"<rect width='%d' height='%d' fill='#fff'/>\n",
		WIDTH, height, WIDTH, height);
}

static void write_frame(FILE *out, const struct chart *c)
{
	write_label(out, LEFT, TOP - 36, "font-size='17' font-weight='bold'", c->title);
	if (c->subtitle)
		write_label(out, LEFT, TOP - 16, "fill='#555'", c->subtitle);
	write_label(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "text-anchor='middle'",
		    c->x_name);
	fprintf(out, "<g transform='translate(22 %d) rotate(-90)'>",
		(TOP + HEIGHT - BOTTOM) / 2);
	write_label(out, 0, 0, "text-anchor='middle'", c->y_name);
	fputs("</g>\n", out);
}

static bool write_chart(const struct chart *c, FILE *out)
{
	struct axis x = {.from = LEFT, .to = WIDTH - RIGHT, .log = c->x_log};
	struct axis y = {.from = HEIGHT - BOTTOM, .to = TOP, .log = c->y_log};

	if (!fit(c, &x, &y))
		return false;
	write_frame(out, c);
	write_axis(out, &x, false);
	write_axis(out, &y, true);
	for (size_t i = 0; i < c->line_count; i++)
		write_line(out, &c->lines[i], colour_of(c, i), &x, &y);
	write_mark(out, &c->mark, &x, &y);
	write_legend(out, c);
	return true;
}

bool chart_write_all(const struct chart *charts, size_t count, FILE *out)
{
	bool drawn = true;

	write_page(out, count);
	for (size_t i = 0; i < count && drawn; i++) {
		fprintf(out, "<g transform='translate(0 %d)'>\n", HEIGHT * (int)i);
		drawn = write_chart(&charts[i], out);
		fputs("</g>\n", out);
	}
	fputs("</svg>\n", out);
	return drawn && !ferror(out);
}

bool chart_write(const struct chart *c, FILE *out)
{
	return chart_write_all(c, 1, out);
}
