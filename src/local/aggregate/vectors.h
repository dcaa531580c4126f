/*
 * vectors.h - bit vectors that wait, group by group, to be summed
 *
 * Reports of many groups come in any order.  The vectors of a group wait until
 * some kilobytes are there, so that the bit sum kernel runs on whole runs.
 */
#ifndef SOTTO_VECTORS_H
#define SOTTO_VECTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_vectors;

/* counted: the vectors of each group are counted as well.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_vectors_new(uint32_t bits, size_t groups, bool counted, struct sotto_vectors **out);
void sotto_vectors_free(struct sotto_vectors *v);

/* Where sums go: reports per group, ones per group and bit. */
struct sotto_vector_sums {
	uint64_t *groups;
	uint64_t *cells;
};

void sotto_vectors_add(struct sotto_vectors *v, const struct sotto_vector_sums *to,
		       size_t group, const uint8_t *vector);

/*
 * n reports of `stride` bytes: the group in `head` bytes (none: there is one
 * group), then the vector.
 */
void sotto_vectors_add_run(struct sotto_vectors *v, const struct sotto_vector_sums *to,
			   const uint8_t *reports, size_t stride, unsigned head, size_t n);

/* Sums what waits. */
void sotto_vectors_flush(struct sotto_vectors *v, const struct sotto_vector_sums *to);

#endif
