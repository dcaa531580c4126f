/*
 * Goes down the arithmetic to the innermost part that is a whole number between bounds.  The same
 * expression, with the values between the bounds in the place of that part, gives the public
 * values; with the part held to its bounds it gives the key of a row, which is one of them.
 */
#include "central/aggregate/group/key_steps.h"

#include "central/expression/bind.h"
#include "central/expression/domain/bounded_domain.h"
#include "core/base/failure.h"

/*
 * x of x * 10, 5 + x, ..., which grow or fall with x: what lies outside of their bounds is then
 * what x has outside of its own.  NULL if e is no such arithmetic.
 */
static const struct sotto_sql_expr *computed_from(const struct sotto_sql_expr *e)
{
	bool grows, divides = e->op == SOTTO_SQL_DIVIDE;

	if (e->kind != SOTTO_SQL_OP || e->count != 2)
		return NULL;
	grows = e->op == SOTTO_SQL_ADD || e->op == SOTTO_SQL_SUBTRACT ||
		e->op == SOTTO_SQL_MULTIPLY;
	if ((grows || divides) && e->args[1]->kind == SOTTO_SQL_NUMBER)
		return e->args[0];
	return grows && e->args[0]->kind == SOTTO_SQL_NUMBER ? e->args[1] : NULL;
}

/* What stands innermost; e itself if it is no arithmetic with a written number. */
static const struct sotto_sql_expr *innermost(const struct sotto_sql_expr *e)
{
	const struct sotto_sql_expr *x = computed_from(e);

	while (x) {
		e = x;
		x = computed_from(e);
	}
	return e;
}

/* SELECT DISTINCT image AS k FROM steps AS v, where image reads v.k */
static enum sotto_status image_of(struct sotto_arena *a, const struct sotto_domain *steps,
				  const struct sotto_expression *image,
				  const struct sotto_domain **out)
{
	struct sotto_rowset_select s = {.distinct = true};
	struct sotto_domain *d = sotto_arena_alloc(a, sizeof *d);

	SOTTO_NEED(d && sotto_rowset_output(a, &s, image, "k") &&
		   sotto_rowset_from(a, &s, sotto_rowset_named(a, steps->rows, "v")));
	*d = (struct sotto_domain){.rows = sotto_rowset_select(a, &s, NULL),
				   .size = steps->size,
				   .may_be_fewer = true};
	SOTTO_NEED(d->rows);
	*out = d;
	return SOTTO_OK;
}

/* The key with `value` in the place of the part, which may be all that it reads. */
static enum sotto_status with_part(struct sotto_binder *b, const struct sotto_plan_key *key,
				   const struct sotto_bound *part,
				   const struct sotto_expression *value,
				   const struct sotto_expression **out)
{
	return sotto_bind_made(
		b, out,
		sotto_expression_replace(b->arena, key->bound.value, part->value, value));
}

/* Can the part be bound alone, and is it a whole number between bounds? */
static bool bind_part(const struct sotto_binder *b, const struct sotto_sql_expr *e,
		      struct sotto_bound *part)
{
	struct sotto_binder quiet = *b;

	quiet.err = NULL;
	return !sotto_sql_expr_has_select(e) && sotto_bind(&quiet, e, part) == SOTTO_OK &&
	       part->type == SOTTO_TYPE_INTEGER && !part->is_length &&
	       sotto_bounded_count(part, false, SOTTO_BOUNDED_MAX) > 0;
}

enum sotto_status sotto_key_find_steps(struct sotto_binder *b, const struct sotto_sql_expr *e,
				       struct sotto_plan_key *key)
{
	const struct sotto_sql_expr *inner = innermost(e);
	const struct sotto_expression *image, *fixed;
	const struct sotto_domain *between;
	struct sotto_bound part;

	if (inner == e || !bind_part(b, inner, &part))
		return SOTTO_OK;
	SOTTO_TRY(with_part(b, key, &part, sotto_expression_whole(b->arena, 0), &fixed));
	if (sotto_expression_reads_column(fixed))
		return SOTTO_OK;
	SOTTO_TRY(
		with_part(b, key, &part, sotto_expression_column(b->arena, "v", "k"), &image));
	SOTTO_TRY(sotto_bounded_domain(b->arena, &part, false, &between));
	SOTTO_TRY(image_of(b->arena, between, image, &key->domain));
	return with_part(b, key, &part, sotto_bounded_value(b->arena, &part), &key->held);
}
