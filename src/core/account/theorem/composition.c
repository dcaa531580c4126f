#include "core/account/event/event.h"
#include "core/account/theorem/composition.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "core/account/integral/real.h"
#include "core/account/integral/root.h"
#include "core/account/loss/worse_direction.h"
#include "core/account/theorem/black_box.h"
#include "core/account/theorem/renyi_convert.h"
#include "core/base/failure.h"

enum { LEVELS = 256 };

/* From so many different events on each is found from the one before, to nine digits. */
enum { MANY_EVENTS = 16 };

/* -log of the least delta that is looked for.  It is a rational, of some hundred thousand bits there. */
#define LEAST_DELTA 1e5

/* Sums over all boxes: of epsilon (the rational part apart), epsilon^2 and e expm1(e). */
struct sums {
	mpq_t exact;
	mpfr_t real, squares, drifts;
	struct sotto_terms boxes; /* for the optimum: each box as a pure or approx event */
	bool collect; /* boxes are wanted */
	bool infinite; /* an event has no bound at all */
	double last; /* epsilon of the last event without a loss bound: a guess for the next */
};

static void init_sums(struct sums *s, bool collect)
{
	mpq_init(s->exact);
	mpfr_inits2(REAL_BITS, s->real, s->squares, s->drifts, (mpfr_ptr)0);
	mpfr_set_zero(s->real, 1);
	mpfr_set_zero(s->squares, 1);
	mpfr_set_zero(s->drifts, 1);
	sotto_terms_init(&s->boxes, SOTTO_ANY_NEIGHBOURS);
	s->collect = collect;
	s->infinite = false;
	s->last = 0;
}

static void release_sums(struct sums *s)
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

static enum sotto_status add_box_event(struct sums *s, const mpfr_t epsilon, mpq_srcptr exact,
				       mpq_srcptr delta, uint64_t count)
{
	struct sotto_event *e;
	enum sotto_status st;

	SOTTO_TRY(sotto_event_new(SOTTO_EVENT_APPROX, &e));
	if (exact)
		mpq_set(e->a.q, exact);
	else
		mpq_set_d(e->a.q, mpfr_get_d(epsilon, MPFR_RNDU));
	mpq_set(e->b.q, delta);
	st = sotto_terms_add(&s->boxes, e, count);
	sotto_event_free(e);
	return st;
}

/* exact is NULL unless epsilon is that rational. */
static enum sotto_status add_box(struct sums *s, const mpfr_t epsilon, mpq_srcptr exact,
				 mpq_srcptr delta, uint64_t count)
{
	mpfr_t t;
	mpq_t n;

	if (exact) {
		mpq_init(n);
		mpq_set_ui(n, count, 1);
		mpq_mul(n, n, exact);
		mpq_add(s->exact, s->exact, n);
		mpq_clear(n);
	} else {
		add_times(s->real, epsilon, count);
	}
	mpfr_init2(t, REAL_BITS);
	mpfr_sqr(t, epsilon, MPFR_RNDU);
	add_times(s->squares, t, count);
	mpfr_expm1(t, epsilon, MPFR_RNDU);
	mpfr_mul(t, t, epsilon, MPFR_RNDU);
	add_times(s->drifts, t, count);
	mpfr_clear(t);
	return s->collect ? add_box_event(s, epsilon, exact, delta, count) : SOTTO_OK;
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
			st = sotto_worst_epsilon_near(&one, &level, *epsilon, epsilon);
		else
			st = sotto_worst_epsilon(&one, &level, &low, epsilon);
		sotto_level_release(&level);
	}
	sotto_terms_release(&one);
	return st;
}

/* Adds an event that has no loss bound as (epsilon(share), share). */
static enum sotto_status
add_curve(struct sums *s, const struct sotto_terms *t, size_t i, mpq_srcptr share)
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
static enum sotto_status add_laplaces(struct sums *s, const struct sotto_terms *t)
{
	bool coarse = s->collect && t->n_laplace > LEVELS;
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

void sotto_compose_survey(const struct sotto_terms *t, mpq_t delta, uint64_t *curves)
{
	struct sotto_box b;
	mpq_t n;

	*curves = 0;
	mpq_init(n);
	for (size_t i = 0; i < t->n; i++) {
		sotto_box_init(&b);
		sotto_box_of(&b, t->list[i].event, t->neighbours);
		if (b.bounded) {
			mpq_set_ui(n, t->list[i].count, 1);
			mpq_mul(n, n, b.delta);
			mpq_add(delta, delta, n);
		} else {
			*curves += t->list[i].count;
		}
		sotto_box_release(&b);
	}
	mpq_clear(n);
}

static enum sotto_status add_all(struct sums *s, const struct sotto_terms *t, mpq_srcptr share)
{
	s->boxes.work = t->work;
	for (size_t i = 0; i < t->n && !s->infinite; i++) {
		struct sotto_box b;
		enum sotto_status st;

		sotto_box_init(&b);
		sotto_box_of(&b, t->list[i].event, t->neighbours);
		st = b.bounded ? add_box(s, b.epsilon, b.rational ? b.exact : NULL, b.delta,
					 t->list[i].count)
			       : add_curve(s, t, i, share);
		sotto_box_release(&b);
		SOTTO_TRY(st);
	}
	return add_laplaces(s, t);
}

static double basic_up(const struct sums *s)
{
	mpfr_t x;
	double up;

	mpfr_init2(x, REAL_BITS);
	mpfr_add_q(x, s->real, s->exact, MPFR_RNDU);
	up = sotto_real_double_up(x);
	mpfr_clear(x);
	return up;
}

/* sqrt(2 log(1/delta) squares) + drifts */
static double advanced_up(const struct sums *s, mpq_srcptr delta)
{
	mpfr_t x;
	double up;

	if (mpq_sgn(delta) <= 0)
		return mpfr_zero_p(s->squares) ? 0 : INFINITY;
	mpfr_init2(x, REAL_BITS);
	sotto_log_rational(x, delta, MPFR_RNDD);
	mpfr_mul_si(x, x, -2, MPFR_RNDU);
	mpfr_mul(x, x, s->squares, MPFR_RNDU);
	mpfr_sqrt(x, x, MPFR_RNDU);
	mpfr_add(x, x, s->drifts, MPFR_RNDU);
	up = sotto_real_double_up(x);
	mpfr_clear(x);
	return up;
}

static enum sotto_status optimal_up(struct sums *s, mpq_srcptr delta, double *epsilon)
{
	struct sotto_level level;
	enum sotto_status st;
	double low;

	sotto_terms_sort(&s->boxes);
	sotto_level_init(&level, delta);
	st = sotto_worst_epsilon(&s->boxes, &level, &low, epsilon);
	sotto_level_release(&level);
	if (st == SOTTO_EREFUSED || st == SOTTO_ERANGE) {
		*epsilon = basic_up(s); /* the optimum is no more */
		st = SOTTO_OK;
	}
	return st;
}

static enum sotto_status conclude(struct sums *s, mpq_srcptr delta, mpq_srcptr rest,
				  enum sotto_method method, double *epsilon)
{
	*epsilon = INFINITY;
	if (s->infinite)
		return SOTTO_OK;
	if (method == SOTTO_KOV)
		return optimal_up(s, delta, epsilon);
	*epsilon = method == SOTTO_BASIC ? basic_up(s) : advanced_up(s, rest);
	return SOTTO_OK;
}

/*
 * With m events that have no loss bound and delta_r = delta less the boxes' own: basic
 * gives each delta_r/m, the others delta_r/(2m) and use the second half (advanced) or
 * all of delta (optimal).
 */
enum sotto_status sotto_compose_epsilon(const struct sotto_terms *t, mpq_srcptr delta,
					enum sotto_method method, double *epsilon)
{
	enum sotto_status st = SOTTO_OK;
	uint64_t curves;
	mpq_t own, rest, share;
	struct sums s;
	bool enough;

	*epsilon = INFINITY;
	mpq_inits(own, rest, share, (mpq_ptr)0);
	init_sums(&s, method == SOTTO_KOV);
	sotto_compose_survey(t, own, &curves);
	mpq_sub(rest, delta, own);
	enough = curves > 0 ? mpq_sgn(rest) > 0 : method == SOTTO_KOV || mpq_sgn(rest) >= 0;
	if (enough && curves > 0) {
		mpq_set_ui(share, method == SOTTO_BASIC ? curves : 2 * curves, 1);
		mpq_div(share, rest, share);
		if (method == SOTTO_ADVANCED)
			mpq_div_2exp(rest, rest, 1);
	}
	if (enough)
		st = add_all(&s, t, share);
	if (enough && st == SOTTO_OK)
		st = conclude(&s, delta, rest, method, epsilon);
	release_sums(&s);
	mpq_clears(own, rest, share, (mpq_ptr)0);
	return st;
}

/* The inverse by a search over log delta. */
struct inverse {
	const struct sotto_terms *terms;
	enum sotto_method method;
	double epsilon;
};

static enum sotto_status value(void *context, double x, double *out)
{
	const struct inverse *v = context;
	enum sotto_status st;
	mpfr_t delta;
	mpq_t q;

	mpfr_init2(delta, 64);
	mpq_init(q);
	mpfr_set_d(delta, -x, MPFR_RNDN);
	mpfr_exp(delta, delta, MPFR_RNDD);
	mpfr_get_q(q, delta);
	st = sotto_compose_epsilon(v->terms, q, v->method, out);
	*out = -*out; /* epsilon grows as delta = exp(-x) falls */
	mpfr_clear(delta);
	mpq_clear(q);
	return st;
}

/* delta of the boxes themselves once epsilon covers their sum; 0 if epsilon does not */
static double basic_boxes(const struct sums *s, mpq_srcptr own, mpq_srcptr epsilon)
{
	double log_delta = 0;
	mpfr_t x;

	mpfr_init2(x, REAL_BITS);
	mpfr_add_q(x, s->real, s->exact, MPFR_RNDU);
	if (mpfr_zero_p(s->real) ? mpq_cmp(s->exact, epsilon) <= 0
				 : mpfr_cmp_q(x, epsilon) <= 0) {
		log_delta = -INFINITY;
		if (mpq_sgn(own) > 0) {
			sotto_log_rational(x, own, MPFR_RNDU);
			log_delta = fmin(0, sotto_real_double_up(x));
		}
	}
	mpfr_clear(x);
	return log_delta;
}

static enum sotto_status search_log_delta(const struct sotto_terms *t, double epsilon,
					  enum sotto_method method, double *log_delta)
{
	struct inverse v = {t, method, epsilon};
	/* the largest x = -log delta, up to LEAST_DELTA, whose epsilon is still at most the one given */
	struct sotto_root r = {.context = &v,
			       .level = -epsilon,
			       .value = value,
			       .guess = 10,
			       .slope = -0.1,
			       .most = LEAST_DELTA,
			       .tolerance = 1e-13 * epsilon};
	double x;

	SOTTO_TRY(sotto_root_below(&r, &x));
	*log_delta = x > 0 ? sotto_next_up(-x) : 0;
	return SOTTO_OK;
}

/* own + exp(-(epsilon - drifts)^2/(2 squares)), if epsilon is above the drifts */
static void
advanced_boxes(const struct sums *s, mpq_srcptr own, double epsilon, double *log_delta)
{
	mpfr_t x, y;

	mpfr_inits2(REAL_BITS, x, y, (mpfr_ptr)0);
	mpfr_d_sub(x, epsilon, s->drifts, MPFR_RNDD);
	*log_delta = 0;
	if (mpfr_sgn(x) >= 0) {
		mpfr_sqr(x, x, MPFR_RNDD);
		mpfr_mul_2ui(y, s->squares, 1, MPFR_RNDU);
		mpfr_div(x, x, y, MPFR_RNDD);
		mpfr_neg(x, x, MPFR_RNDU);
		if (mpq_sgn(own) > 0) {
			mpfr_exp(x, x, MPFR_RNDU);
			mpfr_add_q(x, x, own, MPFR_RNDU);
			mpfr_log(x, x, MPFR_RNDU);
		}
		*log_delta = fmin(0, sotto_real_double_up(x));
	}
	mpfr_clears(x, y, (mpfr_ptr)0);
}

/* All events have loss bounds: nothing has to be searched for. */
static enum sotto_status boxes_log_delta(const struct sotto_terms *t, mpq_srcptr own,
					 const struct sotto_rational *exact,
					 enum sotto_method method, double *log_delta)
{
	double epsilon = sotto_rational_double_down(exact), low;
	enum sotto_status st;
	mpq_t none;
	struct sums s;

	mpq_init(none);
	init_sums(&s, method == SOTTO_KOV);
	st = add_all(&s, t, none);
	if (st == SOTTO_OK && method == SOTTO_KOV) {
		sotto_terms_sort(&s.boxes);
		st = sotto_worst_delta(&s.boxes, epsilon, &low, log_delta);
	} else if (st == SOTTO_OK && method == SOTTO_BASIC) {
		*log_delta = basic_boxes(&s, own, exact->q);
	} else if (st == SOTTO_OK) {
		advanced_boxes(&s, own, epsilon, log_delta);
	}
	release_sums(&s);
	mpq_clear(none);
	return st;
}

enum sotto_status sotto_compose_log_delta(const struct sotto_terms *t,
					  const struct sotto_rational *epsilon,
					  enum sotto_method method, double *log_delta)
{
	enum sotto_status st;
	uint64_t curves;
	mpq_t own;

	mpq_init(own);
	sotto_compose_survey(t, own, &curves);
	if (curves == 0)
		st = boxes_log_delta(t, own, epsilon, method, log_delta);
	else
		st = search_log_delta(t, sotto_rational_double_down(epsilon), method,
				      log_delta);
	mpq_clear(own);
	return st;
}
