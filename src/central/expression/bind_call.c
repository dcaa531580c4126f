/*
 * Calls of the functions on the list (row_function.h), and of the few that take any
 * number or type of arguments.
 */
#include "central/expression/bind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "central/parse/pattern/text_pattern.h"
#include "central/aggregate/aggregate.h"
#include "central/expression/noisy_interval.h"
#include "central/expression/number/decimal.h"
#include "central/expression/number/whole_arithmetic.h"
#include "central/expression/range/call_range.h"
#include "central/expression/range/public_range.h"
#include "central/expression/range/value_range.h"
#include "central/expression/row_function.h"
#include "central/relation/public_select.h"
#include "core/base/failure.h"

static bool count_fits(const struct sotto_function *f, size_t count)
{
	size_t most = strlen(f->args), least = most;

	if (f->args[most - 1] >= 'A' && f->args[most - 1] <= 'Z')
		least--;
	return count >= least && count <= most;
}

/* What stands for an argument that is left out. */
static const struct sotto_expression *
omitted(struct sotto_arena *a, const struct sotto_function *f)
{
	if (f->known == SOTTO_KNOWN_ROUND || f->known == SOTTO_KNOWN_TRUNCATE)
		return sotto_expression_whole(a, 0);
	return strchr(f->args, 'L') ? sotto_expression_text(a, " ")
				    : sotto_expression_whole(a, 1000000);
}

/* To so many digits after the point; below 0, to tens, hundreds and so on. */
static enum sotto_status round_decimal(struct sotto_binder *b, const struct sotto_expression *x,
				       unsigned scale, long digits, bool cut,
				       struct sotto_bound *out)
{
	unsigned kept = digits < 0 ? 0 : digits < (long)scale ? (unsigned)digits : scale;

	out->is_decimal = true;
	out->is_rough = digits < 0;
	out->scale = kept;
	if (digits < 0 || scale == 0)
		return SOTTO_OK;
	return sotto_bind_made(b, &out->value,
			       sotto_decimal_round(b->arena, x, scale, kept, cut));
}

/* div(0.3, 0.1) is 3: of whole numbers of the last digit the quotient is right. */
static enum sotto_status divide_decimals(struct sotto_binder *b, const struct sotto_function *f,
					 const struct sotto_bound *args,
					 const struct sotto_expression **values,
					 struct sotto_bound *out)
{
	struct sotto_bound both = {0};

	sotto_decimal_meet(&both, &args[0], &args[1]);
	if (!both.is_decimal || both.scale == 0)
		return SOTTO_OK;
	for (int i = 0; i < 2; i++)
		values[i] = sotto_decimal_scaled(b->arena, values[i], both.scale);
	return sotto_bind_made(b, &out->value,
			       sotto_expression_make(b->arena, &f->operation, values, 2));
}

/* The second argument of ROUND and TRUNC; 0 where there is none. */
static long digits_of(const struct sotto_bound *x)
{
	return x->number ? mpz_get_si(mpq_numref(x->number->q)) : 0;
}

static enum sotto_status bucket_decimals(struct sotto_binder *b, const struct sotto_function *f,
					 const struct sotto_bound *args,
					 const struct sotto_expression **values,
					 struct sotto_bound *out)
{
	struct sotto_bound both = {0}, all = {0};

	sotto_decimal_meet(&both, &args[0], &args[1]);
	sotto_decimal_meet(&all, &both, &args[2]);
	for (int i = 0; all.is_decimal && all.scale > 0 && i < 3; i++)
		values[i] = sotto_decimal_scaled(b->arena, values[i], all.scale);
	return sotto_bind_made(b, &out->value,
			       sotto_expression_make(b->arena, &f->operation, values, 4));
}

/* What a function does with the digits of decimals is computed in whole numbers. */
static enum sotto_status bind_decimal(struct sotto_binder *b, const struct sotto_function *f,
				      const struct sotto_bound *args,
				      const struct sotto_expression **values,
				      struct sotto_bound *out)
{
	bool is_whole = out->type == SOTTO_TYPE_INTEGER;
	unsigned scale;

	if (!sotto_decimal_scale(&args[0], &scale))
		return SOTTO_OK;
	switch (f->known) {
	case SOTTO_KNOWN_BUCKET:
		return bucket_decimals(b, f, args, values, out);
	case SOTTO_KNOWN_QUOTIENT:
		return divide_decimals(b, f, args, values, out);
	case SOTTO_KNOWN_ABSOLUTE:
		if (!is_whole)
			sotto_decimal_take(out, &args[0]);
		return SOTTO_OK;
	case SOTTO_KNOWN_ROUND:
	case SOTTO_KNOWN_TRUNCATE:
		return is_whole ? SOTTO_OK
				: round_decimal(b, values[0], scale, digits_of(&args[1]),
						f->known == SOTTO_KNOWN_TRUNCATE, out);
	default:
		return SOTTO_OK;
	}
}

/* The ends of what is computed from a noisy number, of functions that never fall, and |x|. */
static enum sotto_status bind_ends(struct sotto_binder *b, const struct sotto_function *f,
				   const struct sotto_bound *args,
				   const struct sotto_expression *const *values,
				   struct sotto_bound *out)
{
	bool digits = f->known == SOTTO_KNOWN_ROUND || f->known == SOTTO_KNOWN_TRUNCATE;

	if (f->known == SOTTO_KNOWN_ABSOLUTE)
		return sotto_interval_abs(b, &args[0], out);
	if (!f->growing && !digits)
		return SOTTO_OK;
	return sotto_interval_growing(b, &f->operation, values, strlen(f->args), &args[0], out);
}

/* Years 1 to 9999 count: a date that may lie outside may give NULL. */
static bool
has_gaps(const struct sotto_function *f, const struct sotto_bound *args, size_t count)
{
	bool gaps = f->has_gaps;

	for (size_t i = 0; i < count; i++)
		gaps = gaps || (f->args[i] == 'd' && !sotto_range_is_closed(args[i].range));
	return gaps;
}

static enum sotto_status bind_function(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       const struct sotto_function *f, struct sotto_bound *out)
{
	struct sotto_bound args[4] = {{0}};
	const struct sotto_expression *values[4] = {NULL, NULL, NULL, NULL};
	bool whole;

	*out = (struct sotto_bound){.type = f->type};
	for (size_t i = 0; i < e->count; i++) {
		SOTTO_TRY(sotto_bind_argument(b, e->args[i], (char)(f->args[i] | 0x20),
					      &args[i], &values[i]));
		SOTTO_TRY(sotto_bind_depend(b, out, &args[i]));
	}
	out->nullable = out->nullable || has_gaps(f, args, e->count);
	for (size_t i = e->count; i < strlen(f->args); i++)
		values[i] = omitted(b->arena, f);
	SOTTO_TRY(sotto_bind_made(
		b, &out->value,
		sotto_expression_make(b->arena, &f->operation, values, strlen(f->args))));
	if (f->known == SOTTO_KNOWN_DATE_START)
		out->moment = args[1].moment;
	SOTTO_TRY(bind_ends(b, f, args, values, out));
	SOTTO_TRY(sotto_call_finish(b, e, f, args, out));
	SOTTO_TRY(
		sotto_whole_function(b, f->known, &args[0], digits_of(&args[1]), out, &whole));
	return whole ? SOTTO_OK : bind_decimal(b, f, args, values, out);
}

/* ---- dispatch ---------------------------------------------------------------------- */

/* The x of clip, as a number. */
static enum sotto_status bind_clipped(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      struct sotto_bound *x,
				      const struct sotto_expression **out)
{
	SOTTO_TRY(sotto_bind(b, e, x));
	if (x->type == SOTTO_TYPE_DATE || x->type == SOTTO_TYPE_TIMESTAMP)
		return sotto_bind_refuse(b, e,
					 "clip takes numbers; a date d has the bounds of a "
					 "condition, like WHERE d BETWEEN '2020-01-01' AND "
					 "'2024-12-31' around a subquery that computes d");
	SOTTO_TRY(sotto_public_range(b, x));
	return sotto_bind_as(b, e, x, SOTTO_TYPE_NUMBER, out);
}

/* clip(x, lo, hi): NULL stays NULL, unlike in LEAST and GREATEST, and NaN, the largest, is one. */
static enum sotto_status
bind_clip(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	struct sotto_bound x, lo, hi;
	const struct sotto_expression *values[3];

	if (e->count != 3)
		return sotto_bind_refuse(b, e, "clip takes (x, lowest, highest)");
	SOTTO_TRY(bind_clipped(b, e->args[0], &x, &values[0]));
	SOTTO_TRY(sotto_bind_argument(b, e->args[1], 'n', &lo, &values[1]));
	SOTTO_TRY(sotto_bind_argument(b, e->args[2], 'n', &hi, &values[2]));
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
	out->range = (struct sotto_value_range){lo.number, hi.number};
	if (x.range.lo && sotto_rational_compare(x.range.lo, lo.number) > 0 &&
	    sotto_rational_compare(x.range.lo, hi.number) < 0)
		out->range.lo = x.range.lo;
	if (x.range.hi && sotto_rational_compare(x.range.hi, hi.number) < 0 &&
	    sotto_rational_compare(x.range.hi, lo.number) > 0)
		out->range.hi = x.range.hi;
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	if (out->type == SOTTO_TYPE_NUMBER) {
		sotto_decimal_meet(out, &x, &lo);
		sotto_decimal_meet(out,
				   &(struct sotto_bound){.is_decimal = out->is_decimal,
							 .scale = out->scale},
				   &hi);
	}
	return sotto_bind_made(
		b, &out->value,
		sotto_expression_make(b->arena, sotto_operation(SOTTO_OP_CLIP), values, 3));
}

/* CONCAT skips NULLs and takes any type; CONCAT_WS puts its first argument in between. */
static enum sotto_status
bind_concat(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	const struct sotto_expression **texts =
		sotto_arena_alloc(b->arena, (e->count + 1) * sizeof(struct sotto_expression *));
	bool marked = e->text[6] != '\0';

	if (e->count < 2)
		return sotto_bind_refuse(b, e, "%s needs at least two arguments", e->text);
	SOTTO_NEED(texts);
	*out = (struct sotto_bound){.type = SOTTO_TYPE_TEXT};
	for (size_t i = 0; i < e->count; i++) {
		struct sotto_bound x;

		SOTTO_TRY(sotto_bind(b, e->args[i], &x));
		SOTTO_TRY(sotto_bind_depend(b, out, &x));
		if (i == 0 && marked)
			SOTTO_TRY(sotto_bind_literal_text(b, e->args[0], &x, &x.value));
		SOTTO_TRY(sotto_bind_text(b, &x, &texts[i]));
	}
	out->nullable = false;
	SOTTO_TRY(sotto_bind_made(
		b, &out->value,
		sotto_expression_make(b->arena,
				      sotto_operation(marked ? SOTTO_OP_CONCAT_WS_CALL
							     : SOTTO_OP_CONCAT_CALL),
				      texts, e->count)));
	return sotto_bind_made(b, &out->value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_LEFT_MADE, out->value));
}

/* What does the work of a function that is not there; "": nothing is known. */
static const char *instead(const char *name)
{
	static const char cut[] = "SPLIT_PART(x, '/', 3) or REGEXP_REPLACE(x, pattern, '')";
	const char *const list[][2] = {
		{"regexp_substr", "REGEXP_EXTRACT(x, pattern, 0)"},
		{"substring_index", cut},
		{"age", "EXTRACT(YEAR FROM AGE(a, b)) for whole years, or a < b + INTERVAL '18 "
			"years'"},
		{"to_number", "a cast to NUMERIC"},
		{"initcap", "UPPER(LEFT(x, 1)) || LOWER(SUBSTR(x, 2)) for one word"},
		{"split", "SPLIT_PART(x, ',', 1) for the first part"},
		{"string_split", "SPLIT_PART(x, ',', 1) for the first part"},
		{"format", "CONCAT(x, ' of ', y)"},
		{"to_timestamp", "a cast to TIMESTAMP"},
		{"overlaps", "a < d AND c < b for (a, b) OVERLAPS (c, d)"},
		{"string_to_array",
		 "SPLIT_PART(x, ',', 1) for the first part, or CONTAINS(x, y)"},
		{"array_length",
		 "LENGTH(x) - LENGTH(REPLACE(x, ',', '')) + 1 for the parts of a "
		 "text"},
	};

	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
		if (strcmp(list[i][0], name) == 0)
			return list[i][1];
	return "";
}

/* Its value is another one each time. */
static bool is_clock(const char *name)
{
	return strcmp(name, "now") == 0 || strcmp(name, "today") == 0;
}

static bool is_random(const char *name)
{
	static const char *const names[] = {"rand", "random", "randn", "random_uuid",
					    "gen_random_uuid"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static enum sotto_status refuse_unknown(struct sotto_binder *b, const struct sotto_sql_expr *e)
{
	const char *meant = sotto_scope_without_quotes(b->scope, e->text);

	if (is_clock(e->text))
		return sotto_bind_refuse(
			b, e,
			"the function %s is not on the list of reviewed functions: "
			"it is not deterministic; write the value, like DATE '2025-12-31'",
			e->text);
	if (is_random(e->text))
		return sotto_bind_refuse(
			b, e,
			"the function %s is not on the list of reviewed functions: "
			"it is not deterministic; write the value",
			e->text);
	if (meant)
		return sotto_bind_refuse(
			b, e,
			"there is no function %.40s; if you mean the column, write "
			"\"%.80s\" in double quotes",
			e->text, meant);
	return sotto_bind_refuse(
		b, e,
		"the function %.40s is not on the list of reviewed functions "
		"(total, deterministic, independent of row order); %s%s",
		e->text, *instead(e->text) ? "write " : "man sotto-sql lists those that are",
		instead(e->text));
}

static enum sotto_status
bind_listed(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	const struct sotto_function *f = sotto_function_find(e->text);
	bool span;

	SOTTO_TRY(sotto_bind_span(b, e, out, &span));
	if (span)
		return SOTTO_OK;
	if (!f)
		return refuse_unknown(b, e);
	if (!count_fits(f, e->count))
		return sotto_bind_refuse(
			b, e, "%s is called with the wrong number of arguments", e->text);
	return bind_function(b, e, f, out);
}

enum sotto_status
sotto_bind_call(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	if (e->over)
		return sotto_bind_window(b, e, out);
	if (b->aggregates && sotto_aggregate_find(e->text))
		return sotto_public_aggregate(b, e, out);
	if (sotto_aggregate_find(e->text))
		return sotto_bind_refuse(b, e,
					 "the aggregate %s cannot stand inside another one, in "
					 "WHERE or in GROUP BY",
					 e->text);
	if (e->distinct || e->filter || e->within)
		return sotto_bind_refuse(
			b, e,
			"%.40s is not an aggregate, so DISTINCT, FILTER and WITHIN "
			"GROUP have no meaning",
			e->text);
	switch (sotto_sql_expr_form(e)) {
	case SOTTO_SQL_FORM_COALESCE:
	case SOTTO_SQL_FORM_GREATEST:
	case SOTTO_SQL_FORM_LEAST:
	case SOTTO_SQL_FORM_NULLIF:
		return sotto_bind_merged(b, e, out);
	case SOTTO_SQL_FORM_CLIP:
		return bind_clip(b, e, out);
	case SOTTO_SQL_FORM_CONCAT:
	case SOTTO_SQL_FORM_CONCAT_WS:
		return bind_concat(b, e, out);
	case SOTTO_SQL_FORM_TIMEZONE:
		return sotto_bind_zone(b, e, out);
	case SOTTO_SQL_FORM_NONE:
		break;
	}
	return bind_listed(b, e, out);
}
