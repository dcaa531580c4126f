/*
 * buckets_run.h - one query on all buckets
 */
#ifndef SOTTO_BUCKETS_RUN_H
#define SOTTO_BUCKETS_RUN_H

#include "central/spread/bucket_job.h"
#include "central/spread/launcher/launcher.h"
#include "central/spread/merge/partial.h"
#include "central/spread/refusal.h"

/* Fills in the job of one bucket; what it points to lives until the next call. */
typedef enum sotto_status (*sotto_bucket_job_fn)(void *context, uint32_t bucket,
						 struct sotto_bucket_job *out);
typedef void (*sotto_buckets_done_fn)(void *context, uint32_t done, uint32_t buckets);

struct sotto_spread_work {
	const struct sotto_spread_settings *settings;
	const struct sotto_partial_shape *shape;
	sotto_bucket_job_fn job;
	void *job_context;
	sotto_buckets_done_fn done; /* NULL: nobody wants to know */
	void *done_context;
	uint64_t time; /* nanoseconds from now that all of it may take */
};

/* How it went, for the owner's log; may hold words of the engine about private values. */
struct sotto_spread_account {
	unsigned started, lost, repeated, strangers;
	uint64_t strays; /* rows that lay in a wrong bucket, and were left out */
	uint64_t bytes; /* of partials */
	char detail[2000]; /* why it failed, or "" */
	bool is_refused; /* it failed because a worker refused its job, */
	enum sotto_refusal refusal; /* for this reason */
	char words[500]; /* what the last worker that was lost said, or "" */
};

/*
 * Runs the jobs of all buckets and adds up what they found.  A worker that is lost is started
 * again, a few times; the partial of each bucket counts once.  Whatever happens, no process
 * that was started is left when this returns.
 *
 * Fails:    SOTTO_EIO if a bucket has no partial (workers were lost, out of time);
 *           SOTTO_ESTATE if a worker refused, or if there were two different partials for a
 *           bucket; SOTTO_ECORRUPT for a partial that is none.  Nothing may be answered.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_buckets_run(const struct sotto_spread_work *work,
						     struct sotto_engine_result **out,
						     struct sotto_spread_account *account);

#endif
