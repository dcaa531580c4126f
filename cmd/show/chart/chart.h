/*
 * chart.h - a chart as SVG: lines or bars, axes with round ticks, whiskers, a legend
 *
 *	struct chart_line lines[] = {{.name = "pld", .x = x, .y = y, .count = n}};
 *	struct chart chart = {.title = "delta(epsilon)", .x_name = "epsilon",
 *			      .y_name = "delta", .y_log = true, .lines = lines, .line_count = 1};
 *	chart_write(&chart, file);
 *
 * Points that are not finite, or not positive on a log scale, leave a gap.
 */
#ifndef SOTTO_CHART_H
#define SOTTO_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct chart_line {
	const char *name; /* in the legend; NULL: not there */
	const double *x, *y; /* borrowed; bars have no x */
	const double *low, *high; /* ends of whiskers, NaN for none; or NULL */
	size_t count;
	bool dashed;
	bool same; /* drawn in the colour of the previous line, and not named */
	bool bold;
};

/* A point of interest, with dotted lines to both axes. */
struct chart_mark {
	double x, y;
	const char *label; /* or NULL */
};

struct chart {
	const char *title;
	const char *subtitle; /* or NULL */
	const char *x_name, *y_name;
	bool x_log, y_log;
	bool x_dates; /* x counts days since 1970-01-01 */
	/*
	 * Draws bars instead of lines; the names of the values of the one line.  x_name then says
	 * what they measure.
	 */
	const char *const *names;
	const struct chart_line *lines;
	/*
	 * Beyond eight, colours repeat; a line without points is not named.  A second line of
	 * bars is drawn as marks on them.
	 */
	size_t line_count;
	bool ends_named; /* lines have their names at their right ends instead of in a legend */
	struct chart_mark mark;
};

/* Draws a chart.  False if nothing can be drawn, or if writing failed. */
bool chart_write(const struct chart *chart, FILE *out);

/* Draws several charts below each other, in one picture. */
bool chart_write_all(const struct chart *charts, size_t count, FILE *out);

#endif
