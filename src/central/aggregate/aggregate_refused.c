/*
 * Aggregates that show values of single rows: known, so that they can be refused with a
 * reason.
 */
#include "central/aggregate/aggregate.h"

#define SHOWS_ROWS                                                                             \
	.refusal = "would show values of single rows, so it is not supported over private "    \
		   "rows; group by the column, or write MODE() WITHIN GROUP (ORDER BY x)"

const struct sotto_aggregate_record sotto_aggregate_refused[] = {
	{.names = (const char *const[]){"string_agg", "listagg", "group_concat", NULL},
	 .syntax = "STRING_AGG(x, y), LISTAGG(x, y), GROUP_CONCAT(x)",
	 .manual = "Refused: it would show values of single rows.",
	 .example = "STRING_AGG(ward, ward)",
	 SHOWS_ROWS},
	{.names = (const char *const[]){"array_agg", "collect_list", "collect_set", "list",
					NULL},
	 .syntax = "ARRAY_AGG(x), COLLECT_LIST(x), COLLECT_SET(x), LIST(x)",
	 .manual = "Refused: it would show values of single rows.",
	 .example = "ARRAY_AGG(ward)",
	 SHOWS_ROWS},
	{.names = (const char *const[]){"any_value", "first", "last", NULL},
	 .syntax = "ANY_VALUE(x), FIRST(x), LAST(x)",
	 .manual = "The value of a key of GROUP BY.\nOf anything else it is refused: it would "
		   "show the value of a single row.",
	 .example = "ANY_VALUE(ward)",
	 SHOWS_ROWS},
	{.names = (const char *const[]){"arg_max", "max_by", "arg_min", "min_by", NULL},
	 .syntax = "ARG_MAX(x, y), ARG_MIN(x, y)",
	 .manual = "Refused: it would show the value of a single row.",
	 .example = "ARG_MAX(ward, x)",
	 .refusal = "would show the value of a single row, so it is not supported; group by x "
		    "and write ORDER BY MAX(y) DESC LIMIT 1",
	 .finished = "write ORDER BY y DESC LIMIT 1 to have x of the first row"},
	{.names = (const char *const[]){"approx_top_count", "approx_top_k", NULL},
	 .syntax = "APPROX_TOP_COUNT(x, n)",
	 .manual = "Refused: it is a list.",
	 .example = "APPROX_TOP_COUNT(ward, 3)",
	 .refusal =
		 "is a list, which is not supported; write GROUP BY x ORDER BY COUNT(*) DESC "
		 "LIMIT n, or MODE() WITHIN GROUP (ORDER BY x) for the first"},
	{.names = (const char *const[]){"histogram", NULL},
	 .syntax = "HISTOGRAM(x)",
	 .manual = "Refused: it is a list.",
	 .example = "HISTOGRAM(ward)",
	 .refusal = "is a list, which is not supported; write SELECT x, COUNT(*) ... GROUP BY "
		    "x"},
	{.names = (const char *const[]){"std", NULL},
	 .syntax = "STD(x)",
	 .manual = "Refused: MySQL means the population by it, and Spark a sample.",
	 .example = "STD(x)",
	 .refusal = "means STDDEV_POP in MySQL and STDDEV_SAMP in Spark; write one of these"},
	{.names = (const char *const[]){"kurtosis", "skewness", NULL},
	 .syntax = "KURTOSIS(x), SKEWNESS(x)",
	 .manual = "Refused: powers above the second need far more noise than they are worth.",
	 .example = "KURTOSIS(x)",
	 .refusal = "is not supported: its third and fourth powers would need far too much "
		    "noise; ask for quantiles, or COUNT(*) by WIDTH_BUCKET(x, ...)"},
	{0}};
