/*
 * The probabilities of permute-and-flip as numbers:
 *
 *	P(i) = w_i sum over k of (-1)^k e_k / (k + 1)
 *
 * with e_k the elementary symmetric polynomials of the other weights, in fixed point
 * with room for what the alternating sum loses.  Argument: permute_and_flip.md.
 */
#include "core/mechanism/choice/permute_and_flip.h"

#include <stdlib.h>

#include "core/mechanism/choice/selection.h"
#include "sotto/choose.h"

enum { DIGITS_MAX = 4096, OUTCOMES_MAX = 1000, GUARD = 128 };

struct law {
	size_t n;
	unsigned working; /* binary digits of the numbers below: digits + 2 n + GUARD */
	mpz_t *weights;
	mpz_t *all; /* e_0 .. e_n of all weights */
	mpz_t *others; /* e_0 .. e_(n-1) of all but one */
};

static mpz_t *numbers_new(size_t n)
{
	mpz_t *numbers = malloc(n * sizeof *numbers);

	for (size_t i = 0; numbers && i < n; i++)
		mpz_init(numbers[i]);
	return numbers;
}

static void numbers_free(mpz_t *numbers, size_t n)
{
	for (size_t i = 0; numbers && i < n; i++)
		mpz_clear(numbers[i]);
	free(numbers);
}

static void multiply(mpz_t out, const mpz_t a, const mpz_t b, unsigned working)
{
	mpz_mul(out, a, b);
	mpz_fdiv_q_2exp(out, out, working);
}

static void
set_weights(struct law *law, const struct sotto_permute_and_flip *m, const int64_t *scores)
{
	int64_t best = scores[0];

	for (size_t i = 1; i < law->n; i++)
		if (m->preference.least ? scores[i] < best : scores[i] > best)
			best = scores[i];
	for (size_t i = 0; i < law->n; i++)
		sotto_weight_floor(
			&m->preference.weight,
			sotto_selection_distance(best, scores[i], m->preference.least),
			law->working, law->weights[i]);
}

/* Multiplies out the product of (1 + w_j t). */
static void set_all(struct law *law, mpz_t spare)
{
	mpz_set_ui(law->all[0], 1);
	mpz_mul_2exp(law->all[0], law->all[0], law->working);
	for (size_t j = 0; j < law->n; j++)
		for (size_t k = j + 1; k > 0; k--) {
			multiply(spare, law->all[k - 1], law->weights[j], law->working);
			mpz_add(law->all[k], law->all[k], spare);
		}
}

/* Divides the factor of outcome i out again. */
static void set_others(struct law *law, size_t i, mpz_t spare)
{
	mpz_set(law->others[0], law->all[0]);
	for (size_t k = 1; k < law->n; k++) {
		multiply(spare, law->others[k - 1], law->weights[i], law->working);
		mpz_sub(law->others[k], law->all[k], spare);
	}
}

/* The probability to `working` digits, all but the last 2 n + GUARD/2 of them right. */
static void set_sum(const struct law *law, size_t i, mpz_t sum, mpz_t spare)
{
	mpz_set_ui(sum, 0);
	for (size_t k = 0; k < law->n; k++) {
		mpz_fdiv_q_ui(spare, law->others[k], k + 1);
		if (k % 2)
			mpz_sub(sum, sum, spare);
		else
			mpz_add(sum, sum, spare);
	}
	multiply(sum, sum, law->weights[i], law->working);
}

/* Takes the error off, so that what is left is a lower bound, and cuts to `digits`. */
static void
round_down(const struct law *law, mpz_t sum, unsigned digits, struct sotto_rational *out)
{
	mpz_t error;

	mpz_init_set_ui(error, 1);
	mpz_mul_2exp(error, error, 2 * law->n + GUARD / 2);
	mpz_sub(sum, sum, error);
	mpz_clear(error);
	if (mpz_sgn(sum) < 0)
		mpz_set_ui(sum, 0);
	mpz_fdiv_q_2exp(mpq_numref(out->q), sum, law->working - digits);
	mpz_set_ui(mpq_denref(out->q), 1);
	mpz_mul_2exp(mpq_denref(out->q), mpq_denref(out->q), digits);
	mpq_canonicalize(out->q);
}

static void fill_law(struct law *law, const struct sotto_permute_and_flip *m,
		     const int64_t *scores, unsigned digits, struct sotto_rational *out)
{
	mpz_t sum, spare;

	mpz_inits(sum, spare, NULL);
	set_weights(law, m, scores);
	set_all(law, spare);
	for (size_t i = 0; i < law->n; i++) {
		set_others(law, i, spare);
		set_sum(law, i, sum, spare);
		round_down(law, sum, digits, &out[i]);
	}
	mpz_clears(sum, spare, NULL);
}

enum sotto_status
sotto_permute_and_flip_probabilities_down(const struct sotto_permute_and_flip *m,
					  const int64_t *scores, size_t n, unsigned digits,
					  struct sotto_rational *out)
{
	struct law law = {.n = n};
	bool complete;

	if (n == 0)
		return SOTTO_EINVAL;
	if (digits > DIGITS_MAX || n > OUTCOMES_MAX)
		return SOTTO_ERANGE;
	law.working = digits + 2 * (unsigned)n + GUARD;
	law.weights = numbers_new(n);
	law.all = numbers_new(n + 1);
	law.others = numbers_new(n);
	complete = law.weights && law.all && law.others;
	if (complete)
		fill_law(&law, m, scores, digits, out);
	numbers_free(law.weights, n);
	numbers_free(law.all, n + 1);
	numbers_free(law.others, n);
	return complete ? SOTTO_OK : SOTTO_ENOMEM;
}
