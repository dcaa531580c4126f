/*
 * sotto/bounds.h - bounds of a column, found privately
 *
 * Values are counted on a ladder of magnitudes that does not depend on the data: 0 and the
 * powers of two both ways, in grid steps.  AboveThreshold walks down from the top until
 * enough values lie above, and up from the bottom likewise.  Bounds are never read off the
 * data: this is a release of its own, and is charged.  Argument: src/core/mechanism/private_bounds.md.
 */
#ifndef SOTTO_BOUNDS_H
#define SOTTO_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/api.h"
#include "sotto/cost.h"
#include "sotto/error.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"
#include "sotto/truncated.h"
#include "sotto/value.h"

/*
 * Bin 64 holds 0; bin 64 + m the values in (2^(m-2), 2^(m-1)], bin 65 only 1; the bins
 * below 64 are their mirror images.
 */
enum { SOTTO_BOUNDS_BINS = 129 };

SOTTO_API size_t sotto_bounds_bin(int64_t x);

/* The least and the largest value of a bin. */
SOTTO_API struct sotto_range sotto_bounds_of_bin(size_t bin);

/* counts[b] becomes the number of values in bin b. */
SOTTO_API void sotto_bounds_count(const struct sotto_exact *values, size_t n,
				  struct sotto_exact counts[SOTTO_BOUNDS_BINS]);

struct sotto_bounds_options {
	const struct sotto_rational *epsilon;
	int64_t contributions; /* records that one unit may have */
	bool replace; /* neighbours differ in one unit replaced; else one more or less */
	double beta; /* the statement below holds but with this probability */
};

/* What came out. */
struct sotto_bounds {
	struct sotto_range range; /* both ends are 0 or a power of two, or INT64_MAX */
	bool found; /* false: too few values for any bounds */
	uint64_t outside; /* so many values or fewer lie below, and so many above */
};

/*
 * Finds bounds from the counts of the bins.
 *
 * Law:      two interactions of sotto/sparse_vector.h with epsilon/2 each.
 * Privacy:  epsilon-DP.
 * Accuracy: but with probability beta, each bound is the end of a bin that holds or is
 *           passed by a value, and at most `outside` values lie beyond it.
 * Fails:    SOTTO_EINVAL unless epsilon > 0, contributions >= 1 and 0 < beta < 1;
 *           SOTTO_ERANGE if the noise would be too large; SOTTO_EOVERFLOW if the counts
 *           add up to more than 2^63; SOTTO_EENTROPY; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_bounds_find(const struct sotto_bounds_options *options, struct sotto_rng *rng,
		  const struct sotto_exact counts[SOTTO_BOUNDS_BINS], struct sotto_bounds *out,
		  struct sotto_error *err);

/* What it costs; the caller makes *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_bounds_cost(const struct sotto_bounds_options *options, struct sotto_cost *cost);

#endif
