/*
 * Evaluates the theorems of Kairouz, Oh and Viswanath and of zCDP in MPFR with directed
 * rounding; the grid form steps through the binomial masses one outcome at a time.
 */
#include "core/account/theorem/closed_form.h"
#include "sotto/account.h"

#include <math.h>

#include "core/account/event/workload_state.h"
#include "core/account/integral/real.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/number/rational/rational_value.h"

enum { MOST_EVENTS = 1000000, LARGEST_EPSILON = 1000000 };

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
	mpq_add(s->delta, s->delta, q);
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
	mpq_add(s->epsilon, s->epsilon, q);
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

/*
 * Of k two-point losses, the outcomes with at most i - 1 minuses: their mass under one
 * hypothesis (high) and under the other (low), and the next outcome's masses.
 */
struct grid {
	mpfr_t up, down; /* exp(epsilon), exp(-epsilon) */
	mpfr_t high, low, next_high, next_low;
	mpfr_t ratio; /* exp(epsilon (k - 2i)) */
};

static void init_grid(struct grid *g, mpq_srcptr epsilon, uint64_t k)
{
	mpfr_inits2(REAL_BITS, g->up, g->down, g->high, g->low, g->next_high, g->next_low,
		    g->ratio, (mpfr_ptr)0);
	mpfr_set_q(g->up, epsilon, MPFR_RNDN);
	mpfr_mul_ui(g->ratio, g->up, k, MPFR_RNDN);
	mpfr_exp(g->ratio, g->ratio, MPFR_RNDN);
	mpfr_exp(g->up, g->up, MPFR_RNDN);
	mpfr_ui_div(g->down, 1, g->up, MPFR_RNDN);
	mpfr_set_zero(g->high, 1);
	mpfr_set_zero(g->low, 1);
	mpfr_add_ui(g->next_low, g->up, 1, MPFR_RNDN);
	mpfr_pow_ui(g->next_low, g->next_low, k, MPFR_RNDN);
	mpfr_ui_div(g->next_low, 1, g->next_low, MPFR_RNDN);
	mpfr_mul(g->next_high, g->next_low, g->ratio, MPFR_RNDN);
}

static void release_grid(struct grid *g)
{
	mpfr_clears(g->up, g->down, g->high, g->low, g->next_high, g->next_low, g->ratio,
		    (mpfr_ptr)0);
}

/* mass of i - 1 minuses into that of i */
static void advance(mpfr_t mass, uint64_t k, uint64_t i, const mpfr_t odds)
{
	mpfr_mul_ui(mass, mass, k - i + 1, MPFR_RNDN);
	mpfr_div_ui(mass, mass, i, MPFR_RNDN);
	mpfr_mul(mass, mass, odds, MPFR_RNDN);
}

/* From i - 1 to i; delta is that of epsilon (k - 2i), rounded up. */
static void step_grid(struct grid *g, uint64_t k, uint64_t i, mpfr_t delta)
{
	mpfr_add(g->high, g->high, g->next_high, MPFR_RNDN);
	mpfr_add(g->low, g->low, g->next_low, MPFR_RNDN);
	advance(g->next_high, k, i, g->down);
	advance(g->next_low, k, i, g->up);
	mpfr_mul(g->ratio, g->ratio, g->down, MPFR_RNDN);
	mpfr_mul(g->ratio, g->ratio, g->down, MPFR_RNDN);
	mpfr_mul(delta, g->ratio, g->low, MPFR_RNDN);
	mpfr_sub(delta, g->high, delta, MPFR_RNDN);
	sotto_real_widen_up(delta, g->high);
}

/* The largest i whose delta fits into what is left. */
static uint64_t walk_grid(mpq_srcptr epsilon, uint64_t k, const mpfr_t left)
{
	struct grid g;
	mpfr_t delta;
	uint64_t i = 0;

	init_grid(&g, epsilon, k);
	mpfr_init2(delta, REAL_BITS);
	while (2 * (i + 1) <= k) {
		step_grid(&g, k, i + 1, delta);
		if (mpfr_cmp(delta, left) > 0)
			break;
		i++;
	}
	mpfr_clear(delta);
	release_grid(&g);
	return i;
}

/* epsilon k, rounded up */
static double times_up(mpq_srcptr epsilon, uint64_t k)
{
	mpfr_t x;
	double result;

	mpfr_init2(x, REAL_BITS);
	mpfr_set_ui(x, k, MPFR_RNDU);
	mpfr_mul_q(x, x, epsilon, MPFR_RNDU);
	result = sotto_real_double_up(x);
	mpfr_clear(x);
	return result;
}

static double grid_up(mpq_srcptr epsilon, mpq_srcptr delta0, uint64_t k, mpq_srcptr delta)
{
	double result = INFINITY;
	struct sums s;
	mpfr_t left;
	mpq_t n;

	init_sums(&s);
	mpq_init(n);
	mpfr_init2(left, REAL_BITS);
	mpq_set_ui(n, k, 1);
	add_deltas(&s, delta0, n);
	if (leave_down(left, &s, delta))
		result = times_up(epsilon, k - 2 * walk_grid(epsilon, k, left));
	mpfr_clear(left);
	mpq_clear(n);
	release_sums(&s);
	return result;
}

enum sotto_status sotto_closed_kov_grid_up(const struct sotto_rational *epsilon,
					   const struct sotto_rational *delta0, uint64_t k,
					   const struct sotto_rational *delta, double *total)
{
	if (!epsilon || !delta0 || !delta || !total)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	delta0 = sotto_rational_settled(delta0);
	delta = sotto_rational_settled(delta);
	if (is_negative(epsilon) || is_negative(delta0) || mpq_cmp_ui(delta0->q, 1, 1) > 0 ||
	    is_negative(delta))
		return SOTTO_EINVAL;
	if (k > MOST_EVENTS || mpq_cmp_ui(epsilon->q, LARGEST_EPSILON, 1) > 0)
		return SOTTO_ERANGE;
	if (k == 0 || is_one_or_more(delta))
		return give(total, 0);
	return give(total, grid_up(epsilon->q, delta0->q, k, delta->q));
}

enum sotto_status sotto_closed_zcdp_up(const struct sotto_rational *rho,
				       const struct sotto_rational *delta, double *epsilon)
{
	if (!rho || !delta || !epsilon)
		return SOTTO_EINVAL;
	rho = sotto_rational_settled(rho);
	delta = sotto_rational_settled(delta);

	mpfr_t x, r;

	if (is_negative(rho) || is_negative(delta))
		return SOTTO_EINVAL;
	if (mpq_sgn(rho->q) == 0 || is_one_or_more(delta))
		return give(epsilon, 0);
	if (mpq_sgn(delta->q) == 0)
		return give(epsilon, INFINITY);
	mpfr_inits2(REAL_BITS, x, r, (mpfr_ptr)0);
	mpfr_set_q(r, rho->q, MPFR_RNDU);
	sotto_log_rational(x, delta->q, MPFR_RNDD);
	mpfr_neg(x, x, MPFR_RNDU);
	mpfr_mul(x, x, r, MPFR_RNDU);
	mpfr_sqrt(x, x, MPFR_RNDU);
	mpfr_mul_2ui(x, x, 1, MPFR_RNDU);
	mpfr_add(x, x, r, MPFR_RNDU);
	*epsilon = sotto_real_double_up(x);
	mpfr_clears(x, r, (mpfr_ptr)0);
	return SOTTO_OK;
}

enum sotto_status sotto_closed_exponential_up(const struct sotto_rational *epsilon, uint64_t k,
					      const struct sotto_rational *delta, double *total)
{
	if (!epsilon || !delta || !total)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);
	delta = sotto_rational_settled(delta);

	mpfr_t rho, log_delta, x;

	if (is_negative(epsilon) || is_negative(delta))
		return SOTTO_EINVAL;
	mpfr_inits2(REAL_BITS, rho, log_delta, x, (mpfr_ptr)0);
	mpfr_set_q(rho, epsilon->q, MPFR_RNDU);
	mpfr_sqr(rho, rho, MPFR_RNDU);
	mpfr_mul_ui(rho, rho, k, MPFR_RNDU);
	mpfr_div_2ui(rho, rho, 3, MPFR_RNDU);
	sotto_log_rational(log_delta, delta->q, MPFR_RNDD);
	sotto_zcdp_epsilon_up(x, rho, log_delta, NULL);
	*total = fmin(sotto_real_double_up(x), times_up(epsilon->q, k));
	mpfr_clears(rho, log_delta, x, (mpfr_ptr)0);
	return SOTTO_OK;
}
