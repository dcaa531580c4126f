/*
 * Measures: integers that one unit can change by a limited amount, and their grids.
 */
#include "core/number/rational/rational_round.h"
#include "central/aggregate/measure/measure_add.h"

#include <string.h>

#include "central/expression/range/value_range.h"
#include "central/plan/planner.h"
#include "central/tree/engine_tree.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"
#include "core/number/nearest.h"

enum { DEFAULT_BITS = 20 };

enum sotto_status sotto_row_column_add(struct sotto_plan *plan,
				       const struct sotto_expression *value, size_t *index)
{
	struct sotto_row_column *slot;

	for (size_t i = 0; i < plan->column_count; i++)
		if (sotto_expression_equal(plan->columns[i].value, value)) {
			*index = i;
			return SOTTO_OK;
		}
	slot = SOTTO_PUSH(&plan->arena, plan->columns, plan->column_count);
	SOTTO_NEED(slot);
	slot->value = value;
	*index = plan->column_count - 1;
	return SOTTO_OK;
}

static bool same_measure(const struct sotto_measure *x, const struct sotto_measure *y)
{
	const struct sotto_addend *a = &x->addend, *b = &y->addend;

	return x->kind == y->kind && x->column == y->column && a->centre == b->centre &&
	       a->square == b->square && a->distinct == b->distinct && a->lo == b->lo &&
	       a->hi == b->hi &&
	       (x->step == y->step || sotto_rational_compare(x->step, y->step) == 0);
}

/* Largest absolute value of a row's steps, at least 1: no measure is free of noise. */
static int64_t row_size(const struct sotto_addend *a)
{
	int64_t size = a->hi > -a->lo ? a->hi : -a->lo;

	return size < 1 ? 1 : size;
}

/* Where at most one row of a unit counts in a group, counting rows is counting units. */
static struct sotto_measure
as_counted(const struct sotto_plan *plan, const struct sotto_measure *m)
{
	struct sotto_measure counted = *m;

	if (plan->units && plan->max_rows == 1 && m->kind == SOTTO_MEASURE_ROWS &&
	    m->column == SIZE_MAX)
		counted.kind = SOTTO_MEASURE_UNITS;
	return counted;
}

enum sotto_status
sotto_measure_add(struct sotto_plan *plan, const struct sotto_measure *wanted, size_t *index)
{
	const struct sotto_measure counted = as_counted(plan, wanted), *m = &counted;
	struct sotto_measure *slot;

	plan->reads_rows = plan->reads_rows || wanted->kind != SOTTO_MEASURE_UNITS;
	plan->reads_all_rows = plan->reads_all_rows || (wanted->kind == SOTTO_MEASURE_ROWS &&
							wanted->column == SIZE_MAX);
	for (size_t i = 0; i < plan->measure_count; i++)
		if (same_measure(&plan->measures[i], m)) {
			*index = i;
			return SOTTO_OK;
		}
	slot = SOTTO_PUSH(&plan->arena, plan->measures, plan->measure_count);
	SOTTO_NEED(slot);
	*slot = *m;
	switch (m->kind) {
	case SOTTO_MEASURE_UNITS:
		slot->per_group = 1;
		break;
	case SOTTO_MEASURE_ROWS:
	case SOTTO_MEASURE_DISTINCT:
		slot->per_group = plan->max_rows;
		break;
	case SOTTO_MEASURE_SUM:
		slot->per_group = plan->max_rows * row_size(&m->addend);
		break;
	}
	*index = plan->measure_count - 1;
	return SOTTO_OK;
}

double sotto_measure_error(const struct sotto_measure *m)
{
	return (double)m->noise->errors[0] * sotto_nearest_double(m->step->q);
}

/* ---- grids ------------------------------------------------------------------------- */

/* step = 2^k, the largest with step <= size 2^-DEFAULT_BITS */
static void binary_step(struct sotto_rational *step, const struct sotto_rational *size)
{
	long k = (long)mpz_sizeinbase(mpq_numref(size->q), 2) -
		 (long)mpz_sizeinbase(mpq_denref(size->q), 2) + 1 - DEFAULT_BITS;
	struct sotto_rational limit;

	sotto_rational_init(&limit);
	mpq_div_2exp(limit.q, size->q, DEFAULT_BITS);
	for (;; k--) {
		mpq_set_ui(step->q, 1, 1);
		if (k >= 0)
			mpq_mul_2exp(step->q, step->q, (mp_bitcnt_t)k);
		else
			mpq_div_2exp(step->q, step->q, (mp_bitcnt_t)-k);
		if (sotto_rational_compare(step, &limit) <= 0)
			break;
	}
	sotto_rational_release(&limit);
}

static void range_size(struct sotto_value_range r, struct sotto_rational *out)
{
	struct sotto_rational lo;

	sotto_rational_init(&lo);
	mpq_abs(lo.q, r.lo->q);
	mpq_abs(out->q, r.hi->q);
	if (sotto_rational_compare(&lo, out) > 0)
		sotto_rational_set(out, &lo);
	sotto_rational_release(&lo);
}

/* The last digit of a decimal, where it is no finer than what the range would get. */
static void take_digit(const struct sotto_bound *x, struct sotto_rational *step)
{
	struct sotto_rational digit;

	if (!x->is_decimal)
		return;
	sotto_rational_init(&digit);
	mpq_set_ui(digit.q, 1, 1);
	mpz_ui_pow_ui(mpq_denref(digit.q), 10, x->scale);
	if (sotto_rational_compare(&digit, step) > 0)
		sotto_rational_set(step, &digit);
	sotto_rational_release(&digit);
}

/* The declared step; 1 for whole numbers; the last digit; else chosen from the range. */
void sotto_step_choose(const struct sotto_bound *x, struct sotto_rational *step)
{
	struct sotto_rational size;
	bool small;

	sotto_rational_init(&size);
	range_size(x->range, &size);
	small = mpz_sizeinbase(mpq_numref(size.q), 2) <=
		mpz_sizeinbase(mpq_denref(size.q), 2) + SOTTO_STEPS_BITS - 2;
	if (x->step)
		sotto_rational_set(step, x->step);
	else if (sotto_rational_sign(&size) == 0 || (x->type == SOTTO_TYPE_INTEGER && small))
		mpq_set_ui(step->q, 1, 1);
	else {
		binary_step(step, &size);
		take_digit(x, step);
	}
	sotto_rational_release(&size);
}

/* The nearest whole number of steps; false if it is beyond 2^SOTTO_STEPS_BITS. */
bool sotto_step_count(const struct sotto_rational *x, const struct sotto_rational *step,
		      int64_t *out)
{
	const int64_t most = (int64_t)1 << SOTTO_STEPS_BITS;
	struct sotto_rational q, half;
	bool fits;

	sotto_rational_init(&q);
	sotto_rational_init(&half);
	mpq_set_ui(half.q, 1, 2);
	mpq_div(q.q, x->q, step->q);
	mpq_add(q.q, q.q, half.q);
	sotto_rational_round_down(&q, 0);
	fits = mpq_cmp_si(q.q, most, 1) <= 0 && mpq_cmp_si(q.q, -most, 1) >= 0;
	if (fits)
		*out = mpz_get_si(mpq_numref(q.q));
	sotto_rational_release(&q);
	sotto_rational_release(&half);
	return fits;
}
