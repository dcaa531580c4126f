/*
 * What the engine is asked for, one function for each kind of request.
 */

#include "central/engine/engine.h"
#include "central/engine/engine_result.h"
#include "central/engine/worker/engine_client.h"
#include "central/engine/worker/worker_message.h"
#include "central/engine/worker/worker_result.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

/* ---- requests ---------------------------------------------------------------------- */

enum sotto_status
sotto_engine_use_postgres(struct sotto_engine *e, const char *dsn, struct sotto_error *err)
{
	struct sotto_buffer b;
	struct sotto_worker_reply reply = {0};
	enum sotto_status st;

	sotto_buffer_init(&b, 1 << 20);
	st = sotto_worker_put_u32(&b, dsn != NULL);
	if (st == SOTTO_OK)
		st = sotto_worker_put_text(&b, dsn ? dsn : "");
	if (st == SOTTO_OK)
		st = sotto_engine_call(e, SOTTO_WORKER_POSTGRES, &b, &reply);
	if (st != SOTTO_OK)
		st = sotto_fail(err, st, "%s",
				reply.message ? reply.outcome.sentence
					      : "the engine could not be given PostgreSQL");
	sotto_worker_reply_release(&reply);
	if (b.bytes)
		sotto_wipe(b.bytes, b.length);
	sotto_buffer_release(&b);
	return st;
}

enum sotto_status sotto_engine_use_adbc(struct sotto_engine *e, const char *driver,
					const char *uri, bool *shares_moment,
					struct sotto_error *err)
{
	struct sotto_buffer b;
	struct sotto_worker_reply reply = {0};
	uint32_t shares = 0;
	enum sotto_status st;

	sotto_buffer_init(&b, 1 << 20);
	st = sotto_worker_put_text(&b, driver);
	if (st == SOTTO_OK)
		st = sotto_worker_put_text(&b, uri);
	if (st == SOTTO_OK)
		st = sotto_engine_call(e, SOTTO_WORKER_ADBC, &b, &reply);
	if (st == SOTTO_OK && !sotto_worker_take_u32(&reply.rest, &shares))
		st = SOTTO_ECORRUPT;
	if (st != SOTTO_OK)
		st = sotto_fail(err, st, "%s",
				reply.message && reply.outcome.status != SOTTO_OK
					? reply.outcome.sentence
					: "the ADBC driver ended the engine's process");
	else
		*shares_moment = shares != 0;
	sotto_worker_reply_release(&reply);
	if (b.bytes)
		sotto_wipe(b.bytes, b.length);
	sotto_buffer_release(&b);
	return st;
}

enum sotto_status sotto_engine_prepare(struct sotto_engine *e, const char *sql,
				       unsigned seconds, struct sotto_error *err)
{
	struct sotto_buffer b;
	struct sotto_worker_reply reply = {0};
	enum sotto_status st;

	sotto_buffer_init(&b, SOTTO_WORKER_REQUEST_MAX);
	st = sotto_worker_put_text(&b, sql);
	if (st == SOTTO_OK)
		st = sotto_worker_put_u32(&b, seconds);
	if (st == SOTTO_OK)
		st = sotto_engine_call(e, SOTTO_WORKER_PREPARE, &b, &reply);
	if (st != SOTTO_OK)
		st = sotto_fail(err, st, "%s",
				reply.message ? reply.outcome.sentence
					      : "the engine could not prepare the query");
	sotto_worker_reply_release(&reply);
	sotto_buffer_release(&b);
	return st;
}

/* Nothing depends on it but connections, which end with the worker at the latest. */
void sotto_engine_finish(struct sotto_engine *e)
{
	const struct sotto_buffer nothing = {0};
	struct sotto_worker_reply reply = {0};

	(void)sotto_engine_call(e, SOTTO_WORKER_FINISH, &nothing, &reply);
	sotto_worker_reply_release(&reply);
}

/* A request whose only field is SQL. */
static enum sotto_status submit(struct sotto_engine *e, enum sotto_worker_type type,
				const char *sql, struct sotto_worker_reply *reply)
{
	struct sotto_buffer b;
	enum sotto_status st;

	*reply = (struct sotto_worker_reply){0};
	sotto_buffer_init(&b, SOTTO_WORKER_REQUEST_MAX);
	st = sotto_worker_put_text(&b, sql);
	if (st == SOTTO_OK)
		st = sotto_engine_call(e, type, &b, reply);
	sotto_buffer_release(&b);
	return st;
}

enum sotto_status sotto_engine_execute(struct sotto_engine *e, const char *sql)
{
	struct sotto_worker_reply reply;
	enum sotto_status st = submit(e, SOTTO_WORKER_EXECUTE, sql, &reply);

	sotto_worker_reply_release(&reply);
	return st;
}

enum sotto_status sotto_engine_lock(struct sotto_engine *e, const char *const *paths,
				    size_t path_count, const char *const *folders,
				    size_t folder_count)
{
	struct sotto_buffer b;
	struct sotto_worker_reply reply = {0};
	enum sotto_status st;

	sotto_buffer_init(&b, SOTTO_WORKER_REQUEST_MAX);
	st = sotto_worker_put_texts(&b, paths, path_count);
	if (st == SOTTO_OK)
		st = sotto_worker_put_texts(&b, folders, folder_count);
	if (st == SOTTO_OK)
		st = sotto_engine_call(e, SOTTO_WORKER_LOCK, &b, &reply);
	sotto_worker_reply_release(&reply);
	sotto_buffer_release(&b);
	return st;
}

enum sotto_status
sotto_engine_run(struct sotto_engine *e, const char *sql, struct sotto_engine_result **out)
{
	struct sotto_worker_reply reply;
	enum sotto_status st = submit(e, SOTTO_WORKER_RUN, sql, &reply);

	if (st == SOTTO_OK) {
		st = sotto_worker_take_result(&reply.rest, reply.message, reply.size,
					      SOTTO_REPLY_VALUES, out);
		if (st == SOTTO_OK)
			return SOTTO_OK; /* the result has taken the message */
		sotto_engine_lose(e, st);
		st = st == SOTTO_ECORRUPT ? SOTTO_EIO : st;
	}
	sotto_worker_reply_release(&reply);
	return st;
}

enum sotto_status sotto_engine_columns(struct sotto_engine *e, const char *relation,
				       sotto_engine_column_fn each, void *context)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 1 << 20);
	st = sotto_buffer_appendf(&b,
				  "SELECT column_name, column_type FROM (DESCRIBE SELECT * "
				  "FROM %s)",
				  relation);
	if (st == SOTTO_OK)
		st = sotto_engine_run(e, sotto_buffer_text(&b), &r);
	sotto_buffer_release(&b);
	if (st == SOTTO_OK && !sotto_engine_has_shape(r, 2, 0, 0))
		st = SOTTO_EIO;
	for (size_t i = 0; st == SOTTO_OK && i < sotto_engine_rows(r); i++) {
		struct sotto_engine_cell name = sotto_engine_cell(r, i, 0);
		struct sotto_engine_cell type = sotto_engine_cell(r, i, 1);

		st = name.text && type.text ? each(context, name.text, type.text) : SOTTO_EIO;
	}
	sotto_engine_result_free(r);
	return st;
}
