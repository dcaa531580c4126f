/*
 * Expressions whose type is that of their parts: COALESCE, GREATEST, LEAST,
 * NULLIF and CASE.
 */
#include "central/expression/bind.h"
#include "central/expression/noisy_interval.h"

#include <string.h>

#include "central/expression/domain/public_domain.h"
#include "central/expression/number/decimal.h"
#include "central/expression/number/whole_arithmetic.h"
#include "central/expression/range/public_range.h"
#include "central/expression/range/condition_range.h"
#include "central/expression/range/value_range.h"
#include "core/base/failure.h"

struct merge {
	struct sotto_bound *parts;
	const struct sotto_sql_expr **exprs;
	const struct sotto_sql_expr *const *conditions; /* under which each is read, or NULL */
	size_t count;
	enum sotto_sql_type type;
	bool whole; /* numbers of 64 bits, which doubles may not hold */
};

/* CASE WHEN x > 0 THEN 1 / x: where the result is read, the condition holds. */
static enum sotto_status
bind_part(struct sotto_binder *b, const struct merge *m, size_t i, struct sotto_bound *out)
{
	struct sotto_range_before *before = NULL;
	enum sotto_status st;

	if (m->conditions)
		SOTTO_TRY(sotto_condition_range_apply(b, m->conditions[i], &before));
	st = sotto_bind(b, m->exprs[i], out);
	if (st == SOTTO_OK)
		st = sotto_public_range(b, out);
	sotto_condition_range_undo(before);
	return st;
}

/* Binds expressions that become one value: finds the type, range and dependencies. */
static enum sotto_status
merge_parts(struct sotto_binder *b, struct merge *m, struct sotto_bound *out)
{
	bool integers = true, wholes = true, small = true, some = false;
	struct sotto_bound scales = {0}; /* of the parts so far */

	for (size_t i = 0; i < m->count; i++) {
		struct sotto_bound *x = &m->parts[i];
		bool null;

		SOTTO_TRY(bind_part(b, m, i, x));
		null = x->literal && x->literal->kind == SOTTO_SQL_NULL;
		SOTTO_TRY(sotto_bind_depend(b, out, x));
		if (null)
			continue;
		if (some)
			SOTTO_TRY(sotto_bind_common(b, m->exprs[i],
						    &(struct sotto_bound){.type = m->type}, x,
						    &m->type));
		else
			m->type = x->type;
		out->range = some ? sotto_range_hull(out->range, x->range) : x->range;
		if (some)
			sotto_decimal_meet(out, &scales, x);
		else
			sotto_decimal_take(out, x);
		scales = *out;
		integers = integers && x->type == SOTTO_TYPE_INTEGER;
		wholes = wholes && sotto_whole_is(x);
		small = small && sotto_whole_fits_doubles(x, NULL, x->range);
		some = true;
	}
	out->type =
		m->type == SOTTO_TYPE_NUMBER && some && integers ? SOTTO_TYPE_INTEGER : m->type;
	m->whole = some && wholes && !small;
	out->is_double =
		!m->whole && (m->type == SOTTO_TYPE_NUMBER || m->type == SOTTO_TYPE_INTEGER);
	return SOTTO_OK;
}

static enum sotto_status part_value(struct sotto_binder *b, const struct merge *m, size_t i,
				    const struct sotto_expression **out)
{
	return m->whole ? sotto_whole_value(b, &m->parts[i], out)
			: sotto_bind_as(b, m->exprs[i], &m->parts[i], m->type, out);
}

static enum sotto_status merge_init(struct sotto_binder *b, struct merge *m, size_t count)
{
	*m = (struct merge){.count = count, .type = SOTTO_TYPE_LOOSE};
	m->parts = sotto_arena_alloc(b->arena, (count + 1) * sizeof *m->parts);
	m->exprs = sotto_arena_alloc(b->arena, (count + 1) * sizeof *m->exprs);
	return m->parts && m->exprs ? SOTTO_OK : SOTTO_ENOMEM;
}

/*
 * NULL arguments are skipped.  For GREATEST the upper end is the largest of all;
 * the lower one is the largest among arguments that are always there, or, if
 * there are none, the least of all.  LEAST is its mirror image.
 */
static void list_range(enum sotto_sql_form form, const struct merge *m, struct sotto_bound *out)
{
	bool greatest = form == SOTTO_SQL_FORM_GREATEST, some = false;
	struct sotto_value_range all = m->parts[0].range, sure = all;

	if (!greatest && form != SOTTO_SQL_FORM_LEAST)
		return;
	for (size_t i = 0; i < m->count; i++) {
		struct sotto_value_range r = m->parts[i].range;

		all = sotto_range_hull(all, r);
		if (m->parts[i].nullable)
			continue;
		sure = !some      ? r
		       : greatest ? sotto_range_greatest(sure, r)
				  : sotto_range_least(sure, r);
		some = true;
	}
	out->range = all;
	if (some && greatest)
		out->range.lo = sure.lo;
	else if (some)
		out->range.hi = sure.hi;
}

/* Of the four forms that sotto_sql_expr_chooses names. */
static enum sotto_operation_name operation_of(enum sotto_sql_form form)
{
	return form == SOTTO_SQL_FORM_COALESCE   ? SOTTO_OP_COALESCE
	       : form == SOTTO_SQL_FORM_GREATEST ? SOTTO_OP_GREATEST
	       : form == SOTTO_SQL_FORM_LEAST    ? SOTTO_OP_LEAST
						 : SOTTO_OP_NULLIF;
}

static enum sotto_status merge_values(struct sotto_binder *b, enum sotto_sql_form form,
				      const struct merge *m, struct sotto_bound *out)
{
	enum sotto_operation_name operation = operation_of(form);
	const struct sotto_expression **values =
		sotto_arena_alloc(b->arena, m->count * sizeof(struct sotto_expression *));

	if (!values)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < m->count; i++)
		SOTTO_TRY(part_value(b, m, i, &values[i]));
	SOTTO_TRY(sotto_bind_made(
		b, &out->value,
		sotto_expression_make(b->arena, sotto_operation(operation), values, m->count)));
	return sotto_interval_merged(
		b, operation,
		&(struct sotto_merged){.parts = m->parts, .values = values, .count = m->count},
		out);
}

/* A whole number that is not the end of its range is at least one away from it: x / NULLIF(n, 0). */
static enum sotto_status
nullif_range(struct sotto_binder *b, const struct merge *m, struct sotto_bound *out)
{
	const struct sotto_bound *x = &m->parts[0];
	const struct sotto_rational *not = m->parts[1].number;
	struct sotto_value_range one, less;

	out->range = x->range;
	if (x->type != SOTTO_TYPE_INTEGER || !not || !sotto_range_is_closed(x->range) ||
	    sotto_rational_compare(x->range.lo, x->range.hi) >= 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_range_of(b->arena, 1, 1, &one));
	if (sotto_rational_compare(x->range.lo, not ) == 0) {
		SOTTO_TRY(sotto_range_add(b->arena, x->range, one, &less));
		out->range.lo = less.lo;
	} else if (sotto_rational_compare(x->range.hi, not ) == 0) {
		SOTTO_TRY(sotto_range_subtract(b->arena, x->range, one, &less));
		out->range.hi = less.hi;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_bind_merged(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    struct sotto_bound *out)
{
	enum sotto_sql_form form = sotto_sql_expr_form(e);
	bool nullable = true, nullif = form == SOTTO_SQL_FORM_NULLIF;
	struct merge m;

	if (e->count == 0)
		return sotto_bind_refuse(b, e, "%s needs arguments", e->text);
	*out = (struct sotto_bound){0};
	SOTTO_TRY(merge_init(b, &m, e->count));
	for (size_t i = 0; i < e->count; i++)
		m.exprs[i] = e->args[i];
	SOTTO_TRY(merge_parts(b, &m, out));
	SOTTO_TRY(merge_values(b, form, &m, out));
	for (size_t i = 0; i < e->count; i++)
		nullable = nullable && m.parts[i].nullable;
	out->nullable = nullif || nullable;
	if (nullif)
		return nullif_range(b, &m, out);
	list_range(form, &m, out);
	return SOTTO_OK;
}

/* ---- CASE ------------------------------------------------------------------------ */

static const struct sotto_expression **new_list(struct sotto_binder *b, size_t count)
{
	return sotto_arena_alloc(b->arena, (count + 1) * sizeof(struct sotto_expression *));
}

/* CASE with written-out results has a finite public range. */
static enum sotto_status case_domain(struct sotto_binder *b, const struct merge *m,
				     bool with_null, struct sotto_bound *out)
{
	const struct sotto_expression **values = new_list(b, m->count);
	size_t count = 0;

	if (!values)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < m->count; i++) {
		const struct sotto_expression *value;
		bool known = false;

		if (!m->parts[i].literal)
			return SOTTO_OK;
		if (m->parts[i].literal->kind == SOTTO_SQL_NULL) {
			with_null = true;
			continue;
		}
		SOTTO_TRY(part_value(b, m, i, &value));
		for (size_t j = 0; j < count; j++)
			known = known || sotto_expression_equal(values[j], value);
		if (!known)
			values[count++] = value;
	}
	if (with_null)
		values[count++] = sotto_expression_word(b->arena, SOTTO_OP_NULL);
	return sotto_domain_values(b->arena, values, count,
				   out->is_double ? SOTTO_TYPE_NUMBER : m->type, &out->domain);
}

enum sotto_status
sotto_bind_case(struct sotto_binder *b, const struct sotto_sql_expr *e, struct sotto_bound *out)
{
	size_t whens = e->count / 2;
	bool has_else = e->count % 2 == 1;
	const struct sotto_expression **branches, **met, **values, *last;
	const struct sotto_sql_expr **conditions;
	struct sotto_bound condition;
	bool noisy = false;
	struct merge m;

	*out = (struct sotto_bound){.nullable = !has_else};
	SOTTO_TRY(merge_init(b, &m, whens + has_else));
	conditions = sotto_arena_alloc(b->arena, (m.count + 1) * sizeof *conditions);
	branches = new_list(b, m.count);
	met = new_list(b, m.count);
	values = new_list(b, m.count);
	if (!conditions || !branches || !met || !values)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < m.count; i++) {
		m.exprs[i] = i < whens ? e->args[2 * i + 1] : e->args[e->count - 1];
		conditions[i] = i < whens ? e->args[2 * i] : NULL;
	}
	m.conditions = conditions;
	SOTTO_TRY(merge_parts(b, &m, out));
	for (size_t i = 0; i < whens; i++) {
		bool nullable = out->nullable;

		SOTTO_TRY(sotto_bind_condition(b, e->args[2 * i], &condition));
		SOTTO_TRY(sotto_bind_depend(b, out, &condition));
		out->nullable = nullable;
		noisy = noisy || condition.noisy;
		met[i] = condition.value;
		SOTTO_TRY(part_value(b, &m, i, &values[i]));
		branches[i] = SOTTO_APPLY(b->arena, SOTTO_OP_WHEN, met[i], values[i]);
	}
	last = sotto_expression_word(b->arena, SOTTO_OP_NULL);
	if (has_else) {
		SOTTO_TRY(part_value(b, &m, m.count - 1, &last));
		values[whens] = last;
	}
	SOTTO_TRY(sotto_bind_made(
		b, &out->value,
		SOTTO_APPLY(b->arena, SOTTO_OP_CASE,
			    sotto_expression_make(b->arena, sotto_operation(SOTTO_OP_BRANCHES),
						  branches, whens),
			    last)));
	SOTTO_TRY(sotto_interval_case(
		b, met, whens, noisy,
		&(struct sotto_merged){.parts = m.parts, .values = values, .count = m.count},
		out));
	return case_domain(b, &m, !has_else, out);
}
