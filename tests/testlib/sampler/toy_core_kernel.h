/*
 * toy_core_kernel.h - the product's core, made for toy scales: core_draw(p, tape, &z)
 */
#include "core/base/declassify.h"
#include "core/base/failure.h"
#include "core/base/wide.h"
#include "core/base/wipe.h"
#include "core/random/laplace/planes.h"
#include "testlib/sampler/toy.h"

#ifndef TOY_BITS
#define TOY_BITS 4
#endif

#define CORE_WORD uint8_t
#define CORE_WORD_BITS TOY_BITS
#define CORE_PLANES struct toy_planes
#define CORE_SOURCE struct all_tapes
#define core_continue toy_continue

static inline enum sotto_status
core_words(struct all_tapes *t, unsigned n, uint8_t *spare, uint8_t **words)
{
	*words = spare;
	return all_tapes_read(t, n, spare);
}

static inline uint8_t core_load(const uint8_t *words, unsigned k)
{
	return words[k];
}

#include "core/random/laplace/planes_core_kernel.h"
