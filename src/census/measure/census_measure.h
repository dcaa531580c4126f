/*
 * census_measure.h - the only place where private counts are read and noise is added to them
 */
#ifndef SOTTO_CENSUS_MEASURE_H
#define SOTTO_CENSUS_MEASURE_H

#include "census/measure/noise/census_noise.h"
#include "census/plan/census_schema.h"
#include "census/plan/shape/census_shape.h"
#include "sotto/noise.h"

struct sotto_census_truth; /* private counts: only measure/ knows the struct */

/* What all threads share. */
struct sotto_census_measurement {
	const struct sotto_census_schema *schema;
	const struct sotto_census_shape *shape;
	const struct sotto_census_truth *truth; /* NULL: nobody lives there */
	struct sotto_noisy *recorded; /* all answers, node by node; NULL: drawn on demand */
	uint8_t key[SOTTO_NOISE_KEY_BYTES];
	/* laws[plan level][measure] */
	struct sotto_noise_law **laws[SOTTO_CENSUS_LEVELS_MAX];
};

/* Builds the laws; copies the key.  Pair with _release in any case.  Fails: SOTTO_ERANGE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_measurement_init(struct sotto_census_measurement *m,
			      const struct sotto_census_schema *schema,
			      const struct sotto_census_shape *shape,
			      const struct sotto_census_truth *truth,
			      const uint8_t key[SOTTO_NOISE_KEY_BYTES]);
void sotto_census_measurement_release(struct sotto_census_measurement *m);

/*
 * Draws every answer now, so that the private counts are not needed any more: m drops them, and
 * the caller may wipe them.  If that takes more than bytes_max, does nothing and sets *recorded
 * to false.  The answers are the same as if they were drawn on demand.
 *
 * Fails:    SOTTO_ENOMEM, SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_measurement_record(struct sotto_census_measurement *m, size_t bytes_max,
				bool *recorded);

/* The reader of one thread. */
struct sotto_census_reader;

SOTTO_MUST_CHECK enum sotto_status
sotto_census_reader_open(const struct sotto_census_measurement *m,
			 struct sotto_census_reader **out);
void sotto_census_reader_close(struct sotto_census_reader *r);

/*
 * Computes the noisy answers of one query (number `measure` of its level) at one node: for the
 * listed cells of the query, or for all (cells NULL, count = the query's cells).
 *
 * Law:      true count plus the noise of (key, node, measure, cell).
 * Privacy:  what the plan charges for the measure, once, however often it is asked.
 * Fails:    SOTTO_EENTROPY.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_measure(struct sotto_census_reader *r, size_t node, size_t measure,
		     const uint32_t *cells, size_t count, struct sotto_noisy *out);

/* The purpose of random bytes: each has its own. */
enum sotto_census_use { SOTTO_CENSUS_ROUND, SOTTO_CENSUS_LOTS, SOTTO_CENSUS_TREE_LOTS };

/*
 * Returns random bytes for the children of a node: a function of the key, the node and the use,
 * from a place that no measurement uses.  Valid until the next call on r.
 */
struct sotto_rng *
sotto_census_reader_rng(struct sotto_census_reader *r, size_t node, enum sotto_census_use use);

/* Returns how many draws this reader has made, for benchmarks. */
uint64_t sotto_census_reader_draws(const struct sotto_census_reader *r);

#endif
