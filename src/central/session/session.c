/*
 * Opens what is cheap and leaves the engine and the ledger until they are needed; one lock
 * serializes all calls, and a session that a fork has copied refuses to work.
 */
#include "central/session/session.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "central/seal/manifest/manifest_hold.h"
#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/base/yaml.h"
#include "core/ledger/ledger_inside.h"
#include "core/number/nearest.h"
#include "core/number/thread_cache.h"

static enum sotto_status open_parts(struct sotto_session *s)
{
	s->schemas = calloc(s->policy.table_count + 1, sizeof(void *));
	return s->schemas ? sotto_session_take_terms(s) : SOTTO_ENOMEM;
}

/* Neither the engine's threads nor the ledger's connection are there in a child. */
static bool is_of_parent(const struct sotto_session *s)
{
	return s->process != 0 && s->process != getpid();
}

enum sotto_status sotto_session_enter(struct sotto_session *s, struct sotto_error *err)
{
	if (!s)
		return sotto_fail(err, SOTTO_EINVAL, "there is no session");
	if (is_of_parent(s))
		return sotto_fail(
			err, SOTTO_ESTATE,
			"the session was opened before fork(); a child opens its own");
	sotto_thread_cache_care();
	(void)pthread_mutex_lock(&s->lock);
	return SOTTO_OK;
}

void sotto_session_leave(struct sotto_session *s)
{
	sotto_manifest_let_go(&s->held_manifest);
	(void)pthread_mutex_unlock(&s->lock);
}

enum sotto_status
sotto_session_open(const char *policy, struct sotto_session **out, struct sotto_error *err)
{
	return sotto_session_open_with(policy, NULL, out, err);
}

enum sotto_status sotto_session_open_with(const char *policy,
					  const struct sotto_session_options *options,
					  struct sotto_session **out, struct sotto_error *err)
{
	struct sotto_session *s;
	enum sotto_status st;

	if (!policy || !out)
		return sotto_fail(err, SOTTO_EINVAL, "a session needs the file of a policy");
	s = calloc(1, sizeof *s);
	if (!s)
		return SOTTO_ENOMEM;
	s->held_manifest = -1;
	s->process = getpid();
	sotto_thread_cache_care();
	st = sotto_policy_load(&s->policy, policy, err);
	if (st == SOTTO_OK && pthread_mutex_init(&s->lock, NULL) != 0) {
		sotto_policy_release(&s->policy);
		st = SOTTO_ENOMEM;
	}
	if (st != SOTTO_OK) {
		free(s);
		return st;
	}
	if (options)
		s->options = *options;
	s->clock = &sotto_clock_system;
	s->looking = UINT64_MAX;
	sotto_arena_init(&s->arena, SOTTO_SESSION_ARENA);
	sotto_answer_table_texts_init(&s->parts);
	st = open_parts(s);
	if (st != SOTTO_OK) {
		sotto_session_close(s);
		return st;
	}
	*out = s;
	return SOTTO_OK;
}

void sotto_session_close(struct sotto_session *s)
{
	if (!s)
		return;
	if (!is_of_parent(s))
		sotto_engine_close(s->engine);
	sotto_ledger_take_back(s->ledger);
	sotto_rng_close(s->rng);
	free(s->schemas);
	free(s->terms);
	free(s->admitted);
	free(s->limits);
	(void)pthread_mutex_destroy(&s->lock);
	sotto_manifest_let_go(&s->held_manifest);
	if (s->has_manifest)
		sotto_manifest_release(&s->manifest);
	sotto_arena_release(&s->arena);
	sotto_answer_table_texts_release(&s->parts);
	sotto_policy_release(&s->policy);
	free(s);
}

void sotto_session_set_threads(struct sotto_session *s, unsigned threads)
{
	if (sotto_session_enter(s, NULL) != SOTTO_OK)
		return;
	s->threads = threads;
	sotto_session_leave(s);
}

void sotto_session_set_progress(struct sotto_session *s, sotto_progress_fn progress,
				void *context)
{
	if (sotto_session_enter(s, NULL) != SOTTO_OK)
		return;
	s->progress = progress;
	s->progress_context = context;
	sotto_session_leave(s);
}

/* The policy does not change, so no lock is needed. */
bool sotto_session_analyst(const struct sotto_session *s, size_t i, const char **name)
{
	if (!s || !name || i >= s->policy.analyst_count)
		return false;
	*name = s->policy.analysts[i].name;
	return true;
}

/*
 * The engine's words may hold values of rows, so the file is its owner's alone; in one line, so that
 * no value, and no worker, adds lines of its own.
 */
void sotto_session_log(const struct sotto_session *s, const char *what, const char *detail)
{
	int fd = s->policy.log ? open(s->policy.log,
				      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
				      S_IRUSR | S_IWUSR)
			       : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "a") : NULL;

	if (!f) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	(void)fprintf(f, "%lld %s: ", (long long)time(NULL), what);
	for (const char *c = detail; *c; c++)
		(void)fputc((unsigned char)*c < ' ' || *c == '\x7f' ? ' ' : *c, f);
	(void)fputc('\n', f);
	(void)fclose(f);
}

enum sotto_status sotto_session_schema(void *session, const struct sotto_policy_table *table,
				       const struct sotto_schema_table **out,
				       struct sotto_error *err)
{
	struct sotto_session *s = session;
	size_t i = (size_t)(table - s->policy.tables);

	if (s->schemas[i])
		SOTTO_TRY(sotto_source_check(s, table, err));
	if (!s->schemas[i]) {
		struct sotto_schema_table *t = sotto_arena_alloc(&s->arena, sizeof *t);

		if (!t)
			return SOTTO_ENOMEM;
		SOTTO_TRY(sotto_source_open(s, table, t, err));
		s->schemas[i] = t;
	}
	*out = s->schemas[i];
	return SOTTO_OK;
}
