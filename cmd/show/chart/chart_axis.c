/*
 * Steps between ticks are 1, 2 or 5 times a power of ten, whole powers on a logarithmic axis,
 * and days or months on one of dates.
 */
#include "show/chart/chart_axis.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

enum { TICKS = 7 }; /* about */

void axis_empty(struct axis *a)
{
	a->low = INFINITY;
	a->high = -INFINITY;
}

bool axis_is_empty(const struct axis *a)
{
	return !isfinite(a->low);
}

static double along(const struct axis *a, double value)
{
	return a->log ? log10(value) : value;
}

bool axis_shows(const struct axis *a, double value)
{
	return isfinite(value) && (!a->log || value > 0);
}

double axis_place(const struct axis *a, double value)
{
	return a->from + (a->to - a->from) * (along(a, value) - a->low) / (a->high - a->low);
}

void axis_stretch(struct axis *a, double value)
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

void axis_round(struct axis *a)
{
	double step;

	if (a->high - a->low < 1e-12 * fmax(1, fabs(a->high))) {
		a->low -= a->log || a->dates ? 1 : fmax(1, fabs(a->low)) / 2;
		a->high += a->log || a->dates ? 1 : fmax(1, fabs(a->high)) / 2;
	}
	if (a->dates)
		return;
	step = tick_step(a);
	a->low = floor(a->low / step + 1e-9) * step;
	a->high = ceil(a->high / step - 1e-9) * step;
}

/* ---- text -------------------------------------------------------------------------------------- */

void chart_write_text(FILE *out, const char *text)
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
		default: /* control characters are not allowed in XML */
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
		}
}

void chart_write_label(FILE *out, double x, double y, const char *style, const char *text)
{
	fprintf(out, "<text x='%.1f' y='%.1f' %s>", x, y, style);
	chart_write_text(out, text);
	fputs("</text>\n", out);
}

/* ---- ticks ------------------------------------------------------------------------------------- */

/* Where a tick stands: its grid line, and the beginning of its text. */
struct grid {
	bool upright; /* the axis is: its grid lines are level */
	double first, last; /* ends of the grid lines */
};

static void open_tick(FILE *out, const struct axis *a, const struct grid *g, double tick)
{
	double at = a->from + (a->to - a->from) * (tick - a->low) / (a->high - a->low);

	if (g->upright)
		fprintf(out,
			"<path class='grid' d='M%.0f %.1fH%.0f'/><text x='%.0f' y='%.1f' "
			"text-anchor='end'>",
			g->first, at, g->last, g->first - 8, at + 4);
	else
		fprintf(out,
			"<path class='grid' d='M%.1f %.0fV%.0f'/><text x='%.1f' y='%.0f' "
			"text-anchor='middle'>",
			at, g->first, g->last, at, g->last + 20);
}

/* 0.001 .. 9999 as they are, beyond as 10 with an exponent. */
static void write_number(FILE *out, const struct axis *a, double tick)
{
	if (a->log && fabs(tick) > 3)
		fprintf(out, "10<tspan dy='-6' font-size='10'>%.0f</tspan>", tick);
	else
		fprintf(out, "%.10g",
			a->log                               ? pow(10, tick)
			: fabs(tick) < 1e-12 * fabs(a->high) ? 0
							     : tick);
}

static void write_numbers(FILE *out, const struct axis *a, const struct grid *g)
{
	double step = tick_step(a);
	/* rounded ends may need a longer step, of which they are not multiples */
	double first = ceil(a->low / step - 1e-9), last = floor(a->high / step + 1e-9);

	for (double i = first; i <= last; i++) {
		double tick = i * step;

		open_tick(out, a, g, tick);
		write_number(out, a, tick);
		fputs("</text>\n", out);
	}
}

/* ---- dates ------------------------------------------------------------------------------------- */

enum { DAY = 86400, MONTHS_OF_A_YEAR = 12 };

static struct tm calendar(double day)
{
	time_t seconds = (time_t)(floor(day) * DAY);
	struct tm t = {0};

	(void)gmtime_r(&seconds, &t);
	return t;
}

/* The first day of a month that is counted from January 1900 on. */
static double first_of_month(int month)
{
	struct tm t = {.tm_mday = 1,
		       .tm_mon = month % MONTHS_OF_A_YEAR,
		       .tm_year = month / MONTHS_OF_A_YEAR};

	return (double)timegm(&t) / DAY;
}

static void write_date(FILE *out, const struct axis *a, const struct grid *g, double day,
		       const char *format)
{
	struct tm t = calendar(day);
	char text[32];

	if (day < a->low - 1e-9 || day > a->high + 1e-9 ||
	    strftime(text, sizeof text, format, &t) == 0)
		return;
	open_tick(out, a, g, day);
	fprintf(out, "%s</text>\n", text);
}

static void write_days(FILE *out, const struct axis *a, const struct grid *g)
{
	static const int steps[] = {1, 2, 4, 7, 14};
	size_t i = 0;

	while (i + 1 < sizeof steps / sizeof steps[0] && (a->high - a->low) / steps[i] > TICKS)
		i++;
	for (double day = ceil(a->low); day <= a->high; day += steps[i])
		write_date(out, a, g, day, "%Y-%m-%d");
}

static void write_months(FILE *out, const struct axis *a, const struct grid *g)
{
	static const int steps[] = {1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200};
	struct tm from = calendar(a->low), to = calendar(a->high);
	int first = from.tm_year * MONTHS_OF_A_YEAR + from.tm_mon;
	int last = to.tm_year * MONTHS_OF_A_YEAR + to.tm_mon;
	size_t i = 0;

	while (i + 1 < sizeof steps / sizeof steps[0] && (last - first) / steps[i] > TICKS)
		i++;
	first -= (first % steps[i] + steps[i]) % steps[i];
	for (int month = first; month <= last; month += steps[i])
		if (month >= 0)
			write_date(out, a, g, first_of_month(month),
				   steps[i] < MONTHS_OF_A_YEAR ? "%Y-%m" : "%Y");
}

static void write_dates(FILE *out, const struct axis *a, const struct grid *g)
{
	const double two_months = 61;

	if (a->high - a->low <= two_months)
		write_days(out, a, g);
	else
		write_months(out, a, g);
}

static void write_ticks(FILE *out, const struct axis *a, const struct grid *g)
{
	if (a->dates)
		write_dates(out, a, g);
	else
		write_numbers(out, a, g);
}

void axis_write_upright(FILE *out, const struct axis *a, double left, double right)
{
	const struct grid g = {.upright = true, .first = left, .last = right};

	write_ticks(out, a, &g);
}

void axis_write_level(FILE *out, const struct axis *a, double top, double bottom)
{
	const struct grid g = {.first = top, .last = bottom};

	write_ticks(out, a, &g);
}
