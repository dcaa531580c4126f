/*
 * chart_axis.h - one axis of a chart: which values it shows, where, and its ticks
 */
#ifndef SOTTO_CHART_AXIS_H
#define SOTTO_CHART_AXIS_H

#include <stdbool.h>
#include <stdio.h>

/* Values from low to high, drawn from `from` to `to`. */
struct axis {
	double low, high; /* the values, or their decimal logarithms */
	double from, to;
	bool log;
	bool dates; /* values are days since 1970-01-01 */
};

/* Empties the axis; called before the first axis_stretch. */
void axis_empty(struct axis *a);
bool axis_is_empty(const struct axis *a);

/* False for a value that is not finite, or not positive on a log scale. */
bool axis_shows(const struct axis *a, double value);

/* Makes room for a value that the axis can show. */
void axis_stretch(struct axis *a, double value);

/* Widens the ends to ticks; a single value gets room on both sides. */
void axis_round(struct axis *a);

double axis_place(const struct axis *a, double value);

/* Draw ticks with their grid lines across the picture, from one place to the other. */
void axis_write_upright(FILE *out, const struct axis *a, double left, double right);
void axis_write_level(FILE *out, const struct axis *a, double top, double bottom);

/* Write text so that it cannot become markup, and a text element with it. */
void chart_write_text(FILE *out, const char *text);
void chart_write_label(FILE *out, double x, double y, const char *style, const char *text);

#endif
