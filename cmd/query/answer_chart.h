/*
 * answer_chart.h - draws an answer: bars with error bars, or a line if the key is a date
 *
 * Each noisy number has a chart of its own, because they rarely share a scale.
 */
#ifndef SOTTO_ANSWER_CHART_H
#define SOTTO_ANSWER_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "sotto/query.h"

/* Draws as SVG.  False if the answer has no number to draw, or writing failed. */
bool answer_chart_write(const struct sotto_answer *a, FILE *out);

/* Draws for a terminal, width columns wide.  False if the answer has no number to draw. */
bool answer_chart_print(const struct sotto_answer *a, FILE *out, unsigned width);

#endif
