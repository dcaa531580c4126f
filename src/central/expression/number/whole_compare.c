/*
 * Replaces a literal that is not a whole number by the next one below it, and one beyond 63
 * bits by a comparison that is true, or false, of every value.
 */
#include "central/expression/number/whole_compare.h"

#include "central/expression/truth_operator.h"
#include "core/base/failure.h"

static bool is_native(const struct sotto_bound *x)
{
	return x->type == SOTTO_TYPE_INTEGER && !x->is_double && !x->number;
}

/* What is true of x where it lies below a number that is not a whole number, or above it. */
static enum sotto_operation_name between_wholes(enum sotto_sql_op op)
{
	return op == SOTTO_SQL_LT || op == SOTTO_SQL_LE ? SOTTO_OP_LE : SOTTO_OP_GT;
}

/* x against itself: the same truth for every x, and NULL for NULL. */
static const struct sotto_expression *
always(struct sotto_arena *a, const struct sotto_expression *x, bool truth)
{
	return truth ? SOTTO_APPLY(a, SOTTO_OP_EQ, x, x) : SOTTO_APPLY(a, SOTTO_OP_LT, x, x);
}

/* x op a number that no whole number of 63 bits is equal to; `above` if all of them are less. */
static const struct sotto_expression *beside_all(struct sotto_arena *a, enum sotto_sql_op op,
						 const struct sotto_expression *x, bool above)
{
	bool less = op == SOTTO_SQL_LT || op == SOTTO_SQL_LE;

	return always(a, x, less == above);
}

static const struct sotto_expression *compare(struct sotto_arena *a, enum sotto_sql_op op,
					      const struct sotto_expression *x,
					      const struct sotto_rational *number)
{
	const struct sotto_expression *out;
	mpz_t floor;

	if (op == SOTTO_SQL_DISTINCT_FROM)
		return sotto_expression_word(a, SOTTO_OP_TRUE);
	if (op == SOTTO_SQL_EQ || op == SOTTO_SQL_NE)
		return always(a, x, op == SOTTO_SQL_NE);
	mpz_init(floor);
	mpz_fdiv_q(floor, mpq_numref(number->q), mpq_denref(number->q));
	if (mpz_fits_slong_p(floor))
		out = sotto_expression_make(
			a, sotto_operation(between_wholes(op)),
			(const struct sotto_expression *[]){
				x, sotto_expression_whole(a, mpz_get_si(floor))},
			2);
	else
		out = beside_all(a, op, x, mpz_sgn(floor) > 0);
	mpz_clear(floor);
	return out;
}

/* Has it a form that the engine compares with BIGINT exactly: a whole number of 63 bits? */
static bool is_whole(const struct sotto_rational *r)
{
	return mpz_cmp_ui(mpq_denref(r->q), 1) == 0 && mpz_fits_slong_p(mpq_numref(r->q));
}

static const struct sotto_expression *compare_whole(struct sotto_arena *a, enum sotto_sql_op op,
						    const struct sotto_expression *x,
						    const struct sotto_rational *number)
{
	const struct sotto_expression *args[] = {
		x, sotto_expression_whole(a, mpz_get_si(mpq_numref(number->q)))};

	return sotto_truth_operator(a, op, args, 2);
}

enum sotto_status sotto_whole_compare(struct sotto_arena *a, enum sotto_sql_op op,
				      const struct sotto_bound *x, const struct sotto_bound *y,
				      const struct sotto_expression **value, bool *done)
{
	const struct sotto_bound *column = is_native(x) ? x : y, *number = column == x ? y : x;

	*done = is_native(column) && number->number;
	if (!*done)
		return SOTTO_OK;
	if (column == y)
		op = sotto_sql_op_mirrored(op);
	*value = is_whole(number->number) ? compare_whole(a, op, column->value, number->number)
					  : compare(a, op, column->value, number->number);
	return *value ? SOTTO_OK : SOTTO_ENOMEM;
}
