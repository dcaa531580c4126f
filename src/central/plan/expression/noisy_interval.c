#include "central/plan/expression/noisy_interval.h"

#include "core/base/failure.h"

void sotto_interval_forget(struct sotto_bound *x)
{
	x->low = x->high = NULL;
}

static enum sotto_status set(struct sotto_binder *b, struct sotto_bound *out,
			     const struct sotto_expression *low,
			     const struct sotto_expression *high)
{
	SOTTO_TRY(sotto_bind_made(b, &out->low, low));
	return sotto_bind_made(b, &out->high, high);
}

/* All four corners, and the least and the greatest of them. */
static enum sotto_status corners(struct sotto_binder *b, enum sotto_operation_name o,
				 const struct sotto_expression *const *x,
				 const struct sotto_expression *const *y,
				 struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;
	const struct sotto_expression *c[4];

	for (int i = 0; i < 4; i++)
		c[i] = sotto_expression_make(
			a, sotto_operation(o),
			(const struct sotto_expression *[]){x[i / 2], y[i % 2]}, 2);
	return set(b, out, SOTTO_APPLY(a, SOTTO_OP_LEAST, c[0], c[1], c[2], c[3]),
		   SOTTO_APPLY(a, SOTTO_OP_GREATEST, c[0], c[1], c[2], c[3]));
}

/* Nothing is said of a quotient whose divisor may be 0. */
static enum sotto_status without_zero(struct sotto_binder *b,
				      const struct sotto_expression *const *y,
				      struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;
	const struct sotto_expression *zero = sotto_expression_whole(a, 0);
	const struct sotto_expression *fine =
		SOTTO_APPLY(a, SOTTO_OP_OR, SOTTO_APPLY(a, SOTTO_OP_GT, y[0], zero),
			    SOTTO_APPLY(a, SOTTO_OP_LT, y[1], zero));

	return set(b, out, SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN, fine, out->low),
		   SOTTO_APPLY(a, SOTTO_OP_ONLY_WHEN, fine, out->high));
}

enum sotto_status
sotto_interval_arithmetic(struct sotto_binder *b, enum sotto_sql_op op,
			  const struct sotto_bound *x, const struct sotto_bound *y,
			  const struct sotto_expression *const *args, struct sotto_bound *out)
{
	const struct sotto_expression *u[2] = {x->low ? x->low : args[0],
					       x->high ? x->high : args[0]};
	const struct sotto_expression *v[2] = {y->low ? y->low : args[1],
					       y->high ? y->high : args[1]};
	struct sotto_arena *a = b->arena;

	if ((!x->low && x->noisy) || (!y->low && y->noisy) || (!x->low && !y->low))
		return SOTTO_OK;
	switch (op) {
	case SOTTO_SQL_ADD:
		return set(b, out, SOTTO_APPLY(a, SOTTO_OP_ADD, u[0], v[0]),
			   SOTTO_APPLY(a, SOTTO_OP_ADD, u[1], v[1]));
	case SOTTO_SQL_SUBTRACT:
		return set(b, out, SOTTO_APPLY(a, SOTTO_OP_SUBTRACT, u[0], v[1]),
			   SOTTO_APPLY(a, SOTTO_OP_SUBTRACT, u[1], v[0]));
	case SOTTO_SQL_MULTIPLY:
		return corners(b, SOTTO_OP_MULTIPLY, u, v, out);
	case SOTTO_SQL_DIVIDE:
		SOTTO_TRY(corners(b, SOTTO_OP_DIVIDE, u, v, out));
		return without_zero(b, v, out);
	default:
		return SOTTO_OK;
	}
}

enum sotto_status sotto_interval_negate(struct sotto_binder *b, const struct sotto_bound *x,
					struct sotto_bound *out)
{
	if (!x->low)
		return SOTTO_OK;
	return set(b, out, SOTTO_APPLY(b->arena, SOTTO_OP_NEGATE, x->high),
		   SOTTO_APPLY(b->arena, SOTTO_OP_NEGATE, x->low));
}

static const struct sotto_expression *
over_all(struct sotto_arena *a, enum sotto_operation_name o, const struct sotto_expression *x,
	 const struct sotto_over *over)
{
	const struct sotto_expression *value = SOTTO_APPLY(a, o, x);

	return over && value ? sotto_expression_over(a, value, over) : value;
}

enum sotto_status
sotto_interval_aggregate(struct sotto_binder *b, enum sotto_operation_name operation,
			 const struct sotto_bound *x, const struct sotto_over *over,
			 struct sotto_bound *out)
{
	bool grows = operation == SOTTO_OP_SUM || operation == SOTTO_OP_AVG ||
		     operation == SOTTO_OP_MIN || operation == SOTTO_OP_MAX;

	if (!x->low || !grows)
		return SOTTO_OK;
	return set(b, out, over_all(b->arena, operation, x->low, over),
		   over_all(b->arena, operation, x->high, over));
}
