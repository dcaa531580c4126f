/*
 * The table of SQL templates; how often an argument is computed is counted in the template
 * itself, twice where NULLIF computes it twice.
 */
#include "central/tree/operation.h"

#include <string.h>

#include "central/policy/schema.h"

#define CALL(name, text) [SOTTO_OP_##name] = {text, SOTTO_OPERATION_CALL}
#define CAST(name, text) [SOTTO_OP_##name] = {text, SOTTO_OPERATION_CAST}
#define QUERY(name, text) [SOTTO_OP_##name] = {text, SOTTO_OPERATION_QUERY}
#define LITERAL(name, text) [SOTTO_OP_##name] = {text, SOTTO_OPERATION_LITERAL}

static const struct sotto_operation operations[SOTTO_OPERATION_COUNT] = {
	[SOTTO_OP_COLUMN] = {"$c", SOTTO_OPERATION_COLUMN},
	[SOTTO_OP_STAR_OF] = {"$c", SOTTO_OPERATION_COLUMN},
	LITERAL(TEXT, "$s"),
	LITERAL(WHOLE, "$w"),
	LITERAL(WHOLE_DOUBLE, "CAST($w AS DOUBLE)"),
	LITERAL(DOUBLE, "CAST($s AS DOUBLE)"),
	LITERAL(DECIMAL, "$w"),
	CALL(NULL, "NULL"),
	CALL(TRUE, "TRUE"),
	CALL(FALSE, "FALSE"),
	CALL(STAR, "*"),

	CALL(LIST, "$,"),
	CALL(ANY, "($|)"),
	CALL(BRANCHES, "$_"),

	CAST(CAST, "CAST($1 AS $T)"),
	CAST(TRY_CAST, "TRY_CAST($1 AS $T)"),
	CAST(READ, SOTTO_READ_TEMPLATE("$1", "$2", "$T")),
	CALL(READ_MOMENT, SOTTO_READ_MOMENT_TEMPLATE("$1", "$2")),
	CALL(NEAR_DATE, "CASE WHEN $1 BETWEEN DATE '290000-01-01 (BC)' AND DATE "
			"'290000-12-31' OR NOT isfinite($1) THEN $1 END"),
	/* Moved inside as well, because the engine also computes functions of what CASE leaves
	 * out: of other entries of a Parquet file's dictionary, and of the largest and smallest
	 * value that the file says a column has. */
	CALL(DATE_INSIDE, "CASE WHEN $1 BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN "
			  "least(greatest($1, DATE '0001-01-01'), DATE '9999-12-31') END"),
	CALL(TIMESTAMP_INSIDE,
	     "CASE WHEN $1 BETWEEN TIMESTAMP '0001-01-01 00:00:00' AND TIMESTAMP '9999-12-31 "
	     "23:59:59' THEN least(greatest($1, TIMESTAMP '0001-01-01 00:00:00'), TIMESTAMP "
	     "'9999-12-31 23:59:59') END"),
	CALL(ALIKE, "CASE WHEN TRY_CAST($1 AS DOUBLE) = CAST('NaN' AS DOUBLE) THEN CAST('NaN' "
		    "AS DOUBLE) ELSE TRY_CAST($1 AS DOUBLE) + CAST(0 AS DOUBLE) END"),
	CALL(PLAIN, "(nullif(TRY_CAST($1 AS DOUBLE), CAST('NaN' AS DOUBLE)) + CAST(0 AS "
		    "DOUBLE))"),
	CALL(PLUS_ZERO, "TRY_CAST($1 AS DOUBLE) + CAST(0 AS DOUBLE)"),
	CALL(WITHOUT_NAN, "nullif($1, CAST('NaN' AS DOUBLE))"),
	CALL(CAST_WITHOUT_NAN, "nullif(CAST($1 AS DOUBLE), CAST('NaN' AS DOUBLE))"),
	CALL(SHOWN_WHOLE, "CASE WHEN TRY_CAST($1 AS BIGINT) IS NOT NULL THEN $2 END"),

	CALL(ADD, "($1 + $2)"),
	CALL(SUBTRACT, "($1 - $2)"),
	CALL(MULTIPLY, "($1 * $2)"),
	CALL(DIVIDE, "($1 / nullif($2, 0))"),
	CALL(MODULO, "($1 % nullif($2, 0))"),
	CALL(NEGATE, "(- $1)"),
	CALL(TRUNC, "trunc($1)"),
	CALL(ROUND, "round($1)"),
	CALL(SCALED, "round($1 * $2)"),
	CALL(SETTLED, "(round($1 * $2) / $2)"),
	CALL(ROUND_DIGITS, "(round(round($1 * $2) / $3) / $4)"),
	CALL(CUT_DIGITS, "(trunc(round($1 * $2) / $3) / $4)"),
	CALL(DIVIDED_BY, "($1 / $2)"),
	CALL(CLIP, "CASE WHEN $1 < $2 THEN $2 WHEN $1 <= $3 THEN $1 WHEN $1 < CAST('NaN' AS "
		   "DOUBLE) THEN $3 END"),
	CALL(HELD, "CASE WHEN $1 < $2 THEN $2 WHEN $1 > $3 THEN $3 ELSE $1 END"),
	CALL(DAY, "(DATE '1970-01-01' + CAST($1 AS INTEGER))"),
	CALL(STEPS, "sotto_steps($1, $2)"),
	CALL(DECIMAL_NUMBER, "sotto_number($1)"),
	CALL(UNIT_STEPS, "nullif(round($1 / $2), CAST('NaN' AS DOUBLE))"),
	CALL(CLIP_STEPS,
	     "CAST(CASE WHEN $1 < $2 THEN $2 WHEN $1 > $3 THEN $3 ELSE $1 END AS BIGINT)"),
	CALL(STEPS_SUM, "(CAST($1 AS DOUBLE) * $2)"),
	CALL(STEPS_AVERAGE, "(CAST($1 AS DOUBLE) * $2 / nullif(CAST($3 AS DOUBLE), 0))"),
	/* As doubles: products of many joins do not fit into whole numbers of the engine. */
	CALL(PLUS, "CAST($1 AS DOUBLE) + $2"),
	CALL(TIMES, "CAST($1 AS DOUBLE) * $2"),
	CALL(GREATEST_ONE, "greatest(CAST($1 AS DOUBLE), 1)"),
	CALL(CHECKED, "CAST(least($1, 1e15) AS BIGINT)"),
	CALL(CHECKED_OR_NONE, "CAST(least(coalesce($1, 0), 1e15) AS BIGINT)"),
	CALL(WORK, "CAST($1 AS DOUBLE) * ($2) + $3"),

	/*
	 * What does not fit 64 bits is NULL (whole_number.h).  -2^63 / -1 does not fit either: by -1
	 * nothing is ever divided, whichever rows a CASE picks.  The | 0 keeps the engine from
	 * comparing what is below TRY_CAST instead of its result.
	 */
	CALL(WHOLE_ADD, "sotto_whole(CAST(TRY_CAST($1 AS BIGINT) AS HUGEINT) + TRY_CAST($2 AS "
			"BIGINT))"),
	CALL(WHOLE_SUBTRACT, "sotto_whole(CAST(TRY_CAST($1 AS BIGINT) AS HUGEINT) - "
			     "TRY_CAST($2 AS BIGINT))"),
	CALL(WHOLE_MULTIPLY, "sotto_whole(CAST(TRY_CAST($1 AS BIGINT) AS HUGEINT) * "
			     "TRY_CAST($2 AS BIGINT))"),
	CALL(WHOLE_DIVIDE, "(CASE WHEN $2 = -1 THEN sotto_whole(-CAST(TRY_CAST($1 AS BIGINT) "
			   "AS HUGEINT)) ELSE TRY_CAST($1 AS BIGINT) // "
			   "nullif(nullif(TRY_CAST($2 AS BIGINT), 0), -1) END | 0)"),
	CALL(WHOLE_MODULO, "(TRY_CAST($1 AS BIGINT) % CASE WHEN $2 = -1 THEN 1 ELSE "
			   "nullif(nullif(TRY_CAST($2 AS BIGINT), 0), -1) END)"),
	CALL(WHOLE_NEGATE, "sotto_whole(-CAST(TRY_CAST($1 AS BIGINT) AS HUGEINT))"),
	CALL(WHOLE_ABSOLUTE, "sotto_whole(abs(CAST(TRY_CAST($1 AS BIGINT) AS HUGEINT)))"),
	CALL(WHOLE_ROUND,
	     "sotto_whole(CAST(TRY_CAST($1 AS BIGINT) AS HUGEINT) - TRY_CAST($1 AS "
	     "BIGINT) % $2 + CASE WHEN TRY_CAST($1 AS BIGINT) % $2 >= $2 // 2 THEN $2 "
	     "WHEN TRY_CAST($1 AS BIGINT) % $2 <= -($2 // 2) THEN -$2 ELSE 0 END)"),

	CALL(CONCAT, "left($1 || $2, 10000)"),
	CALL(CONCAT_CALL, "concat($,)"),
	CALL(CONCAT_WS_CALL, "concat_ws($,)"),
	CALL(LEFT_MADE, "left($1, 10000)"),
	CALL(NO_KEY_IF_LONG, "CASE WHEN strlen($1) > $2 THEN $3 ELSE $1 END"),
	CALL(CUT, "CASE WHEN strlen($1) <= $2 THEN $1 ELSE left($1, $2) END"),
	CALL(CUT_HERE, "CASE WHEN strlen($1) <= $2 THEN $1 ELSE sotto_cut($1, $2) END"),
	CALL(TEXT_SIZE, "coalesce(strlen($1) + 5 * (length($1) - length(regexp_replace($1, "
			"'[[:cntrl:]\"\\\\]', '', 'g'))), 0)"),
	CALL(LOWER, "lower($1)"),

	CALL(TO_MONTHS, "to_months($1)"),
	CALL(TO_DAYS, "to_days($1)"),
	CALL(TO_HOURS, "to_hours($1)"),
	CALL(TO_MINUTES, "to_minutes($1)"),
	CALL(TO_SECONDS, "to_seconds($1)"),
	CALL(LATER, "TRY_CAST($1 + $2 AS TIMESTAMP)"),
	CALL(EARLIER, "TRY_CAST($1 - $2 AS TIMESTAMP)"),
	CALL(DAYS_LATER, "CASE WHEN abs($2) <= 100000 THEN TRY_CAST($1 + to_days(CAST("
			 "round($2) AS INTEGER)) AS DATE) END"),
	CALL(DAYS_EARLIER, "CASE WHEN abs($2) <= 100000 THEN TRY_CAST($1 - to_days(CAST("
			   "round($2) AS INTEGER)) AS DATE) END"),
	CALL(DAYS_BETWEEN, "date_diff('day', $2, $1)"),
	CALL(DAYS_SINCE, "date_diff('day', DATE '1970-01-01', $1)"),
	CALL(SECONDS_SINCE, "date_diff('second', TIMESTAMP '1970-01-01 00:00:00', $1)"),
	CALL(SECONDS_BETWEEN, "date_diff('second', $2, $1)"),
	CALL(WHOLE_DAYS, "($1 // 86400)"),

	CALL(EQ, "($1 = $2)"),
	CALL(NE, "($1 <> $2)"),
	CALL(LT, "($1 < $2)"),
	CALL(LE, "($1 <= $2)"),
	CALL(GT, "($1 > $2)"),
	CALL(GE, "($1 >= $2)"),
	CALL(DISTINCT_FROM, "($1 IS DISTINCT FROM $2)"),
	CALL(AND, "($1 AND $2)"),
	CALL(OR, "($1 OR $2)"),
	CALL(NOT, "(NOT $1)"),
	CALL(IS_NULL, "($1 IS NULL)"),
	CALL(IS_TRUE, "($1 IS NOT DISTINCT FROM TRUE)"),
	CALL(IS_FALSE, "($1 IS NOT DISTINCT FROM FALSE)"),
	CALL(SAME, "$1 = $2"),
	CALL(BOTH, "$1 AND $2"),
	CALL(PRESENT, "$1 IS NOT NULL"),
	CALL(AT_MOST, "$1 <= $2"),
	CALL(PREFIX, "prefix($1, $2)"),
	CALL(SUFFIX, "suffix($1, $2)"),
	CALL(CONTAINS, "contains($1, $2)"),
	CALL(ENDS, "(prefix($1, $2) AND suffix($1, $3) AND strlen($1) >= strlen($2) + "
		   "strlen($3))"),
	CALL(FULL_MATCH, "regexp_full_match($1, $2, 's')"),

	CALL(COALESCE, "coalesce($,)"),
	CALL(GREATEST, "greatest($,)"),
	CALL(LEAST, "least($,)"),
	CALL(NULLIF, "nullif($1, $2)"),
	CALL(WHEN, "WHEN $1 THEN $2"),
	CALL(CASE, "CASE $1 ELSE $2 END"),
	CALL(ONLY_WHEN, "CASE WHEN $1 THEN $2 END"),
	CALL(STRETCHED, "($1 + ($2 - $1 + $3) * ln(20.0 * greatest($4, 1)) / ln(20.0))"),
	CALL(STRETCHED_BY, "($1 + ($2 - $1) * $3)"),

	QUERY(SCALAR, "($q)"),
	QUERY(EXISTS, "(EXISTS ($q))"),
	QUERY(IN, "($1 IN ($q))"),
	QUERY(PRESENT_EXISTS, "CASE WHEN $1 IS NOT NULL THEN EXISTS ($q) END"),

	CALL(COUNT, "count($1)"),
	CALL(COUNT_DISTINCT, "count(DISTINCT $1)"),
	CALL(SUM, "sum($1)"),
	CALL(AVG, "avg($1)"),
	/*
	 * Doubles are added up in the order of their values, and of values that are equally
	 * frequent the least is the mode: in which order public rows come may depend on how many
	 * private ones they are found for.
	 */
	CALL(SUM_NEAR, "fsum($1 ORDER BY $1)"),
	CALL(AVG_NEAR, "favg($1 ORDER BY $1)"),
	CALL(SUM_WHOLE, "sum(TRY_CAST($1 AS HUGEINT))"),
	CALL(SUM_OF_DIGITS, "($1 / $2)"),
	CALL(AVG_OF_DIGITS, "CASE WHEN $3 > 0 THEN $1 / ($2 * $3) END"),
	CALL(VAR_POP, "var_pop($1 ORDER BY $1)"),
	CALL(VAR_SAMP, "var_samp($1 ORDER BY $1)"),
	CALL(STDDEV_POP, "stddev_pop($1 ORDER BY $1)"),
	CALL(STDDEV_SAMP, "stddev_samp($1 ORDER BY $1)"),
	CALL(MEDIAN, "median($1)"),
	CALL(MIN, "min($1)"),
	CALL(MAX, "max($1)"),
	CALL(MODE, "mode($1 ORDER BY $1)"),
	CALL(BOOL_AND, "bool_and($1)"),
	CALL(BOOL_OR, "bool_or($1)"),
	CALL(QUANTILE_CONT, "quantile_cont($1, $2)"),
	CALL(QUANTILE_DISC, "quantile_disc($1, $2)"),
	CALL(QUANTILE_DISC_ABOVE, "quantile_disc($1, 1 - $2 ORDER BY $1 DESC)"),
	CALL(FILTER, "$1 FILTER (WHERE $2)"),
	CALL(ROW_NUMBER, "row_number()"),
	CALL(RANK, "rank()"),
	CALL(DENSE_RANK, "dense_rank()"),
	CALL(PERCENT_RANK, "percent_rank()"),
	CALL(CUME_DIST, "cume_dist()"),
	CALL(NTILE, "ntile($1)"),
	/* the whole numbers around public values; 1e17 if there are none, or one is beyond 9e15 */
	CALL(LEAST_WHOLE, "coalesce(min(CASE WHEN abs(TRY_CAST($1 AS DOUBLE)) < 9e15 THEN "
			  "CAST(floor(TRY_CAST($1 AS DOUBLE)) AS BIGINT) ELSE CAST(1e17 AS "
			  "BIGINT) END) FILTER ($1 IS NOT NULL), CAST(1e17 AS BIGINT))"),
	CALL(GREATEST_WHOLE, "coalesce(max(CASE WHEN abs(TRY_CAST($1 AS DOUBLE)) < 9e15 THEN "
			     "CAST(ceil(TRY_CAST($1 AS DOUBLE)) AS BIGINT) ELSE CAST(1e17 AS "
			     "BIGINT) END) FILTER ($1 IS NOT NULL), CAST(1e17 AS BIGINT))"),
	CALL(LAG, "lag($1)"),
	CALL(LEAD, "lead($1)"),
	CALL(LAG_BY, "lag($1, $2)"),
	CALL(LEAD_BY, "lead($1, $2)"),
	CALL(LAG_OR, "lag($1, $2, $3)"),
	CALL(LEAD_OR, "lead($1, $2, $3)"),
	CALL(LAST_VALUE, "last_value($1)"),
	CALL(FIRST_VALUE, "first_value($1)"),
	CALL(OVER_ALL, "$1 OVER ()"),
	CALL(OVER_PARTS, "$1 OVER (PARTITION BY $2)"),
	CALL(OVER_ORDERS, "$1 OVER ( ORDER BY $2)"),
	CALL(OVER_BOTH, "$1 OVER (PARTITION BY $2 ORDER BY $3)"),
	CALL(OVER_ORDERS_ROWS, "$1 OVER (ORDER BY $2 ROWS BETWEEN $3 AND $4)"),
	CALL(OVER_BOTH_ROWS, "$1 OVER (PARTITION BY $2 ORDER BY $3 ROWS BETWEEN $4 AND $5)"),
	CALL(ROWS_BEFORE, "$1 PRECEDING"),
	CALL(ROWS_AFTER, "$1 FOLLOWING"),
	CALL(ROWS_ALL_BEFORE, "UNBOUNDED PRECEDING"),
	CALL(ROWS_ALL_AFTER, "UNBOUNDED FOLLOWING"),
	CALL(ASC_LAST, "$1 ASC NULLS LAST"),
	CALL(ASC_FIRST, "$1 ASC NULLS FIRST"),
	CALL(DESC_LAST, "$1 DESC NULLS LAST"),
	CALL(DESC_FIRST, "$1 DESC NULLS FIRST"),
	CALL(HASH, "hash($,)"),
	CALL(SPLIT, "unnest(string_split($1, chr($2)))"),
	CALL(COUNT_OF_ROWS, "coalesce(max($1), 0)"),
	CALL(MOST_FREQUENT, "sotto_most($1)"),
};

const struct sotto_operation *sotto_operation(enum sotto_operation_name name)
{
	return &operations[name];
}

/* Inside the first argument of NULLIF, whose parenthesis stands before s; up to its comma. */
static const char *first_end(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		if (depth == 0 && (*s == ',' || *s == ')'))
			return s;
		depth += *s == '(';
		depth -= *s == ')';
	}
	return s;
}

static double times_between(const char *s, const char *end, char digit)
{
	static const char twice[] = "nullif(";
	double times = 0;

	for (; s < end; s++) {
		if (s[0] == '$' && (s[1] == digit || s[1] == ',' || s[1] == '|' || s[1] == '_'))
			times++;
		if (*s != *twice || strncmp(s, twice, sizeof twice - 1) != 0)
			continue;
		s += sizeof twice - 1;
		times += 2 * times_between(s, first_end(s), digit);
		s = first_end(s) - 1;
	}
	return times;
}

double sotto_operation_times(const struct sotto_operation *o, size_t i)
{
	return times_between(o->template, o->template + strlen(o->template),
			     i < 9 ? (char)('1' + i) : '\0');
}
