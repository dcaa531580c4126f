#include "sotto/uniform.h"

#include "base/failure.h"
#include "base/wide.h"
#include "random/source.h"

enum sotto_status sotto_uniform_word(struct sotto_rng *rng, uint64_t *out)
{
	SOTTO_TRY(sotto_source_ready(rng));
	return sotto_source_word(rng, out);
}

/*
 * Lemire 2019: the high word of word * n is uniform once the low words that
 * would make some results more likely (2^64 mod n of them) are rejected.  The
 * trials are independent of the result they end with.
 */
static enum sotto_status below(struct sotto_rng *rng, uint64_t n, uint64_t *out)
{
	uint64_t word, reject = -n % n;
	sotto_u128 product;

	do {
		SOTTO_TRY(sotto_source_word(rng, &word));
		product = (sotto_u128)word * n;
	} while ((uint64_t)product < reject);
	*out = (uint64_t)(product >> 64);
	return SOTTO_OK;
}

enum sotto_status sotto_uniform_below(struct sotto_rng *rng, uint64_t n, uint64_t *out)
{
	if (n == 0)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_source_ready(rng));
	return below(rng, n, out);
}

/* Fisher and Yates, inside out: element i goes to a uniform place among the first i + 1. */
static enum sotto_status shuffle(struct sotto_rng *rng, size_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t place;

		SOTTO_TRY(below(rng, (uint64_t)i + 1, &place));
		out[i] = i;
		out[i] = out[place];
		out[place] = i;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_uniform_permutation(struct sotto_rng *rng, size_t *out, size_t n)
{
	enum sotto_status st = sotto_source_ready(rng);

	if (st == SOTTO_OK)
		st = shuffle(rng, out, n);
	if (st != SOTTO_OK)
		sotto_wipe(out, n * sizeof *out);
	return st;
}
