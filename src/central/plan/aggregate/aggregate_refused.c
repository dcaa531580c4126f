/*
 * Aggregates that show values of single rows: known, so that they can be refused with a
 * reason.
 */
#include "central/plan/aggregate/aggregate.h"

#define SHOWS_ROWS                                                                             \
	.refusal = "would show values of single rows, so it is not supported over private "    \
		   "rows; group by the column, or write MODE() WITHIN GROUP (ORDER BY x)"

const struct sotto_aggregate_record sotto_aggregate_refused[] = {
	{.names = (const char *const[]){"string_agg", NULL},
	 .syntax = "STRING_AGG(x, y)",
	 .manual = "Refused: it would show values of single rows.",
	 .example = "STRING_AGG(ward, ward)",
	 SHOWS_ROWS},
	{.names = (const char *const[]){"array_agg", NULL},
	 .syntax = "ARRAY_AGG(x)",
	 .manual = "Refused: it would show values of single rows.",
	 .example = "ARRAY_AGG(ward)",
	 SHOWS_ROWS},
	{.names = (const char *const[]){"any_value", NULL},
	 .syntax = "ANY_VALUE(x)",
	 .manual = "Refused: it would show the value of a single row.",
	 .example = "ANY_VALUE(ward)",
	 SHOWS_ROWS},
	{0}};
