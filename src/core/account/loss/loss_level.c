/*
 * Keeps delta in high precision and its logarithm rounded to both sides; 0 and 1 have exact
 * logarithms.
 */
#include "core/account/loss/loss_level.h"

#include <math.h>

#include "core/account/integral/real.h"

void sotto_level_init(struct sotto_level *l, mpq_srcptr delta)
{
	mpfr_t x;

	mpfr_init2(l->delta, REAL_BITS);
	mpfr_set_q(l->delta, delta, MPFR_RNDN);
	mpfr_init2(x, 128);
	mpfr_log(x, l->delta, MPFR_RNDN);
	l->log_down = sotto_next_down(sotto_real_double_down(x));
	l->log_up = sotto_next_up(sotto_real_double_up(x));
	if (mpq_cmp_ui(delta, 1, 1) >= 0)
		l->log_down = l->log_up = 0;
	if (mpq_sgn(delta) == 0)
		l->log_down = l->log_up = -INFINITY;
	mpfr_clear(x);
}

void sotto_level_init_log(struct sotto_level *l, double log_delta)
{
	mpfr_init2(l->delta, REAL_BITS);
	mpfr_set_d(l->delta, log_delta, MPFR_RNDN);
	mpfr_exp(l->delta, l->delta, MPFR_RNDN);
	l->log_down = l->log_up = log_delta;
}

void sotto_level_release(struct sotto_level *l)
{
	mpfr_clear(l->delta);
}
