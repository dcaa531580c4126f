/*
 * Bernoulli coins by comparing digits, exp(-x) by von Neumann's method, and rejection on top of
 * them, as in the paper's algorithms.
 */
#include "testlib/sampler/cks20.h"

#include <assert.h>
#include <stdbool.h>

#include "core/base/failure.h"
#include "core/base/wide.h"
#include "core/random/generator/random_source.h"

static enum sotto_status below(struct sotto_rng *rng, uint64_t n, uint64_t *out)
{
	sotto_u128 product;
	uint64_t word;

	SOTTO_TRY(sotto_source_word(rng, &word));
	product = (sotto_u128)word * n;
	if ((uint64_t)product < n) {
		uint64_t reject = -n % n;

		while ((uint64_t)product < reject) {
			SOTTO_TRY(sotto_source_word(rng, &word));
			product = (sotto_u128)word * n;
		}
	}
	*out = (uint64_t)(product >> 64);
	return SOTTO_OK;
}

/* num/den, digit by digit: the first random digit that differs decides.  den < 2^127. */
static enum sotto_status coin(struct sotto_rng *rng, sotto_u128 num, sotto_u128 den, bool *out)
{
	uint64_t random = 0;

	for (unsigned i = 0;; i++, random >>= 1) {
		bool digit;

		if (i % 64 == 0)
			SOTTO_TRY(sotto_source_word(rng, &random));
		num *= 2;
		digit = num >= den;
		num -= digit ? den : 0;
		if (digit != (random & 1)) {
			*out = digit;
			return SOTTO_OK;
		}
	}
}

/* exp(-num/den) for num <= den: k = 1; while Bern(x/k) k++; k is odd with that probability. */
static enum sotto_status
coin_exp_small(struct sotto_rng *rng, uint64_t num, uint64_t den, bool *out)
{
	uint64_t k = 0, u;

	do {
		k++;
		SOTTO_TRY(below(rng, den * k, &u));
	} while (u < num);
	*out = k & 1;
	return SOTTO_OK;
}

/* exp(-1): the same without the first coin, which is certain */
static enum sotto_status coin_exp_of_one(struct sotto_rng *rng, bool *out)
{
	uint64_t k = 1, u;

	do {
		k++;
		SOTTO_TRY(below(rng, k, &u));
	} while (u == 0);
	*out = k & 1;
	return SOTTO_OK;
}

/* How often exp(-1) succeeds before it fails. */
static enum sotto_status geometric_of_e(struct sotto_rng *rng, uint64_t *out)
{
	bool more = true;

	for (*out = 0;; ++*out) {
		SOTTO_TRY(coin_exp_of_one(rng, &more));
		if (!more)
			return SOTTO_OK;
	}
}

/* Algorithm 2 of the paper, without the sign */
enum sotto_status
cks20_geometric(struct sotto_rng *rng, uint64_t num, uint64_t den, int64_t *out)
{
	uint64_t u, v;
	bool keep;

	assert(num > 0 && den < UINT64_C(1) << 56);
	SOTTO_TRY(sotto_source_ready(rng));
	do {
		SOTTO_TRY(below(rng, den, &u));
		SOTTO_TRY(coin_exp_small(rng, u, den, &keep));
	} while (!keep);
	SOTTO_TRY(geometric_of_e(rng, &v));
	*out = (int64_t)((u + den * v) / num);
	return SOTTO_OK;
}

enum sotto_status cks20_laplace(struct sotto_rng *rng, uint64_t num, uint64_t den, int64_t *out)
{
	uint64_t negative;
	int64_t magnitude;

	do {
		SOTTO_TRY(below(rng, 2, &negative));
		SOTTO_TRY(cks20_geometric(rng, num, den, &magnitude));
	} while (negative && magnitude == 0);
	*out = negative ? -magnitude : magnitude;
	return SOTTO_OK;
}

/* exp(-num/den) for any fraction of 128-bit numbers */
static enum sotto_status
coin_exp(struct sotto_rng *rng, sotto_u128 num, sotto_u128 den, bool *out)
{
	sotto_u128 k = 0;
	bool more = true;

	for (; num >= den; num -= den) {
		SOTTO_TRY(coin_exp_of_one(rng, &more));
		if (!more) {
			*out = false;
			return SOTTO_OK;
		}
	}
	do
		SOTTO_TRY(coin(rng, num, den * ++k, &more));
	while (more);
	*out = k & 1;
	return SOTTO_OK;
}

static uint64_t square_root(uint64_t n)
{
	uint64_t r = 0;

	while ((r + 1) * (r + 1) <= n)
		r++;
	return r;
}

/* Algorithm 3 of the paper */
enum sotto_status
cks20_gaussian(struct sotto_rng *rng, uint64_t num, uint64_t den, int64_t *out)
{
	const uint64_t t = square_root(num / den) + 1;
	const sotto_u128 bottom = (sotto_u128)2 * num * den * t * t;
	bool keep;

	assert(num < UINT64_C(1) << 24 && den < UINT64_C(1) << 24);
	do {
		sotto_i128 gap;
		int64_t y;

		SOTTO_TRY(cks20_laplace(rng, 1, t, &y));
		gap = (sotto_i128)(y < 0 ? -y : y) * (sotto_i128)(t * den) - (sotto_i128)num;
		SOTTO_TRY(coin_exp(rng, (sotto_u128)(gap * gap), bottom, &keep));
		*out = y;
	} while (!keep);
	return SOTTO_OK;
}
