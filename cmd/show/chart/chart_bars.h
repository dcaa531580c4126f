/*
 * chart_bars.h - draws a chart with names instead of x: level bars below each other
 */
#ifndef SOTTO_CHART_BARS_H
#define SOTTO_CHART_BARS_H

#include "show/chart/chart.h"

int chart_bars_height(const struct chart *c);

/* Draws the bars.  False if there is nothing to draw. */
bool chart_bars_write(const struct chart *c, FILE *out);

#endif
