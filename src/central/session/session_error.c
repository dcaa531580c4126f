/*
 * The price of a question: an epsilon, or the smallest one whose error is small enough.
 */
#include <math.h>
#include <stdlib.h>

#include "central/price/plan_price.h"
#include "central/session/session.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

/* Epsilons of four digits, in their order: 1.000e-9 is the first, 9.999e5 the last. */
enum {
	DIGITS = 4,
	LOWEST = 1000,
	DECADE = 9000,
	FIRST_POWER = -9 - (DIGITS - 1),
	STEPS = 15 * DECADE
};

static void set_epsilon(long step, struct sotto_rational *out)
{
	long power = FIRST_POWER + step / DECADE;
	mpz_t ten;

	mpz_init(ten);
	mpz_ui_pow_ui(ten, 10, (unsigned long)labs(power));
	mpq_set_si(out->q, LOWEST + step % DECADE, 1);
	if (power >= 0)
		mpz_mul(mpq_numref(out->q), mpq_numref(out->q), ten);
	else
		mpz_set(mpq_denref(out->q), ten);
	mpq_canonicalize(out->q);
	mpz_clear(ten);
}

static long step_near(double epsilon)
{
	double digits = log10(epsilon), power = floor(digits);
	double step = (power - FIRST_POWER - (DIGITS - 1)) * DECADE +
		      LOWEST * (pow(10, digits - power) - 1);

	return step < 0 ? 0 : step >= STEPS ? STEPS - 1 : (long)step;
}

struct search {
	struct sotto_plan *plan;
	const struct sotto_asked_price *asked;
	double wish, error; /* error: of the last try */
	long low, high; /* low is not enough, high is, or they are the ends */
};

/* Too little noise to draw is more than enough accuracy, too much is too little. */
static enum sotto_status try_step(struct search *s, long step)
{
	struct sotto_rational epsilon;
	enum sotto_status st;
	bool enough;

	sotto_rational_init(&epsilon);
	set_epsilon(step, &epsilon);
	st = sotto_plan_price(s->plan, &epsilon, s->asked->delta, s->asked->delta_is_wish,
			      NULL);
	s->error = st == SOTTO_OK ? sotto_plan_error(s->plan) : NAN;
	enough = st == SOTTO_OK ? s->error <= s->wish : mpq_cmp_ui(epsilon.q, 1, 1) > 0;
	if (enough)
		s->high = step;
	else
		s->low = step;
	sotto_rational_release(&epsilon);
	return st == SOTTO_ERANGE ? SOTTO_OK : st;
}

/*
 * Errors are nearly in inverse proportion to epsilon: the first tries go where that leads,
 * and a little to both sides of it, the rest halve what is left.
 */
static enum sotto_status search(struct search *s)
{
	enum { GUESSES = 3, MARGIN = DECADE / 100 };
	double epsilon = 1;

	s->error = sotto_plan_error(s->plan); /* at 1 */
	for (int i = 0; i < GUESSES && s->error > 0; i++) {
		epsilon *= s->error / s->wish;
		SOTTO_TRY(try_step(s, step_near(epsilon)));
	}
	for (int side = -1; side <= 1; side += 2) {
		long step = step_near(epsilon) + side * MARGIN;

		if (step > s->low && step < s->high)
			SOTTO_TRY(try_step(s, step));
	}
	while (s->high - s->low > 1)
		SOTTO_TRY(try_step(s, s->low + (s->high - s->low) / 2));
	return SOTTO_OK;
}

/*
 * The smallest epsilon (to four digits) whose predicted error is at most the wish, or the
 * least that the policy lets a question cost.
 */
static enum sotto_status price_for_error(const struct sotto_session *s, struct sotto_plan *plan,
					 const struct sotto_asked_price *asked,
					 struct sotto_error *err)
{
	struct search found = {.plan = plan,
			       .asked = asked,
			       .wish = sotto_nearest_double(asked->error->q),
			       .low = -1,
			       .high = STEPS - 1};
	struct sotto_rational epsilon;
	enum sotto_status st = search(&found);

	sotto_rational_init(&epsilon);
	set_epsilon(found.high, &epsilon);
	if (sotto_rational_compare(&epsilon, s->policy.min_epsilon) < 0)
		sotto_rational_set(&epsilon, s->policy.min_epsilon);
	if (st == SOTTO_OK)
		st = sotto_plan_price(plan, &epsilon, asked->delta, asked->delta_is_wish, err);
	sotto_rational_release(&epsilon);
	return st;
}

enum sotto_status
sotto_session_price_once(const struct sotto_session *s, struct sotto_plan *plan,
			 const struct sotto_asked_price *asked, struct sotto_error *err)
{
	struct sotto_rational one;
	enum sotto_status st;

	if (!asked->error)
		return sotto_plan_price(plan, asked->epsilon, asked->delta,
					asked->delta_is_wish, err);
	sotto_rational_init(&one);
	mpq_set_ui(one.q, 1, 1);
	st = sotto_plan_price(plan, &one, asked->delta, asked->delta_is_wish, err);
	sotto_rational_release(&one);
	SOTTO_TRY(st);
	if (isnan(sotto_plan_error(plan)))
		return sotto_fail(err, SOTTO_EREFUSED,
				  "a target error works for COUNT and SUM only: the error of "
				  "an average depends on how many values there are, that of a "
				  "quantile on how close they are; give an epsilon instead");
	return price_for_error(s, plan, asked, err);
}
