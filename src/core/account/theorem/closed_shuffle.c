/* Shuffling amplification in closed form. */
#include <math.h>

#include "core/account/integral/real.h"
#include "core/account/theorem/renyi/renyi_convert.h"
#include "core/number/rational/rational_value.h"
#include "sotto/account.h"

enum { POINTS = 64, HALVINGS = 60, LARGEST_EPSILON = 1000000 };

static bool are_allowed(const struct sotto_rational *epsilon0, uint64_t n,
			const struct sotto_rational *delta)
{
	return mpq_sgn(epsilon0->q) >= 0 && n > 0 && mpq_sgn(delta->q) > 0 &&
	       mpq_cmp_ui(delta->q, 1, 1) < 0;
}

/* log(4/delta), rounded up */
static void log_tail_up(mpfr_t out, mpq_srcptr delta)
{
	mpq_t q;

	mpq_init(q);
	mpq_div_2exp(q, delta, 2);
	sotto_log_rational(out, q, MPFR_RNDD);
	mpfr_neg(out, out, MPFR_RNDU);
	mpq_clear(q);
}

/* log(1 + odds (8 sqrt(share tail) + 8 share)), share = exp(epsilon0)/n */
static void clones_up(mpfr_t out, const mpfr_t share, const mpfr_t tail, const mpfr_t odds)
{
	mpfr_mul(out, share, tail, MPFR_RNDU);
	mpfr_sqrt(out, out, MPFR_RNDU);
	mpfr_add(out, out, share, MPFR_RNDU);
	mpfr_mul_2ui(out, out, 3, MPFR_RNDU);
	mpfr_mul(out, out, odds, MPFR_RNDU);
	mpfr_log1p(out, out, MPFR_RNDU);
}

enum sotto_status sotto_closed_shuffle_up(const struct sotto_rational *epsilon0, uint64_t n,
					  const struct sotto_rational *delta, double *epsilon)
{
	if (!epsilon0 || !delta || !epsilon)
		return SOTTO_EINVAL;
	epsilon0 = sotto_rational_settled(epsilon0);
	delta = sotto_rational_settled(delta);

	enum sotto_status st = SOTTO_EREFUSED;
	mpfr_t share, tail, odds, x;

	if (!are_allowed(epsilon0, n, delta))
		return SOTTO_EINVAL;
	mpfr_inits2(REAL_BITS, share, tail, odds, x, (mpfr_ptr)0);
	mpfr_set_q(odds, epsilon0->q, MPFR_RNDU);
	mpfr_exp(share, odds, MPFR_RNDU);
	mpfr_div_ui(share, share, n, MPFR_RNDU);
	mpfr_div_2ui(odds, odds, 1, MPFR_RNDU);
	mpfr_tanh(odds, odds, MPFR_RNDU);
	log_tail_up(tail, delta->q);
	mpfr_mul(x, share, tail, MPFR_RNDU);
	if (mpfr_cmp_d(x, 0x1p-4) <= 0) {
		clones_up(x, share, tail, odds);
		*epsilon = sotto_real_double_up(x);
		st = SOTTO_OK;
	}
	mpfr_clears(share, tail, odds, x, (mpfr_ptr)0);
	return st;
}

/* What does not depend on epsilon. */
struct blanket {
	mpfr_t share; /* gamma, of the reports that say nothing; rounded down */
	mpfr_t spread; /* b/(exp(epsilon) + 1), rounded up */
	mpfr_t log_delta; /* rounded down */
	uint64_t n;
};

/* gamma = exp(-epsilon0), spread = exp(epsilon0) - exp(-epsilon0) */
static void set_generic(struct blanket *b, const mpfr_t e)
{
	mpfr_neg(b->share, e, MPFR_RNDD);
	mpfr_exp(b->share, b->share, MPFR_RNDD);
	mpfr_exp(b->spread, e, MPFR_RNDU);
	mpfr_sub(b->spread, b->spread, b->share, MPFR_RNDU);
}

/* gamma = K/(exp(epsilon0) + K - 1), spread = (1 - gamma) K */
static void set_kary(struct blanket *b, const mpfr_t e, uint64_t answers)
{
	mpfr_exp(b->share, e, MPFR_RNDU);
	mpfr_add_ui(b->share, b->share, answers - 1, MPFR_RNDU);
	mpfr_ui_div(b->share, answers, b->share, MPFR_RNDD);
	mpfr_ui_sub(b->spread, 1, b->share, MPFR_RNDU);
	mpfr_mul_ui(b->spread, b->spread, answers, MPFR_RNDU);
}

static void init_blanket(struct blanket *b, mpq_srcptr epsilon0, uint64_t n, uint64_t answers,
			 mpq_srcptr delta)
{
	mpfr_t e;

	mpfr_inits2(REAL_BITS, e, b->share, b->spread, b->log_delta, (mpfr_ptr)0);
	mpfr_set_q(e, epsilon0, MPFR_RNDU);
	if (answers)
		set_kary(b, e, answers);
	else
		set_generic(b, e);
	sotto_log_rational(b->log_delta, delta, MPFR_RNDD);
	b->n = n;
	mpfr_clear(e);
}

static void release_blanket(struct blanket *b)
{
	mpfr_clears(b->share, b->spread, b->log_delta, (mpfr_ptr)0);
}

/* n log(1 - gamma (1 - exp(-2 (a/b)^2))), rounded up */
static void log_power_up(mpfr_t out, const struct blanket *w, const mpfr_t a, const mpfr_t b)
{
	mpfr_div(out, a, b, MPFR_RNDD);
	mpfr_sqr(out, out, MPFR_RNDD);
	mpfr_mul_si(out, out, -2, MPFR_RNDU);
	mpfr_expm1(out, out, MPFR_RNDU);
	mpfr_mul(out, out, w->share, MPFR_RNDU);
	mpfr_log1p(out, out, MPFR_RNDU);
	mpfr_mul_ui(out, out, w->n, MPFR_RNDU);
}

/* True if b^2/(4 a gamma n) times the power is at most delta, for certain. */
static bool fits(const struct blanket *w, double epsilon)
{
	mpfr_t a, b, power;
	bool yes;

	mpfr_inits2(REAL_BITS, a, b, power, (mpfr_ptr)0);
	mpfr_set_d(a, epsilon, MPFR_RNDN);
	mpfr_exp(b, a, MPFR_RNDU);
	mpfr_add_ui(b, b, 1, MPFR_RNDU);
	mpfr_mul(b, b, w->spread, MPFR_RNDU);
	mpfr_expm1(a, a, MPFR_RNDD);
	log_power_up(power, w, a, b);
	mpfr_mul(a, a, w->share, MPFR_RNDD);
	mpfr_mul_ui(a, a, w->n, MPFR_RNDD);
	mpfr_mul_2ui(a, a, 2, MPFR_RNDD);
	mpfr_sqr(b, b, MPFR_RNDU);
	mpfr_div(b, b, a, MPFR_RNDU);
	mpfr_log(b, b, MPFR_RNDU);
	mpfr_add(b, b, power, MPFR_RNDU);
	yes = mpfr_cmp(b, w->log_delta) <= 0;
	mpfr_clears(a, b, power, (mpfr_ptr)0);
	return yes;
}

/*
 * The bound need not fall all the way to epsilon0, so the first of some points that fits is
 * looked for, and then the crossing before it.  What is returned has been seen to fit.
 */
static double least_up(const struct blanket *w, double top)
{
	double low = 0, high = top;
	int i = 1;

	while (i < POINTS && !fits(w, top * i / POINTS))
		i++;
	if (i == POINTS && !fits(w, top))
		return top;
	low = top * (i - 1) / POINTS;
	high = top * i / POINTS;
	for (int round = 0; round < HALVINGS; round++) {
		double middle = low + 0.5 * (high - low);

		if (middle <= low || middle >= high)
			break;
		if (fits(w, middle))
			high = middle;
		else
			low = middle;
	}
	return high;
}

enum sotto_status sotto_closed_blanket_up(const struct sotto_rational *epsilon0, uint64_t n,
					  uint64_t answers, const struct sotto_rational *delta,
					  double *epsilon)
{
	if (!epsilon0 || !delta || !epsilon)
		return SOTTO_EINVAL;
	epsilon0 = sotto_rational_settled(epsilon0);
	delta = sotto_rational_settled(delta);

	double top = sotto_rational_double_up(epsilon0);
	struct blanket b;

	if (!are_allowed(epsilon0, n, delta) || answers == 1)
		return SOTTO_EINVAL;
	if (mpq_cmp_ui(epsilon0->q, LARGEST_EPSILON, 1) > 0)
		return SOTTO_ERANGE;
	*epsilon = 0;
	if (top > 0) {
		init_blanket(&b, epsilon0->q, n, answers, delta->q);
		*epsilon = least_up(&b, top);
		release_blanket(&b);
	}
	return SOTTO_OK;
}
