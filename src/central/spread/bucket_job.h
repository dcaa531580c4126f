/*
 * bucket_job.h - the job of one worker: the plan's query over one bucket, or a slice of a
 * layout
 *
 * All that a worker needs, and all that it must find as the coordinator found it: versions,
 * files, the hash.  A job holds no private value.
 */
#ifndef SOTTO_BUCKET_JOB_H
#define SOTTO_BUCKET_JOB_H

#include "central/engine/file_identity.h"
#include "central/spread/merge/partial.h"

enum { SOTTO_JOB_VERSION = 2, SOTTO_JOB_NONCE = 16 };

/*
 * A job has finished noisy answers in it.  How many groups with private keys these have is known
 * only after the charge, so it has no limit but the memory of both ends.
 */
#define SOTTO_JOB_MAX (SIZE_MAX / 4)

/* A file that is read, as it must be. */
struct sotto_job_pin {
	const char *path;
	enum sotto_file_kind kind;
	uint64_t size;
	const char *digest;
};

struct sotto_bucket_job {
	const char *version, *engine; /* of sotto and of DuckDB */
	const char *plan; /* its digest */
	uint8_t nonce[SOTTO_JOB_NONCE]; /* the same for all buckets of a question */
	uint32_t bucket, buckets;
	uint32_t threads; /* 0: one for each core */
	uint64_t memory; /* bytes; 0: four fifths of the machine's */
	const char *check; /* a query that tells whether the hash is the known one */
	const char **statements; /* that make the sources */
	size_t statement_count;
	const char **parts; /* that make tables of finished answers; after the lock */
	size_t part_count;
	struct sotto_job_pin *files;
	size_t file_count;
	const char *sql;
	const char *folder; /* where a slice of a layout is written; "": nothing is */
	/* A query for the number of rows that lie in files of this bucket and are of another;
	 * "": no file is of one bucket. */
	const char *strays;
};

SOTTO_MUST_CHECK enum sotto_status
sotto_bucket_job_put(struct sotto_buffer *b, const struct sotto_bucket_job *j);

/*
 * Texts are borrowed from the message, lists are malloc'd: pair a success with _release.
 *
 * Fails:    SOTTO_ECORRUPT, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_bucket_job_take(struct sotto_bucket_job *j, const void *message, size_t size);
void sotto_bucket_job_release(struct sotto_bucket_job *j);

/*
 * The name of a question's jobs, whatever their buckets: what is the same in all of them, and
 * so not the files and the statements that make the sources.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_bucket_job_digest(const struct sotto_bucket_job *j, uint8_t out[SOTTO_JOB_DIGEST]);

#endif
