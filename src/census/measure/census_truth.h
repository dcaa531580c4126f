/*
 * census_truth.h - the private counts of every leaf, sparse
 *
 * Elsewhere the struct is incomplete: no file outside measure/ can read a count.  Inside,
 * census_truth.c fills and names them, census_measure_bulk.c adds noise to them, and
 * census_inputs.c and census_known_table.c read those that the plan publishes as invariants.
 */
#ifndef SOTTO_CENSUS_TRUTH_H
#define SOTTO_CENSUS_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/noise.h"
#include "sotto/status.h"

struct evp_md_ctx_st; /* OpenSSL's EVP_MD_CTX */

/* Counts of 2^32 - 1 and more are in `large`, in order. */
struct sotto_census_truth {
	size_t leaves;
	uint64_t *starts; /* entries of leaf i: starts[i] .. starts[i+1]-1 */
	uint32_t *cells;
	uint32_t *counts;
	struct sotto_census_large {
		uint64_t entry;
		struct sotto_exact count;
	} * large;
	size_t large_count;
	/* used while it is filled */
	uint64_t n, room; /* entries */
	size_t large_room;
	uint32_t last; /* leaf */
};

/* One count as it is read. */
struct sotto_census_entry {
	uint32_t leaf, cell;
	struct sotto_exact count;
};

/*
 * Fill the counts entry by entry, in the order of leaves and cells, each place once; _end follows
 * the last entry.  Fail: SOTTO_ESTATE if out of order, SOTTO_ENOMEM.  Pair with _release in any
 * case.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_truth_begin(struct sotto_census_truth *t, size_t leaves);
SOTTO_MUST_CHECK enum sotto_status
sotto_census_truth_add(struct sotto_census_truth *t, const struct sotto_census_entry *e);
void sotto_census_truth_end(struct sotto_census_truth *t);
void sotto_census_truth_release(struct sotto_census_truth *t);

/* Adds all of them to a digest, which is kept under a secret key.  False if it fails. */
bool sotto_census_truth_digest(const struct sotto_census_truth *t, struct evp_md_ctx_st *hash);

#endif
