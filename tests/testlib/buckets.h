/*
 * buckets.h - what buckets of the units add up to, for comparing with one engine
 *
 * Exact values come out here, before any noise: this exists in tests alone, and
 * tests/install/install.t sees that what is installed does not have it.
 */
#ifndef SOTTO_TESTS_BUCKETS_H
#define SOTTO_TESTS_BUCKETS_H

#include "central/engine/duckdb_embedded.h"
#include "central/plan/plan.h"

/* Makes the tables of one bucket in the engine; false if that fails. */
typedef bool (*buckets_define_fn)(void *context, struct sotto_embedded *e, uint32_t bucket,
				  uint32_t buckets);

/* What goes wrong on purpose. */
enum buckets_fault {
	BUCKETS_RIGHT,
	BUCKETS_SAME_TWICE, /* a partial comes twice: nothing is wrong */
	BUCKETS_ONE_MISSING,
	BUCKETS_ONE_FORGED, /* a byte of a partial differs from an earlier one of its bucket */
	BUCKETS_OTHER_JOB,
};

/* The sum of the partials of all buckets, each through the bytes that a worker sends. */
enum sotto_status buckets_sum(struct sotto_embedded *e, const struct sotto_plan *plan,
			      uint32_t buckets, buckets_define_fn define, void *context,
			      enum buckets_fault fault, struct sotto_engine_result **out);

#endif
