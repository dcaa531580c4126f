/* The core of planes_core_kernel.h with 64-bit words from the generator. */
#include "random/planes.h"

#include "base/declassify.h"
#include "base/failure.h"
#include "base/wide.h"
#include "random/source.h"

#define CORE_WORD uint64_t
#define CORE_WORD_BITS 64
#define CORE_PLANES struct sotto_planes
#define CORE_SOURCE struct sotto_rng
#define core_continue sotto_planes_continue

static inline enum sotto_status
core_words(struct sotto_rng *rng, unsigned n, uint8_t *spare, uint8_t **words)
{
	return sotto_source_take(rng, 8 * (size_t)n, spare, words);
}

static inline uint64_t core_load(const uint8_t *words, unsigned k)
{
	return sotto_load_word(words + 8 * k);
}

#include "random/planes_core_kernel.h"

enum sotto_status
sotto_planes_draw(const struct sotto_planes *p, struct sotto_rng *rng, int64_t *out)
{
	return core_draw(p, rng, out);
}
