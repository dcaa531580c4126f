/*
 * census_run.h - the whole way from measurements to whole numbers, streamed by subtree
 */
#ifndef SOTTO_CENSUS_RUN_H
#define SOTTO_CENSUS_RUN_H

#include "census/solve/census_info.h"
#include "census/measure/census_measure.h"
#include "census/plan/census_shape.h"

/* Who receives the results.  Batches are ended in the order of the nodes in them. */
struct sotto_census_sink {
	void *context;
	enum sotto_status (*begin)(void *context, void **batch);
	/* The cells of a node that are not 0. */
	enum sotto_status (*node)(void *context, void *batch, size_t node,
				  const uint32_t *cells, const int64_t *counts, size_t n);
	enum sotto_status (*end)(void *context, void *batch);
};

struct sotto_census_options {
	unsigned threads; /* at least 1 */
	size_t done; /* batches that the sink has already: they are not made again */
	void (*progress)(void *context, uint64_t done, uint64_t total);
	void *progress_context;
};

/* What the threads share. */
struct sotto_census_run {
	const struct sotto_census_plan *plan;
	const struct sotto_census_schema *schema;
	const struct sotto_census_shape *shape;
	const struct sotto_census_measurement *measurement;
	const struct sotto_census_sink *sink;
	struct sotto_census_basis basis;
	double *level_info[SOTTO_CENSUS_LEVELS_MAX]; /* of a node of each shape level */
	double *level_kernel[SOTTO_CENSUS_LEVELS_MAX];
	bool measured[SOTTO_CENSUS_LEVELS_MAX];
	bool up[SOTTO_CENSUS_LEVELS_MAX]; /* measurements of this level count for what is above */
	struct sotto_census_slot *
		*slots; /* of each node above the leaves; NULL: not computed */
	size_t task_level; /* subtrees from here on are done one by one */
	uint64_t draws;
};

/* What is known about a node from its subtree. */
struct sotto_census_slot {
	double total, variance; /* of the node's total */
	double groups[SOTTO_CENSUS_GROUPS_MAX]; /* estimates of the frame's groups */
	double *kernel; /* census_info.h */
	double *h; /* of each cell */
	double *z, *covariance; /* what the node's parent adds up; NULL below the task level */
	double memory[];
};

/*
 * Fills a run from its plan, schema, shape and measurement; pair with _release in any case.
 * Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_run_prepare(struct sotto_census_run *run);
void sotto_census_run_release(struct sotto_census_run *run);

/* Draws, estimates, rounds and hands over every node.  Fails as the steps do. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_execute(const struct sotto_census_plan *plan,
		     const struct sotto_census_schema *schema,
		     const struct sotto_census_shape *shape,
		     const struct sotto_census_measurement *measurement,
		     const struct sotto_census_options *options,
		     const struct sotto_census_sink *sink, uint64_t *draws);

/* ---- gather.c: information about nodes --------------------------------------------------------- */

/* One thread's memory. */
struct sotto_census_worker;

SOTTO_MUST_CHECK enum sotto_status
sotto_census_worker_open(struct sotto_census_run *run, struct sotto_census_worker **out);
void sotto_census_worker_close(struct sotto_census_worker *w);
struct sotto_census_reader *sotto_census_worker_reader(struct sotto_census_worker *w);

/* Computes the slots of a node and of those below it that need one. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_gather(struct sotto_census_worker *w, size_t node);

/*
 * The estimate z (coefficients) and covariance of a node from its own measurements and the
 * children's sums given (NULL: from the children themselves, where they count).
 */
struct sotto_census_sums {
	double *z, *covariance;
};
SOTTO_MUST_CHECK enum sotto_status
sotto_census_gather_one(struct sotto_census_worker *w, size_t node,
			const struct sotto_census_sums *below, double *z, double *covariance);

/* Do measurements of the children count for this node? */
bool sotto_census_looks_below(const struct sotto_census_run *run, size_t node);

/* As above, but the slots from the task level on are not kept below `node`. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_gather_top(struct sotto_census_worker *w, size_t node);
void sotto_census_slots_release(struct sotto_census_run *run, size_t node);

/* The places that a node may have, by its bounds. */
uint64_t sotto_census_node_mask(const struct sotto_census_run *run, size_t node);

/*
 * The linear term of a node on the listed cells, its kernel, and what is known of its total
 * (variance infinite: nothing).  *own is set to memory to be freed, or NULL.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_node_terms(struct sotto_census_worker *w, size_t node, const uint32_t *cells,
			size_t n, double *h, const double **kernel, double **own, double *total,
			double *variance);

/*
 * Estimates of a node's groups (unbiased, so some may be negative); false: none were measured.
 * Groups are settled before cells: clipping hundreds of small cells would move people into
 * groups that hardly anybody is in.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_node_groups(struct sotto_census_worker *w,
							    size_t node, double *groups,
							    bool *known);

/* ---- descend.c ------------------------------------------------------------------------------------ */

/* A node's final counts, sparse. */
struct sotto_census_counts {
	size_t n;
	uint32_t *cells; /* sorted by group, then by number */
	int64_t *counts;
};

void sotto_census_counts_release(struct sotto_census_counts *c);

/* The root's final counts. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_descend_root(struct sotto_census_worker *w, struct sotto_census_counts *out);

/* Those of the children, into out[0 .. count-1]. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_descend(struct sotto_census_worker *w, size_t parent,
		     const struct sotto_census_counts *counts, struct sotto_census_counts *out);

#endif
