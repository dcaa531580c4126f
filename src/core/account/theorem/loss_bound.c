/*
 * Adds up the loss bounds, the rational ones exactly, and evaluates the formula once with
 * directed rounding.
 */
#include "core/account/theorem/loss_bound.h"

#include <math.h>
#include <mpfr.h>

#include "core/account/integral/real.h"
#include "core/account/theorem/composition/black_box.h"

/* E as its rational part and the rest, rounded up; log(1 - m), rounded down. */
struct top {
	mpq_t exact;
	mpfr_t real, log_rest;
	bool bounded;
};

static void add_event(struct top *s, const struct sotto_term *term, enum sotto_neighbours rule)
{
	struct sotto_black_box b;
	mpfr_t x;

	sotto_black_box_init(&b);
	mpfr_init2(x, REAL_BITS);
	sotto_black_box_of(&b, term->event, rule);
	s->bounded &= b.bounded;
	if (b.rational) {
		sotto_real_add_up(s->exact, b.exact, term->count);
	} else {
		mpfr_mul_ui(x, b.epsilon, term->count, MPFR_RNDU);
		mpfr_add(s->real, s->real, x, MPFR_RNDU);
	}
	mpfr_set_q(x, b.delta, MPFR_RNDU);
	mpfr_neg(x, x, MPFR_RNDD);
	mpfr_log1p(x, x, MPFR_RNDD);
	mpfr_mul_ui(x, x, term->count, MPFR_RNDD);
	mpfr_add(s->log_rest, s->log_rest, x, MPFR_RNDD);
	mpfr_clear(x);
	sotto_black_box_release(&b);
}

static void add_all(struct top *s, const struct sotto_terms *t)
{
	mpfr_t x;

	for (size_t i = 0; i < t->n; i++)
		add_event(s, &t->list[i], t->neighbours);
	mpfr_init2(x, REAL_BITS);
	for (size_t i = 0; i < t->n_laplace; i++) {
		mpfr_set_d(x, t->laplace[i], MPFR_RNDU);
		mpfr_mul_ui(x, x, t->laplace_count[i], MPFR_RNDU);
		mpfr_add(s->real, s->real, x, MPFR_RNDU);
	}
	mpfr_clear(x);
}

/* log(1 - (1 - m) e^-gap), gap = max(0, E - epsilon) */
static double bound(struct top *s, mpq_srcptr epsilon)
{
	mpfr_t x;
	double up;

	mpq_sub(s->exact, epsilon, s->exact);
	mpfr_init2(x, REAL_BITS);
	mpfr_set_q(x, s->exact, MPFR_RNDD);
	mpfr_sub(x, x, s->real, MPFR_RNDD);
	if (mpfr_sgn(x) > 0)
		mpfr_set_zero(x, 1);
	mpfr_add(x, x, s->log_rest, MPFR_RNDD);
	mpfr_expm1(x, x, MPFR_RNDD);
	mpfr_neg(x, x, MPFR_RNDU);
	mpfr_log(x, x, MPFR_RNDU);
	up = sotto_real_double_up(x);
	mpfr_clear(x);
	return fmin(0, up);
}

double sotto_top_log_delta(const struct sotto_terms *t, mpq_srcptr epsilon)
{
	struct top s = {.bounded = true};
	double up = 0;

	mpq_init(s.exact);
	mpfr_inits2(REAL_BITS, s.real, s.log_rest, (mpfr_ptr)0);
	mpfr_set_zero(s.real, 1);
	mpfr_set_zero(s.log_rest, 1);
	add_all(&s, t);
	if (s.bounded)
		up = bound(&s, epsilon);
	mpq_clear(s.exact);
	mpfr_clears(s.real, s.log_rest, (mpfr_ptr)0);
	return up;
}
