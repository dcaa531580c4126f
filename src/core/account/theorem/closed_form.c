/*
 * Evaluates the theorems of Kairouz, Oh and Viswanath and of zCDP in MPFR with directed
 * rounding; the grid form steps through the binomial masses one outcome at a time.
 */
#include "sotto/account.h"

#include <math.h>

#include "core/account/event/workload_state.h"
#include "core/account/integral/real.h"
#include "core/number/rational/rational_value.h"

static bool is_negative(const struct sotto_rational *r)
{
	return mpq_sgn(r->q) < 0;
}

static bool is_one_or_more(const struct sotto_rational *r)
{
	return mpq_cmp_ui(r->q, 1, 1) >= 0;
}

static enum sotto_status give(double *out, double x)
{
	*out = x;
	return SOTTO_OK;
}

/* What the theorem needs of the events: sums, rounded up; log_kept down. */
struct sums {
	mpq_t epsilon, delta;
	mpfr_t squares, drifts;
	mpfr_t log_kept; /* log of the product of 1 - delta_i */
};

static void init_sums(struct sums *s)
{
	mpq_inits(s->epsilon, s->delta, (mpq_ptr)0);
	mpfr_inits2(REAL_BITS, s->squares, s->drifts, s->log_kept, (mpfr_ptr)0);
	mpfr_set_zero(s->squares, 1);
	mpfr_set_zero(s->drifts, 1);
	mpfr_set_zero(s->log_kept, 1);
}

static void release_sums(struct sums *s)
{
	mpq_clears(s->epsilon, s->delta, (mpq_ptr)0);
	mpfr_clears(s->squares, s->drifts, s->log_kept, (mpfr_ptr)0);
}

static void add_deltas(struct sums *s, mpq_srcptr delta, mpq_srcptr count)
{
	mpq_t q;
	mpfr_t x;

	mpq_init(q);
	mpfr_init2(x, REAL_BITS);
	mpq_mul(q, delta, count);
	sotto_real_add_up(s->delta, q, 1);
	mpfr_set_q(x, delta, MPFR_RNDU);
	mpfr_neg(x, x, MPFR_RNDD);
	mpfr_log1p(x, x, MPFR_RNDD);
	mpfr_mul_q(x, x, count, MPFR_RNDD);
	mpfr_add(s->log_kept, s->log_kept, x, MPFR_RNDD);
	mpfr_clear(x);
	mpq_clear(q);
}

static void add_epsilons(struct sums *s, mpq_srcptr epsilon, mpq_srcptr count)
{
	mpq_t q;
	mpfr_t x;

	mpq_init(q);
	mpfr_init2(x, REAL_BITS);
	mpq_mul(q, epsilon, count);
	sotto_real_add_up(s->epsilon, q, 1);
	mpfr_set_q(x, epsilon, MPFR_RNDU);
	mpfr_div_2ui(x, x, 1, MPFR_RNDU);
	mpfr_tanh(x, x, MPFR_RNDU);
	mpfr_mul_q(x, x, q, MPFR_RNDU);
	mpfr_add(s->drifts, s->drifts, x, MPFR_RNDU);
	mpq_mul(q, q, epsilon);
	mpfr_set_q(x, q, MPFR_RNDU);
	mpfr_add(s->squares, s->squares, x, MPFR_RNDU);
	mpfr_clear(x);
	mpq_clear(q);
}

static void add_events(struct sums *s, const struct sotto_event *e, uint64_t count)
{
	mpq_t n;

	if (count == 0)
		return;
	mpq_init(n);
	mpq_set_ui(n, count, 1);
	add_epsilons(s, e->epsilon.q, n);
	if (e->kind == SOTTO_EVENT_APPROX)
		add_deltas(s, e->delta.q, n);
	mpq_clear(n);
}

/*
 * left = 1 - (1 - delta)/kept, rounded down: what of delta the events' own deltas leave.
 * False if it is negative.  Where the deltas add up to no more than delta it is not, whatever
 * rounding says.
 */
static bool leave_down(mpfr_t left, const struct sums *s, mpq_srcptr delta)
{
	mpfr_set_q(left, delta, MPFR_RNDD);
	mpfr_neg(left, left, MPFR_RNDU);
	mpfr_log1p(left, left, MPFR_RNDU);
	mpfr_sub(left, left, s->log_kept, MPFR_RNDU);
	mpfr_expm1(left, left, MPFR_RNDU);
	mpfr_neg(left, left, MPFR_RNDD);
	if (mpfr_sgn(left) < 0 && mpq_cmp(s->delta, delta) <= 0)
		mpfr_set_zero(left, 1);
	return mpfr_sgn(left) >= 0;
}

/* drifts + sqrt(2 squares log(min(1/left, e + sqrt(squares)/left))) */
static void root_form_up(mpfr_t out, const struct sums *s, const mpfr_t left)
{
	mpfr_t e, inverse;

	mpfr_inits2(REAL_BITS, e, inverse, (mpfr_ptr)0);
	mpfr_ui_div(inverse, 1, left, MPFR_RNDU);
	mpfr_set_ui(e, 1, MPFR_RNDU);
	mpfr_exp(e, e, MPFR_RNDU);
	mpfr_sqrt(out, s->squares, MPFR_RNDU);
	mpfr_mul(out, out, inverse, MPFR_RNDU);
	mpfr_add(out, out, e, MPFR_RNDU);
	mpfr_min(out, out, inverse, MPFR_RNDU);
	mpfr_log(out, out, MPFR_RNDU);
	mpfr_mul(out, out, s->squares, MPFR_RNDU);
	mpfr_mul_2ui(out, out, 1, MPFR_RNDU);
	mpfr_sqrt(out, out, MPFR_RNDU);
	mpfr_add(out, out, s->drifts, MPFR_RNDU);
	mpfr_clears(e, inverse, (mpfr_ptr)0);
}

static double kov_up(const struct sums *s, mpq_srcptr delta)
{
	double result = INFINITY;
	mpfr_t left, sum, root;

	mpfr_inits2(REAL_BITS, left, sum, root, (mpfr_ptr)0);
	if (leave_down(left, s, delta)) {
		mpfr_set_q(sum, s->epsilon, MPFR_RNDU);
		if (mpfr_sgn(left) > 0) {
			root_form_up(root, s, left);
			mpfr_min(sum, sum, root, MPFR_RNDU);
		}
		result = sotto_real_double_up(sum);
	}
	mpfr_clears(left, sum, root, (mpfr_ptr)0);
	return result;
}

static bool is_of_black_boxes(const struct sotto_workload *w)
{
	if (w->laplace.n || w->mu2 || w->rho)
		return false;
	for (size_t i = 0; i < w->n; i++)
		if (w->items[i].event->kind != SOTTO_EVENT_PURE &&
		    w->items[i].event->kind != SOTTO_EVENT_APPROX)
			return false;
	return true;
}

enum sotto_status sotto_closed_kov_up(const struct sotto_workload *w,
				      const struct sotto_rational *delta, double *epsilon)
{
	if (!w || !delta || !epsilon)
		return SOTTO_EINVAL;
	delta = sotto_rational_settled(delta);

	struct sums s;

	if (is_negative(delta))
		return SOTTO_EINVAL;
	if (!is_of_black_boxes(w))
		return SOTTO_EREFUSED;
	if (is_one_or_more(delta))
		return give(epsilon, 0);
	init_sums(&s);
	for (size_t i = 0; i < w->n; i++)
		add_events(&s, w->items[i].event, w->items[i].count);
	*epsilon = kov_up(&s, delta->q);
	release_sums(&s);
	return SOTTO_OK;
}
