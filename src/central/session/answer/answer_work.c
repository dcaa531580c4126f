/*
 * Points into the release for one row at a time; numbers are rounded to 15 digits, which drops
 * what binary arithmetic left behind.
 */
#include "central/session/answer/answer_work.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double without_dust(double x)
{
	char text[40];

	if (!isfinite(x) || (x == floor(x) && fabs(x) < 1e15))
		return x;
	(void)snprintf(text, sizeof text, "%.15g", x);
	return strtod(text, NULL);
}

void sotto_cell_drop_dust(struct sotto_value *v)
{
	if (v->kind == SOTTO_VALUE_NUMBER)
		v->number = without_dust(v->number);
}

struct sotto_evaluation sotto_cell_row(const struct sotto_answer_work *w, size_t row,
				       const struct sotto_value *aggregates)
{
	return (struct sotto_evaluation){.keys = w->release->keys + row * w->release->key_count,
					 .aggregates = aggregates,
					 .arena = &w->owned->arena};
}

struct sotto_group_values sotto_cell_values(const struct sotto_answer_work *w, size_t row)
{
	const struct sotto_release *r = w->release;

	return (struct sotto_group_values){.measures = r->values + row * r->measure_count,
					   .outcomes = r->outcomes + row * r->outcome_count,
					   .shift = w->shift};
}

size_t sotto_cell_movable(const struct sotto_plan *plan)
{
	return plan->measure_count + plan->outcome_count;
}
