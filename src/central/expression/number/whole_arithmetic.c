/*
 * Arithmetic of whole numbers.  Sums and products are made with 128 bits, which two numbers of
 * 64 bits never leave, and what does not fit 64 bits is NULL: no row makes the engine fail.
 */
#include "central/expression/number/whole_arithmetic.h"

#include "central/expression/bind.h"
#include "central/expression/range/value_range.h"
#include "core/base/failure.h"

/* Both ends are at most 2^53 away from 0. */
static bool is_small(struct sotto_value_range r)
{
	mpq_t size;
	bool small;

	if (!sotto_range_is_closed(r))
		return false;
	mpq_init(size);
	mpq_set_ui(size, 1, 1);
	mpq_mul_2exp(size, size, 53);
	small = mpq_cmp(r.hi->q, size) <= 0;
	mpq_neg(size, size);
	small = small && mpq_cmp(r.lo->q, size) >= 0;
	mpq_clear(size);
	return small;
}

bool sotto_whole_is(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_INTEGER && !x->whole && !x->low && !x->noisy &&
	       (!x->is_double || is_small(x->range));
}

bool sotto_whole_fits_doubles(const struct sotto_bound *x, const struct sotto_bound *y,
			      struct sotto_value_range result)
{
	return is_small(x->range) && (!y || is_small(y->range)) && is_small(result);
}

enum sotto_status sotto_whole_value(struct sotto_binder *b, const struct sotto_bound *x,
				    const struct sotto_expression **out)
{
	const struct sotto_expression *value =
		x->number ? sotto_expression_number(b->arena, x->number, false) : x->value;

	return sotto_bind_made(
		b, out,
		sotto_expression_cast(b->arena, SOTTO_OP_TRY_CAST, value, SOTTO_TYPE_INTEGER));
}

static const struct sotto_expression *
operand(struct sotto_binder *b, const struct sotto_bound *x)
{
	return x->number ? sotto_expression_number(b->arena, x->number, false) : x->value;
}

static void as_whole(struct sotto_bound *out)
{
	out->type = SOTTO_TYPE_INTEGER;
	out->is_double = out->is_decimal = out->is_rough = out->divides = false;
	out->nullable = true;
}

enum sotto_status sotto_whole_arithmetic(struct sotto_binder *b, enum sotto_sql_op op,
					 const struct sotto_bound *x,
					 const struct sotto_bound *y, struct sotto_bound *out)
{
	enum sotto_operation_name name = op == SOTTO_SQL_ADD        ? SOTTO_OP_WHOLE_ADD
					 : op == SOTTO_SQL_SUBTRACT ? SOTTO_OP_WHOLE_SUBTRACT
					 : op == SOTTO_SQL_MULTIPLY ? SOTTO_OP_WHOLE_MULTIPLY
					 : op == SOTTO_SQL_DIVIDE   ? SOTTO_OP_WHOLE_DIVIDE
								    : SOTTO_OP_WHOLE_MODULO;

	as_whole(out);
	if (op == SOTTO_SQL_DIVIDE)
		SOTTO_TRY(sotto_range_whole(b->arena, out->range, &out->range));
	return sotto_bind_made(b, &out->value,
			       SOTTO_APPLY(b->arena, name, operand(b, x), operand(b, y)));
}

enum sotto_status
sotto_whole_negate(struct sotto_binder *b, const struct sotto_bound *x, struct sotto_bound *out)
{
	as_whole(out);
	return sotto_bind_made(b, &out->value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_WHOLE_NEGATE, operand(b, x)));
}

/* To a multiple of 10^n: the nearest one, or the next one towards zero. */
static const struct sotto_expression *
to_multiple(struct sotto_binder *b, const struct sotto_expression *x, long n, bool cut)
{
	const struct sotto_expression *unit;
	int64_t size = 1;

	for (; n > 0; n--)
		size *= 10;
	unit = sotto_expression_whole(b->arena, size);
	if (!unit)
		return NULL;
	return cut ? SOTTO_APPLY(b->arena, SOTTO_OP_WHOLE_SUBTRACT, x,
				 SOTTO_APPLY(b->arena, SOTTO_OP_WHOLE_MODULO, x, unit))
		   : SOTTO_APPLY(b->arena, SOTTO_OP_WHOLE_ROUND, x, unit);
}

static bool is_rounding(enum sotto_function_known known)
{
	return known == SOTTO_KNOWN_WHOLE || known == SOTTO_KNOWN_ROUND ||
	       known == SOTTO_KNOWN_TRUNCATE;
}

enum sotto_status sotto_whole_function(struct sotto_binder *b, enum sotto_function_known known,
				       const struct sotto_bound *x, long digits,
				       struct sotto_bound *out, bool *done)
{
	bool absolute = known == SOTTO_KNOWN_ABSOLUTE, cut = known == SOTTO_KNOWN_TRUNCATE;
	const struct sotto_expression *value = operand(b, x);

	if (absolute && x->type == SOTTO_TYPE_INTEGER) { /* ABS(a) / 2 is cut as a / 2 is */
		out->type = SOTTO_TYPE_INTEGER;
		out->divides = x->divides;
	}
	*done = (absolute || is_rounding(known)) && sotto_whole_is(x) && digits >= -18 &&
		!sotto_whole_fits_doubles(x, NULL, out->range);
	if (!*done)
		return SOTTO_OK;
	as_whole(out);
	out->divides = !absolute || x->divides; /* ROUND(a) / 2 is not, as it never was */
	SOTTO_NEED(value);
	if (absolute)
		value = SOTTO_APPLY(b->arena, SOTTO_OP_WHOLE_ABSOLUTE, value);
	else if (digits < 0)
		value = to_multiple(b, value, -digits, cut);
	return sotto_bind_made(b, &out->value, value);
}
