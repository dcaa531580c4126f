/*
 * session_spread.h - a question on many workers
 *
 * The same query as on one engine, over tables of which each worker sees the units of one
 * bucket (src/central/spread/spread.md).  What is decided here: whether a question is
 * spread, whether it can be, and what workers are told.
 */
#ifndef SOTTO_SESSION_SPREAD_H
#define SOTTO_SESSION_SPREAD_H

#include "central/spread/buckets_run.h"
#include "central/session/session.h"

/* One table as workers read it. */
struct sotto_spread_table {
	const struct sotto_schema_table *schema;
	const char *const *paths; /* what is read */
	const char *const *names; /* as the policy writes it, or NULL */
	struct sotto_job_pin *pins; /* as many */
	size_t count;
	const char *bucket; /* SQL of a row's bucket; NULL: rows are not divided, or by files */
	uint32_t laid_out; /* files lie in so many folders bucket=I; 0: they do not */
	size_t *first,
		*next; /* if so: the first file of each bucket, those after it; or count */
};

/* ---- session_spread.c ---------------------------------------------------------------- */

/*
 * At the start of a question: it is spread over the given number of processes of this
 * machine, or, if that is 0, as the policy says.
 */
void sotto_spread_choose(struct sotto_session *s, uint32_t processes);

/*
 * Whether the plan can be spread; nothing to do if it is not to be.
 *
 * Fails:    SOTTO_EREFUSED with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_spread_check(struct sotto_session *s,
						      const struct sotto_plan *plan,
						      struct sotto_error *err);

/* Before the charge: workers can be started.  Fails: SOTTO_EMISSING with a sentence. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_prepare(struct sotto_session *s, struct sotto_error *err);

/* How it will run, for explain; borrowed from the arena, NULL without memory. */
const char *sotto_spread_text(const struct sotto_session *s, struct sotto_arena *a);

/*
 * What the engine finds for a plan, or for the limits that are to be found first: on one
 * engine or on all workers.
 *
 * Fails:    SOTTO_EIO, SOTTO_ESTATE, SOTTO_ECORRUPT, SOTTO_ENOMEM; why is in the owner's log.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_session_aggregate(struct sotto_session *s,
							   const struct sotto_plan *plan,
							   struct sotto_engine_result **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_session_aggregate_spread(struct sotto_session *s, const struct sotto_plan *plan,
			       struct sotto_engine_result **out);

/* What the columns of the plan's partials are. */
struct sotto_partial_shape sotto_spread_shape(const struct sotto_plan *plan);

/* ---- session_spread_source.c --------------------------------------------------------- */

/* The column of a private table that holds its unit; NULL: it is found by another key. */
const char *sotto_spread_unit_column(const struct sotto_policy_table *t);

/* The tables that the plan names, in the arena.  Fails: SOTTO_ESTATE, SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_tables(struct sotto_session *s, const struct sotto_plan *plan,
		    struct sotto_arena *a, struct sotto_spread_table **out, size_t *count,
		    struct sotto_error *err);

/* The statements that make one bucket of them, and the files that are read. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_fill_job(struct sotto_arena *a, const struct sotto_spread_table *tables,
		      size_t count, struct sotto_bucket_job *job);

#endif
