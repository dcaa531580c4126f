/*
 * Writes one job for each bucket from what all buckets share, runs them through the
 * coordinator, and tells the owner's log what went wrong; without buckets the engine is asked
 * directly.
 */
#include "central/session/spread/session_spread.h"

#include <inttypes.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>

#include "central/emit/engine_query.h"
#include "central/engine/worker/process_limits.h"
#include "central/engine/worker/worker_message.h"
#include "central/expression/domain/public_domain.h"
#include "central/spread/bucket.h"
#include "central/seal/policy_workers.h"
#include "core/base/digest_text.h"
#include "core/base/failure.h"

/* ---- is it spread, and over what? ------------------------------------------------------- */

void sotto_spread_choose(struct sotto_session *s, uint32_t processes)
{
	s->buckets = s->is_made_up ? 0 : processes ? processes : s->policy.spread.buckets;
	s->processes = s->is_made_up ? 0 : processes;
}

/* Processes of this machine if the question says so itself, else what the policy says. */
static struct sotto_spread_settings settings_of(const struct sotto_session *s)
{
	return sotto_policy_workers(&s->policy, s->buckets, s->processes);
}

/* Tables in buckets that the workers do not divide, for explain; NULL: no memory. */
static const char *undivided(const struct sotto_session *s, struct sotto_arena *a)
{
	const char *text = "";

	for (size_t i = 0; text && i < s->policy.table_count; i++) {
		const struct sotto_policy_table *t = &s->policy.tables[i];
		const struct sotto_sealed *e = NULL;

		if (!s->schemas[i] || t->on_server || t->is_public)
			continue;
		if (sotto_sealed_find(&s->manifest, t, a, &e) != SOTTO_OK)
			return NULL;
		if (e && e->laid_out_by && e->buckets % s->buckets != 0)
			text = sotto_arena_textf(a,
						 "%s; table %s is laid out in %" PRIu32
						 " buckets, "
						 "which %" PRIu32 " does not divide, so every "
						 "worker reads all of it",
						 text, t->name, e->buckets, s->buckets);
	}
	return text;
}

const char *sotto_spread_text(const struct sotto_session *s, struct sotto_arena *a)
{
	const struct sotto_spread_settings settings = settings_of(s);
	const char *where =
		settings.launcher->needs_master
			? sotto_arena_textf(a, "workers under %s", settings.master)
		: settings.launcher->needs_hosts
			? sotto_arena_textf(a, "workers on %zu hosts", settings.host_count)
			: sotto_arena_textf(a, "%u processes of this machine",
					    settings.parallel);

	const char *read_whole = undivided(s, a);

	if (!where || !read_whole)
		return NULL;
	return sotto_arena_textf(a,
				 "%" PRIu32
				 " buckets of units, read by %s (%s); one charge, and "
				 "one draw of noise when all buckets are in%s",
				 settings.buckets, where, settings.launcher->name, read_whole);
}

/* ---- can it be? --------------------------------------------------------------------------- */

/*
 * Sets are in a worker's memory several times, while the engine makes them, as its result, and
 * as a message: measured, a worker needs 17 times what whole numbers take in a partial, and less
 * for longer texts (spread.md, 4).
 */
enum { SET_COPIES = 32, SETS_MAX = 256 << 20 };

/* What the sets of a question may take in a partial: of the memory of one worker, as declared. */
static int64_t set_room(const struct sotto_session *s)
{
	const struct sotto_spread_settings settings = settings_of(s);
	struct sotto_engine_limits limits = {0};
	uint32_t threads;

	sotto_workers_share(&settings, s->threads, s->policy.memory, &threads, &limits.memory);
	if (limits.memory == 0 && settings.launcher->is_remote)
		return SETS_MAX;
	if (limits.memory == 0 && sotto_machine_limit(&limits, NULL) != SOTTO_OK)
		return 0;
	return limits.memory / SET_COPIES < SETS_MAX ? (int64_t)(limits.memory / SET_COPIES)
						     : SETS_MAX;
}

/* Decided by the policy and the question alone: no failure later depends on how many there are. */
static enum sotto_status check_sets(const struct sotto_session *s,
				    const struct sotto_plan *plan, struct sotto_error *err)
{
	int64_t most = set_room(s), bytes = sotto_plan_set_bytes(plan);

	if (bytes <= most)
		return SOTTO_OK;
	return sotto_fail(
		err, SOTTO_EREFUSED,
		"COUNT(DISTINCT ...) could have a worker send more than %" PRId64
		" MiB of different values, by the keys and bounds of the policy: ask for "
		"fewer groups or columns at once%s, or ask without --spread",
		most >> 20, most < SETS_MAX ? ", let memory: in the policy be larger" : "");
}

static enum sotto_status
check_one(struct sotto_session *s, const struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_spread_table *tables;
	struct sotto_arena once;
	enum sotto_status st;
	size_t count;

	if (!plan->owner || sotto_plan_is_free(plan))
		return SOTTO_OK;
	if (plan->why_whole)
		return sotto_fail(err, SOTTO_EREFUSED, "%s", plan->why_whole);
	if (sotto_plan_has_sets(plan))
		SOTTO_TRY(check_sets(s, plan, err));
	sotto_arena_init(&once, SOTTO_SESSION_ARENA);
	st = sotto_spread_tables(s, plan, &once, &tables, &count, err);
	sotto_arena_release(&once);
	return st;
}

enum sotto_status sotto_spread_check(struct sotto_session *s, const struct sotto_plan *plan,
				     struct sotto_error *err)
{
	if (s->buckets == 0)
		return SOTTO_OK;
	SOTTO_TRY(check_one(s, plan, err));
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(check_one(s, plan->parts[i], err));
	return SOTTO_OK;
}

/*
 * A job holds the answers that private rows are compared with, as statements: each value in quotes,
 * with the ends of its interval.  Texts that are too few to be counted have 64 KiB in each part, and
 * any character may be a quote, which is doubled.
 */
enum { VALUE_BYTES = 30, FEW_BYTES = 64 << 10, JOB_REST = 56 << 20 };

static double row_bytes(const struct sotto_plan *part)
{
	double values = 1;

	for (size_t i = 0; i < part->output_count; i++)
		values += sotto_output_has_interval(&part->outputs[i]) ? 3 : 1;
	return values * VALUE_BYTES;
}

enum sotto_status sotto_spread_check_parts(const struct sotto_session *s,
					   const struct sotto_plan *plan, int64_t text,
					   struct sotto_error *err)
{
	double most = (double)SOTTO_WORKER_REQUEST_MAX - JOB_REST, bytes = 2 * (double)text;

	if (s->buckets == 0 || !plan->owner)
		return SOTTO_OK;
	for (size_t i = 0; i < plan->part_count; i++) {
		const struct sotto_plan *part = plan->parts[i];
		double groups = part->most_groups >= 0 ? (double)part->most_groups
						       : (double)SOTTO_DOMAIN_MAX;

		bytes += 2 * FEW_BYTES;
		if (part->public_keys)
			bytes += groups * row_bytes(part);
	}
	return bytes <= most ? SOTTO_OK
			     : sotto_fail(err, SOTTO_EREFUSED,
					  "the groups of subqueries are sent to every worker "
					  "and could have more than %d MiB: group by fewer or "
					  "shorter keys there, or ask without --spread",
					  (int)(most / (1 << 20)));
}

enum sotto_status sotto_spread_prepare(struct sotto_session *s, struct sotto_error *err)
{
	struct sotto_spread_settings settings;
	const char *const *words;
	struct sotto_arena once;
	enum sotto_status st;

	if (s->buckets == 0)
		return SOTTO_OK;
	settings = settings_of(s);
	sotto_arena_init(&once, (size_t)1 << 20);
	st = settings.launcher->command(&once, &settings, 0, 0, &words, err);
	if (st == SOTTO_OK && settings.launcher->check)
		st = settings.launcher->check(words, err);
	sotto_arena_release(&once);
	return st;
}

/* ---- running ------------------------------------------------------------------------------ */

struct spreading {
	struct sotto_session *session;
	struct sotto_spread_table *tables;
	size_t table_count;
	struct sotto_bucket_job common; /* what all buckets share */
	struct sotto_arena arena, once; /* of the question; of one job */
	char plan[72];
	char engine[64];
	struct sotto_buffer check;
};

static enum sotto_status make_job(void *context, uint32_t bucket, struct sotto_bucket_job *out)
{
	struct spreading *w = context;

	sotto_arena_release(&w->once);
	sotto_arena_init(&w->once, SOTTO_SESSION_ARENA);
	*out = w->common;
	out->bucket = bucket;
	return sotto_spread_fill_job(&w->once, w->tables, w->table_count, out);
}

/* The version that all workers must have is that of this machine's engine. */
static enum sotto_status ask_version(struct sotto_session *s, char *out, size_t size)
{
	struct sotto_engine_result *r = NULL;
	enum sotto_status st = sotto_engine_run(s->engine, "SELECT version()", &r);

	if (st == SOTTO_OK &&
	    (sotto_engine_rows(r) != 1 || !sotto_engine_has_shape(r, 1, 0, 0) ||
	     sotto_engine_cell(r, 0, 0).kind != SOTTO_ENGINE_TEXT))
		st = SOTTO_ESTATE;
	if (st == SOTTO_OK)
		(void)snprintf(out, size, "%s", sotto_engine_cell(r, 0, 0).text);
	sotto_engine_result_free(r);
	return st;
}

/* What is asked, of which tables. */
static enum sotto_status name_plan(const struct sotto_plan *plan, const char *sql, char out[72])
{
	struct sotto_buffer b;
	enum sotto_status st;

	sotto_buffer_init(&b, 64 << 20);
	st = sotto_buffer_appendf(&b, "%s\n%s", plan->reads ? plan->reads : "", sql);
	if (st == SOTTO_OK)
		st = sotto_digest_text(sotto_buffer_text(&b), b.length, out);
	sotto_buffer_release(&b);
	return st;
}

static enum sotto_status begin(struct spreading *w, const struct sotto_plan *plan,
			       const char *sql, const struct sotto_spread_settings *settings)
{
	struct sotto_session *s = w->session;
	struct sotto_bucket_job *job = &w->common;

	SOTTO_TRY(ask_version(s, w->engine, sizeof w->engine));
	SOTTO_TRY(name_plan(plan, sql, w->plan));
	SOTTO_TRY(sotto_bucket_compose_check(&w->check));
	SOTTO_TRY(sotto_spread_tables(s, plan, &w->arena, &w->tables, &w->table_count, NULL));
	*job = (struct sotto_bucket_job){.version = SOTTO_VERSION,
					 .engine = w->engine,
					 .plan = w->plan,
					 .buckets = settings->buckets,
					 .check = sotto_buffer_text(&w->check),
					 .parts = s->parts.list,
					 .part_count = s->parts.count,
					 .sql = sql};
	sotto_workers_share(settings, s->threads, s->policy.memory, &job->threads,
			    &job->memory);
	return RAND_bytes(job->nonce, sizeof job->nonce) == 1 ? SOTTO_OK : SOTTO_EENTROPY;
}

static void tell_owner(const struct sotto_session *s, const struct sotto_spread_account *a,
		       enum sotto_status st)
{
	char line[2800];

	if (a->strays > 0) {
		(void)snprintf(line, sizeof line,
			       "%" PRIu64 " rows were in a wrong bucket and were left out: a "
			       "file was changed; run sotto seal, and sotto layout again if "
			       "it refuses",
			       a->strays);
		sotto_session_log(s, "spread", line);
	}
	if (st == SOTTO_OK && a->lost == 0 && a->repeated == 0 && a->strangers == 0)
		return;
	(void)snprintf(line, sizeof line,
		       "%u workers started, %u lost, %u repeated, %u connections without a "
		       "token refused%s%s%s%s",
		       a->started, a->lost, a->repeated, a->strangers, *a->detail ? "; " : "",
		       a->detail, *a->words ? "; a lost worker said: " : "", a->words);
	sotto_session_log(s, st == SOTTO_OK ? "spread" : "spread failed", line);
}

/* When buckets are done is a time like that of an answer. */
static bool shows_progress(const struct sotto_session *s)
{
	return (s->policy.has_pad ? s->policy.pad : s->options.pad) == 0;
}

static enum sotto_status run_spread(struct sotto_session *s, const struct sotto_plan *plan,
				    const char *sql, const struct sotto_partial_shape *shape,
				    struct sotto_engine_result **out)
{
	const struct sotto_spread_settings settings = settings_of(s);
	struct spreading w = {.session = s};
	const struct sotto_spread_work work = {.settings = &settings,
					       .shape = shape,
					       .job = make_job,
					       .job_context = &w,
					       .done = shows_progress(s) ? s->progress : NULL,
					       .done_context = s->progress_context,
					       .time = sotto_run_left(s)};
	struct sotto_spread_account account = {0};
	enum sotto_status st;

	sotto_arena_init(&w.arena, SOTTO_SESSION_ARENA);
	sotto_arena_init(&w.once, SOTTO_SESSION_ARENA);
	sotto_buffer_init(&w.check, 1 << 16);
	st = begin(&w, plan, sql, &settings);
	if (st == SOTTO_OK)
		st = sotto_buckets_run(&work, out, &account);
	tell_owner(s, &account, st);
	sotto_buffer_release(&w.check);
	sotto_arena_release(&w.once);
	sotto_arena_release(&w.arena);
	return st;
}

/* ---- what is asked ------------------------------------------------------------------------- */

struct sotto_partial_shape sotto_spread_shape(const struct sotto_plan *plan)
{
	struct sotto_partial_shape shape = {
		.keys = plan->key_count,
		.same_groups = plan->public_keys,
		.derived = plan->derived_count,
		.measures = plan->measure_count,
		.losses = sotto_loss_is_run(&plan->loss) ? plan->loss.count : 0,
		.lists = plan->choice_count};

	for (size_t i = 0; i < plan->choice_count; i++)
		shape.domains += plan->choices[i].kind == SOTTO_CHOICE_MODE;
	for (size_t i = 0; i < plan->measure_count; i++)
		if (plan->measures[i].kind == SOTTO_MEASURE_DISTINCT &&
		    shape.sets < SOTTO_PARTIAL_SETS_MAX)
			shape.set_of[shape.sets++] = i;
	return shape;
}

enum sotto_status sotto_session_aggregate(struct sotto_session *s,
					  const struct sotto_plan *plan,
					  struct sotto_engine_result **out)
{
	const struct sotto_partial_shape shape = sotto_spread_shape(plan);

	if (s->buckets == 0)
		return sotto_engine_run(s->engine, sotto_plan_sql(plan), out);
	return run_spread(s, plan, sotto_plan_partial_sql(plan), &shape, out);
}

enum sotto_status sotto_session_aggregate_spread(struct sotto_session *s,
						 const struct sotto_plan *plan,
						 struct sotto_engine_result **out)
{
	const struct sotto_partial_shape shape = {.measures = SOTTO_SPREAD_ALL};

	if (s->buckets == 0)
		return sotto_engine_run(s->engine, plan->spread.engine_sql, out);
	return run_spread(s, plan, plan->spread.engine_sql, &shape, out);
}
