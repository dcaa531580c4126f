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
	const char *name; /* in the legend; NULL: it is not in it */
	const double *x, *y; /* borrowed; bars have no x */
	const double *low, *high; /* ends of whiskers, NaN for none; or NULL */
	size_t count;
	bool dashed;
	bool same; /* drawn in the colour of the line before, and not named */
	bool bold;
};

/* A point to look at, with dotted lines to both axes. */
struct chart_mark {
	double x, y;
	const char *label; /* NULL: there is none */
};

struct chart {
	const char *title;
	const char *subtitle; /* or NULL */
	const char *x_name, *y_name;
	bool x_log, y_log;
	bool x_dates; /* x counts days since 1970-01-01 */
	const char *const *names; /* bars instead of lines: what each value of the one line is
				     called.  x_name then says what they measure. */
	const struct chart_line *lines;
	size_t line_count; /* beyond eight, colours come again; one without points is not named.
			      A second line of bars is drawn as marks on them. */
	bool ends_named; /* lines have their names at their right ends instead of in a legend */
	struct chart_mark mark;
};

/* False if nothing can be drawn, or if writing failed. */
bool chart_write(const struct chart *chart, FILE *out);

/* Several charts under each other, in one picture. */
bool chart_write_all(const struct chart *charts, size_t count, FILE *out);

#endif
