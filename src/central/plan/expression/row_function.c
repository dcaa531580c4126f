#include "central/plan/expression/row_function.h"

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

#define CALL(text)                                                                             \
	{                                                                                      \
		text, SOTTO_OPERATION_CALL                                                     \
	}

static const struct sotto_function functions[] = {
	{"abs", "n", SOTTO_TYPE_NUMBER, CALL("abs($1)"), NULL},
	{"ceil", "n", SOTTO_TYPE_NUMBER, CALL("ceil($1)"), ceil},
	{"ceiling", "n", SOTTO_TYPE_NUMBER, CALL("ceil($1)"), ceil},
	{"floor", "n", SOTTO_TYPE_NUMBER, CALL("floor($1)"), floor},
	{"trunc", "n", SOTTO_TYPE_NUMBER, CALL("trunc($1)"), trunc},
	{"sign", "n", SOTTO_TYPE_NUMBER, CALL("CAST(sign($1) AS DOUBLE)"), NULL},
	{"round", "nI", SOTTO_TYPE_NUMBER, CALL("round($1, $2)"), NULL},
	{"exp", "n", SOTTO_TYPE_NUMBER, CALL("exp($1)"), exp},
	{"ln", "n", SOTTO_TYPE_NUMBER, CALL("ln(nullif(greatest($1, 0.0), 0.0))"), log},
	{"log", "n", SOTTO_TYPE_NUMBER, CALL("log10(nullif(greatest($1, 0.0), 0.0))"), log10},
	{"log10", "n", SOTTO_TYPE_NUMBER, CALL("log10(nullif(greatest($1, 0.0), 0.0))"), log10},
	{"log2", "n", SOTTO_TYPE_NUMBER, CALL("log2(nullif(greatest($1, 0.0), 0.0))"), log2},
	{"sqrt", "n", SOTTO_TYPE_NUMBER, CALL("nullif(pow($1, 0.5), CAST('NaN' AS DOUBLE))"),
	 sqrt},
	{"power", "nn", SOTTO_TYPE_NUMBER, CALL("nullif(pow($1, $2), CAST('NaN' AS DOUBLE))"),
	 NULL},
	{"pow", "nn", SOTTO_TYPE_NUMBER, CALL("nullif(pow($1, $2), CAST('NaN' AS DOUBLE))"),
	 NULL},
	{"mod", "nn", SOTTO_TYPE_NUMBER, CALL("($1 % nullif($2, 0))"), NULL},
	{"cbrt", "n", SOTTO_TYPE_NUMBER, CALL("cbrt($1)"), cbrt},
	{"atan", "n", SOTTO_TYPE_NUMBER, CALL("atan($1)"), atan},
	{"tanh", "n", SOTTO_TYPE_NUMBER, CALL("tanh($1)"), tanh},
	{"sinh", "n", SOTTO_TYPE_NUMBER, CALL("sinh($1)"), sinh},
	{"asinh", "n", SOTTO_TYPE_NUMBER, CALL("asinh($1)"), asinh},
	{"cosh", "n", SOTTO_TYPE_NUMBER, CALL("cosh($1)"), NULL},
	{"acosh", "n", SOTTO_TYPE_NUMBER, CALL("CASE WHEN $1 >= 1 THEN acosh($1) END"), acosh},
	{"atanh", "n", SOTTO_TYPE_NUMBER, CALL("CASE WHEN abs($1) < 1 THEN atanh($1) END"),
	 atanh},
	{"cot", "n", SOTTO_TYPE_NUMBER,
	 CALL("CASE WHEN abs($1) <= 1e15 THEN cos($1) / nullif(sin($1), 0.0) END"), NULL},
	{"truncate", "nI", SOTTO_TYPE_NUMBER,
	 CALL("(trunc($1 * pow(10.0, $2)) / nullif(pow(10.0, $2), 0.0))"), NULL},
	{"bitwise_and", "nn", SOTTO_TYPE_INTEGER,
	 CALL("(TRY_CAST($1 AS BIGINT) & TRY_CAST($2 AS BIGINT))"), NULL},
	{"bitwise_or", "nn", SOTTO_TYPE_INTEGER,
	 CALL("(TRY_CAST($1 AS BIGINT) | TRY_CAST($2 AS BIGINT))"), NULL},
	{"bitwise_xor", "nn", SOTTO_TYPE_INTEGER,
	 CALL("(xor(TRY_CAST($1 AS BIGINT), TRY_CAST($2 AS BIGINT)))"), NULL},
	{"radians", "n", SOTTO_TYPE_NUMBER, CALL("radians($1)"), radians},
	{"degrees", "n", SOTTO_TYPE_NUMBER, CALL("degrees($1)"), degrees},
	{"sin", "n", SOTTO_TYPE_NUMBER, CALL("CASE WHEN abs($1) <= 1e15 THEN sin($1) END"),
	 NULL},
	{"cos", "n", SOTTO_TYPE_NUMBER, CALL("CASE WHEN abs($1) <= 1e15 THEN cos($1) END"),
	 NULL},
	{"tan", "n", SOTTO_TYPE_NUMBER, CALL("CASE WHEN abs($1) <= 1e15 THEN tan($1) END"),
	 NULL},
	{"asin", "n", SOTTO_TYPE_NUMBER, CALL("CASE WHEN abs($1) <= 1 THEN asin($1) END"),
	 asin},
	{"acos", "n", SOTTO_TYPE_NUMBER, CALL("CASE WHEN abs($1) <= 1 THEN acos($1) END"),
	 NULL},
	{"atan2", "nn", SOTTO_TYPE_NUMBER, CALL("atan2($1, $2)"), NULL},
	{"lower", "t", SOTTO_TYPE_TEXT, CALL("lower($1)"), NULL},
	{"upper", "t", SOTTO_TYPE_TEXT, CALL("upper($1)"), NULL},
	{"length", "t", SOTTO_TYPE_INTEGER, CALL("length($1)"), NULL},
	{"char_length", "t", SOTTO_TYPE_INTEGER, CALL("length($1)"), NULL},
	{"character_length", "t", SOTTO_TYPE_INTEGER, CALL("length($1)"), NULL},
	{"trim", "tL", SOTTO_TYPE_TEXT, CALL("trim($1, $2)"), NULL},
	{"btrim", "tL", SOTTO_TYPE_TEXT, CALL("trim($1, $2)"), NULL},
	{"ltrim", "tL", SOTTO_TYPE_TEXT, CALL("ltrim($1, $2)"), NULL},
	{"rtrim", "tL", SOTTO_TYPE_TEXT, CALL("rtrim($1, $2)"), NULL},
	{"reverse", "t", SOTTO_TYPE_TEXT, CALL("reverse($1)"), NULL},
	{"left", "ti", SOTTO_TYPE_TEXT, CALL("left($1, $2)"), NULL},
	{"right", "ti", SOTTO_TYPE_TEXT, CALL("right($1, $2)"), NULL},
	{"substr", "tiI", SOTTO_TYPE_TEXT, CALL("substr($1, $2, $3)"), NULL},
	{"substring", "tiI", SOTTO_TYPE_TEXT, CALL("substr($1, $2, $3)"), NULL},
	{"strpos", "tt", SOTTO_TYPE_INTEGER, CALL("strpos($1, $2)"), NULL},
	{"position", "tt", SOTTO_TYPE_INTEGER, CALL("strpos($1, $2)"), NULL},
	{"starts_with", "tt", SOTTO_TYPE_BOOLEAN, CALL("starts_with($1, $2)"), NULL},
	{"date_trunc", "wd", SOTTO_TYPE_TIMESTAMP,
	 CALL("TRY_CAST(date_trunc($1, $2) AS TIMESTAMP)"), NULL},
	{"date_part", "wd", SOTTO_TYPE_INTEGER,
	 CALL("CAST(floor(date_part($1, $2)) AS BIGINT)"), NULL},
	{"extract", "wd", SOTTO_TYPE_INTEGER, CALL("CAST(floor(date_part($1, $2)) AS BIGINT)"),
	 NULL},
	{"date_diff", "wdd", SOTTO_TYPE_INTEGER, CALL("CAST(date_diff($1, $2, $3) AS BIGINT)"),
	 NULL},
	{"datediff", "wdd", SOTTO_TYPE_INTEGER, CALL("CAST(date_diff($1, $2, $3) AS BIGINT)"),
	 NULL},
	{"ends_with", "tt", SOTTO_TYPE_BOOLEAN, CALL("suffix($1, $2)"), NULL},
	{"contains", "tt", SOTTO_TYPE_BOOLEAN, CALL("contains($1, $2)"), NULL},
	{"replace", "tll", SOTTO_TYPE_TEXT,
	 CALL("left(replace(left($1, 10000), $2, $3), 10000)"), NULL},
	{"translate", "tll", SOTTO_TYPE_TEXT,
	 CALL("left(translate(left($1, 10000), $2, $3), 10000)"), NULL},
	{"lpad", "tiL", SOTTO_TYPE_TEXT,
	 CALL("CASE WHEN length($3) > 0 THEN lpad($1, least(greatest($2, 0), 10000), $3) "
	      "ELSE left($1, greatest($2, 0)) END"),
	 NULL},
	{"rpad", "tiL", SOTTO_TYPE_TEXT,
	 CALL("CASE WHEN length($3) > 0 THEN rpad($1, least(greatest($2, 0), 10000), $3) "
	      "ELSE left($1, greatest($2, 0)) END"),
	 NULL},
	{"octet_length", "t", SOTTO_TYPE_INTEGER, CALL("strlen($1)"), NULL},
	{"ascii", "t", SOTTO_TYPE_INTEGER, CALL("ascii($1)"), NULL},
	{"md5", "t", SOTTO_TYPE_TEXT, CALL("md5($1)"), NULL},
	{"sha256", "t", SOTTO_TYPE_TEXT, CALL("sha256($1)"), NULL},
	{"regexp_matches", "tp", SOTTO_TYPE_BOOLEAN, CALL("regexp_matches($1, $2, 's')"), NULL},
	{"regexp_imatches", "tp", SOTTO_TYPE_BOOLEAN, CALL("regexp_matches($1, $2, 'is')"),
	 NULL},
	{"last_day", "d", SOTTO_TYPE_DATE, CALL("TRY_CAST(last_day($1) AS DATE)"), NULL},
	{"monthname", "d", SOTTO_TYPE_TEXT, CALL("CASE WHEN TRUE THEN monthname($1) END"),
	 NULL},
	{"dayname", "d", SOTTO_TYPE_TEXT, CALL("CASE WHEN TRUE THEN dayname($1) END"), NULL},
	{"strftime", "df", SOTTO_TYPE_TEXT, CALL("CASE WHEN TRUE THEN strftime($1, $2) END"),
	 NULL},
	{"make_date", "nnn", SOTTO_TYPE_DATE,
	 CALL("CASE WHEN $1 BETWEEN 1 AND 9999 AND $2 BETWEEN 1 AND 12 AND $3 BETWEEN 1 AND 31 "
	      "THEN TRY_CAST(printf('%04d-%02d-%02d', TRY_CAST($1 AS INTEGER), TRY_CAST($2 AS "
	      "INTEGER), TRY_CAST($3 AS INTEGER)) AS DATE) END"),
	 NULL},
	{"split_part", "tli", SOTTO_TYPE_TEXT, CALL("split_part($1, $2, $3)"), NULL},
	{"magnitude", "n", SOTTO_TYPE_INTEGER,
	 CALL("CASE WHEN $1 = 0 THEN 0 WHEN abs($1) > 0 THEN TRY_CAST(sign($1) * "
	      "(least(greatest(floor(log2(nullif(abs($1), 0.0))), -32), 63) + 33) AS BIGINT) "
	      "END"),
	 NULL},
	{"width_bucket", "nnni", SOTTO_TYPE_INTEGER,
	 CALL("CASE WHEN $1 < $2 THEN 0 WHEN $1 >= $3 THEN $4 + 1 "
	      "ELSE TRY_CAST(floor(($1 - $2) * $4 / nullif($3 - $2, 0)) AS BIGINT) + 1 END"),
	 NULL},
};

/*
 * Each rate was measured on the text that is the most costly to the function (beyond
 * ASCII, made of long clusters, full of matches), and rounded up.
 */
static const struct sotto_function_load loads[] = {
	{"lower", 25, SOTTO_LENGTH_SAME, 0},
	{"upper", 25, SOTTO_LENGTH_SAME, 0},
	{"length", 3, SOTTO_LENGTH_NONE, 0},
	{"char_length", 3, SOTTO_LENGTH_NONE, 0},
	{"character_length", 3, SOTTO_LENGTH_NONE, 0},
	{"trim", 8, SOTTO_LENGTH_SAME, 0},
	{"btrim", 8, SOTTO_LENGTH_SAME, 0},
	{"ltrim", 8, SOTTO_LENGTH_SAME, 0},
	{"rtrim", 8, SOTTO_LENGTH_SAME, 0},
	{"reverse", 35, SOTTO_LENGTH_SAME, 0},
	{"left", 5, SOTTO_LENGTH_FIRST, 0},
	{"right", 5, SOTTO_LENGTH_FIRST, 0},
	{"substr", 5, SOTTO_LENGTH_PART, 0},
	{"substring", 5, SOTTO_LENGTH_PART, 0},
	{"strpos", 1, SOTTO_LENGTH_NONE, 0},
	{"position", 1, SOTTO_LENGTH_NONE, 0},
	{"starts_with", 1, SOTTO_LENGTH_NONE, 0},
	{"ends_with", 1, SOTTO_LENGTH_NONE, 0},
	{"contains", 1, SOTTO_LENGTH_NONE, 0},
	{"replace", 15, SOTTO_LENGTH_MADE, 0},
	{"translate", 25, SOTTO_LENGTH_MADE, 0},
	{"lpad", 12, SOTTO_LENGTH_PADDED, 0},
	{"rpad", 12, SOTTO_LENGTH_PADDED, 0},
	{"octet_length", 1, SOTTO_LENGTH_NONE, 0},
	{"ascii", 1, SOTTO_LENGTH_NONE, 0},
	{"md5", 10, SOTTO_LENGTH_SHORT, 0},
	{"sha256", 20, SOTTO_LENGTH_SHORT, 0},
	{"regexp_matches", 12, SOTTO_LENGTH_NONE, 0},
	{"regexp_imatches", 12, SOTTO_LENGTH_NONE, 0},
	{"monthname", 0, SOTTO_LENGTH_SHORT, 0},
	{"dayname", 0, SOTTO_LENGTH_SHORT, 0},
	{"strftime", 20, SOTTO_LENGTH_FORMAT, 0},
	{"split_part", 30, SOTTO_LENGTH_SAME, 0},
	{"mod", 0, SOTTO_LENGTH_NONE, 2000}, /* of numbers with far exponents */
	{"date_part", 0, SOTTO_LENGTH_NONE, 700}, /* isoyear */
	{"extract", 0, SOTTO_LENGTH_NONE, 700},
	{"make_date", 0, SOTTO_LENGTH_NONE, 400},
};

/* Parts of a date: those that come round have a fixed set of values. */
static const struct sotto_date_part date_parts[] = {
	{"year", 0, 0},    {"month", 1, 12},  {"day", 1, 31},    {"hour", 0, 23},
	{"minute", 0, 59}, {"quarter", 1, 4}, {"week", 1, 53},   {"dow", 0, 6},
	{"doy", 1, 366},   {"isodow", 1, 7},  {"isoyear", 0, 0}, {"decade", 0, 0},
	{"century", 0, 0}, {"second", 0, 59}, {"epoch", 0, 0},
};

const char *sotto_bind_function(size_t i, const char **args)
{
	if (i >= sizeof functions / sizeof functions[0])
		return NULL;
	*args = functions[i].args;
	return functions[i].name;
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

const struct sotto_function_load *sotto_function_load(const char *name)
{
	for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
		if (strcmp(loads[i].name, name) == 0)
			return &loads[i];
	return NULL;
}
