/*
 * toy.h - a scale whose a = exp(-eps) is a small fraction
 *
 * Its probabilities are fractions, so the law of a sampler run on it can be
 * written down exactly; the number of value bits is chosen freely, so that tails
 * are not rare.  The members are those that the kernels of src/core/random expect.
 */
#ifndef SOTTO_TESTS_TOY_H
#define SOTTO_TESTS_TOY_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "sotto/status.h"
#include "testlib/sampler/all_tapes.h"

enum { TOY_PLANES = 6, TOY_DIGITS = ALL_TAPES_LENGTH };

struct toy_planes {
	unsigned value_bits;
	unsigned count;
	bool has_sign;
	unsigned word_bits;
	uint8_t digit[TOY_PLANES][TOY_DIGITS]; /* words of the binary expansion */
	uint8_t head[TOY_PLANES], first[TOY_PLANES]; /* word 0 */
	uint8_t after_head[TOY_PLANES]; /* word 1 */
	mpq_t a;
	unsigned budget; /* of the block sampler */
	const struct toy_path *path; /* its kernels */
};

void toy_init(struct toy_planes *p, unsigned word_bits, unsigned num, unsigned den,
	      unsigned value_bits, bool has_sign);
void toy_release(struct toy_planes *p);

/* As sotto_planes_continue. */
SOTTO_MUST_CHECK enum sotto_status toy_continue(const struct toy_planes *p, struct all_tapes *t,
						unsigned k, unsigned offset, bool *bit);

/* The stated law at -range .. range: 2 range + 1 fractions, freed by toy_law_free. */
mpq_t *toy_law(const struct toy_planes *p, unsigned range);
void toy_law_free(mpq_t *law, unsigned range);

#endif
