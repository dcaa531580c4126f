/*
 * The sums that a plan measures: of values, and of their squares, around a centre.
 */
#include "central/aggregate/measure/measure_add.h"
#include "central/aggregate/measure/summand.h"
#include "central/plan/plan.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

enum { SQUARE_BITS = 32 };

enum sotto_status sotto_sum_measure(struct sotto_plan *plan, const struct sotto_summand *s,
				    int64_t centre, size_t *index)
{
	struct sotto_measure m = {.kind = SOTTO_MEASURE_SUM,
				  .column = s->column,
				  .addend = {.clip_lo = s->lo,
					     .clip_hi = s->hi,
					     .centre = centre,
					     .lo = s->lo - centre,
					     .hi = s->hi - centre,
					     .distinct = s->distinct},
				  .step = s->step,
				  .label = s->distinct ? "sum of different values"
					   : centre    ? "sum around the centre"
						       : "sum"};

	return sotto_measure_add(plan, &m, index);
}

enum sotto_status sotto_square_measure(struct sotto_plan *plan, const struct sotto_summand *s,
				       int64_t centre, size_t *index)
{
	int64_t lo = s->lo - centre, hi = s->hi - centre;
	int64_t size = hi > -lo ? hi : -lo;
	struct sotto_rational *step = sotto_arena_rational(&plan->arena);
	struct sotto_measure m = {.kind = SOTTO_MEASURE_SUM,
				  .column = s->column,
				  .addend = {.clip_lo = s->lo,
					     .clip_hi = s->hi,
					     .centre = centre,
					     .square = true,
					     .distinct = s->distinct},
				  .step = step,
				  .label = "sum of squares around the centre"};

	SOTTO_NEED(step);
	while (size * size >> m.addend.square_shift > (int64_t)1 << SQUARE_BITS)
		m.addend.square_shift++;
	m.addend.hi = size * size >> m.addend.square_shift;
	sotto_rational_multiply(step, s->step, s->step);
	mpq_mul_2exp(step->q, step->q, m.addend.square_shift);
	return sotto_measure_add(plan, &m, index);
}

static int64_t middle(const struct sotto_summand *s)
{
	return s->lo + (s->hi - s->lo) / 2;
}

enum sotto_status sotto_centre_value(struct sotto_plan *plan, const struct sotto_summand *s,
				     int64_t centre, const struct sotto_rational **out)
{
	struct sotto_rational *value = sotto_arena_rational(&plan->arena);

	SOTTO_NEED(value);
	mpq_set_si(value->q, centre, 1);
	mpq_mul(value->q, value->q, s->step->q);
	*out = value;
	return SOTTO_OK;
}

/* Where a plain sum of the same values is asked for anyway, the average uses it. */
int64_t sotto_summand_centre(const struct sotto_plan *plan, const struct sotto_summand *s)
{
	for (size_t i = 0; i < plan->measure_count; i++) {
		const struct sotto_measure *m = &plan->measures[i];

		if (m->kind == SOTTO_MEASURE_SUM && m->column == s->column &&
		    !m->addend.square && m->addend.distinct == s->distinct)
			return m->addend.centre;
	}
	return middle(s);
}
