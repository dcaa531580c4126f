/*
 * Arithmetic over rows.  It is done in doubles, or exactly where whole numbers may be too large for
 * them: neither can overflow into an error, and each result is a function of one row alone.
 */

#include "central/expression/bind.h"
#include "central/expression/noisy_interval.h"
#include "central/expression/number/decimal.h"
#include "central/expression/number/whole_arithmetic.h"
#include "central/expression/range/public_range.h"
#include "central/expression/range/value_range.h"
#include "core/base/failure.h"

static const struct {
	enum sotto_sql_op op;
	enum sotto_operation_name operation;
	sotto_range_fn range;
} arithmetic[] = {
	{SOTTO_SQL_ADD, SOTTO_OP_ADD, sotto_range_add},
	{SOTTO_SQL_SUBTRACT, SOTTO_OP_SUBTRACT, sotto_range_subtract},
	{SOTTO_SQL_MULTIPLY, SOTTO_OP_MULTIPLY, sotto_range_multiply},
	{SOTTO_SQL_DIVIDE, SOTTO_OP_DIVIDE, sotto_range_divide},
	{SOTTO_SQL_MODULO, SOTTO_OP_MODULO, NULL},
};

enum { OPERATORS = sizeof arithmetic / sizeof arithmetic[0] };

static size_t find_operator(enum sotto_sql_op op)
{
	size_t i = 0;

	while (i < OPERATORS && arithmetic[i].op != op)
		i++;
	return i;
}

bool sotto_bind_is_arithmetic(enum sotto_sql_op op)
{
	return find_operator(op) < OPERATORS;
}

/* A remainder has the sign of x and stays below the divisor. */
static enum sotto_status modulo_range(struct sotto_arena *a, struct sotto_value_range x,
				      struct sotto_value_range y, bool whole,
				      struct sotto_value_range *out)
{
	struct sotto_value_range size, opposite, zero, one;

	SOTTO_TRY(sotto_range_of(a, 0, 0, &zero));
	SOTTO_TRY(sotto_range_absolute(a, y, &size));
	if (whole && size.hi && sotto_rational_sign(size.hi) > 0) {
		SOTTO_TRY(sotto_range_of(a, 1, 1, &one));
		SOTTO_TRY(sotto_range_subtract(a, size, one, &size));
	}
	SOTTO_TRY(sotto_range_negate(a, size, &opposite));
	out->hi = x.hi && sotto_rational_sign(x.hi) <= 0 ? zero.hi : size.hi;
	out->lo = x.lo && sotto_rational_sign(x.lo) >= 0 ? zero.lo : opposite.lo;
	return SOTTO_OK;
}

/* Whole numbers divide to whole numbers, cut towards zero, as in PostgreSQL. */
static enum sotto_status whole_division(struct sotto_binder *b, struct sotto_bound *out)
{
	SOTTO_TRY(sotto_range_whole(b->arena, out->range, &out->range));
	return sotto_bind_made(b, &out->value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_TRUNC, out->value));
}

static enum sotto_status bind_days_between(struct sotto_binder *b,
					   const struct sotto_sql_expr *e,
					   const struct sotto_bound *x,
					   const struct sotto_bound *y, struct sotto_bound *out)
{
	const struct sotto_expression *args[2];

	out->type = SOTTO_TYPE_INTEGER;
	SOTTO_TRY(sotto_range_subtract(b->arena, x->range, y->range, &out->range));
	SOTTO_TRY(sotto_bind_temporal(b, e, x, &args[0]));
	SOTTO_TRY(sotto_bind_temporal(b, e, y, &args[1]));
	return sotto_bind_made(b, &out->value,
			       SOTTO_APPLY(b->arena, SOTTO_OP_DAYS_BETWEEN, args[0], args[1]));
}

/* What has no type of its own beside a date is one. */
static bool are_dates(const struct sotto_bound *x, const struct sotto_bound *y)
{
	return (x->type == SOTTO_TYPE_DATE &&
		(y->type == SOTTO_TYPE_DATE || y->type == SOTTO_TYPE_LOOSE)) ||
	       (y->type == SOTTO_TYPE_DATE && x->type == SOTTO_TYPE_LOOSE);
}

static bool is_moment(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_DATE || x->type == SOTTO_TYPE_TIMESTAMP;
}

static bool is_number(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_INTEGER || x->type == SOTTO_TYPE_NUMBER;
}

/* A date and a number of days, which is settled first; *done says whether it is that. */
static enum sotto_status bind_moved(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    struct sotto_bound *x, struct sotto_bound *y,
				    struct sotto_bound *out, bool *done)
{
	bool first = x->type == SOTTO_TYPE_DATE && is_number(y) &&
		     (e->op == SOTTO_SQL_ADD || e->op == SOTTO_SQL_SUBTRACT);

	*done = first || (e->op == SOTTO_SQL_ADD && y->type == SOTTO_TYPE_DATE && is_number(x));
	if (!*done)
		return SOTTO_OK;
	SOTTO_TRY(sotto_decimal_settle(b, first ? y : x));
	return sotto_bind_days(b, e, first ? x : y, first ? y : x, out);
}

/* x % y of decimals is exact only in whole numbers. */
static enum sotto_status
bind_modulo(struct sotto_binder *b, struct sotto_bound *x, struct sotto_bound *y,
	    const struct sotto_expression *const *args, struct sotto_bound *out)
{
	sotto_decimal_arithmetic(SOTTO_SQL_MODULO, x, y, out);
	return sotto_bind_made(
		b, &out->value,
		out->is_decimal && out->scale > 0
			? sotto_decimal_modulo(b->arena, args[0], args[1], out->scale)
			: SOTTO_APPLY(b->arena, SOTTO_OP_MODULO, args[0], args[1]));
}

/* EXTRACT and floor() give whole numbers that divide to fractions, and so does noise. */
static bool divides_to_fractions(const struct sotto_bound *x)
{
	return x->divides || x->noisy;
}

static enum sotto_status bind_numbers(struct sotto_binder *b, const struct sotto_sql_expr *e,
				      size_t i, struct sotto_bound *x, struct sotto_bound *y,
				      struct sotto_bound *out)
{
	const struct sotto_expression *args[2];

	bool whole = x->type == SOTTO_TYPE_INTEGER && y->type == SOTTO_TYPE_INTEGER;
	bool divides = divides_to_fractions(x) || divides_to_fractions(y);

	SOTTO_TRY(sotto_public_range(b, x));
	SOTTO_TRY(sotto_public_range(b, y));
	SOTTO_TRY(arithmetic[i].range
			  ? arithmetic[i].range(b->arena, x->range, y->range, &out->range)
			  : modulo_range(b->arena, x->range, y->range, whole, &out->range));
	if (sotto_whole_is(x) && sotto_whole_is(y) && !(divides && e->op == SOTTO_SQL_DIVIDE) &&
	    !sotto_whole_fits_doubles(x, y, out->range)) {
		SOTTO_TRY(sotto_whole_arithmetic(b, e->op, x, y, out));
		out->divides = divides;
		return SOTTO_OK;
	}
	SOTTO_TRY(sotto_bind_as(b, e->args[0], x, SOTTO_TYPE_NUMBER, &args[0]));
	SOTTO_TRY(sotto_bind_as(b, e->args[1], y, SOTTO_TYPE_NUMBER, &args[1]));
	if (e->op == SOTTO_SQL_MODULO) {
		SOTTO_TRY(bind_modulo(b, x, y, args, out));
	} else {
		sotto_decimal_arithmetic(e->op, x, y, out);
		SOTTO_TRY(sotto_bind_made(
			b, &out->value,
			SOTTO_APPLY(b->arena, arithmetic[i].operation, args[0], args[1])));
		SOTTO_TRY(sotto_interval_arithmetic(b, e->op, x, y, args, out));
	}
	out->divides = divides;
	if (!whole || (out->divides && e->op == SOTTO_SQL_DIVIDE))
		return SOTTO_OK;
	out->type = SOTTO_TYPE_INTEGER;
	out->is_decimal = out->is_rough = false; /* its type says that it is whole */
	return e->op == SOTTO_SQL_DIVIDE ? whole_division(b, out) : SOTTO_OK;
}

enum sotto_status sotto_bind_arithmetic(struct sotto_binder *b, const struct sotto_sql_expr *e,
					struct sotto_bound *out)
{
	size_t i = find_operator(e->op);
	bool moves = e->op == SOTTO_SQL_ADD || e->op == SOTTO_SQL_SUBTRACT, done;
	struct sotto_bound x, y;

	if (moves && (sotto_expr_is_interval(e->args[0]) || sotto_expr_is_interval(e->args[1])))
		return sotto_bind_interval(b, e, out);
	SOTTO_TRY(sotto_bind_rough(b, e->args[0], &x));
	SOTTO_TRY(sotto_bind_rough(b, e->args[1], &y));
	SOTTO_TRY(bind_moved(b, e, &x, &y, out, &done));
	if (!done)
		SOTTO_TRY(sotto_decimal_fold(b, e->op, &x, &y, out, &done));
	if (done)
		return SOTTO_OK;
	*out = (struct sotto_bound){.type = SOTTO_TYPE_NUMBER, .is_double = true};
	out->nullable = e->op == SOTTO_SQL_DIVIDE || e->op == SOTTO_SQL_MODULO;
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	SOTTO_TRY(sotto_bind_depend(b, out, &y));
	if (e->op == SOTTO_SQL_SUBTRACT && are_dates(&x, &y)) {
		*out = (struct sotto_bound){.columns = out->columns,
					    .column_count = out->column_count,
					    .nullable = true};
		return bind_days_between(b, e, &x, &y, out);
	}
	if (e->op == SOTTO_SQL_SUBTRACT && is_moment(&x) && is_moment(&y))
		return sotto_bind_refuse(
			b, e,
			"the time between two moments is an interval; write extract(epoch FROM "
			"a - b) for its seconds, or extract(day FROM a - b) for its days");
	return bind_numbers(b, e, i, &x, &y, out);
}

enum sotto_status sotto_bind_negate(struct sotto_binder *b, const struct sotto_sql_expr *e,
				    struct sotto_bound *out)
{
	const struct sotto_expression *number;
	struct sotto_bound x;

	SOTTO_TRY(sotto_bind_rough(b, e->args[0], &x));
	SOTTO_TRY(sotto_bind_as(b, e, &x, SOTTO_TYPE_NUMBER, &number));
	*out = (struct sotto_bound){.is_double = true,
				    .type = x.type == SOTTO_TYPE_INTEGER ? SOTTO_TYPE_INTEGER
									 : SOTTO_TYPE_NUMBER};
	if (out->type == SOTTO_TYPE_NUMBER)
		sotto_decimal_take(out, &x);
	out->divides = x.divides;
	out->is_rough = x.is_rough;
	SOTTO_TRY(sotto_bind_depend(b, out, &x));
	SOTTO_TRY(sotto_range_negate(b->arena, x.range, &out->range));
	SOTTO_TRY(sotto_interval_negate(b, &x, out));
	if (x.number && sotto_range_is_closed(out->range)) { /* it is a number again */
		out->number = out->range.lo;
		out->is_double = x.is_double;
		out->value = sotto_expression_number(b->arena, out->number, x.is_double);
		return out->value ? SOTTO_OK : SOTTO_ENOMEM;
	}
	if (sotto_whole_is(&x) && !sotto_whole_fits_doubles(&x, NULL, out->range))
		return sotto_whole_negate(b, &x, out);
	return sotto_bind_made(b, &out->value, SOTTO_APPLY(b->arena, SOTTO_OP_NEGATE, number));
}
