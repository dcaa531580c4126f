/*
 * The reviewed functions of one row.
 */
#include "central/expression/row_function.h"

#include <math.h>
#include <string.h>

static double radians(double x)
{
	return x * 0.017453292519943295;
}

static double degrees(double x)
{
	return x * 57.29577951308232;
}

/* ---- over noisy values: NaN is NULL there ------------------------------------------------ */

static double sign_of(double x)
{
	return (x > 0) - (x < 0);
}

static double cot_of(double x)
{
	return cos(x) / sin(x);
}

static double div_of(double x, double y)
{
	return y == 0 ? NAN : trunc(x / y);
}

static double log_of(double x)
{
	return x > 0 ? log(x) : NAN;
}

static double log10_of(double x)
{
	return x > 0 ? log10(x) : NAN;
}

static double log2_of(double x)
{
	return x > 0 ? log2(x) : NAN;
}

/* Half goes away from zero, as PostgreSQL rounds numerics. */
static double round_to(double x, double digits)
{
	double power = pow(10, digits);

	return isfinite(power) && isfinite(x * power) ? round(x * power) / power : x;
}

static double truncate_to(double x, double digits)
{
	double power = pow(10, digits);

	return isfinite(power) && isfinite(x * power) ? trunc(x * power) / power : x;
}

enum { ZONE = 2000 }; /* nanoseconds: rules of a zone that changed often */

/* ---- the table ------------------------------------------------------------------------------ */

#define ROW(name_, args_, type_, text_)                                                        \
	.name = name_, .args = args_, .type = type_, .operation = {text_, SOTTO_OPERATION_CALL}

/*
 * Each rate was measured on the text that is the most costly to the function (beyond
 * ASCII, made of long clusters, full of matches), and rounded up.
 */
static const struct sotto_function functions[] = {
	{ROW("abs", "n", SOTTO_TYPE_NUMBER, "abs($1)"), .known = SOTTO_KNOWN_ABSOLUTE,
	 .answer = {.one = fabs, .shape = SOTTO_SHAPE_TURNS}},
	{ROW("ceil", "n", SOTTO_TYPE_NUMBER, "ceil($1)"), .known = SOTTO_KNOWN_WHOLE,
	 .growing = ceil, .answer = {.one = ceil}},
	{ROW("ceiling", "n", SOTTO_TYPE_NUMBER, "ceil($1)"), .known = SOTTO_KNOWN_WHOLE,
	 .growing = ceil, .answer = {.one = ceil}},
	{ROW("floor", "n", SOTTO_TYPE_NUMBER, "floor($1)"), .known = SOTTO_KNOWN_WHOLE,
	 .growing = floor, .answer = {.one = floor}},
	{ROW("trunc", "n", SOTTO_TYPE_NUMBER, "trunc($1)"), .known = SOTTO_KNOWN_WHOLE,
	 .growing = trunc, .answer = {.one = trunc}},
	{ROW("sign", "n", SOTTO_TYPE_NUMBER, "CAST(sign($1) AS DOUBLE)"),
	 .known = SOTTO_KNOWN_WITHIN_ONE, .answer = {.one = sign_of}},
	{ROW("round", "nI", SOTTO_TYPE_NUMBER, "round($1, $2)"), .known = SOTTO_KNOWN_ROUND,
	 .answer = {.two = round_to}},
	{ROW("exp", "n", SOTTO_TYPE_NUMBER, "exp($1)"), .growing = exp, .answer = {.one = exp}},
	{ROW("ln", "n", SOTTO_TYPE_NUMBER, "ln(nullif(greatest($1, 0.0), 0.0))"),
	 .has_gaps = true, .growing = log, .answer = {.one = log_of}},
	{ROW("log", "n", SOTTO_TYPE_NUMBER, "log10(nullif(greatest($1, 0.0), 0.0))"),
	 .has_gaps = true, .growing = log10, .answer = {.one = log10_of}},
	{ROW("log10", "n", SOTTO_TYPE_NUMBER, "log10(nullif(greatest($1, 0.0), 0.0))"),
	 .has_gaps = true, .growing = log10, .answer = {.one = log10_of}},
	{ROW("log2", "n", SOTTO_TYPE_NUMBER, "log2(nullif(greatest($1, 0.0), 0.0))"),
	 .has_gaps = true, .growing = log2, .answer = {.one = log2_of}},
	{ROW("sqrt", "n", SOTTO_TYPE_NUMBER, "nullif(pow($1, 0.5), CAST('NaN' AS DOUBLE))"),
	 .has_gaps = true, .growing = sqrt, .answer = {.one = sqrt, .shape = SOTTO_SHAPE_ROOT}},
	{ROW("power", "nn", SOTTO_TYPE_NUMBER, "nullif(pow($1, $2), CAST('NaN' AS DOUBLE))"),
	 .known = SOTTO_KNOWN_POWER, .has_gaps = true,
	 .answer = {.two = pow, .shape = SOTTO_SHAPE_TURNS}},
	{ROW("pow", "nn", SOTTO_TYPE_NUMBER, "nullif(pow($1, $2), CAST('NaN' AS DOUBLE))"),
	 .known = SOTTO_KNOWN_POWER, .has_gaps = true,
	 .answer = {.two = pow, .shape = SOTTO_SHAPE_TURNS}},
	{ROW("div", "nn", SOTTO_TYPE_NUMBER, "trunc($1 / nullif($2, 0))"),
	 .known = SOTTO_KNOWN_QUOTIENT, .has_gaps = true,
	 .answer = {.two = div_of, .shape = SOTTO_SHAPE_DIVIDES}},
	{ROW("cbrt", "n", SOTTO_TYPE_NUMBER, "cbrt($1)"), .growing = cbrt,
	 .answer = {.one = cbrt}},
	{ROW("atan", "n", SOTTO_TYPE_NUMBER, "atan($1)"), .growing = atan,
	 .answer = {.one = atan}},
	{ROW("tanh", "n", SOTTO_TYPE_NUMBER, "tanh($1)"), .growing = tanh,
	 .answer = {.one = tanh}},
	{ROW("sinh", "n", SOTTO_TYPE_NUMBER, "sinh($1)"), .growing = sinh,
	 .answer = {.one = sinh}},
	{ROW("asinh", "n", SOTTO_TYPE_NUMBER, "asinh($1)"), .growing = asinh,
	 .answer = {.one = asinh}},
	{ROW("cosh", "n", SOTTO_TYPE_NUMBER, "cosh($1)"),
	 .answer = {.one = cosh, .shape = SOTTO_SHAPE_TURNS}},
	{ROW("acosh", "n", SOTTO_TYPE_NUMBER, "CASE WHEN $1 >= 1 THEN acosh($1) END"),
	 .has_gaps = true, .growing = acosh, .answer = {.one = acosh}},
	{ROW("atanh", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) < 1 THEN atanh($1) END"),
	 .has_gaps = true, .growing = atanh, .answer = {.one = atanh}},
	{ROW("cot", "n", SOTTO_TYPE_NUMBER,
	     "CASE WHEN abs($1) <= 1e15 THEN cos($1) / nullif(sin($1), 0.0) END"),
	 .has_gaps = true, .answer = {.one = cot_of, .shape = SOTTO_SHAPE_WAVES}},
	{ROW("truncate", "nI", SOTTO_TYPE_NUMBER,
	     "(trunc($1 * pow(10.0, $2)) / nullif(pow(10.0, $2), 0.0))"),
	 .known = SOTTO_KNOWN_TRUNCATE, .has_gaps = true, .answer = {.two = truncate_to}},
	{ROW("bitwise_and", "bb", SOTTO_TYPE_INTEGER,
	     "(TRY_CAST($1 AS BIGINT) & TRY_CAST($2 AS BIGINT))"),
	 .has_gaps = true},
	{ROW("bitwise_or", "bb", SOTTO_TYPE_INTEGER,
	     "(TRY_CAST($1 AS BIGINT) | TRY_CAST($2 AS BIGINT))"),
	 .has_gaps = true},
	{ROW("bitwise_xor", "bb", SOTTO_TYPE_INTEGER,
	     "(xor(TRY_CAST($1 AS BIGINT), TRY_CAST($2 AS BIGINT)))"),
	 .has_gaps = true},
	{ROW("radians", "n", SOTTO_TYPE_NUMBER, "radians($1)"), .growing = radians,
	 .answer = {.one = radians}},
	{ROW("degrees", "n", SOTTO_TYPE_NUMBER, "degrees($1)"), .growing = degrees,
	 .answer = {.one = degrees}},
	{ROW("sin", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1e15 THEN sin($1) END"),
	 .known = SOTTO_KNOWN_WITHIN_ONE, .has_gaps = true,
	 .answer = {.one = sin, .shape = SOTTO_SHAPE_WAVES}},
	{ROW("cos", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1e15 THEN cos($1) END"),
	 .known = SOTTO_KNOWN_WITHIN_ONE, .has_gaps = true,
	 .answer = {.one = cos, .shape = SOTTO_SHAPE_WAVES}},
	{ROW("tan", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1e15 THEN tan($1) END"),
	 .has_gaps = true, .answer = {.one = tan, .shape = SOTTO_SHAPE_WAVES}},
	{ROW("asin", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1 THEN asin($1) END"),
	 .has_gaps = true, .growing = asin, .answer = {.one = asin}},
	{ROW("acos", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1 THEN acos($1) END"),
	 .has_gaps = true, .answer = {.one = acos}},
	{ROW("atan2", "nn", SOTTO_TYPE_NUMBER, "atan2($1, $2)")},
	{ROW("lower", "t", SOTTO_TYPE_TEXT, "lower($1)"),
	 .load = {.each = 25, .length = SOTTO_LENGTH_SAME}},
	{ROW("upper", "t", SOTTO_TYPE_TEXT, "upper($1)"),
	 .load = {.each = 25, .length = SOTTO_LENGTH_SAME}},
	{ROW("length", "t", SOTTO_TYPE_INTEGER, "length($1)"), .known = SOTTO_KNOWN_LENGTH,
	 .load = {.each = 3}},
	{ROW("char_length", "t", SOTTO_TYPE_INTEGER, "length($1)"), .known = SOTTO_KNOWN_LENGTH,
	 .load = {.each = 3}},
	{ROW("character_length", "t", SOTTO_TYPE_INTEGER, "length($1)"),
	 .known = SOTTO_KNOWN_LENGTH, .load = {.each = 3}},
	{ROW("trim", "tL", SOTTO_TYPE_TEXT, "trim($1, $2)"),
	 .load = {.each = 8, .length = SOTTO_LENGTH_SAME}},
	{ROW("btrim", "tL", SOTTO_TYPE_TEXT, "trim($1, $2)"),
	 .load = {.each = 8, .length = SOTTO_LENGTH_SAME}},
	{ROW("ltrim", "tL", SOTTO_TYPE_TEXT, "ltrim($1, $2)"),
	 .load = {.each = 8, .length = SOTTO_LENGTH_SAME}},
	{ROW("rtrim", "tL", SOTTO_TYPE_TEXT, "rtrim($1, $2)"),
	 .load = {.each = 8, .length = SOTTO_LENGTH_SAME}},
	{ROW("reverse", "t", SOTTO_TYPE_TEXT, "reverse($1)"),
	 .load = {.each = 35, .length = SOTTO_LENGTH_SAME}},
	{ROW("left", "ti", SOTTO_TYPE_TEXT, "left($1, $2)"),
	 .load = {.each = 5, .length = SOTTO_LENGTH_FIRST}},
	{ROW("right", "ti", SOTTO_TYPE_TEXT, "right($1, $2)"),
	 .load = {.each = 5, .length = SOTTO_LENGTH_FIRST}},
	{ROW("substr", "tiI", SOTTO_TYPE_TEXT, "substr($1, $2, $3)"),
	 .load = {.each = 5, .length = SOTTO_LENGTH_PART}},
	{ROW("substring", "tiI", SOTTO_TYPE_TEXT, "substr($1, $2, $3)"),
	 .load = {.each = 5, .length = SOTTO_LENGTH_PART}},
	{ROW("strpos", "tt", SOTTO_TYPE_INTEGER, "strpos($1, $2)"), .known = SOTTO_KNOWN_LENGTH,
	 .load = {.each = 1}},
	{ROW("position", "tt", SOTTO_TYPE_INTEGER, "strpos($1, $2)"),
	 .known = SOTTO_KNOWN_LENGTH, .load = {.each = 1}},
	{ROW("starts_with", "tt", SOTTO_TYPE_BOOLEAN, "starts_with($1, $2)"),
	 .load = {.each = 1}},
	{ROW("local_time", "dz", SOTTO_TYPE_TIMESTAMP,
	     "timezone($2, timezone('UTC', CAST($1 AS TIMESTAMP)))"),
	 .load = {.fixed = ZONE}},
	{ROW("utc_time", "dz", SOTTO_TYPE_TIMESTAMP,
	     "timezone('UTC', timezone($2, CAST($1 AS TIMESTAMP)))"),
	 .load = {.fixed = ZONE}},
	{ROW("date_trunc", "wd", SOTTO_TYPE_TIMESTAMP,
	     "TRY_CAST(date_trunc($1, $2) AS TIMESTAMP)"),
	 .known = SOTTO_KNOWN_DATE_START, .day = SOTTO_DAY_BY_PART},
	{ROW("time_bucket", "vdo", SOTTO_TYPE_TIMESTAMP,
	     "TRY_CAST(time_bucket($1, CAST($2 AS TIMESTAMP), CAST($3 AS TIMESTAMP)) AS "
	     "TIMESTAMP)"),
	 .known = SOTTO_KNOWN_DATE_START, .load = {.fixed = 300}},
	/* the engine reads these three words as a date, whatever the format */
	{ROW("strptime", "tx", SOTTO_TYPE_TIMESTAMP,
	     "CASE WHEN regexp_full_match($1, '\\s*(infinity|-infinity|epoch)\\s*', 'i') THEN "
	     "NULL "
	     "ELSE try_strptime($1, $2) END"),
	 .has_gaps = true, .load = {.each = 12, .fixed = 1500}},
	{ROW("date_part", "wd", SOTTO_TYPE_INTEGER, "CAST(floor(date_part($1, $2)) AS BIGINT)"),
	 .known = SOTTO_KNOWN_DATE_PART, .day = SOTTO_DAY_BY_PART,
	 .load = {.fixed = 700} /* isoyear */},
	{ROW("extract", "wd", SOTTO_TYPE_INTEGER, "CAST(floor(date_part($1, $2)) AS BIGINT)"),
	 .known = SOTTO_KNOWN_DATE_PART, .day = SOTTO_DAY_BY_PART, .load = {.fixed = 700}},
	{ROW("date_diff", "wdd", SOTTO_TYPE_INTEGER, "CAST(date_diff($1, $2, $3) AS BIGINT)"),
	 .known = SOTTO_KNOWN_DATE_DIFFERENCE},
	{ROW("datesub", "wdd", SOTTO_TYPE_INTEGER, "CAST(datesub($1, $2, $3) AS BIGINT)"),
	 .known = SOTTO_KNOWN_DATE_DIFFERENCE, .has_gaps = true},
	{ROW("datediff", "wdd", SOTTO_TYPE_INTEGER, "CAST(date_diff($1, $2, $3) AS BIGINT)"),
	 .known = SOTTO_KNOWN_DATE_DIFFERENCE},
	{ROW("ends_with", "tt", SOTTO_TYPE_BOOLEAN, "suffix($1, $2)"), .load = {.each = 1}},
	{ROW("contains", "tt", SOTTO_TYPE_BOOLEAN, "contains($1, $2)"), .load = {.each = 1}},
	{ROW("replace", "tll", SOTTO_TYPE_TEXT,
	     "left(replace(left($1, 10000), $2, $3), 10000)"),
	 .load = {.each = 15, .length = SOTTO_LENGTH_REPLACED}},
	{ROW("translate", "tll", SOTTO_TYPE_TEXT,
	     "left(translate(left($1, 10000), $2, $3), 10000)"),
	 .load = {.each = 25, .length = SOTTO_LENGTH_SAME}},
	{ROW("lpad", "tiL", SOTTO_TYPE_TEXT,
	     "CASE WHEN length($3) > 0 THEN lpad($1, least(greatest($2, 0), 10000), $3) "
	     "ELSE left($1, greatest($2, 0)) END"),
	 .load = {.each = 12, .length = SOTTO_LENGTH_PADDED}},
	{ROW("rpad", "tiL", SOTTO_TYPE_TEXT,
	     "CASE WHEN length($3) > 0 THEN rpad($1, least(greatest($2, 0), 10000), $3) "
	     "ELSE left($1, greatest($2, 0)) END"),
	 .load = {.each = 12, .length = SOTTO_LENGTH_PADDED}},
	{ROW("octet_length", "t", SOTTO_TYPE_INTEGER, "strlen($1)"), .known = SOTTO_KNOWN_BYTES,
	 .load = {.each = 1}},
	{ROW("ascii", "t", SOTTO_TYPE_INTEGER, "ascii($1)"), .load = {.each = 1}},
	{ROW("md5", "t", SOTTO_TYPE_TEXT, "md5($1)"),
	 .load = {.each = 10, .length = SOTTO_LENGTH_SHORT}},
	{ROW("sha256", "t", SOTTO_TYPE_TEXT, "sha256($1)"),
	 .load = {.each = 20, .length = SOTTO_LENGTH_SHORT}},
	/*
	 * In brackets, because the engine makes a LIKE of a.*b.*c as it stands, and tries all ways
	 * to divide the text for that.
	 */
	{ROW("regexp_matches", "tp", SOTTO_TYPE_BOOLEAN,
	     "regexp_matches($1, '(' || $2 || ')', 's')"),
	 .load = {.each = 12}},
	{ROW("regexp_imatches", "tp", SOTTO_TYPE_BOOLEAN,
	     "regexp_matches($1, '(' || $2 || ')', 'is')"),
	 .load = {.each = 12, .folds_case = true}},
	{ROW("regexp_replace", "tpr", SOTTO_TYPE_TEXT,
	     "left(regexp_replace(left($1, 10000), $2, $3, 's'), 10000)"),
	 .load = {.each = 60, .length = SOTTO_LENGTH_REPLACED}},
	{ROW("regexp_replace_all", "tpr", SOTTO_TYPE_TEXT,
	     "left(regexp_replace(left($1, 10000), $2, $3, 'sg'), 10000)"),
	 .load = {.each = 260, .length = SOTTO_LENGTH_REPLACED, .everywhere = true}},
	/* with groups of the match in the replacement, which take the time of regexp_extract */
	{ROW("regexp_rewrite", "tps", SOTTO_TYPE_TEXT,
	     "left(regexp_replace(left($1, 10000), $2, $3, 's'), 10000)"),
	 .load = {.each = 60, .length = SOTTO_LENGTH_MADE, .captures = true}},
	{ROW("regexp_rewrite_all", "tps", SOTTO_TYPE_TEXT,
	     "left(regexp_replace(left($1, 10000), $2, $3, 'sg'), 10000)"),
	 .load = {.each = 200,
		  .length = SOTTO_LENGTH_MADE,
		  .everywhere = true,
		  .captures = true}},
	{ROW("regexp_extract", "tpi", SOTTO_TYPE_TEXT,
	     "regexp_extract(left($1, 10000), $2, CAST($3 AS INTEGER), 's')"),
	 .load = {.each = 60, .length = SOTTO_LENGTH_SAME, .captures = true}},
	{ROW("last_day", "d", SOTTO_TYPE_DATE, "TRY_CAST(last_day($1) AS DATE)"),
	 .day = SOTTO_DAY_ALONE},
	/*
	 * What is not JSON is made NULL before a path is looked up, not beside it in a
	 * CASE: of a column with a dictionary the engine looks at every entry, whichever
	 * rows the CASE picks. Numbers may be written longer than they stand there: 1e9 as
	 * 1000000000.0.
	 */
	{ROW("json_extract_string", "tj", SOTTO_TYPE_TEXT,
	     "left(json_extract_string(TRY_CAST($1 AS JSON), $2), length($1))"),
	 .has_gaps = true, .load = {.each = 25, .length = SOTTO_LENGTH_SAME}},
	{ROW("json_extract", "tj", SOTTO_TYPE_TEXT,
	     "left(CAST(json_extract(TRY_CAST($1 AS JSON), $2) AS VARCHAR), length($1))"),
	 .has_gaps = true, .load = {.each = 25, .length = SOTTO_LENGTH_SAME}},
	{ROW("monthname", "d", SOTTO_TYPE_TEXT, "CASE WHEN TRUE THEN monthname($1) END"),
	 .known = SOTTO_KNOWN_MONTH_NAME, .day = SOTTO_DAY_ALONE,
	 .load = {.length = SOTTO_LENGTH_SHORT}},
	{ROW("dayname", "d", SOTTO_TYPE_TEXT, "CASE WHEN TRUE THEN dayname($1) END"),
	 .known = SOTTO_KNOWN_DAY_NAME, .day = SOTTO_DAY_ALONE,
	 .load = {.length = SOTTO_LENGTH_SHORT}},
	{ROW("strftime", "df", SOTTO_TYPE_TEXT, "CASE WHEN TRUE THEN strftime($1, $2) END"),
	 .day = SOTTO_DAY_BY_FORMAT, .load = {.each = 20, .length = SOTTO_LENGTH_FORMAT}},
	{ROW("make_date", "nnn", SOTTO_TYPE_DATE,
	     "CASE WHEN $1 BETWEEN 1 AND 9999 AND $2 BETWEEN 1 AND 12 AND $3 BETWEEN 1 AND 31 "
	     "THEN TRY_CAST(printf('%04d-%02d-%02d', TRY_CAST($1 AS INTEGER), TRY_CAST($2 AS "
	     "INTEGER), TRY_CAST($3 AS INTEGER)) AS DATE) END"),
	 .has_gaps = true, .load = {.fixed = 400}},
	{ROW("split_part", "tli", SOTTO_TYPE_TEXT, "split_part($1, $2, $3)"),
	 .load = {.each = 30, .length = SOTTO_LENGTH_SAME}},
	{ROW("magnitude", "n", SOTTO_TYPE_INTEGER,
	     "CASE WHEN $1 = 0 THEN 0 WHEN abs($1) > 0 THEN TRY_CAST(sign($1) * "
	     "(least(greatest(floor(log2(nullif(abs($1), 0.0))), -32), 63) + 33) AS BIGINT) "
	     "END"),
	 .known = SOTTO_KNOWN_MAGNITUDE, .has_gaps = true},
	{ROW("width_bucket", "nnni", SOTTO_TYPE_INTEGER,
	     "CASE WHEN $1 < $2 THEN 0 WHEN $1 >= $3 THEN $4 + 1 "
	     "ELSE TRY_CAST(floor(($1 - $2) * $4 / nullif($3 - $2, 0)) AS BIGINT) + 1 END"),
	 .known = SOTTO_KNOWN_BUCKET, .has_gaps = true},
};

/* Parts of a date: those that come round have a fixed set of values. */
static const struct sotto_date_part date_parts[] = {
	{"year", 0, 0},    {"month", 1, 12},  {"day", 1, 31},    {"hour", 0, 23},
	{"minute", 0, 59}, {"quarter", 1, 4}, {"week", 1, 53},   {"dow", 0, 6},
	{"doy", 1, 366},   {"isodow", 1, 7},  {"isoyear", 0, 0}, {"decade", 0, 0},
	{"century", 0, 0}, {"second", 0, 59}, {"epoch", 0, 0},
};

const struct sotto_function *sotto_function_at(size_t i)
{
	return i < sizeof functions / sizeof functions[0] ? &functions[i] : NULL;
}

const struct sotto_date_part *sotto_date_part(const char *name)
{
	for (size_t i = 0; i < sizeof date_parts / sizeof date_parts[0]; i++)
		if (strcmp(date_parts[i].name, name) == 0)
			return &date_parts[i];
	return NULL;
}

const struct sotto_function *sotto_function_find(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}
