/*
 * MODE: counts only grow with a unit, so the scores are monotone and there is no factor
 * of two.
 */
#include "central/price/choice/mode_choice.h"

#include <math.h>

#include "central/price/choice/choice_share.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

static void end(void *choice)
{
	struct sotto_mode_choice *c = choice;

	sotto_exponential_free(c->mechanism);
	sotto_rational_release(&c->epsilon);
}

struct sotto_mode_choice *sotto_mode_choice_in(struct sotto_arena *arena)
{
	struct sotto_mode_choice *c = sotto_arena_alloc(arena, sizeof *c);

	if (!c || !sotto_arena_defer(arena, end, c))
		return NULL;
	sotto_rational_init(&c->epsilon);
	return c;
}

/* Once epsilon is known. */
static enum sotto_status
set_mechanism(struct sotto_mode_choice *c, const struct sotto_mode_question *q)
{
	double error = (double)q->rows * log(20 * (double)q->values) /
		       sotto_nearest_double(c->epsilon.q);
	struct sotto_rational rows;
	struct sotto_selection s = {
		.epsilon = &c->epsilon, .sensitivity = &rows, .monotone = true};
	enum sotto_status st;

	c->error95 = error < 0x1p60 ? (int64_t)ceil(error) : (int64_t)1 << 60;
	sotto_exponential_free(c->mechanism);
	c->mechanism = NULL;
	sotto_rational_init(&rows);
	mpq_set_si(rows.q, q->rows, 1);
	st = sotto_exponential_new(&s, &c->mechanism, NULL);
	sotto_rational_release(&rows);
	return st;
}

enum sotto_status
sotto_mode_choice_price_pure(struct sotto_mode_choice *c, const struct sotto_mode_question *q,
			     const struct sotto_rational *share, struct sotto_cost *cost)
{
	sotto_choice_share(share, q->groups, 1, c->epsilon.q);
	SOTTO_TRY(set_mechanism(c, q));
	return sotto_choice_charge(cost, &c->epsilon, (uint64_t)q->groups);
}

enum sotto_status sotto_mode_choice_price_rho(struct sotto_mode_choice *c,
					      const struct sotto_mode_question *q,
					      const struct sotto_rational *share)
{
	mpq_t rho;

	mpq_init(rho);
	sotto_choice_share(share, q->groups, 1, rho);
	sotto_choice_epsilon_down(&c->epsilon, rho, 1, 1);
	mpq_clear(rho);
	return sotto_rational_sign(&c->epsilon) == 0 ? SOTTO_ERANGE : set_mechanism(c, q);
}
