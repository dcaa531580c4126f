/*
 * The worker: requests in, replies out, until the other end is closed.
 */
#include "central/engine/worker/worker_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "central/engine/duckdb_embedded.h"
#include "central/engine/whole_io.h"
#include "central/engine/worker/process_limits.h"
#include "central/engine/worker/worker_launch.h"
#include "central/engine/worker/worker_message.h"
#include "central/engine/worker/worker_result.h"
#include "core/base/failure.h"

struct worker {
	struct sotto_embedded *engine; /* NULL before HELLO */
	struct sotto_error err;
	struct sotto_buffer more; /* what the reply has after its outcome */
};

/* ---- requests ---------------------------------------------------------------------- */

static enum sotto_status
start(struct worker *w, const struct sotto_engine_limits *limits, struct sotto_error *err)
{
	struct sotto_engine_limits share = *limits;

	if (sotto_machine_confine(limits) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EIO, "the engine's process could not be confined");
	share.memory = sotto_machine_share(limits);
	return sotto_embedded_open(&share, &w->engine, err);
}

/* The first fields are the same in every version, the rest only in this one. */
static enum sotto_status hello(struct worker *w, struct sotto_worker_fields *f)
{
	struct sotto_engine_limits limits;
	const char *version;
	uint32_t protocol;

	SOTTO_TRY(sotto_worker_put_u32(&w->more, SOTTO_WORKER_PROTOCOL));
	SOTTO_TRY(sotto_worker_put_text(&w->more, sotto_worker_build));
	if (!sotto_worker_take_u32(f, &protocol) || !sotto_worker_take_text(f, &version))
		return SOTTO_ECORRUPT;
	if (w->engine || protocol != SOTTO_WORKER_PROTOCOL ||
	    strcmp(version, sotto_worker_build) != 0)
		return SOTTO_ESTATE;
	if (!sotto_worker_take_u32(f, &limits.threads) ||
	    !sotto_worker_take_u64(f, &limits.memory) ||
	    !sotto_worker_take_u64(f, &limits.processor))
		return SOTTO_ECORRUPT;
	return start(w, &limits, &w->err);
}

static enum sotto_status use_postgres(struct worker *w, struct sotto_worker_fields *f)
{
	const char *dsn;
	uint32_t given;

	if (!sotto_worker_take_u32(f, &given) || !sotto_worker_take_text(f, &dsn))
		return SOTTO_ECORRUPT;
	return sotto_embedded_use_postgres(w->engine, given ? dsn : NULL, &w->err);
}

/* What a driver prints may quote rows and the address, so it is thrown away. */
static enum sotto_status fall_silent(void)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nowhere < 0)
		return SOTTO_EIO;
	if (dup2(nowhere, STDERR_FILENO) < 0) {
		(void)close(nowhere);
		return SOTTO_EIO;
	}
	(void)close(nowhere);
	return SOTTO_OK;
}

static enum sotto_status use_adbc(struct worker *w, struct sotto_worker_fields *f)
{
	const char *driver, *uri;
	bool shares_moment;

	if (!sotto_worker_take_text(f, &driver) || !sotto_worker_take_text(f, &uri))
		return SOTTO_ECORRUPT;
	SOTTO_TRY(fall_silent());
	SOTTO_TRY(sotto_embedded_use_adbc(w->engine, driver, uri, &shares_moment, &w->err));
	return sotto_worker_put_u32(&w->more, shares_moment);
}

static enum sotto_status execute(struct worker *w, struct sotto_worker_fields *f)
{
	const char *sql;

	if (!sotto_worker_take_text(f, &sql))
		return SOTTO_ECORRUPT;
	return sotto_embedded_execute(w->engine, sql);
}

static enum sotto_status lock(struct worker *w, struct sotto_worker_fields *f)
{
	const char **paths = NULL, **folders = NULL;
	size_t path_count = 0, folder_count = 0;
	enum sotto_status st = sotto_worker_take_texts(f, &paths, &path_count);

	if (st == SOTTO_OK)
		st = sotto_worker_take_texts(f, &folders, &folder_count);
	if (st == SOTTO_OK)
		st = sotto_embedded_lock(w->engine, paths, path_count, folders, folder_count);
	if (st == SOTTO_OK)
		st = sotto_machine_forbid_writing();
	free(paths);
	free(folders);
	return st;
}

static enum sotto_status prepare(struct worker *w, struct sotto_worker_fields *f)
{
	const char *sql;
	uint32_t seconds;

	if (!sotto_worker_take_text(f, &sql) || !sotto_worker_take_u32(f, &seconds))
		return SOTTO_ECORRUPT;
	return sotto_embedded_prepare(w->engine, sql, seconds, &w->err);
}

static enum sotto_status finish(struct worker *w, struct sotto_worker_fields *f)
{
	(void)f;
	sotto_embedded_finish(w->engine);
	return SOTTO_OK;
}

static enum sotto_status run(struct worker *w, struct sotto_worker_fields *f)
{
	struct sotto_engine_result *r;
	const char *sql;
	enum sotto_status st;

	if (!sotto_worker_take_text(f, &sql))
		return SOTTO_ECORRUPT;
	SOTTO_TRY(sotto_embedded_run(w->engine, sql, &r));
	st = sotto_worker_put_result(&w->more, r);
	sotto_engine_result_free(r);
	return st;
}

typedef enum sotto_status (*handler)(struct worker *w, struct sotto_worker_fields *f);

static handler find_handler(uint32_t type)
{
	switch (type) {
#define CASE(name, function)                                                                   \
	case SOTTO_WORKER_##name:                                                              \
		return function;
		SOTTO_WORKER_LIST(CASE)
#undef CASE
	default:
		return NULL;
	}
}

static enum sotto_status
handle(struct worker *w, uint32_t type, struct sotto_worker_fields *fields)
{
	handler function = find_handler(type);
	enum sotto_status st;

	if (!function || (!w->engine && type != SOTTO_WORKER_HELLO))
		return SOTTO_ESTATE;
	st = function(w, fields);
	return st == SOTTO_OK && fields->next != fields->end ? SOTTO_ECORRUPT : st;
}

/* ---- messages ----------------------------------------------------------------------- */

static bool reply(struct worker *w, uint32_t type, enum sotto_status st)
{
	const struct sotto_worker_outcome outcome = {
		.status = st,
		.sentence = w->err.text,
		.detail = w->engine ? sotto_embedded_detail(w->engine) : ""};
	struct sotto_worker_header header = {.type = type};
	uint8_t bytes[SOTTO_WORKER_HEADER];
	struct sotto_buffer first;
	bool sent = false;

	sotto_buffer_init(&first, 1 << 16);
	if (sotto_worker_put_outcome(&first, &outcome) == SOTTO_OK) {
		header.length = first.length + w->more.length;
		sotto_worker_header_write(&header, bytes);
		sent = sotto_write_all(SOTTO_WORKER_SOCKET, bytes, sizeof bytes) &&
		       sotto_write_all(SOTTO_WORKER_SOCKET, first.bytes, first.length) &&
		       sotto_write_all(SOTTO_WORKER_SOCKET, w->more.bytes, w->more.length);
	}
	sotto_buffer_release(&first);
	return sent;
}

static bool serve_one(struct worker *w)
{
	struct sotto_worker_header header;
	struct sotto_worker_fields fields;
	uint8_t bytes[SOTTO_WORKER_HEADER];
	uint8_t *message;
	bool served;

	if (!sotto_read_all(SOTTO_WORKER_SOCKET, bytes, sizeof bytes) ||
	    !sotto_worker_header_read(bytes, SOTTO_WORKER_REQUEST_MAX, &header))
		return false;
	message = malloc((size_t)header.length + 1);
	if (!message || !sotto_read_all(SOTTO_WORKER_SOCKET, message, (size_t)header.length)) {
		free(message);
		return false;
	}
	fields = (struct sotto_worker_fields){message, message + header.length};
	w->err.text[0] = '\0';
	sotto_buffer_init(&w->more, SIZE_MAX / 4); /* its memory is the limit */
	served = reply(w, header.type, handle(w, header.type, &fields));
	sotto_buffer_release(&w->more);
	free(message);
	return served;
}

/* ---- the end ------------------------------------------------------------------------ */

/*
 * Also in the middle of a query: nobody waits for it any more.  (A signal at the parent's
 * death would come at that of the thread that started this process.)
 */
static void *watch(void *nothing)
{
	struct pollfd p = {.fd = SOTTO_WORKER_SOCKET, .events = POLLRDHUP};

	(void)nothing;
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		continue;
	_exit(0);
}

enum sotto_status sotto_worker_loop(struct sotto_error *err)
{
	struct worker w = {0};
	pthread_t watcher;

	if (pthread_create(&watcher, NULL, watch, NULL) != 0)
		return sotto_fail(err, SOTTO_EIO, "no thread could be started");
	(void)signal(SIGPIPE, SIG_IGN); /* the watcher sees that the client is gone */
	while (serve_one(&w))
		continue;
	_exit(0);
}
