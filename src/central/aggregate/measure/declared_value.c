/*
 * Keys are looked for where different values are counted (emit/engine_query_distinct.c); what has
 * bounds is held to them as keys of groups are.  The branches of a CASE that are all written out
 * are its values already.
 */
#include "central/aggregate/measure/declared_value.h"

#include "central/aggregate/measure/clip_limit.h"
#include "central/expression/bind.h"
#include "central/expression/domain/bounded_domain.h"
#include "central/parse/dialect/sql_text.h"
#include "core/base/failure.h"

/*
 * What a value takes in a partial (engine/worker/worker_result.c): its count, and a whole number,
 * or the kind of a cell, a length and a text that ends in a NUL.
 */
enum {
	WHOLE_BYTES = 16,
	TEXT_BYTES = 18,
	SHORT_TEXT = 24, /* of a whole number or a date */
	MADE_TEXT = 80000, /* 10 000 characters, of which each may be escaped */
};

/* ---- how many, how large ----------------------------------------------------------- */

static bool is_whole(const struct sotto_bound *x)
{
	return (x->type == SOTTO_TYPE_INTEGER && !x->is_double) || x->type == SOTTO_TYPE_DATE;
}

static int64_t count_values(const struct sotto_bound *x)
{
	if (x->domain)
		return (is_whole(x) || x->type == SOTTO_TYPE_TEXT ||
			x->type == SOTTO_TYPE_BOOLEAN) &&
				       x->domain->size > 0 && x->domain->size <= SOTTO_SET_MAX
			       ? x->domain->size
			       : 0;
	return is_whole(x) ? sotto_bounded_count(x, false, SOTTO_SET_MAX) : 0;
}

/* Keys can lie beyond 2^62, where numbers in a partial end; bounds that are counted cannot. */
static bool has_numbers(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_BOOLEAN || (x->type == SOTTO_TYPE_INTEGER && !x->domain);
}

static bool is_written(const struct sotto_bound *x)
{
	return x->value->operation == sotto_operation(SOTTO_OP_CASE);
}

/* At most 1e7 values of at most 80 000 bytes: no product here is near 2^63. */
static int64_t count_bytes(const struct sotto_bound *x, int64_t values)
{
	int64_t text = MADE_TEXT;

	if (has_numbers(x))
		return WHOLE_BYTES * values;
	if (is_whole(x))
		return (TEXT_BYTES + SHORT_TEXT) * values;
	if (x->domain->total > 0)
		return TEXT_BYTES * values + (int64_t)x->domain->total;
	if (is_written(x) && 2 * (int64_t)x->value->length < text)
		text = 2 * (int64_t)x->value->length;
	return (TEXT_BYTES + text) * values;
}

/* ---- the set -------------------------------------------------------------------------- */

/* For people: what it is, and on which sides of its bounds rows can lie. */
static enum sotto_status describe(struct sotto_binder *b, const struct sotto_sql_expr *call,
				  const struct sotto_bound *x, struct sotto_declared_set *set)
{
	const struct sotto_sql_expr *arg = call->args[0];
	struct sotto_bound *of = sotto_arena_alloc(b->arena, sizeof *of);

	SOTTO_NEED(of);
	*of = *x;
	set->of = of;
	set->name = arg->kind == SOTTO_SQL_COLUMN
			    ? sotto_arena_text(b->arena, arg->text)
			    : sotto_sql_arguments_of(b->arena, b->text, call->at);
	SOTTO_NEED(set->name);
	return x->domain ? SOTTO_OK
			 : sotto_clip_sides(b, call->filter, arg, x->range, &set->outside);
}

/* The engine keeps all rows: a text that is longer than all keys is none of them, and not kept. */
static bool is_long_column(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_TEXT && x->domain->longest > 0 &&
	       x->value->operation->form == SOTTO_OPERATION_COLUMN;
}

enum sotto_status
sotto_declared_value(struct sotto_binder *b, const struct sotto_sql_expr *call,
		     const struct sotto_bound *x, const struct sotto_expression **value,
		     struct sotto_declared_set *set)
{
	*set = (struct sotto_declared_set){.size = count_values(x),
					   .has_numbers = has_numbers(x)};
	if (set->size == 0)
		return SOTTO_OK;
	set->bytes = count_bytes(x, set->size);
	if (x->domain && is_written(x))
		return SOTTO_OK;
	SOTTO_TRY(describe(b, call, x, set));
	set->keys = x->domain;
	if (!x->domain)
		return sotto_bind_made(b, value, sotto_bounded_value(b->arena, x));
	if (!is_long_column(x))
		return SOTTO_OK;
	return sotto_bind_made(
		b, value,
		SOTTO_APPLY(b->arena, SOTTO_OP_NO_KEY_IF_LONG, *value,
			    sotto_expression_whole(b->arena, (long long)x->domain->longest),
			    sotto_expression_word(b->arena, SOTTO_OP_NULL)));
}
