/*
 * Calls.  A function is on the list below after a review: total (an
 * argument it would complain about becomes NULL first), deterministic, and
 * independent of row order.  tests/unit/plan/test_total.c throws every one of
 * them at values that engines dislike.
 */
#include "plan/bind.h"

#include <math.h>
#include <string.h>

#include "base/failure.h"
#include "plan/domain.h"
#include "plan/magnitude.h"
#include "plan/planner.h"
#include "plan/yaml.h"

/*
 * Arguments, one letter each: n number, t text, d date or timestamp, i whole
 * number written out, w word written out.  A capital letter may be left away.
 */
struct function {
	const char *name, *args;
	enum sotto_sql_type type;
	const char *template;
	double (*growing)(double); /* for the range; NULL: unknown */
};

static const struct function functions[] = {
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
	{"date_part", "wd", SOTTO_TYPE_INTEGER, "date_part($1, $2)", NULL},
	{"extract", "wd", SOTTO_TYPE_INTEGER, "date_part($1, $2)", NULL},
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
static const struct {
	const char *name;
	int lo, hi; /* hi 0: grows for ever */
} date_parts[] = {
	{"year", 0, 0},    {"month", 1, 12},  {"day", 1, 31},    {"hour", 0, 23},
	{"minute", 0, 59}, {"quarter", 1, 4}, {"week", 1, 53},   {"dow", 0, 6},
	{"doy", 1, 366},   {"isodow", 1, 7},  {"isoyear", 0, 0}, {"decade", 0, 0},
	{"century", 0, 0},
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

static int part_of_date(const char *name)
{
	for (size_t i = 0; i < sizeof date_parts / sizeof date_parts[0]; i++)
		if (strcmp(date_parts[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* ---- arguments ------------------------------------------------------------------- */

static enum sotto_status literal_integer(struct sotto_binder *b, const struct sotto_sql_expr *e,
					 const struct sotto_bound *x, const char **out)
{
	if (!x->number || mpz_cmp_ui(mpq_denref(x->number->q), 1) != 0 ||
	    mpz_cmpabs_ui(mpq_numref(x->number->q), 1000000) > 0)
		return sotto_bind_refuse(b, e,
					 "a whole number written out is expected here, at most "
					 "1000000");
	*out = x->sql;
	return SOTTO_OK;
}

static enum sotto_status literal_part(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_bound *x, const char **out)
{
	if (!x->literal || x->literal->kind != SOTTO_SQL_TEXT ||
	    part_of_date(x->literal->text) < 0)
		return sotto_bind_refuse(b, e,
					 "the part of a date must be one of year, quarter, "
					 "month, week, day, dow, isodow, doy, hour, minute");
	*out = x->sql;
	return SOTTO_OK;
}

/*
 * Date functions complain near the ends of the engine's range, and an analyst
 * could make such a date for one row: what is outside years 1 to 9999 is NULL.
 */
enum sotto_status sotto_bind_temporal(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_bound *x, const char **out)
{
	const char *value;

	if (x->type == SOTTO_TYPE_DATE)
		return sotto_bind_print(b, out,
					"CASE WHEN $1 BETWEEN DATE '0001-01-01' AND DATE "
					"'9999-12-31' THEN $1 END",
					&x->sql, 1);
	SOTTO_TRY(sotto_bind_as(b, e, x, SOTTO_TYPE_TIMESTAMP, &value));
	return sotto_bind_print(
		b, out,
		"CASE WHEN $1 BETWEEN TIMESTAMP '0001-01-01 00:00:00' AND TIMESTAMP "
		"'9999-12-31 23:59:59' THEN $1 END",
		&value, 1);
}

static enum sotto_status bind_argument(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       char letter, struct sotto_bound *x, const char **out)
{
	SOTTO_TRY(sotto_bind(b, e, x));
	switch (letter) {
	case 'n':
		return sotto_bind_as(b, e, x, SOTTO_TYPE_NUMBER, out);
	case 't':
		return sotto_bind_as(b, e, x, SOTTO_TYPE_TEXT, out);
	case 'd':
		return sotto_bind_temporal(b, e, x, out);
	case 'w':
		return literal_part(b, e, x, out);
	default:
		return literal_integer(b, e, x, out);
	}
}

/* ---- results --------------------------------------------------------------------- */

static enum sotto_status
power_range(struct sotto_binder *b, const struct sotto_bound *args, struct sotto_bound *out)
{
	const struct sotto_rational *exponent = args[1].number;
	struct sotto_range r = args[0].range;

	if (!exponent || !sotto_range_is_closed(r) || mpq_cmp_ui(exponent->q, 2, 1) != 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_range_absolute(b->arena, r, &r));
	return sotto_range_multiply(b->arena, r, r, &out->range);
}

static enum sotto_status number_range(struct sotto_binder *b, const struct function *f,
				      const struct sotto_bound *args, struct sotto_bound *out)
{
	if (f->growing)
		return sotto_range_growing(b->arena, args[0].range, f->growing, &out->range);
	if (strcmp(f->name, "abs") == 0)
		return sotto_range_absolute(b->arena, args[0].range, &out->range);
	if (strcmp(f->name, "round") == 0)
		return sotto_range_whole(b->arena, args[0].range, &out->range);
	if (strcmp(f->name, "sign") == 0)
		return sotto_range_of(b->arena, -1, 1, &out->range);
	if (f->args[0] == 'n' && f->args[1] == 'n' && f->name[0] == 'p')
		return power_range(b, args, out);
	return SOTTO_OK;
}

static enum sotto_status
part_range(struct sotto_binder *b, const struct sotto_bound *word, struct sotto_bound *out)
{
	int i = part_of_date(word->literal->text);

	if (date_parts[i].hi == 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_range_of(b->arena, date_parts[i].lo, date_parts[i].hi, &out->range));
	return sotto_domain_integers(b->arena, date_parts[i].lo, date_parts[i].hi, true,
				     &out->domain);
}

static enum sotto_status bucket_range(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      const struct sotto_bound *args, struct sotto_bound *out)
{
	long buckets = mpz_get_si(mpq_numref(args[3].number->q));

	if (!args[1].number || !args[2].number || buckets < 1 ||
	    sotto_rational_compare(args[1].number, args[2].number) >= 0)
		return sotto_bind_refuse(
			b, e,
			"width_bucket takes (x, lowest, highest, buckets) with "
			"lowest below highest, all three written out");
	SOTTO_TRY(sotto_range_of(b->arena, 0, buckets + 1, &out->range));
	return sotto_domain_integers(b->arena, 0, buckets + 1, args[0].nullable, &out->domain);
}

static enum sotto_status finish_call(struct sotto_binder *b, const struct sotto_sql_expr *e,
				     const struct function *f, const struct sotto_bound *args,
				     struct sotto_bound *out)
{
	if (f->type == SOTTO_TYPE_BOOLEAN)
		return sotto_domain_boolean(b->arena, out->nullable, &out->domain);
	if (strcmp(f->template, "date_part($1, $2)") == 0)
		return part_range(b, &args[0], out);
	if (strcmp(f->name, "width_bucket") == 0)
		return bucket_range(b, e, args, out);
	if (strcmp(f->name, "magnitude") == 0)
		return sotto_domain_integers(b->arena, -SOTTO_MAGNITUDE_MAX,
					     SOTTO_MAGNITUDE_MAX, false, &out->domain);
	if (f->type != SOTTO_TYPE_NUMBER)
		return SOTTO_OK;
	out->is_double = true;
	if (f->growing == ceil || f->growing == floor || f->growing == trunc ||
	    (strcmp(f->name, "round") == 0 && e->count == 1))
		out->type = SOTTO_TYPE_INTEGER;
	return number_range(b, f, args, out);
}

static bool count_fits(const struct function *f, size_t count)
{
	size_t most = strlen(f->args), least = most;

	if (f->args[most - 1] >= 'A' && f->args[most - 1] <= 'Z')
		least--;
	return count >= least && count <= most;
}

static enum sotto_status bind_function(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       const struct function *f, struct sotto_bound *out)
{
	struct sotto_bound args[4];
	const char *sql[4] = {NULL, NULL, NULL, NULL};

	*out = (struct sotto_bound){.type = f->type};
	for (size_t i = 0; i < e->count; i++) {
		SOTTO_TRY(bind_argument(b, e->args[i], (char)(f->args[i] | 0x20), &args[i],
					&sql[i]));
		SOTTO_TRY(sotto_bind_depend(b, out, &args[i]));
	}
	if (f->template[0] == 'l' || f->template[0] == 'n' || f->template[0] == '(')
		out->nullable = true;
	for (size_t i = e->count; i < strlen(f->args); i++)
		sql[i] = strcmp(f->name, "round") == 0 ? "0" : "1000000";
	SOTTO_TRY(sotto_bind_print(b, &out->sql, f->template, sql, strlen(f->args)));
	return finish_call(b, e, f, args, out);
}

/* ---- dispatch ---------------------------------------------------------------------- */

/* clip(x, lo, hi): NULL stays NULL, unlike in LEAST and GREATEST, and NaN, the largest, is one. */
static enum sotto_status
bind_clip(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x, lo, hi;
	const char *sql[3];

	if (e->count != 3)
		return sotto_bind_refuse(b, e, "clip takes (x, lowest, highest)");
	SOTTO_TRY(bind_argument(b, e->args[0], 'n', &x, &sql[0]));
	SOTTO_TRY(bind_argument(b, e->args[1], 'n', &lo, &sql[1]));
	SOTTO_TRY(bind_argument(b, e->args[2], 'n', &hi, &sql[2]));
	if (!lo.number || !hi.number || sotto_rational_compare(lo.number, hi.number) > 0)
		return sotto_bind_refuse(b, e,
					 "clip takes (x, lowest, highest) with both ends "
					 "written out, the smaller first");
	*out = (struct sotto_bound){.is_double = true,
				    .type = x.type == SOTTO_TYPE_INTEGER &&
							    lo.type == SOTTO_TYPE_INTEGER &&
							    hi.type == SOTTO_TYPE_INTEGER
						    ? SOTTO_TYPE_INTEGER
						    : SOTTO_TYPE_NUMBER};
	out->range = (struct sotto_range){lo.number, hi.number};
	if (x.range.lo && sotto_rational_compare(x.range.lo, lo.number) > 0 &&
	    sotto_rational_compare(x.range.lo, hi.number) < 0)
		out->range.lo = x.range.lo;
	if (x.range.hi && sotto_rational_compare(x.range.hi, hi.number) < 0 &&
	    sotto_rational_compare(x.range.hi, lo.number) > 0)
		out->range.hi = x.range.hi;
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	return sotto_bind_print(b, &out->sql,
				"CASE WHEN $1 < $2 THEN $2 WHEN $1 <= $3 THEN $1 WHEN $1 < "
				"CAST('NaN' AS DOUBLE) THEN $3 END",
				sql, 3);
}

enum sotto_status
sotto_bind_call(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	if (e->over)
		return sotto_bind_window(b, e, out);
	if (b->aggregates && sotto_bind_is_aggregate(e->text))
		return sotto_public_aggregate(b, e, out);
	if (sotto_bind_is_aggregate(e->text))
		return sotto_bind_refuse(b, e,
					 "the aggregate %s cannot stand inside another one, in "
					 "WHERE or in GROUP BY",
					 e->text);
	if (e->distinct || e->filter || e->within)
		return sotto_bind_refuse(
			b, e,
			"%.40s is no aggregate, so DISTINCT, FILTER and WITHIN "
			"GROUP have no meaning",
			e->text);
	if (strcmp(e->text, "coalesce") == 0 || strcmp(e->text, "greatest") == 0 ||
	    strcmp(e->text, "least") == 0 || (strcmp(e->text, "nullif") == 0 && e->count == 2))
		return sotto_bind_merged(b, e, out);
	if (strcmp(e->text, "clip") == 0)
		return bind_clip(b, e, out);
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(functions[i].name, e->text) == 0) {
			if (!count_fits(&functions[i], e->count))
				return sotto_bind_refuse(b, e,
							 "%s is called with the wrong number "
							 "of arguments",
							 e->text);
			return bind_function(b, e, &functions[i], out);
		}
	return sotto_bind_refuse(b, e,
				 "the function %.40s is not on the list of reviewed functions "
				 "(total, deterministic, independent of row order)",
				 e->text);
}
