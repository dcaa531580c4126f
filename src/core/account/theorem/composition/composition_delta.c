/* The inverse of composition: delta at an epsilon, in closed form or by a search. */
#include <math.h>
#include <mpfr.h>

#include "core/account/integral/real.h"
#include "core/account/integral/root.h"
#include "core/account/loss/worse_direction.h"
#include "core/account/theorem/composition/composition.h"
#include "core/account/theorem/composition/black_box_sums.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/base/failure.h"

/* -log of the least delta that is looked for.  It is a rational, of some hundred thousand bits there. */
#define LEAST_DELTA 1e5

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
static double
basic_boxes(const struct sotto_black_box_sums *s, mpq_srcptr own, mpq_srcptr epsilon)
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
static void advanced_boxes(const struct sotto_black_box_sums *s, mpq_srcptr own, double epsilon,
			   double *log_delta)
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
	struct sotto_black_box_sums s;

	mpq_init(none);
	sotto_black_box_sums_init(&s, method);
	st = sotto_black_box_sums_add(&s, t, none);
	if (st == SOTTO_OK && method == SOTTO_KOV) {
		sotto_terms_sort(&s.boxes);
		st = sotto_worse_direction_delta(&s.boxes, epsilon, &low, log_delta);
	} else if (st == SOTTO_OK && method == SOTTO_BASIC) {
		*log_delta = basic_boxes(&s, own, exact->q);
	} else if (st == SOTTO_OK) {
		advanced_boxes(&s, own, epsilon, log_delta);
	}
	sotto_black_box_sums_release(&s);
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
