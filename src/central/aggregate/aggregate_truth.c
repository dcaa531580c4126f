/*
 * BOOL_AND and BOOL_OR: refused over private rows, because one row decides them.
 */
#include "central/aggregate/aggregate.h"

#define TRUTH                                                                                  \
	.refusal = "is decided by one row, so it is not supported over private rows; count "   \
		   "the rows instead, with COUNT(*) FILTER (WHERE ...)",                       \
	.unit = SOTTO_UNIT_TRUTH, .is_public = true

const struct sotto_aggregate_record sotto_aggregate_truth[] = {
	{.names = (const char *const[]){"bool_and", "every", NULL},
	 .syntax = "BOOL_AND(x), EVERY(x)",
	 .manual = "Whether all values are true; over the rows of one unit, or over groups.",
	 .example = "BOOL_AND(x > 1)",
	 .engine = SOTTO_OP_BOOL_AND,
	 TRUTH},
	{.names = (const char *const[]){"bool_or", NULL},
	 .syntax = "BOOL_OR(x)",
	 .manual = "Whether at least one value is true; over the rows of one unit, or over "
		   "groups.",
	 .example = "BOOL_OR(x > 1)",
	 .engine = SOTTO_OP_BOOL_OR,
	 TRUTH},
	{0}};
