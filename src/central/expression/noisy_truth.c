/*
 * Compares the ends of intervals: x < y is sure if the high end of x is below the low end of y,
 * and possible if the low end of x is below the high end of y.  An end that is not known makes
 * nothing sure and everything possible.
 */
#include "central/expression/noisy_truth.h"

#include "central/expression/truth_operator.h"
#include "core/base/failure.h"

static bool is_number(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_INTEGER || x->type == SOTTO_TYPE_NUMBER;
}

static const struct sotto_expression *end_of(const struct sotto_bound *x, bool high)
{
	if (!x->low)
		return x->value;
	return high ? x->high : x->low;
}

/* x op y of one end of each. */
static const struct sotto_expression *compare(struct sotto_arena *a, enum sotto_sql_op op,
					      const struct sotto_expression *x,
					      const struct sotto_expression *y)
{
	const struct sotto_expression *args[2] = {x, y};

	return x && y ? sotto_truth_operator(a, op, args, 2) : NULL;
}

static const struct sotto_expression *
both(struct sotto_arena *a, const struct sotto_expression *x, const struct sotto_expression *y)
{
	return SOTTO_APPLY(a, SOTTO_OP_AND, x, y);
}

static const struct sotto_expression *
negate(struct sotto_arena *a, const struct sotto_expression *x)
{
	return SOTTO_APPLY(a, SOTTO_OP_NOT, x);
}

/* What is not known is not sure, and possible. */
static enum sotto_status set(struct sotto_binder *b, struct sotto_bound *out,
			     const struct sotto_expression *sure,
			     const struct sotto_expression *possible)
{
	struct sotto_arena *a = b->arena;

	SOTTO_TRY(sotto_bind_made(b, &out->sure, SOTTO_APPLY(a, SOTTO_OP_IS_TRUE, sure)));
	return sotto_bind_made(b, &out->possible,
			       negate(a, SOTTO_APPLY(a, SOTTO_OP_IS_FALSE, possible)));
}

/* Equal surely if both are points, and possibly if the intervals meet. */
static enum sotto_status compare_equal(struct sotto_binder *b, bool equal,
				       const struct sotto_bound *x, const struct sotto_bound *y,
				       struct sotto_bound *out)
{
	const struct sotto_expression *xl = end_of(x, false), *xh = end_of(x, true);
	const struct sotto_expression *yl = end_of(y, false), *yh = end_of(y, true);
	struct sotto_arena *a = b->arena;
	const struct sotto_expression *sure =
		both(a, compare(a, SOTTO_SQL_GE, xl, yh), compare(a, SOTTO_SQL_LE, xh, yl));
	const struct sotto_expression *possible =
		both(a, compare(a, SOTTO_SQL_LE, xl, yh), compare(a, SOTTO_SQL_GE, xh, yl));

	return equal ? set(b, out, sure, possible)
		     : set(b, out, negate(a, possible), negate(a, sure));
}

enum sotto_status sotto_truth_compare(struct sotto_binder *b, enum sotto_sql_op op,
				      const struct sotto_bound *x, const struct sotto_bound *y,
				      struct sotto_bound *out)
{
	struct sotto_arena *a = b->arena;
	bool grows = op == SOTTO_SQL_GT || op == SOTTO_SQL_GE; /* with x */

	if ((!x->low && x->noisy) || (!y->low && y->noisy) || (!x->low && !y->low) ||
	    !is_number(x) || !is_number(y))
		return SOTTO_OK;
	if (op == SOTTO_SQL_EQ || op == SOTTO_SQL_NE)
		return compare_equal(b, op == SOTTO_SQL_EQ, x, y, out);
	if (!grows && op != SOTTO_SQL_LT && op != SOTTO_SQL_LE)
		return SOTTO_OK;
	return set(b, out, compare(a, op, end_of(x, !grows), end_of(y, grows)),
		   compare(a, op, end_of(x, grows), end_of(y, !grows)));
}

bool sotto_truth_is_known(const struct sotto_bound *x)
{
	return !x->noisy || x->sure;
}

const struct sotto_expression *sotto_truth_sure(const struct sotto_bound *x)
{
	return x->sure ? x->sure : x->value;
}

const struct sotto_expression *sotto_truth_possible(const struct sotto_bound *x)
{
	return x->possible ? x->possible : x->value;
}

enum sotto_status sotto_truth_logic(struct sotto_binder *b, enum sotto_sql_op op,
				    const struct sotto_bound *parts, size_t count,
				    struct sotto_bound *out)
{
	const struct sotto_expression *sure[2], *possible[2];
	bool some = false;

	for (size_t i = 0; i < count; i++) {
		if (!sotto_truth_is_known(&parts[i]))
			return SOTTO_OK;
		some = some || parts[i].sure;
		sure[i] = sotto_truth_sure(&parts[i]);
		possible[i] = sotto_truth_possible(&parts[i]);
	}
	if (!some)
		return SOTTO_OK;
	if (op == SOTTO_SQL_NOT)
		return set(b, out, negate(b->arena, possible[0]), negate(b->arena, sure[0]));
	return set(b, out, sotto_truth_operator(b->arena, op, sure, count),
		   sotto_truth_operator(b->arena, op, possible, count));
}
