/*
 * The worst inner distribution is known in closed form, so the cumulant is too; the
 * non-adaptive bound is a maximum over k + 1 candidates inside a bisection.
 */
#include "core/account/theorem/composition/bounded_range.h"

#include <math.h>
#include <mpfr.h>

#include "core/account/integral/real.h"
#include "core/account/law/law.h"
#include "core/account/theorem/renyi/renyi_convert.h"

/* Far more than REAL_GUARD of them are left: nothing here cancels but the leading terms of K. */
enum { CUMULANT_BITS = 352 };

/*
 * max over t of log(p e^((s+1) t) + (1-p) e^((s+1)(t-e))), which is attained at
 * e^t = s/(s+1) (1 - e^-((s+1)e))/(e^-e - e^-((s+1)e)):
 * K = s t + log(1 - e^-((s+1)e)) - log(s+1) - log(1 - e^-e).
 */
static void cumulant(mpfr_t k, mpq_srcptr epsilon, double s)
{
	mpfr_t e, x, y, t;

	mpfr_inits2(mpfr_get_prec(k), e, x, y, t, (mpfr_ptr)0);
	mpfr_set_q(e, epsilon, MPFR_RNDN);
	mpfr_mul_d(x, e, -s, MPFR_RNDN);
	mpfr_expm1(y, x, MPFR_RNDN); /* e^-se - 1 */
	mpfr_sub(x, x, e, MPFR_RNDN);
	mpfr_expm1(x, x, MPFR_RNDN); /* e^-(s+1)e - 1 */
	mpfr_div(t, x, y, MPFR_RNDN);
	mpfr_log(t, t, MPFR_RNDN);
	mpfr_add(t, t, e, MPFR_RNDN);
	mpfr_set_d(k, s, MPFR_RNDN);
	mpfr_add_ui(y, k, 1, MPFR_RNDN);
	mpfr_div(k, k, y, MPFR_RNDN);
	mpfr_log(k, k, MPFR_RNDN);
	mpfr_add(t, t, k, MPFR_RNDN);
	mpfr_mul_d(k, t, s, MPFR_RNDN);
	mpfr_log(y, y, MPFR_RNDN);
	mpfr_sub(k, k, y, MPFR_RNDN);
	mpfr_mul_d(t, e, s + 2, MPFR_RNDN);
	mpfr_neg(e, e, MPFR_RNDN);
	mpfr_expm1(y, e, MPFR_RNDN);
	mpfr_div(x, x, y, MPFR_RNDN);
	mpfr_log(x, x, MPFR_RNDN);
	mpfr_add(k, k, x, MPFR_RNDN);
	mpfr_set_d(y, s + 2, MPFR_RNDN);
	mpfr_sqr(y, y, MPFR_RNDN);
	mpfr_add(y, y, t, MPFR_RNDN);
	sotto_real_widen_up(k, y);
	mpfr_clears(e, x, y, t, (mpfr_ptr)0);
}

double sotto_bounded_range_cumulant_up(const struct sotto_term *term, double s)
{
	mpfr_t k;
	double up;

	mpfr_init2(k, CUMULANT_BITS);
	cumulant(k, term->event->epsilon.q, s);
	mpfr_mul_ui(k, k, term->count, MPFR_RNDU);
	up = sotto_real_double_up(k);
	mpfr_clear(k);
	return up;
}

/* K as a double, which is good enough to steer by. */
static double rough_cumulant(double e, double s)
{
	double x = -expm1(-(s + 1) * e), t = e + log(x / -expm1(-s * e)) + log(s / (s + 1));

	return s * t - log1p(s) + log(x / -expm1(-e));
}

void sotto_bounded_range_cumulants(const struct sotto_term *term, double s, double k[3])
{
	double e = mpq_get_d(term->event->epsilon.q), n = (double)term->count, d = 1e-3 * s;
	double here, below, above;

	if ((s + 1) * e < 0.05) { /* nearly e^2/8 s(s+1), all that is left after cancellation */
		k[0] += n * e * e / 8 * s * (s + 1);
		k[1] += n * e * e / 8 * (2 * s + 1);
		k[2] += n * e * e / 4;
		return;
	}
	here = rough_cumulant(e, s);
	below = rough_cumulant(e, s - d);
	above = rough_cumulant(e, s + d);
	k[0] += n * here;
	k[1] += n * (above - below) / (2 * d);
	k[2] += n * fmax(0, (above - 2 * here + below) / (d * d));
}

double sotto_bounded_range_closed_up(mpq_srcptr epsilon, uint64_t k, mpq_srcptr delta)
{
	mpfr_t e, x, y;
	double up;

	mpfr_inits2(REAL_BITS, e, x, y, (mpfr_ptr)0);
	mpfr_set_q(e, epsilon, MPFR_RNDN);
	mpfr_neg(x, e, MPFR_RNDN);
	mpfr_expm1(x, x, MPFR_RNDN);
	mpfr_div(x, e, x, MPFR_RNDN);
	mpfr_neg(x, x, MPFR_RNDN);
	mpfr_log(y, x, MPFR_RNDN);
	mpfr_sub(x, x, y, MPFR_RNDN);
	mpfr_sub_ui(x, x, 1, MPFR_RNDN);
	mpfr_mul_ui(x, x, k, MPFR_RNDN);
	sotto_log_rational(y, delta, MPFR_RNDN);
	mpfr_mul_si(y, y, -(long)k, MPFR_RNDN);
	mpfr_div_2ui(y, y, 1, MPFR_RNDN);
	mpfr_sqrt(y, y, MPFR_RNDN);
	mpfr_fma(x, y, e, x, MPFR_RNDN);
	mpfr_mul_ui(e, e, k, MPFR_RNDU);
	sotto_real_widen_up(x, e);
	up = fmin(sotto_real_double_up(x), sotto_real_double_up(e));
	mpfr_clears(e, x, y, (mpfr_ptr)0);
	return up;
}

/* The problem in doubles; relative errors of a few k u are charged at the end. */
struct range {
	double e; /* of one event */
	double k;
	double log_choose[SOTTO_RANGE_EVENTS + 1]; /* log of k over i */
};

static struct range range_of(double e, uint64_t k)
{
	struct range r = {.e = e, .k = (double)k};

	for (uint64_t i = 0; i <= k; i++)
		r.log_choose[i] =
			lgamma(r.k + 1) - lgamma((double)i + 1) - lgamma(r.k - (double)i + 1);
	return r;
}

/* Sum over i of C(k,i) p^(k-i) (1-p)^i [e^(kt-ie) - e^total]+ */
static double delta_at(const struct range *r, double total, double t)
{
	double p = (exp(-t) - exp(-r->e)) / -expm1(-r->e), rest = -expm1(-t) / -expm1(-r->e);
	double log_p = log(p), log_rest = log(rest), sum = 0;

	for (size_t n = 0; (double)n <= r->k; n++) {
		double i = (double)n, gain = r->k * t - i * r->e - total, w;

		if (!(gain > 0))
			break;
		if ((p <= 0 && i < r->k) || (rest <= 0 && i > 0))
			continue;
		w = p <= 0 || rest <= 0 ? 0
					: r->log_choose[n] + (r->k - i) * log_p + i * log_rest;
		sum += exp(w + total) * expm1(gain);
	}
	return sum;
}

static double worst_delta(const struct range *r, double total)
{
	double worst = 0;

	for (double l = 0; l <= r->k; l++) {
		double t = (total + (l + 1) * r->e) / (r->k + 1);

		worst = fmax(worst, delta_at(r, total, fmin(fmax(t, 0), r->e)));
	}
	return worst;
}

double sotto_bounded_range_nonadaptive_up(mpq_srcptr epsilon, uint64_t k, mpq_srcptr delta)
{
	struct range r = range_of(mpq_get_d(epsilon) * (1 + 4 * SOTTO_U), k);
	double low = 0, high = r.k * r.e, level = mpq_get_d(delta);

	/* masses are good to 64 u lgamma(k), far below what this takes off */
	level *= 1 - 1e-12 * (8 + r.k);
	for (int i = 0; i < 60 && high - low > 1e-12 * high; i++) {
		double middle = 0.5 * (low + high);

		if (worst_delta(&r, middle) <= level)
			high = middle;
		else
			low = middle;
	}
	return high;
}
