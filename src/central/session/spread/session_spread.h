/*
 * session_spread.h - runs a question on many workers
 *
 * It is the same query as on one engine, over tables of which each worker sees the units of one
 * bucket (src/central/spread/spread.md).  Decided here: whether a question is spread, whether it
 * can be, and what workers are told.
 */
#ifndef SOTTO_SESSION_SPREAD_H
#define SOTTO_SESSION_SPREAD_H

#include "central/spread/buckets_run.h"
#include "central/session/session.h"

/* One table as workers read it. */
struct sotto_spread_table {
	const struct sotto_schema_table *schema;
	const char *const *paths; /* what is read */
	const char *const *names; /* as the policy writes them, or NULL */
	struct sotto_job_pin *pins; /* as many */
	size_t count;
	const char *bucket; /* SQL of a row's bucket; NULL: rows are not divided, or by files */
	uint32_t laid_out; /* number of folders bucket=I that hold the files; 0: none */
	size_t *first,
		*next; /* with folders: the first file of each bucket and the files after it; or count */
};

/* ---- session_spread.c ---------------------------------------------------------------- */

/*
 * Called at the start of a question: it is spread over the given number of processes of this
 * machine or, if that is 0, as the policy says.
 */
void sotto_spread_choose(struct sotto_session *s, uint32_t processes);

/*
 * Checks that the plan can be spread; does nothing if it is not to be.
 *
 * Fails:    SOTTO_EREFUSED with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_spread_check(struct sotto_session *s,
						      const struct sotto_plan *plan,
						      struct sotto_error *err);

/*
 * Checks that the answers of the plan's parts, which have so many bytes of text, fit into what a
 * worker is sent.  Of private keys it depends on noise how many there are, and nothing is said.
 *
 * Fails:    SOTTO_EREFUSED with a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_check_parts(const struct sotto_session *s, const struct sotto_plan *plan,
			 int64_t text, struct sotto_error *err);

/* Checks before the charge that workers can be started.  Fails: SOTTO_EMISSING with a sentence. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_prepare(struct sotto_session *s, struct sotto_error *err);

/* Returns how it will run, for explain; borrowed from the arena, NULL if out of memory. */
const char *sotto_spread_text(const struct sotto_session *s, struct sotto_arena *a);

/*
 * Has the engine, or all workers, aggregate for a plan, or for the limits that must be found
 * first.
 *
 * Fails:    SOTTO_EIO, SOTTO_ESTATE, SOTTO_ECORRUPT, SOTTO_ENOMEM; the owner's log says why.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_session_aggregate(struct sotto_session *s,
							   const struct sotto_plan *plan,
							   struct sotto_engine_result **out);
SOTTO_MUST_CHECK enum sotto_status
sotto_session_aggregate_spread(struct sotto_session *s, const struct sotto_plan *plan,
			       struct sotto_engine_result **out);

/* Returns what the columns of the plan's partials are. */
struct sotto_partial_shape sotto_spread_shape(const struct sotto_plan *plan);

/* ---- session_spread_source.c --------------------------------------------------------- */

/*
 * Returns the column of a private table that holds its unit; NULL if the unit is found by another
 * key.
 */
const char *sotto_spread_unit_column(const struct sotto_policy_table *t);

/* Lists the tables that the plan names, in the arena.  Fails: SOTTO_ESTATE, SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_tables(struct sotto_session *s, const struct sotto_plan *plan,
		    struct sotto_arena *a, struct sotto_spread_table **out, size_t *count,
		    struct sotto_error *err);

/* Writes the statements that make one bucket of them, and the files that are read. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_fill_job(struct sotto_arena *a, const struct sotto_spread_table *tables,
		      size_t count, struct sotto_bucket_job *job);

#endif
