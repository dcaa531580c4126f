/*
 * A worker for one bucket of a question, or for one slice of a layout.
 *
 * (1) Nothing is run before versions, files and the hash are what the job says.
 * (2) Files are looked at again after the query: what was read is what was sealed.
 * (3) When the coordinator goes, this process ends, also in the middle of a query.
 */
#include "central/spread/spread_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/engine/duckdb_embedded.h"
#include "central/spread/channel/spread_channel.h"
#include "central/spread/bucket_job.h"
#include "central/spread/refusal.h"
#include "central/spread/slice_write.h"
#include "central/spread/channel/spread_socket.h"
#include "central/engine/whole_io.h"
#include "central/engine/worker/process_limits.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

/* What this process sends is as long as its memory allows (buckets_run.c). */
#define LENGTH_MAX (SIZE_MAX / 4)

struct worker {
	struct sotto_ticket ticket;
	struct sotto_channel channel;
	int in, out;
	struct sotto_bucket_job job;
	void *message; /* that the job is read from */
	struct sotto_embedded *engine;
	enum sotto_refusal why;
	struct sotto_error words; /* about that, for the owner's log */
	uint64_t strays; /* rows of other units in files of this bucket */
	atomic_bool is_done; /* what was found is on its way: the coordinator may go */
	int done[2]; /* a pipe that is closed then */
};

/* ---- talking ----------------------------------------------------------------------- */

static enum sotto_status read_ticket(struct worker *w, struct sotto_error *err)
{
	char line[SOTTO_TICKET_MAX + 1];
	enum sotto_status st;
	size_t n = 0;

	while (!isatty(0) && n < SOTTO_TICKET_MAX && sotto_read_all(0, line + n, 1)) {
		if (line[n++] == '\n')
			break;
	}
	line[n] = '\0';
	st = sotto_ticket_read(&w->ticket, line);
	sotto_wipe(line, sizeof line);
	return st == SOTTO_OK ? st
			      : sotto_fail(err, SOTTO_EREFUSED,
					   "a worker is started by sotto itself, when a query "
					   "needs the engine");
}

static enum sotto_status reach(struct worker *w, struct sotto_error *err)
{
	w->in = 0;
	w->out = 1;
	if (strcmp(w->ticket.address, "-") == 0)
		return SOTTO_OK;
	if (sotto_socket_connect(w->ticket.address, &w->in) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EIO, "the coordinator could not be reached at %s",
				  w->ticket.address);
	w->out = w->in;
	return SOTTO_OK;
}

static enum sotto_status
send_frame(struct worker *w, enum sotto_frame_type type, const struct sotto_buffer *b)
{
	struct sotto_buffer frame;
	enum sotto_status st;

	sotto_buffer_init(&frame, LENGTH_MAX);
	st = sotto_channel_seal(&w->channel, type, sotto_buffer_text(b), b->length, &frame);
	if (st == SOTTO_OK && !sotto_write_all(w->out, frame.bytes, frame.length))
		st = SOTTO_EIO;
	sotto_buffer_release(&frame);
	return st;
}

static enum sotto_status greet(struct worker *w)
{
	uint8_t opening[SOTTO_CHANNEL_OPENING];
	struct sotto_buffer b;
	enum sotto_status st;

	SOTTO_TRY(sotto_channel_begin(&w->channel, &w->ticket, opening));
	if (!sotto_write_all(w->out, opening, sizeof opening))
		return SOTTO_EIO;
	sotto_buffer_init(&b, 4096);
	st = sotto_worker_put_u32(&b, w->ticket.bucket);
	if (st == SOTTO_OK)
		st = sotto_worker_put_text(&b, SOTTO_VERSION);
	if (st == SOTTO_OK)
		st = send_frame(w, SOTTO_FRAME_HELLO, &b);
	sotto_buffer_release(&b);
	return st;
}

static enum sotto_status receive_job(struct worker *w)
{
	uint8_t header[SOTTO_WORKER_HEADER], *bytes;
	enum sotto_frame_type type;
	size_t length, n;

	if (!sotto_read_all(w->in, header, sizeof header))
		return SOTTO_EIO;
	SOTTO_TRY(sotto_channel_measure(header, sizeof header, SOTTO_JOB_MAX, &length));
	w->message = malloc(length + 1);
	if (!w->message)
		return SOTTO_ENOMEM;
	memcpy(w->message, header, sizeof header);
	if (!sotto_read_all(w->in, (uint8_t *)w->message + sizeof header,
			    length - sizeof header))
		return SOTTO_EIO;
	SOTTO_TRY(sotto_channel_unseal(&w->channel, w->message, length, &type, &bytes, &n));
	if (type != SOTTO_FRAME_JOB)
		return SOTTO_ECORRUPT;
	return sotto_bucket_job_take(&w->job, bytes, n);
}

/* Nothing more is to come from the coordinator: whatever does is the end.  Until the job is done. */
static void *watch(void *worker)
{
	struct worker *w = worker;
	struct pollfd p[] = {{.fd = w->in, .events = POLLIN | POLLRDHUP},
			     {.fd = w->done[0], .events = POLLIN}};

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		continue;
	if (!atomic_load(&w->is_done))
		_exit(1);
	return NULL;
}

static enum sotto_status watch_begin(struct worker *w, pthread_t *watcher)
{
	w->why = SOTTO_REFUSAL_ENGINE;
	if (pipe2(w->done, O_CLOEXEC) != 0)
		return sotto_fail(&w->words, SOTTO_EIO, "it may open too few files");
	if (pthread_create(watcher, NULL, watch, w) == 0)
		return SOTTO_OK;
	(void)close(w->done[0]);
	(void)close(w->done[1]);
	return sotto_fail(&w->words, SOTTO_EIO, "it may start too few threads");
}

/* The watcher looks at the worker, and so ends before the worker does. */
static void watch_end(struct worker *w, pthread_t watcher)
{
	(void)close(w->done[1]);
	(void)pthread_join(watcher, NULL);
	(void)close(w->done[0]);
}

/* ---- the job ----------------------------------------------------------------------- */

static enum sotto_status refuse(struct worker *w, enum sotto_refusal why, const char *words)
{
	w->why = why;
	return sotto_fail(&w->words, SOTTO_ESTATE, "%s", words);
}

static enum sotto_status check_files(struct worker *w)
{
	for (size_t i = 0; i < w->job.file_count; i++) {
		const struct sotto_job_pin *f = &w->job.files[i];
		struct sotto_identity id;

		if (sotto_identity_take(&id, f->path, f->kind) != SOTTO_OK ||
		    id.size != f->size || strcmp(id.digest, f->digest) != 0)
			return refuse(w, SOTTO_REFUSAL_FILES, f->path);
	}
	return SOTTO_OK;
}

static enum sotto_status start_engine(struct worker *w)
{
	struct sotto_engine_limits limits = {.threads = w->job.threads,
					     .memory = w->job.memory};

	if (strcmp(w->job.version, SOTTO_VERSION) != 0)
		return refuse(w, SOTTO_REFUSAL_VERSION, "sotto " SOTTO_VERSION);
	SOTTO_TRY(sotto_machine_limit(&limits, &w->words));
	SOTTO_TRY(sotto_machine_confine(&limits));
	limits.memory = sotto_machine_share(&limits);
	SOTTO_TRY(sotto_embedded_open(&limits, &w->engine, &w->words));
	return strcmp(sotto_embedded_version(w->engine), w->job.engine) == 0
		       ? SOTTO_OK
		       : refuse(w, SOTTO_REFUSAL_VERSION, sotto_embedded_version(w->engine));
}

static enum sotto_status check_hash(struct worker *w)
{
	struct sotto_engine_result *r = NULL;
	bool same = false;

	if (sotto_embedded_run(w->engine, w->job.check, &r) == SOTTO_OK &&
	    sotto_engine_rows(r) == 1 && sotto_engine_has_shape(r, 1, 0, 0)) {
		struct sotto_engine_cell cell = sotto_engine_cell(r, 0, 0);

		same = cell.kind == SOTTO_ENGINE_BOOL && cell.integer;
	}
	sotto_engine_result_free(r);
	return same ? SOTTO_OK : refuse(w, SOTTO_REFUSAL_HASH, "");
}

static enum sotto_status execute(struct worker *w, const char **statements, size_t count)
{
	for (size_t i = 0; i < count; i++)
		SOTTO_TRY(sotto_embedded_execute(w->engine, statements[i]));
	return SOTTO_OK;
}

static enum sotto_status lock(struct worker *w)
{
	const char **paths = calloc(w->job.file_count + 1, sizeof *paths);
	enum sotto_status st;

	if (!paths)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < w->job.file_count; i++)
		paths[i] = w->job.files[i].path;
	st = sotto_embedded_lock(w->engine, paths, w->job.file_count, NULL, 0);
	free(paths);
	return st == SOTTO_OK ? sotto_machine_forbid_writing() : st;
}

/* For the owner's log alone: whether it can be counted decides nothing. */
static void count_strays(struct worker *w)
{
	struct sotto_engine_result *r = NULL;

	if (w->job.strays[0] && sotto_embedded_run(w->engine, w->job.strays, &r) == SOTTO_OK &&
	    sotto_engine_rows(r) == 1 && sotto_engine_has_shape(r, 1, 0, 0)) {
		struct sotto_engine_cell cell = sotto_engine_cell(r, 0, 0);

		w->strays = cell.kind == SOTTO_ENGINE_INTEGER ? (uint64_t)cell.integer : 0;
	}
	sotto_engine_result_free(r);
}

/* The plan's query, over views of the bucket; nothing can be written. */
static enum sotto_status run_query(struct worker *w, struct sotto_engine_result **out)
{
	enum sotto_status st;

	SOTTO_TRY(execute(w, w->job.statements, w->job.statement_count));
	SOTTO_TRY(lock(w));
	SOTTO_TRY(execute(w, w->job.parts, w->job.part_count));
	SOTTO_TRY(sotto_embedded_run_partial(w->engine, w->job.sql, out));
	st = sotto_partial_settle(*out);
	count_strays(w);
	return st;
}

/* The last statement writes into the current folder; what is written is then compared. */
static enum sotto_status run_slice(struct worker *w, struct sotto_engine_result **out)
{
	struct sotto_slice slice;
	enum sotto_status st;

	if (w->job.statement_count == 0)
		return refuse(w, SOTTO_REFUSAL_JOB, "");
	SOTTO_TRY(sotto_slice_open(&slice, w->job.folder, w->job.bucket));
	st = execute(w, w->job.statements, w->job.statement_count - (slice.is_there ? 1 : 0));
	if (st == SOTTO_OK)
		st = sotto_slice_keep(&slice);
	if (st == SOTTO_OK)
		st = sotto_slice_enter(&slice);
	sotto_slice_close(&slice);
	SOTTO_TRY(st);
	return sotto_embedded_run_partial(w->engine, w->job.sql, out);
}

static enum sotto_status run(struct worker *w, struct sotto_engine_result **out)
{
	enum sotto_status st;

	w->why = SOTTO_REFUSAL_ENGINE;
	if (w->job.bucket != w->ticket.bucket)
		return refuse(w, SOTTO_REFUSAL_JOB, "");
	SOTTO_TRY(start_engine(w));
	SOTTO_TRY(check_hash(w));
	SOTTO_TRY(check_files(w));
	st = w->job.folder[0] ? run_slice(w, out) : run_query(w, out);
	if (st == SOTTO_OK)
		st = check_files(w);
	if (st != SOTTO_OK) {
		sotto_engine_result_free(*out);
		*out = NULL;
	}
	return st;
}

/* Also where there are none: whoever watches the wire learns nothing of any row. */
static enum sotto_status send_strays(struct worker *w)
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 64);
	st = sotto_worker_put_u64(&b, w->strays);
	if (st == SOTTO_OK)
		st = send_frame(w, SOTTO_FRAME_STRAYS, &b);
	sotto_buffer_release(&b);
	return st;
}

static enum sotto_status send_refusal(struct worker *w, enum sotto_status why)
{
	const char *words = w->words.text;
	struct sotto_buffer b;
	enum sotto_status st;

	if (!*words && w->engine)
		words = sotto_embedded_detail(w->engine);
	if (!*words && why == SOTTO_ENOMEM)
		words = "its memory had no room for its partial result";
	sotto_buffer_init(&b, 1 << 16);
	st = sotto_refusal_put(&b, w->why, words);
	if (st == SOTTO_OK)
		st = send_frame(w, SOTTO_FRAME_REFUSAL, &b);
	sotto_buffer_release(&b);
	return st == SOTTO_OK ? SOTTO_EIO : st;
}

/* The result is freed as soon as it is written: memory is what limits how long it can be. */
static enum sotto_status send_partial(struct worker *w, struct sotto_engine_result **r)
{
	uint8_t digest[SOTTO_JOB_DIGEST];
	struct sotto_buffer b;
	enum sotto_status st = sotto_bucket_job_digest(&w->job, digest);

	sotto_buffer_init(&b, LENGTH_MAX);
	if (st == SOTTO_OK)
		st = send_strays(w);
	if (st == SOTTO_OK)
		st = sotto_partial_put(&b, digest, w->job.bucket, *r);
	sotto_engine_result_free(*r);
	*r = NULL;
	if (st == SOTTO_OK)
		st = send_frame(w, SOTTO_FRAME_PARTIAL, &b);
	if (b.bytes)
		sotto_wipe(b.bytes, b.length);
	sotto_buffer_release(&b);
	return st == SOTTO_ENOMEM ? send_refusal(w, st) : st;
}

/* Whatever becomes of the job, the coordinator hears of it. */
static enum sotto_status do_job(struct worker *w)
{
	struct sotto_engine_result *r = NULL;
	bool is_watched = false;
	enum sotto_status st;
	pthread_t watcher;

	st = receive_job(w);
	if (st == SOTTO_EIO)
		return st;
	w->why = SOTTO_REFUSAL_JOB;
	if (st == SOTTO_OK) {
		st = watch_begin(w, &watcher);
		is_watched = st == SOTTO_OK;
		if (is_watched)
			st = run(w, &r);
	}
	atomic_store(&w->is_done, true);
	if (st == SOTTO_OK)
		st = send_partial(w, &r);
	else
		st = send_refusal(w, st);
	if (is_watched)
		watch_end(w, watcher);
	sotto_engine_result_free(r);
	return st;
}

enum sotto_status sotto_spread_serve(struct sotto_error *err)
{
	struct worker w = {.in = -1, .out = -1};
	enum sotto_status st;

	SOTTO_TRY(read_ticket(&w, err));
	SOTTO_TRY(reach(&w, err));
	st = greet(&w);
	sotto_wipe(w.ticket.token, sizeof w.ticket.token);
	if (st == SOTTO_OK)
		st = do_job(&w);
	if (st != SOTTO_OK)
		st = sotto_fail(err, st, "the worker of bucket %u ended without an answer%s%s",
				(unsigned)w.ticket.bucket, w.words.text[0] ? ": " : "",
				w.words.text);
	sotto_embedded_close(w.engine);
	sotto_bucket_job_release(&w.job);
	free(w.message);
	sotto_channel_release(&w.channel);
	return st;
}
