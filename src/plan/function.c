#include "plan/function.h"

#include <math.h>
#include <string.h>

#include "plan/bind.h"

static double radians(double x)
{
	return x * 0.017453292519943295;
}

static double degrees(double x)
{
	return x * 57.29577951308232;
}

static const struct sotto_function functions[] = {
	{"abs", "n", SOTTO_TYPE_NUMBER, "abs($1)", NULL},
	{"ceil", "n", SOTTO_TYPE_NUMBER, "ceil($1)", ceil},
	{"ceiling", "n", SOTTO_TYPE_NUMBER, "ceil($1)", ceil},
	{"floor", "n", SOTTO_TYPE_NUMBER, "floor($1)", floor},
	{"trunc", "n", SOTTO_TYPE_NUMBER, "trunc($1)", trunc},
	{"sign", "n", SOTTO_TYPE_NUMBER, "CAST(sign($1) AS DOUBLE)", NULL},
	{"round", "nI", SOTTO_TYPE_NUMBER, "round($1, $2)", NULL},
	{"exp", "n", SOTTO_TYPE_NUMBER, "exp($1)", exp},
	{"ln", "n", SOTTO_TYPE_NUMBER, "ln(nullif(greatest($1, 0.0), 0.0))", log},
	{"log", "n", SOTTO_TYPE_NUMBER, "log10(nullif(greatest($1, 0.0), 0.0))", log10},
	{"log10", "n", SOTTO_TYPE_NUMBER, "log10(nullif(greatest($1, 0.0), 0.0))", log10},
	{"log2", "n", SOTTO_TYPE_NUMBER, "log2(nullif(greatest($1, 0.0), 0.0))", log2},
	{"sqrt", "n", SOTTO_TYPE_NUMBER, "nullif(pow($1, 0.5), CAST('NaN' AS DOUBLE))", sqrt},
	{"power", "nn", SOTTO_TYPE_NUMBER, "nullif(pow($1, $2), CAST('NaN' AS DOUBLE))", NULL},
	{"pow", "nn", SOTTO_TYPE_NUMBER, "nullif(pow($1, $2), CAST('NaN' AS DOUBLE))", NULL},
	{"mod", "nn", SOTTO_TYPE_NUMBER, "($1 % nullif($2, 0))", NULL},
	{"cbrt", "n", SOTTO_TYPE_NUMBER, "cbrt($1)", cbrt},
	{"atan", "n", SOTTO_TYPE_NUMBER, "atan($1)", atan},
	{"tanh", "n", SOTTO_TYPE_NUMBER, "tanh($1)", tanh},
	{"radians", "n", SOTTO_TYPE_NUMBER, "radians($1)", radians},
	{"degrees", "n", SOTTO_TYPE_NUMBER, "degrees($1)", degrees},
	{"sin", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1e15 THEN sin($1) END", NULL},
	{"cos", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1e15 THEN cos($1) END", NULL},
	{"tan", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1e15 THEN tan($1) END", NULL},
	{"asin", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1 THEN asin($1) END", asin},
	{"acos", "n", SOTTO_TYPE_NUMBER, "CASE WHEN abs($1) <= 1 THEN acos($1) END", NULL},
	{"atan2", "nn", SOTTO_TYPE_NUMBER, "atan2($1, $2)", NULL},
	{"lower", "t", SOTTO_TYPE_TEXT, "lower($1)", NULL},
	{"upper", "t", SOTTO_TYPE_TEXT, "upper($1)", NULL},
	{"length", "t", SOTTO_TYPE_INTEGER, "length($1)", NULL},
	{"char_length", "t", SOTTO_TYPE_INTEGER, "length($1)", NULL},
	{"character_length", "t", SOTTO_TYPE_INTEGER, "length($1)", NULL},
	{"trim", "t", SOTTO_TYPE_TEXT, "trim($1)", NULL},
	{"btrim", "t", SOTTO_TYPE_TEXT, "trim($1)", NULL},
	{"ltrim", "t", SOTTO_TYPE_TEXT, "ltrim($1)", NULL},
	{"rtrim", "t", SOTTO_TYPE_TEXT, "rtrim($1)", NULL},
	{"reverse", "t", SOTTO_TYPE_TEXT, "reverse($1)", NULL},
	{"left", "ti", SOTTO_TYPE_TEXT, "left($1, $2)", NULL},
	{"right", "ti", SOTTO_TYPE_TEXT, "right($1, $2)", NULL},
	{"substr", "tiI", SOTTO_TYPE_TEXT, "substr($1, $2, $3)", NULL},
	{"substring", "tiI", SOTTO_TYPE_TEXT, "substr($1, $2, $3)", NULL},
	{"strpos", "tt", SOTTO_TYPE_INTEGER, "strpos($1, $2)", NULL},
	{"position", "tt", SOTTO_TYPE_INTEGER, "strpos($1, $2)", NULL},
	{"starts_with", "tt", SOTTO_TYPE_BOOLEAN, "starts_with($1, $2)", NULL},
	{"date_trunc", "wd", SOTTO_TYPE_TIMESTAMP, "TRY_CAST(date_trunc($1, $2) AS TIMESTAMP)",
	 NULL},
	{"date_part", "wd", SOTTO_TYPE_INTEGER, "CAST(floor(date_part($1, $2)) AS BIGINT)",
	 NULL},
	{"extract", "wd", SOTTO_TYPE_INTEGER, "CAST(floor(date_part($1, $2)) AS BIGINT)", NULL},
	{"date_diff", "wdd", SOTTO_TYPE_INTEGER, "CAST(date_diff($1, $2, $3) AS BIGINT)", NULL},
	{"datediff", "wdd", SOTTO_TYPE_INTEGER, "CAST(date_diff($1, $2, $3) AS BIGINT)", NULL},
	{"ends_with", "tt", SOTTO_TYPE_BOOLEAN, "suffix($1, $2)", NULL},
	{"contains", "tt", SOTTO_TYPE_BOOLEAN, "contains($1, $2)", NULL},
	{"replace", "tll", SOTTO_TYPE_TEXT, "left(replace(left($1, 10000), $2, $3), 10000)",
	 NULL},
	{"split_part", "tli", SOTTO_TYPE_TEXT, "split_part($1, $2, $3)", NULL},
	{"magnitude", "n", SOTTO_TYPE_INTEGER,
	 "CASE WHEN $1 = 0 THEN 0 WHEN abs($1) > 0 THEN TRY_CAST(sign($1) * "
	 "(least(greatest(floor(log2(nullif(abs($1), 0.0))), -32), 63) + 33) AS BIGINT) END",
	 NULL},
	{"width_bucket", "nnni", SOTTO_TYPE_INTEGER,
	 "CASE WHEN $1 < $2 THEN 0 WHEN $1 >= $3 THEN $4 + 1 "
	 "ELSE TRY_CAST(floor(($1 - $2) / nullif($3 - $2, 0) * $4) AS BIGINT) + 1 END",
	 NULL},
};

/* Parts of a date: those that come round have a fixed set of values. */
static const struct sotto_date_part date_parts[] = {
	{"year", 0, 0},    {"month", 1, 12},  {"day", 1, 31},    {"hour", 0, 23},
	{"minute", 0, 59}, {"quarter", 1, 4}, {"week", 1, 53},   {"dow", 0, 6},
	{"doy", 1, 366},   {"isodow", 1, 7},  {"isoyear", 0, 0}, {"decade", 0, 0},
	{"century", 0, 0}, {"second", 0, 59}, {"epoch", 0, 0},
};

static const char *const aggregates[] = {
	"count",
	"sum",
	"avg",
	"var_pop",
	"var_samp",
	"variance",
	"stddev",
	"stddev_pop",
	"stddev_samp",
	"covar_pop",
	"covar_samp",
	"corr",
	"regr_slope",
	"regr_intercept",
	"regr_r2",
	"min",
	"max",
	"median",
	"percentile_cont",
	"percentile_disc",
	"quantile_cont",
	"quantile_disc",
	"quantile",
	"percentile",
	"approx_quantile",
	"approx_percentile",
	"mode",
	"string_agg",
	"array_agg",
	"bool_and",
	"bool_or",
	"every",
	"any_value",
};

bool sotto_bind_is_aggregate(const char *name)
{
	for (size_t i = 0; i < sizeof aggregates / sizeof aggregates[0]; i++)
		if (strcmp(aggregates[i], name) == 0)
			return true;
	return false;
}

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
