/*
 * sotto/stream.h - a stream of questions "above the threshold?", paid only for the positives
 *
 * The sparse vector technique, and its main use here: finding the bounds of a column.
 */
#ifndef SOTTO_STREAM_H
#define SOTTO_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/cost.h"
#include "sotto/noise.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/*
 * ---- A stream of questions "is it above the threshold?", of which only
 * the positive ones cost budget
 *
 * AboveThreshold, Sparse and NumericSparse (Dwork and Roth 2014, sections 3.6) and the
 * variant of Lyu, Su and Li 2017, as one state object.  Any number of queries may be below the
 * threshold; after the agreed number of positives, further queries are refused.  The argument,
 * and which published variants are wrong: src/core/mechanism/stream/sparse_vector.md.
 */

struct sotto_sparse_vector; /* one interaction; must not be copied or used in two processes */

struct sotto_sparse_vector_options {
	const struct sotto_rational *epsilon;
	const struct sotto_rational *delta; /* NULL for pure privacy */
	int64_t threshold; /* public, in grid steps */
	int64_t sensitivity; /* of every query, in grid steps */
	uint64_t positives; /* c: how many answers "above" there may be; AboveThreshold has 1 */
	bool numeric; /* also release a value for each positive, with its own noise */
	/* all queries that differ between neighbours differ in the same direction: less noise */
	bool monotone;
	/*
	 * One threshold noise for the whole interaction and the share of Lyu, Su and Li,
	 * 1 : (2c)^(2/3): the least noise for pure privacy.
	 */
	bool optimized;
};

/*
 * Scales of the Laplace noise, in grid steps, with D the sensitivity:
 *
 *	pure	   threshold 2cD/e, queries 4cD/e, values 9cD/epsilon
 *	delta	   s = sqrt(32 c ln(1/delta)) D/e: threshold s, queries 2s
 *	optimized  threshold D/e1, queries 2cD/e2, e1 + e2 = e
 *
 * where e = epsilon, or 8 epsilon/9 if numeric; then delta stands for delta/2 and values
 * have sqrt(32 c ln(2/delta)) D / (2 epsilon/9) when delta > 0.  Monotone halves the
 * noise of the queries (and the share is 1 : c^(2/3)).  No noise is drawn yet.
 *
 * Fails:    SOTTO_EINVAL unless epsilon > 0, 0 <= delta < 1, sensitivity >= 1, positives
 *           >= 1, and not both delta > 0 and optimized; SOTTO_ERANGE if a scale is above
 *           2^50 or below 2^-10, positives > 2^32, or epsilon > 8 ln(1/delta) with
 *           delta > 0; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_sparse_vector_new(const struct sotto_sparse_vector_options *options,
			struct sotto_sparse_vector **out, struct sotto_error *err);
SOTTO_API void sotto_sparse_vector_free(struct sotto_sparse_vector *s);

struct sotto_sparse_answer {
	bool above;
	struct sotto_noisy value; /* of a numeric positive; else 0 */
};

/*
 * Asks one query.
 *
 * Law:      above if query + Lap >= threshold + Lap, the latter drawn at the start and,
 *           unless optimized, again after each positive; value = query + fresh Lap.
 * Privacy:  the whole interaction is epsilon-DP, or (epsilon, delta)-DP; queries may be
 *           chosen after seeing answers.
 * Fails:    SOTTO_EBUDGET after c positives; SOTTO_EENTROPY.  *answer is untouched, and
 *           nothing has been answered.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_sparse_vector_ask(struct sotto_sparse_vector *s, struct sotto_rng *rng,
			struct sotto_exact query, struct sotto_sparse_answer *answer);

/*
 * Asks queries[0..n) in order and stops at the first one that is above: *asked of them are
 * answered, and the last of these is above if answer->above.  Much faster than single
 * questions (make bench measures both).
 *
 * Privacy, Fails: as _ask.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_sparse_vector_scan(struct sotto_sparse_vector *s, struct sotto_rng *rng,
			 const struct sotto_exact *queries, size_t n, size_t *asked,
			 struct sotto_sparse_answer *answer);

/* Begins another interaction with the same parameters; it costs the same again. */
SOTTO_API void sotto_sparse_vector_restart(struct sotto_sparse_vector *s);

/* How many positives may still be answered. */
SOTTO_API uint64_t sotto_sparse_vector_left(const struct sotto_sparse_vector *s);

/* The scales in use; 0 for values unless numeric.  Each may be NULL. */
SOTTO_API void sotto_sparse_vector_scales(const struct sotto_sparse_vector *s,
					  struct sotto_rational *threshold,
					  struct sotto_rational *query,
					  struct sotto_rational *value);

/* The cost of the whole interaction, charged at its start; the caller initialises *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_sparse_vector_cost(const struct sotto_sparse_vector *s, struct sotto_cost *cost);

/*
 * The error: with probability at least 1 - beta, among k queries every answer "above" is for a
 * query of at least threshold - *error, every "below" for one of at most threshold + *error,
 * and every value is within *error of its query.
 *
 * Fails:    SOTTO_EINVAL unless 0 < beta < 1 and k >= 1.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_sparse_vector_error(const struct sotto_sparse_vector *s, uint64_t k, double beta,
			  double *error);

/*
 * ---- Bounds of a column, found privately
 *
 * Values are counted in bins that do not depend on the data: 0 and the powers of two, of both
 * signs, in grid steps.  AboveThreshold goes down from the largest bin until enough values lie
 * above, and up from the smallest in the same way.  This is a release and must be charged.
 * Argument: src/core/mechanism/private_bounds.md.
 */

/*
 * Bin 64 holds 0; bin 64 + m the values in (2^(m-2), 2^(m-1)], bin 65 only 1; the bins
 * below 64 are their mirror images.
 */
enum { SOTTO_BOUNDS_BINS = 129 };

/* counts[b] becomes the number of values in bin b. */
SOTTO_API void sotto_bounds_count(const struct sotto_exact *values, size_t n,
				  struct sotto_exact counts[SOTTO_BOUNDS_BINS]);

struct sotto_bounds_options {
	const struct sotto_rational *epsilon;
	int64_t contributions; /* records that one unit may have */
	bool replace; /* true: neighbours differ by replacing one unit; false: by adding or
			 removing one */
	double beta; /* the probability with which the accuracy below may not hold */
};

/* What came out. */
struct sotto_bounds {
	struct sotto_range range; /* both ends are 0 or a power of two, or INT64_MAX */
	bool found; /* false: too few values to find bounds */
	uint64_t outside; /* at most this many values lie below, and at most as many above */
};

/*
 * Finds bounds from the counts of the bins.
 *
 * Law:      two interactions of sotto/stream.h with epsilon/2 each.
 * Privacy:  epsilon-DP.
 * Accuracy: except with probability beta, there is a value in or beyond the bin that ends at
 *           each bound, and at most `outside` values lie beyond the bound.
 * Fails:    SOTTO_EINVAL unless epsilon > 0, contributions >= 1 and 0 < beta < 1;
 *           SOTTO_ERANGE if the noise would be too large; SOTTO_EOVERFLOW if the counts
 *           add up to more than 2^63; SOTTO_EENTROPY; SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_bounds_find(const struct sotto_bounds_options *options, struct sotto_rng *rng,
		  const struct sotto_exact counts[SOTTO_BOUNDS_BINS], struct sotto_bounds *out,
		  struct sotto_error *err);

/* The cost of sotto_bounds_find; the caller initialises *cost. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_bounds_cost(const struct sotto_bounds_options *options, struct sotto_cost *cost);

#endif
