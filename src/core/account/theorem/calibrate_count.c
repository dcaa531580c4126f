/* Calibration of a count: the largest that still meets the target. */
#include <math.h>

#include "core/account/theorem/calibrate_inside.h"
#include "core/base/failure.h"

static enum sotto_status
probe_count(struct sotto_solver *s, uint64_t n, bool *good, struct sotto_account_answer *answer)
{
	struct sotto_rational value;
	enum sotto_status st;

	sotto_rational_init(&value);
	st = sotto_rational_set_ratio(&value, (int64_t)n, 1);
	if (st == SOTTO_OK)
		st = sotto_solver_price(s, &value, answer);
	sotto_rational_release(&value);
	*good = st == SOTTO_OK && sotto_solver_meets(s, answer->upper);
	return st;
}

/* Counts: low meets the target, high does not; 0 until it is known. */
struct counts {
	uint64_t low, high;
	double f_low, f_high; /* log of epsilon over the target there */
};

/* Above every count that meets the target: most costs go with the root of the count, or with it. */
static uint64_t count_above(const struct counts *c, int i)
{
	double factor = exp(fmin(fabs(c->f_low), 7) * 1.2);

	if (i > 3 || !isfinite(c->f_low))
		factor = fmax(factor, pow(2, i));
	return c->low + 1 + (uint64_t)((double)c->low * (fmin(factor, 0x1p40) - 1));
}

/* By the secant in logarithms, the middle every third time, and never an end. */
static uint64_t count_between(const struct counts *c, int i)
{
	double share = 0.5, guess;

	if (i % 3 < 2 && c->low > 0 && isfinite(c->f_high) && c->f_high > c->f_low)
		share = -c->f_low / (c->f_high - c->f_low);
	guess = share == 0.5 ? 0.5 * ((double)c->low + (double)c->high)
			     : exp(log((double)c->low) +
				   share * log((double)c->high / (double)c->low));
	guess = fmin(fmax(guess, (double)c->low + 1), (double)c->high - 1);
	return (uint64_t)guess;
}

static enum sotto_status try_count(struct sotto_solver *s, uint64_t n, struct counts *c)
{
	struct sotto_account_answer answer;
	double target = sotto_rational_double_down(s->problem->target_epsilon), f;
	bool good;

	SOTTO_TRY(probe_count(s, n, &good, &answer));
	f = target > 0 && answer.upper > 0 ? log(answer.upper / target) : good ? -1 : INFINITY;
	if (good) {
		c->low = n;
		c->f_low = fmin(f, 0);
	} else {
		c->high = n;
		c->f_high = f;
	}
	return SOTTO_OK;
}

/* The largest count from c->low, which meets the target, on that does, by s's methods. */
static enum sotto_status grow_count(struct sotto_solver *s, struct counts *c)
{
	c->high = 0;
	for (int i = 0; !c->high && sotto_solver_may_go_on(s); i++) {
		uint64_t next = count_above(c, i);

		if (next > UINT64_C(1) << 50)
			return sotto_fail(s->err, SOTTO_EREFUSED,
					  "every count meets the target");
		SOTTO_TRY(try_count(s, next, c));
	}
	for (int i = 0; c->high - c->low > 1 && c->high && sotto_solver_may_go_on(s); i++)
		SOTTO_TRY(try_count(s, count_between(c, i), c));
	return SOTTO_OK;
}

/*
 * By loss distributions, which are mostly best, then on by all methods; where the steps do not
 * suffice, by the quick theorems.
 */
enum sotto_status sotto_solver_find_count(struct sotto_solver *s, struct sotto_solution *out)
{
	struct counts c = {.f_low = -INFINITY};
	uint64_t high;
	bool good;

	s->by = SOTTO_BY_ALL;
	SOTTO_TRY(probe_count(s, 0, &good, &out->answer));
	if (!good)
		return sotto_fail(s->err, SOTTO_EREFUSED,
				  "the other events alone are beyond the target");
	s->by = SOTTO_BY_ONE;
	s->method = SOTTO_PLD;
	SOTTO_TRY(grow_count(s, &c));
	high = c.high;
	s->by = sotto_solver_may_go_on(s) ? SOTTO_BY_ALL : SOTTO_BY_QUICK;
	if (!sotto_solver_may_go_on(s))
		s->work.left = SOTTO_WORK_SOLVE;
	SOTTO_TRY(grow_count(s, &c));
	if (s->by == SOTTO_BY_ALL)
		high = c.high;
	s->by = SOTTO_BY_ALL;
	SOTTO_TRY(probe_count(s, c.low, &good, &out->answer));
	out->within = high <= c.low      ? INFINITY
		      : high - c.low > 1 ? (double)(high - c.low) / (double)high
					 : 0;
	return sotto_rational_set_ratio(&out->value, (int64_t)c.low, 1);
}
