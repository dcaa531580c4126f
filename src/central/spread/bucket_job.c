/*
 * Writes and reads the fields in one order; the digest of a job leaves its bucket out, so that
 * all jobs of a query have the same one.
 */
#include "central/spread/bucket_job.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "central/spread/bucket.h"
#include "core/base/digest_text.h"
#include "core/base/failure.h"

/* ---- writing ----------------------------------------------------------------------- */

static enum sotto_status put_files(struct sotto_buffer *b, const struct sotto_bucket_job *j)
{
	SOTTO_TRY(sotto_worker_put_u64(b, j->file_count));
	for (size_t i = 0; i < j->file_count; i++) {
		const struct sotto_job_pin *f = &j->files[i];

		SOTTO_TRY(sotto_worker_put_text(b, f->path));
		SOTTO_TRY(sotto_worker_put_u32(b, (uint32_t)f->kind));
		SOTTO_TRY(sotto_worker_put_u64(b, f->size));
		SOTTO_TRY(sotto_worker_put_text(b, f->digest));
	}
	return SOTTO_OK;
}

/* The first fields are the same in every version, so that another one can say what it is. */
static enum sotto_status put_common(struct sotto_buffer *b, const struct sotto_bucket_job *j)
{
	SOTTO_TRY(sotto_worker_put_u32(b, SOTTO_JOB_VERSION));
	SOTTO_TRY(sotto_worker_put_text(b, j->version));
	SOTTO_TRY(sotto_worker_put_text(b, j->engine));
	SOTTO_TRY(sotto_worker_put_text(b, j->plan));
	SOTTO_TRY(sotto_buffer_append(b, j->nonce, sizeof j->nonce));
	SOTTO_TRY(sotto_worker_put_u32(b, j->buckets));
	SOTTO_TRY(sotto_worker_put_u32(b, j->threads));
	SOTTO_TRY(sotto_worker_put_u64(b, j->memory));
	SOTTO_TRY(sotto_worker_put_text(b, j->check));
	SOTTO_TRY(sotto_worker_put_texts(b, j->parts, j->part_count));
	SOTTO_TRY(sotto_worker_put_text(b, j->sql));
	return sotto_worker_put_text(b, j->folder ? j->folder : "");
}

enum sotto_status sotto_bucket_job_put(struct sotto_buffer *b, const struct sotto_bucket_job *j)
{
	SOTTO_TRY(sotto_worker_put_u32(b, j->bucket));
	SOTTO_TRY(put_common(b, j));
	SOTTO_TRY(sotto_worker_put_texts(b, j->statements, j->statement_count));
	SOTTO_TRY(sotto_worker_put_text(b, j->strays ? j->strays : ""));
	return put_files(b, j);
}

enum sotto_status
sotto_bucket_job_digest(const struct sotto_bucket_job *j, uint8_t out[SOTTO_JOB_DIGEST])
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, SOTTO_JOB_MAX);
	st = put_common(&b, j);
	if (st == SOTTO_OK && EVP_Digest(b.bytes, b.length, out, NULL, EVP_sha256(), NULL) != 1)
		st = SOTTO_ENOMEM;
	sotto_buffer_release(&b);
	return st;
}

/* ---- reading ----------------------------------------------------------------------- */

static bool take_file(struct sotto_worker_fields *f, struct sotto_job_pin *out)
{
	uint32_t kind;

	if (!sotto_worker_take_text(f, &out->path) || !sotto_worker_take_u32(f, &kind) ||
	    kind > SOTTO_FILE_DATABASE || !sotto_worker_take_u64(f, &out->size) ||
	    !sotto_worker_take_text(f, &out->digest) ||
	    strlen(out->digest) != SOTTO_DIGEST_SIZE - 1)
		return false;
	out->kind = (enum sotto_file_kind)kind;
	return true;
}

/* Each has two lengths and two NULs at least: the message bounds what is allocated. */
static enum sotto_status take_files(struct sotto_worker_fields *f, struct sotto_bucket_job *j)
{
	uint64_t n;

	if (!sotto_worker_take_u64(f, &n) || n > (uint64_t)(f->end - f->next) / 30)
		return SOTTO_ECORRUPT;
	j->files = calloc((size_t)n + 1, sizeof *j->files);
	if (!j->files)
		return SOTTO_ENOMEM;
	for (; j->file_count < n; j->file_count++)
		if (!take_file(f, &j->files[j->file_count]))
			return SOTTO_ECORRUPT;
	return SOTTO_OK;
}

static enum sotto_status take(struct sotto_worker_fields *f, struct sotto_bucket_job *j)
{
	uint32_t version;

	if (!sotto_worker_take_u32(f, &j->bucket) || !sotto_worker_take_u32(f, &version) ||
	    !sotto_worker_take_text(f, &j->version) || !sotto_worker_take_text(f, &j->engine))
		return SOTTO_ECORRUPT;
	if (version != SOTTO_JOB_VERSION || !sotto_worker_take_text(f, &j->plan) ||
	    !sotto_worker_take(f, j->nonce, sizeof j->nonce) ||
	    !sotto_worker_take_u32(f, &j->buckets) || !sotto_worker_take_u32(f, &j->threads) ||
	    !sotto_worker_take_u64(f, &j->memory) || !sotto_worker_take_text(f, &j->check) ||
	    j->buckets == 0 || j->buckets > SOTTO_BUCKETS_MAX || j->bucket >= j->buckets)
		return SOTTO_ECORRUPT;
	SOTTO_TRY(sotto_worker_take_texts(f, &j->parts, &j->part_count));
	if (!sotto_worker_take_text(f, &j->sql) || !sotto_worker_take_text(f, &j->folder))
		return SOTTO_ECORRUPT;
	SOTTO_TRY(sotto_worker_take_texts(f, &j->statements, &j->statement_count));
	if (!sotto_worker_take_text(f, &j->strays))
		return SOTTO_ECORRUPT;
	SOTTO_TRY(take_files(f, j));
	return f->next == f->end ? SOTTO_OK : SOTTO_ECORRUPT;
}

enum sotto_status
sotto_bucket_job_take(struct sotto_bucket_job *j, const void *message, size_t size)
{
	const uint8_t *bytes = message;
	struct sotto_worker_fields f = {bytes, bytes + size};
	enum sotto_status st;

	*j = (struct sotto_bucket_job){0};
	st = take(&f, j);
	if (st != SOTTO_OK)
		sotto_bucket_job_release(j);
	return st;
}

void sotto_bucket_job_release(struct sotto_bucket_job *j)
{
	free(j->statements);
	free(j->parts);
	free(j->files);
	*j = (struct sotto_bucket_job){0};
}
