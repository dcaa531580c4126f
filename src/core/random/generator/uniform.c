/*
 * Integers below n by the multiply and reject method of below_kernel.h; permutations by Fisher
 * and Yates from the inside out.
 */
#include "core/random/generator/uniform.h"
#include "sotto/rng.h"

#include <stdbool.h>

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/wide.h"
#include "core/random/generator/random_source.h"

enum sotto_status sotto_uniform_word(struct sotto_rng *rng, uint64_t *out)
{
	if (!rng || !out)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_source_ready(rng));
	return sotto_source_word(rng, out);
}

#define BELOW_WORD uint64_t
#define BELOW_WORD_BITS 64
#define BELOW_WORD_MAX UINT64_MAX
#define BELOW_WIDE sotto_u128
#define BELOW_SOURCE struct sotto_rng
#define below_word sotto_source_word

#include "core/random/generator/below_kernel.h"

enum sotto_status sotto_uniform_below(struct sotto_rng *rng, uint64_t n, uint64_t *out)
{
	bool none = n == 0;

	SOTTO_DECLASSIFY(none); /* a mistake of the caller; n itself may be a secret */
	if (none)
		return SOTTO_EINVAL;
	SOTTO_TRY(sotto_source_ready(rng));
	return below_draw(rng, n, out);
}

/* Fisher and Yates, inside out: element i goes to a uniform place among the first i + 1. */
static enum sotto_status shuffle(struct sotto_rng *rng, size_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t place;

		SOTTO_TRY(below_draw(rng, (uint64_t)i + 1, &place));
		out[i] = i;
		out[i] = out[place];
		out[place] = i;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_uniform_permutation(struct sotto_rng *rng, size_t *out, size_t n)
{
	if (!rng || (!out && n > 0))
		return SOTTO_EINVAL;

	enum sotto_status st = sotto_source_ready(rng);

	if (st == SOTTO_OK)
		st = shuffle(rng, out, n);
	if (st != SOTTO_OK)
		sotto_wipe(out, n * sizeof *out);
	return st;
}
