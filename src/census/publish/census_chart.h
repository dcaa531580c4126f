/*
 * census_chart.h - draws bar charts as SVG inside a page
 */
#ifndef SOTTO_CENSUS_CHART_H
#define SOTTO_CENSUS_CHART_H

#include <stddef.h>
#include <stdio.h>

/* Writes text with HTML's reserved characters escaped. */
void sotto_census_put_html(FILE *f, const char *text);

/* Bars side by side: for each name one bar of each series.  An infinite value has no bar. */
struct sotto_census_bars {
	const char *title, *unit;
	const char *const *names; /* of the rows */
	size_t count;
	const char *const *series; /* up to 3 */
	size_t series_count;
	const double *values; /* row by row, series by series */
	size_t marked; /* the series that is emphasized */
};
void sotto_census_put_bars(FILE *f, const struct sotto_census_bars *b);

/* Bars of equal length, divided into segments that are shares of the whole. */
struct sotto_census_segment {
	size_t row;
	size_t colour; /* number of the legend's entry */
	double share; /* of the longest possible bar, 0 to 1 */
	const char *label; /* shown while the pointer is on it */
};
struct sotto_census_stack {
	const char *title;
	const char *const *names; /* of the rows */
	const double *shares; /* of each row, shown at its end */
	size_t count;
	const struct sotto_census_segment *segments; /* row by row */
	size_t segment_count;
	const char *const *legend;
	size_t legend_count;
};
void sotto_census_put_stack(FILE *f, const struct sotto_census_stack *s);

#endif
