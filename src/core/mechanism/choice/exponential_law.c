/* The probabilities of the exponential mechanism as numbers. */
#include "core/mechanism/choice/exponential.h"

#include <stdlib.h>

#include "core/base/checked.h"
#include "core/mechanism/choice/selection.h"
#include "sotto/choose.h"

enum { DIGITS_MAX = 4096, GUARD = 64 };

static int64_t best_of(const int64_t *scores, size_t n, bool least)
{
	int64_t best = scores[0];

	for (size_t i = 1; i < n; i++)
		if (least ? scores[i] < best : scores[i] > best)
			best = scores[i];
	return best;
}

/*
 * floor(2^digits f / (total + n)): each weight is in [f, f + 1), their sum in [total,
 * total + n), so this is a lower bound; the 64 guard digits make it short of the
 * probability by less than two units.
 */
static void set_probability(struct sotto_rational *out, const mpz_t weight, const mpz_t total,
			    unsigned digits)
{
	mpz_mul_2exp(mpq_numref(out->q), weight, digits);
	mpz_fdiv_q(mpq_numref(out->q), mpq_numref(out->q), total);
	mpz_set_ui(mpq_denref(out->q), 1);
	mpz_mul_2exp(mpq_denref(out->q), mpq_denref(out->q), digits);
	mpq_canonicalize(out->q);
}

static void fill_law(const struct sotto_exponential *m, const int64_t *scores, size_t n,
		     unsigned digits, mpz_t *weights, struct sotto_rational *out)
{
	int64_t best = best_of(scores, n, m->preference.least);
	unsigned working = digits + GUARD;
	mpz_t total;

	mpz_init_set_ui(total, n); /* total + n from here on */
	for (size_t i = 0; i < n; i++) {
		uint64_t distance =
			sotto_selection_distance(best, scores[i], m->preference.least);

		mpz_init(weights[i]);
		sotto_weight_floor(&m->preference.weight, distance, working, weights[i]);
		mpz_add(total, total, weights[i]);
	}
	for (size_t i = 0; i < n; i++) {
		set_probability(&out[i], weights[i], total, digits);
		mpz_clear(weights[i]);
	}
	mpz_clear(total);
}

enum sotto_status
sotto_exponential_probabilities_down(const struct sotto_exponential *m, const int64_t *scores,
				     size_t n, unsigned digits, struct sotto_rational *out)
{
	mpz_t *weights;
	size_t size;

	if (n == 0)
		return SOTTO_EINVAL;
	if (digits > DIGITS_MAX)
		return SOTTO_ERANGE;
	if (!sotto_checked_mul_size(n, sizeof *weights, &size) || !(weights = malloc(size)))
		return SOTTO_ENOMEM;
	fill_law(m, scores, n, digits, weights, out);
	free(weights);
	return SOTTO_OK;
}
