/*
 * chart_bars.h - a chart whose lines have names instead of x: level bars under each other
 */
#ifndef SOTTO_CHART_BARS_H
#define SOTTO_CHART_BARS_H

#include "show/chart/chart.h"

int chart_bars_height(const struct chart *c);

/* False if there is nothing to draw. */
bool chart_bars_write(const struct chart *c, FILE *out);

#endif
