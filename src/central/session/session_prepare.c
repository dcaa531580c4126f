/*
 * What is done before anything is charged: the engine is started and confined,
 * public tables are looked at, and a server gives what the query will need.
 */
#include <stdlib.h>
#include <string.h>

#include "central/session/answer/answer_table.h"
#include "central/session/session.h"
#include "central/session/spread/session_spread.h"
#include "core/base/failure.h"

/* Of one statement on a server, if nothing ends the query before. */
enum { SECOND = 1000000000 };

enum sotto_status sotto_session_ready(struct sotto_session *s, struct sotto_error *err)
{
	SOTTO_TRY(sotto_session_engine(s, err));
	SOTTO_TRY(sotto_source_define(s, err));
	if (sotto_source_lock(s) != SOTTO_OK) {
		sotto_session_log(s, "lock", sotto_engine_detail(s->engine));
		return sotto_fail(err, SOTTO_EIO,
				  "the engine could not be confined to the sources");
	}
	return s->rng ? SOTTO_OK : sotto_rng_open(&s->rng);
}

/* Nanoseconds by the clock for what should take a tenth of that: on a busy machine, or a slow disk. */
static const uint64_t patience = 6000000000;

/* The engine may take what is left of the work to look; what it took is gone from that. */
static enum sotto_status
run_looking(struct sotto_session *s, const char *sql, struct sotto_engine_result **rows)
{
	uint64_t start, took;
	enum sotto_status st;

	if (s->looking == UINT64_MAX)
		return sotto_engine_run(s->engine, sql, rows);
	start = sotto_engine_work(s->engine);
	sotto_engine_allow_work(s->engine, s->looking, patience);
	st = sotto_engine_run(s->engine, sql, rows);
	took = sotto_engine_work(s->engine) - start;
	s->looking = took < s->looking ? s->looking - took : 0;
	return st != SOTTO_OK && sotto_engine_is_lost(s->engine) ? SOTTO_ERANGE : st;
}

/* A query over public tables that gives one whole number. */
static enum sotto_status
look_up(struct sotto_session *s, const char *sql, int64_t *out, struct sotto_error *err)
{
	struct sotto_engine_result *rows = NULL;
	enum sotto_status st = run_looking(s, sql, &rows);

	if (st == SOTTO_ERANGE)
		return st;
	if (st != SOTTO_OK || !sotto_engine_has_shape(rows, 1, 0, 0) ||
	    sotto_engine_rows(rows) != 1) {
		sotto_engine_result_free(rows);
		sotto_session_log(s, "check", sotto_engine_detail(s->engine));
		return sotto_fail(err, SOTTO_EIO,
				  "the engine could not look at the public tables");
	}
	*out = sotto_engine_cell(rows, 0, 0).integer;
	sotto_engine_result_free(rows);
	return SOTTO_OK;
}

/* An engine that took too long is gone; what it told of sources is needed until the end. */
static bool is_too_late(const struct sotto_session *s)
{
	return s->looking == 0 ||
	       (s->looking < UINT64_MAX && s->engine && sotto_engine_is_lost(s->engine));
}

enum sotto_status
sotto_session_count(void *session, const char *sql, int64_t *out, struct sotto_error *err)
{
	struct sotto_session *s = session;

	if (is_too_late(s))
		return SOTTO_ERANGE;
	SOTTO_TRY(sotto_session_ready(s, err));
	return look_up(s, sql, out, err);
}

/* The check before this one that asks for the same number; or itself. */
static size_t asked_before(const struct sotto_plan *plan, size_t check)
{
	for (size_t i = 0; i < check; i++)
		if (strcmp(plan->checks[i].query.sql, plan->checks[check].query.sql) == 0)
			return i;
	return check;
}

static enum sotto_status check_all(struct sotto_session *s, const struct sotto_plan *plan,
				   int64_t *numbers, int64_t *text, struct sotto_error *err)
{
	for (size_t i = 0; i < plan->check_count; i++) {
		const struct sotto_plan_check *c = &plan->checks[i];
		size_t first = asked_before(plan, i);

		if (is_too_late(s))
			return SOTTO_ERANGE;
		if (first == i)
			SOTTO_TRY(look_up(s, c->query.sql, &numbers[i], err));
		numbers[i] = numbers[first];
		if (c->is_text && __builtin_add_overflow(*text, numbers[i], text))
			*text = INT64_MAX;
		if ((c->is_text ? *text : sotto_check_value(c, numbers[i])) > c->most)
			return sotto_fail(err, SOTTO_EREFUSED, "%s", c->why);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_session_check(struct sotto_session *s, const struct sotto_plan *plan,
				      int64_t *text, struct sotto_error *err)
{
	int64_t *numbers = calloc(plan->check_count + 1, sizeof *numbers);
	enum sotto_status st = numbers ? check_all(s, plan, numbers, text, err) : SOTTO_ENOMEM;

	free(numbers);
	return st;
}

enum sotto_status sotto_session_check_parts(struct sotto_session *s,
					    const struct sotto_plan *plan,
					    struct sotto_error *err)
{
	int64_t text = 0, own;

	SOTTO_TRY(sotto_session_check(s, plan, &text, err));
	own = text;
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(sotto_session_check(s, plan->parts[i], &text, err));
	return sotto_spread_check_parts(s, plan, text - own, err);
}

/* The answers of parts are tables, here still empty, so that the engine can plan for them. */
static enum sotto_status
prepare(struct sotto_session *s, const struct sotto_plan *plan, struct sotto_error *err)
{
	for (size_t i = 0; i < plan->part_count; i++)
		if (sotto_answer_table_create(s->engine, plan->parts[i], i) != SOTTO_OK)
			return sotto_fail(err, SOTTO_EIO,
					  "the engine could not plan the query");
	return sotto_engine_prepare(s->engine, sotto_plan_sql(plan),
				    (unsigned)(sotto_session_limit(s) / SECOND + 1), err);
}

enum sotto_status sotto_session_prepare(struct sotto_session *s, const struct sotto_plan *plan,
					struct sotto_error *err)
{
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(sotto_session_prepare(s, plan->parts[i], err));
	SOTTO_TRY(sotto_spread_prepare(s, err));
	return s->policy.server ? prepare(s, plan, err) : SOTTO_OK;
}
