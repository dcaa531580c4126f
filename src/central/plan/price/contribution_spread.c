#include "central/plan/price/contribution_spread.h"

#include <math.h>

#include "core/base/failure.h"

/* Of twenty units one may lose something. */
static const double few = 0.05;

int64_t sotto_spread_edge(size_t bin)
{
	return (int64_t)1 << bin;
}

enum sotto_status sotto_spread_price(struct sotto_spread *s, struct sotto_arena *arena,
				     const struct sotto_rational *epsilon,
				     struct sotto_cost *cost)
{
	struct sotto_rational half;
	enum sotto_status st;
	mpz_t one;

	if (!s->noise)
		s->noise = sotto_added_noise_in(arena);
	if (!s->noise)
		return SOTTO_ENOMEM;
	sotto_rational_init(&half);
	mpz_init_set_ui(one, 1);
	mpq_div_2exp(half.q, epsilon->q, 1);
	st = sotto_added_noise_set_laplace(s->noise, one, &half);
	for (int histogram = 0; st == SOTTO_OK && histogram < 2; histogram++)
		st = sotto_added_noise_charge(s->noise, cost);
	mpz_clear(one);
	sotto_rational_release(&half);
	return st;
}

/* The end of the first bin beyond which few units lie, or no more than noise makes up. */
static int64_t
choose(const struct sotto_noisy *bins, double scale, double *beyond, double *hidden)
{
	double total = 0, tail = 0, made_up = 2 * scale * sqrt(2.0 * SOTTO_SPREAD_BINS);
	size_t bin = SOTTO_SPREAD_BINS - 1;

	for (size_t i = 0; i < SOTTO_SPREAD_BINS; i++)
		total += (double)bins[i].value;
	while (bin > 0 && tail + (double)bins[bin].value <= fmax(few * total, made_up))
		tail += (double)bins[bin--].value;
	*beyond = total > 0 ? fmin(fmax(tail / total, 0), 1) : 0;
	*hidden = fmax(*hidden, total > 0 ? made_up / total : HUGE_VAL);
	return sotto_spread_edge(bin);
}

enum sotto_status sotto_spread_publish(const struct sotto_spread *s, struct sotto_rng *rng,
				       const struct sotto_exact *bins,
				       struct sotto_found_limits *out)
{
	struct sotto_noisy noisy[SOTTO_SPREAD_ALL];
	double scale = sotto_added_noise_scale(s->noise);

	SOTTO_TRY(sotto_added_noise_publish(s->noise, rng, bins, noisy, SOTTO_SPREAD_ALL));
	out->hidden = 0;
	out->groups = choose(noisy, scale, &out->groups_beyond, &out->hidden);
	out->rows = choose(noisy + SOTTO_SPREAD_BINS, scale, &out->rows_beyond, &out->hidden);
	return SOTTO_OK;
}
