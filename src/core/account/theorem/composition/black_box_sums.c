/*
 * Turns each event into a box, one without a loss bound by the epsilon of its own curve at a
 * share of delta, and adds up epsilons, squares and drifts with upward rounding.
 */
#include "core/account/theorem/composition/black_box_sums.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "core/account/event/event.h"
#include "core/account/integral/real.h"
#include "core/account/loss/worse_direction.h"
#include "core/account/theorem/composition/black_box.h"
#include "core/base/failure.h"

enum { LEVELS = 256 };

/* What a box takes for each event in it (work.h). */
#define BOX_STEPS 500

/* From so many different events on each is found from the one before, to nine digits. */
enum { MANY_EVENTS = 16 };

void sotto_black_box_sums_init(struct sotto_black_box_sums *s, enum sotto_method method)
{
	mpq_init(s->exact);
	mpfr_inits2(REAL_BITS, s->real, s->squares, s->drifts, (mpfr_ptr)0);
	mpfr_set_zero(s->real, 1);
	mpfr_set_zero(s->squares, 1);
	mpfr_set_zero(s->drifts, 1);
	sotto_terms_init(&s->boxes, SOTTO_ANY_NEIGHBOURS);
	s->method = method;
	s->infinite = false;
	s->last = 0;
}

void sotto_black_box_sums_release(struct sotto_black_box_sums *s)
{
	mpq_clear(s->exact);
	mpfr_clears(s->real, s->squares, s->drifts, (mpfr_ptr)0);
	sotto_terms_release(&s->boxes);
}

/* sum += count x */
static void add_times(mpfr_t sum, const mpfr_t x, uint64_t count)
{
	mpfr_t t;

	mpfr_init2(t, REAL_BITS);
	mpfr_mul_ui(t, x, count, MPFR_RNDU);
	mpfr_add(sum, sum, t, MPFR_RNDU);
	mpfr_clear(t);
}

static enum sotto_status add_box_event(struct sotto_black_box_sums *s, const mpfr_t epsilon,
				       mpq_srcptr exact, mpq_srcptr delta, uint64_t count)
{
	struct sotto_event *e;
	enum sotto_status st;

	SOTTO_TRY(sotto_event_new(SOTTO_EVENT_APPROX, &e));
	if (exact)
		mpq_set(e->epsilon.q, exact);
	else if (mpfr_cmp_d(epsilon, DBL_MAX) <= 0)
		mpq_set_d(e->epsilon.q, mpfr_get_d(epsilon, MPFR_RNDU));
	else
		mpfr_get_q(e->epsilon.q, epsilon);
	mpq_set(e->delta.q, delta);
	st = sotto_terms_add(&s->boxes, e, count);
	sotto_event_free(e);
	return st;
}

/* exact is NULL unless epsilon is that rational. */
static enum sotto_status add_box(struct sotto_black_box_sums *s, const mpfr_t epsilon,
				 mpq_srcptr exact, mpq_srcptr delta, uint64_t count)
{
	mpfr_t t;

	if (exact)
		sotto_real_add_up(s->exact, exact, count);
	else
		add_times(s->real, epsilon, count);
	if (s->method == SOTTO_KOV)
		return add_box_event(s, epsilon, exact, delta, count);
	if (s->method == SOTTO_ADVANCED) {
		mpfr_init2(t, mpfr_get_prec(epsilon));
		mpfr_sqr(t, epsilon, MPFR_RNDU);
		add_times(s->squares, t, count);
		mpfr_expm1(t, epsilon, MPFR_RNDU);
		mpfr_mul(t, t, epsilon, MPFR_RNDU);
		add_times(s->drifts, t, count);
		mpfr_clear(t);
	}
	return SOTTO_OK;
}

/*
 * The least epsilon of one event at delta, over both directions.  *epsilon holds a guess if there is
 * one, else 0.
 */
static enum sotto_status event_epsilon(const struct sotto_event *e,
				       const struct sotto_terms *among, mpq_srcptr delta,
				       double *epsilon)
{
	struct sotto_terms one;
	struct sotto_level level;
	enum sotto_status st;
	double low;

	sotto_terms_init(&one, among->neighbours);
	one.work = among->work;
	st = sotto_terms_add(&one, e, 1);
	if (st == SOTTO_OK) {
		sotto_level_init(&level, delta);
		if (*epsilon > 0 && isfinite(*epsilon) && level.log_down > -INFINITY)
			st = sotto_worse_direction_epsilon_near(&one, &level, *epsilon,
								epsilon);
		else
			st = sotto_worse_direction_epsilon(&one, &level, &low, epsilon);
		sotto_level_release(&level);
	}
	sotto_terms_release(&one);
	return st;
}

/* Adds an event that has no loss bound as (epsilon(share), share). */
static enum sotto_status add_curve(struct sotto_black_box_sums *s, const struct sotto_terms *t,
				   size_t i, mpq_srcptr share)
{
	double epsilon = t->n > MANY_EVENTS ? s->last : 0;
	mpfr_t x;
	enum sotto_status st;

	st = event_epsilon(t->list[i].event, t, share, &epsilon);
	if (st == SOTTO_EREFUSED || st == SOTTO_ERANGE) { /* not known, or too much work */
		s->infinite = true;
		return SOTTO_OK;
	}
	SOTTO_TRY(st);
	s->last = epsilon;
	if (isinf(epsilon)) {
		s->infinite = true;
		return SOTTO_OK;
	}
	mpfr_init2(x, REAL_BITS);
	mpfr_set_d(x, epsilon, MPFR_RNDU);
	st = add_box(s, x, NULL, share, t->list[i].count);
	mpfr_clear(x);
	return st;
}

/* A long list of Laplace events: for the optimum, epsilons are rounded up to few levels. */
static enum sotto_status
add_laplaces(struct sotto_black_box_sums *s, const struct sotto_terms *t)
{
	bool coarse = s->method == SOTTO_KOV && t->n_laplace > LEVELS;
	size_t run = coarse ? t->n_laplace / LEVELS + 1 : 1;
	enum sotto_status st = SOTTO_OK;
	mpq_t q, none;
	mpfr_t x;

	mpq_inits(q, none, (mpq_ptr)0);
	mpfr_init2(x, REAL_BITS);
	for (size_t i = 0; i < t->n_laplace && st == SOTTO_OK; i += run) {
		size_t last = i + run < t->n_laplace ? i + run : t->n_laplace;
		uint64_t count = 0;

		for (size_t j = i; j < last; j++)
			count += t->laplace_count[j];
		mpq_set_d(q, t->laplace[last - 1]);
		mpfr_set_q(x, q, MPFR_RNDU);
		st = add_box(s, x, q, none, count);
	}
	mpfr_clear(x);
	mpq_clears(q, none, (mpq_ptr)0);
	return st;
}

enum sotto_status sotto_black_box_sums_add(struct sotto_black_box_sums *s,
					   const struct sotto_terms *t, mpq_srcptr share)
{
	s->boxes.work = t->work;
	for (size_t i = 0; i < t->n && !s->infinite; i++) {
		struct sotto_black_box b;
		enum sotto_status st;

		if (sotto_work_is_overdrawn(t->work))
			return SOTTO_EREFUSED;
		sotto_work_use(t->work,
			       BOX_STEPS * (double)sotto_event_parts(t->list[i].event));
		sotto_black_box_init(&b);
		sotto_black_box_of(&b, t->list[i].event, t->neighbours);
		st = b.bounded ? add_box(s, b.epsilon, b.rational ? b.exact : NULL, b.delta,
					 t->list[i].count)
			       : add_curve(s, t, i, share);
		sotto_black_box_release(&b);
		SOTTO_TRY(st);
	}
	return add_laplaces(s, t);
}
