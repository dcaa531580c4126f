/*
 * planes_core.h - the core of planes_core_kernel.h, with 64-bit words from the generator
 */
#ifndef SOTTO_PLANES_CORE_H
#define SOTTO_PLANES_CORE_H

#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/wide.h"
#include "core/random/generator/random_source.h"
#include "core/random/laplace/planes.h"
#include "core/random/laplace/sampler_block.h"

#define CORE_WORD uint64_t
#define CORE_WORD_BITS 64
#define CORE_PLANES struct sotto_planes
#define CORE_SOURCE struct sotto_rng
#define core_continue sotto_planes_continue
#define core_compare(p, words, ones, ties) (p)->path->compare(p, words, ones, ties)

static inline enum sotto_status
core_words(struct sotto_rng *rng, unsigned n, uint8_t *spare, uint8_t **words)
{
	return sotto_source_take(rng, 8 * (size_t)n, spare, words);
}

static inline uint64_t core_load(const uint8_t *words, unsigned k)
{
	return sotto_load_word(words + 8 * (size_t)k);
}

#include "core/random/laplace/planes_core_kernel.h"

#endif
