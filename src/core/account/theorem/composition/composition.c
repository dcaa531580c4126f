/*
 * Divides what the boxes leave of delta among the events that have only a curve, and applies
 * the theorem to the sums; the optimum comes from the loss distribution of the boxes.
 */
#include "core/account/theorem/composition/composition.h"

#include <math.h>
#include <mpfr.h>

#include "core/account/integral/real.h"
#include "core/account/loss/worse_direction.h"
#include "core/account/theorem/composition/black_box.h"
#include "core/account/theorem/composition/black_box_sums.h"
#include "core/account/theorem/renyi/renyi_convert.h"

void sotto_compose_survey(const struct sotto_terms *t, mpq_t delta, uint64_t *curves)
{
	mpq_t own;

	*curves = 0;
	mpq_init(own);
	for (size_t i = 0; i < t->n; i++) {
		if (sotto_black_box_delta(own, t->list[i].event, t->neighbours))
			sotto_real_add_up(delta, own, t->list[i].count);
		else
			*curves += t->list[i].count;
	}
	mpq_clear(own);
}

static double basic_up(const struct sotto_black_box_sums *s)
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
static double advanced_up(const struct sotto_black_box_sums *s, mpq_srcptr delta)
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

static enum sotto_status
optimal_up(struct sotto_black_box_sums *s, mpq_srcptr delta, double *epsilon)
{
	struct sotto_level level;
	enum sotto_status st;
	double low;

	sotto_terms_sort(&s->boxes);
	sotto_level_init(&level, delta);
	st = sotto_worse_direction_epsilon(&s->boxes, &level, &low, epsilon);
	sotto_level_release(&level);
	if (st == SOTTO_EREFUSED || st == SOTTO_ERANGE) {
		*epsilon = basic_up(s); /* the optimum is no more */
		st = SOTTO_OK;
	}
	return st;
}

static enum sotto_status conclude(struct sotto_black_box_sums *s, mpq_srcptr delta,
				  mpq_srcptr rest, enum sotto_method method, double *epsilon)
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
	struct sotto_black_box_sums s;
	bool enough;

	*epsilon = INFINITY;
	mpq_inits(own, rest, share, (mpq_ptr)0);
	sotto_black_box_sums_init(&s, method);
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
		st = sotto_black_box_sums_add(&s, t, share);
	if (enough && st == SOTTO_OK)
		st = conclude(&s, delta, rest, method, epsilon);
	sotto_black_box_sums_release(&s);
	mpq_clears(own, rest, share, (mpq_ptr)0);
	return st;
}
