/*
 * session.h - one policy, its engine and its ledger
 */
#ifndef SOTTO_QUERY_SESSION_H
#define SOTTO_QUERY_SESSION_H

#include <pthread.h>
#include <sys/types.h>

#include "engine/engine.h"
#include "plan/plan.h"
#include "plan/policy.h"
#include "plan/schema.h"
#include "sotto/ledger.h"
#include "sotto/query.h"
#include "sotto/rng.h"

struct sotto_session {
	pthread_mutex_t lock; /* held by every public function */
	pid_t process; /* neither engine nor ledger survives fork() */
	struct sotto_policy policy;
	struct sotto_arena arena; /* schemas */
	struct sotto_engine *engine; /* NULL until needed */
	struct sotto_ledger *ledger;
	struct sotto_rng *rng;
	unsigned threads;
	bool locked; /* the engine reads nothing but the sources */
	struct sotto_schema_table **schemas; /* as many as tables; NULL until needed */
	uint64_t salt;
};

/* Takes the lock.  Fails: SOTTO_EINVAL for NULL; SOTTO_ESTATE in a child after fork(). */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_enter(struct sotto_session *s, struct sotto_error *err);
void sotto_session_leave(struct sotto_session *s);

/* As sotto_session_query and sotto_session_ledger, for who holds the lock. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_ask(struct sotto_session *s, const struct sotto_question *question,
		  struct sotto_answer **out, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_session_book(struct sotto_session *s, struct sotto_ledger **out, struct sotto_error *err);

/* Starts the engine if it does not run yet. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_engine(struct sotto_session *s, struct sotto_error *err);

/* A sotto_schema_fn whose context is the session. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_schema(void *session, const struct sotto_policy_table *table,
		     const struct sotto_schema_table **out, struct sotto_error *err);

/* Plans and prices a question. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_plan(struct sotto_session *s, const struct sotto_question *question,
		   struct sotto_plan *plan, struct sotto_error *err);

/*
 * Opens a table's source: its schema, and what is read.  The
 * engine is started only for sources that have a schema of their own.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_open(struct sotto_session *s, const struct sotto_policy_table *table,
		  struct sotto_schema_table *out, struct sotto_error *err);

/* Makes the views of the tables that were opened.  Fails: SOTTO_EIO, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_define(struct sotto_session *s, struct sotto_error *err);

/* Forbids the engine every file but the sources. */
SOTTO_MUST_CHECK enum sotto_status sotto_source_lock(struct sotto_session *s);

/* An engine that is confined to the sources, and a generator. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_ready(struct sotto_session *s, struct sotto_error *err);

/*
 * Looks at public tables where the plan asks for it; the engine is ready.  What
 * they say is no secret.  Fails: SOTTO_EREFUSED with a sentence, SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_session_check(struct sotto_session *s,
						       const struct sotto_plan *plan,
						       struct sotto_error *err);

/* ---- analyst.c ----------------------------------------------------------------------------- */

/* Fails: SOTTO_EINVAL for an epsilon, delta or error that nobody can mean. */
SOTTO_MUST_CHECK enum sotto_status
sotto_question_check(const struct sotto_question *q, struct sotto_error *err);

/* In whose name it is asked. */
const char *sotto_question_analyst(const struct sotto_question *q);

/* Fails: SOTTO_EREFUSED if the policy gives shares and none to this name. */
SOTTO_MUST_CHECK enum sotto_status sotto_session_check_analyst(const struct sotto_session *s,
							       const char *name,
							       struct sotto_error *err);

/* What is left to that name now: of the budget, and of a share if it has one. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_left(struct sotto_session *s, const char *analyst, struct sotto_rational *epsilon,
		   struct sotto_rational *delta, struct sotto_error *err);

/* The private table that is meant by "table.column" or by "column" alone. */
SOTTO_MUST_CHECK enum sotto_status
sotto_bounds_table(struct sotto_session *s, const char *column,
		   const struct sotto_policy_table **out, const char **name,
		   struct sotto_error *err);

/* Appends a line to the owner's log, if the policy has one. */
void sotto_session_log(const struct sotto_session *s, const char *what, const char *detail);

#endif
