#include "account/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "account/pair.h"
#include "account/real.h"
#include "base/failure.h"

void sotto_measure_init(struct sotto_measure *m)
{
	*m = (struct sotto_measure){.lattice = true, .finite_is_sharp = true};
	mpq_inits(m->spacing, m->offset, (mpq_ptr)0);
	mpfr_init2(m->log_finite, REAL_BITS);
	mpfr_set_zero(m->log_finite, 1);
}

void sotto_measure_release(struct sotto_measure *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->laws[i].class->release)
			m->laws[i].class->release(&m->laws[i]);
	free(m->laws);
	mpq_clears(m->spacing, m->offset, (mpq_ptr)0);
	mpfr_clear(m->log_finite);
}

enum sotto_status
sotto_measure_push(struct sotto_measure *m, uint64_t count, struct sotto_law **law)
{
	struct sotto_law *grown;

	if (m->n == m->capacity) {
		size_t capacity = m->capacity ? 2 * m->capacity : 8;

		grown = realloc(m->laws, capacity * sizeof *grown);
		if (!grown)
			return SOTTO_ENOMEM;
		m->laws = grown;
		m->capacity = capacity;
	}
	*law = &m->laws[m->n];
	**law = (struct sotto_law){.count = count};
	return SOTTO_OK;
}

void sotto_measure_cumulants(const struct sotto_measure *m, double s, double k[3])
{
	k[0] = s * (s + 1) * m->mu2 / 2;
	k[1] = (s + 0.5) * m->mu2;
	k[2] = m->mu2;
	for (size_t i = 0; i < m->n; i++)
		m->laws[i].class->cumulants(&m->laws[i], s, k);
}

void sotto_measure_add_infinite(struct sotto_measure *m, const mpfr_t mass, bool sharp,
				uint64_t count)
{
	mpfr_t l;

	if (mpfr_zero_p(mass) || count == 0)
		return;
	mpfr_init2(l, REAL_BITS);
	mpfr_neg(l, mass, MPFR_RNDN);
	mpfr_log1p(l, l, MPFR_RNDN);
	mpfr_mul_ui(l, l, count, MPFR_RNDN);
	mpfr_add(m->log_finite, m->log_finite, l, MPFR_RNDN);
	m->finite_is_sharp &= sharp;
	mpfr_clear(l);
}

void sotto_measure_raise_top(struct sotto_measure *m, double top, double mass, uint64_t count)
{
	double all = top * (double)count;

	m->top = sotto_ulps_up(m->top + sotto_ulps_up(all, 3), 1);
	m->top_low = sotto_ulps_down(m->top_low + sotto_ulps_down(all, 3), 1);
	m->log_top_mass += (double)count * log(mass);
}

/* log(infinite + finite exp(log_delta)); *slack bounds its error */
static double whole(const struct sotto_measure *m, double log_delta, double *slack)
{
	double log_finite = mpfr_get_d(m->log_finite, MPFR_RNDN);
	double infinite = log(-expm1(log_finite)), finite = log_finite + log_delta;
	double most = fmax(infinite, finite), rest = fmax(-800, fmin(infinite, finite) - most);

	*slack = SOTTO_U * (16 + 4 * fabs(most) + 4 * fabs(rest) * exp(rest));
	return most + log1p(exp(rest));
}

double sotto_measure_whole_up(const struct sotto_measure *m, double log_finite)
{
	double slack, log_delta;

	if (mpfr_zero_p(m->log_finite))
		return log_finite;
	log_delta = whole(m, log_finite, &slack);
	return fmin(0, sotto_next_up(log_delta + slack));
}

double sotto_measure_whole_down(const struct sotto_measure *m, double log_finite)
{
	double slack, log_delta;

	log_finite += m->log_kept;
	if (mpfr_zero_p(m->log_finite))
		return log_finite;
	log_delta = whole(m, log_finite, &slack);
	return sotto_next_down(log_delta - slack);
}

int sotto_measure_target(const struct sotto_measure *m, const mpfr_t delta, double *log_down,
			 double *log_up)
{
	mpfr_t x, y, scale;
	int verdict;

	mpfr_inits2(REAL_BITS, x, y, scale, (mpfr_ptr)0);
	mpfr_expm1(y, m->log_finite, MPFR_RNDN);
	mpfr_add(x, delta, y, MPFR_RNDN); /* delta - infinite */
	mpfr_set(scale, delta, MPFR_RNDN);
	mpfr_div_2ui(scale, scale, m->finite_is_sharp ? 560 : 140, MPFR_RNDN);
	if (mpfr_cmpabs(x, scale) <= 0) { /* equal, as far as can be told */
		*log_down = *log_up = -INFINITY;
		verdict = m->finite_is_sharp ? 1 : 0;
	} else {
		verdict = mpfr_sgn(x) < 0 ? -1 : 1;
		mpfr_exp(y, m->log_finite, MPFR_RNDN);
		mpfr_div(x, x, y, MPFR_RNDN);
		mpfr_abs(x, x, MPFR_RNDN);
		mpfr_log(x, x, MPFR_RNDN);
		*log_down = sotto_next_down(sotto_real_double_down(x));
		*log_up = sotto_next_up(sotto_real_double_up(x));
	}
	mpfr_clears(x, y, scale, (mpfr_ptr)0);
	return verdict;
}

enum sotto_status
sotto_measure_add_pair(struct sotto_measure *m, const struct sotto_pair *pair, uint64_t count)
{
	struct sotto_law *law;
	mpfr_t finite, x;
	double top = -INFINITY, top_mass = 0;
	mpfr_t mean;
	size_t n = 0;

	sotto_measure_add_infinite(m, pair->only_p, false, count);
	if (mpfr_cmp_ui(pair->only_p, 1) >= 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_measure_push(m, count, &law));
	SOTTO_TRY(sotto_law_atoms_init(law, pair->n));
	m->n++;
	mpfr_inits2(SOTTO_PAIR_BITS, finite, x, mean, (mpfr_ptr)0);
	mpfr_ui_sub(finite, 1, pair->only_p, MPFR_RNDN);
	mpfr_set_zero(mean, 1);
	for (size_t i = 0; i < pair->n; i++) {
		if (mpfr_zero_p(pair->mass[i]))
			continue;
		mpfr_div(x, pair->mass[i], finite, MPFR_RNDN);
		mpfr_fma(mean, x, pair->loss[i], mean, MPFR_RNDN);
		law->loss[n] = mpfr_get_d(pair->loss[i], MPFR_RNDN);
		law->mass[n] = mpfr_get_d(x, MPFR_RNDN);
		if (law->loss[n] > top) {
			top = law->loss[n];
			top_mass = law->mass[n];
		}
		n++;
	}
	law->n = n;
	law->loss_error = law->mass_error = 2 * SOTTO_U;
	law->b = mpfr_get_d(mean, MPFR_RNDN);
	law->top = sotto_ulps_up(top, 1);
	sotto_measure_raise_top(m, top, top_mass, count);
	mpfr_clears(finite, x, mean, (mpfr_ptr)0);
	return SOTTO_OK;
}

bool sotto_measure_is_at_top(const struct sotto_measure *m, double log_delta)
{
	return isfinite(m->top) &&
	       (isinf(log_delta) || log_delta < m->log_top_mass - 36 - log1p(1 / m->top));
}
