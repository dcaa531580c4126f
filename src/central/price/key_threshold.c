/*
 * The threshold of private keys.
 */
#include "central/price/key_threshold.h"

#include "core/base/failure.h"

/*
 * groups * P(1 + Z >= least) <= delta.  The law is symmetric, so half of a two-sided
 * bound at 2 delta is wanted; Z > error is Z >= error + 1, hence least - 1 = error + 1.
 */
enum sotto_status sotto_key_threshold_set(struct sotto_key_threshold *t,
					  const struct sotto_added_noise *noise, int64_t groups,
					  const struct sotto_rational *delta)
{
	struct sotto_rational beta;
	enum sotto_status st;
	int64_t error;

	sotto_rational_init(&beta);
	mpq_mul_2exp(beta.q, delta->q, 1);
	if (mpq_cmp_ui(beta.q, 1, 2) > 0)
		mpq_set_ui(beta.q, 1, 2);
	st = sotto_added_noise_error_up(noise, (size_t)groups, &beta, &error);
	sotto_rational_release(&beta);
	if (st == SOTTO_OK)
		t->least = error + 2;
	return st;
}

bool sotto_key_threshold_passes(const struct sotto_key_threshold *t,
				const struct sotto_noisy *values)
{
	return t->measure == SIZE_MAX || values[t->measure].value >= t->least;
}
