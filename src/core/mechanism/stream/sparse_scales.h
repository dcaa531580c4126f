/*
 * sparse_scales.h - divides the epsilon of a sparse vector
 */
#ifndef SOTTO_SPARSE_SCALES_H
#define SOTTO_SPARSE_SCALES_H

#include "sotto/stream.h"

struct sotto_sparse_scales {
	struct sotto_rational threshold;
	struct sotto_rational query;
	struct sotto_rational value; /* 0 unless numeric */
};

void sotto_sparse_scales_init(struct sotto_sparse_scales *s);
void sotto_sparse_scales_release(struct sotto_sparse_scales *s);

/*
 * Computes the scales.  Fails: as sotto_sparse_vector_new, but does not check the range of the
 * scales.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_sparse_scales_set(struct sotto_sparse_scales *s,
			const struct sotto_sparse_vector_options *o, struct sotto_error *err);

#endif
