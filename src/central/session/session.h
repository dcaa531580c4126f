/*
 * session.h - one policy, its engine and its ledger
 */
#ifndef SOTTO_SESSION_H
#define SOTTO_SESSION_H

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

#include "central/engine/engine.h"
#include "central/plan/plan.h"
#include "central/policy/policy.h"
#include "central/policy/schema.h"
#include "central/seal/manifest/sealed.h"
#include "central/session/answer/answer_table.h"
#include "central/session/release/kept_answer.h"
#include "central/session/session_clock.h"
#include "sotto/ledger.h"
#include "sotto/query.h"
#include "sotto/rng.h"

#define SOTTO_SESSION_ARENA ((size_t)64 << 20)

/* Limits that a question has found before the ledger has them (session_auto.c). */
struct sotto_session_limits {
	char key[72];
	struct sotto_found_limits limits;
};

/* The only sentence about a failure after the charge. */
#define SOTTO_CHARGED_SENTENCE                                                                 \
	"the query was charged but could not be answered; nothing about the data follows "     \
	"from this"

struct sotto_session {
	struct sotto_session_options options;
	pthread_mutex_t lock; /* held by every public function */
	pid_t process; /* neither engine nor ledger survives fork() */
	struct sotto_policy policy;
	struct sotto_arena arena; /* schemas */
	struct sotto_engine *engine; /* NULL until needed */
	struct sotto_ledger *ledger;
	struct sotto_rng *rng;
	unsigned threads;
	bool locked; /* the engine reads nothing but the sources */
	bool shares_moment; /* ADBC: all reads see one moment; known once the engine runs */
	bool is_made_up; /* private tables have invented rows (explain/preview.c); never changes */
	struct sotto_manifest manifest; /* what was sealed; read when first needed */
	bool has_manifest;
	int held_manifest; /* until the question is answered; -1: none */
	ino_t manifest_file; /* the inode of that file */
	struct timespec manifest_time;
	struct sotto_schema_table **schemas; /* one for each table; NULL until needed */
	uint64_t salt; /* the ledger's: choices made by hashing it stay the same */
	char *terms; /* the policy's terms, before anybody is admitted */
	bool counts_replace_one; /* the ledger counts replacing a unit, so no question fits it */
	const struct sotto_clock *clock;
	char *admitted; /* the person whom a server let in, by key; or NULL */
	struct sotto_session_limits *limits; /* of the current question */
	size_t limit_count;
	const char *asker; /* under whose name plans are made now */
	bool is_charged; /* private rows are being read */
	uint64_t
		looking; /* processor time left for reading public tables, in nanoseconds; UINT64_MAX: the policy's limit */
	uint64_t started;
	struct sotto_kept_answer kept; /* of the charge, until its answer leaves */
	uint32_t buckets; /* over which the question is spread; 0: one engine */
	uint32_t processes; /* of this machine, at a time, if the question gives it */
	sotto_progress_fn progress; /* or NULL */
	void *progress_context;
	struct sotto_answer_table_texts
		parts; /* tables that workers need besides the sources */
};

/* Takes the lock.  Fails: SOTTO_EINVAL for NULL; SOTTO_ESTATE in a child after fork(). */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_enter(struct sotto_session *s, struct sotto_error *err);
void sotto_session_leave(struct sotto_session *s);

/*
 * Like sotto_session_query and sotto_session_ledger, for a caller that holds the lock.  The
 * result may be passed on after sotto_session_depart, which waits for *moment.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_ask(struct sotto_session *s, const struct sotto_question *question,
		  struct sotto_answer **out, uint64_t *moment, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_session_book(struct sotto_session *s, struct sotto_ledger **out, struct sotto_error *err);

/* Records the policy's terms, once.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_session_take_terms(struct sotto_session *s);

/* Opens the ledger that a policy names, with its budget; compares nothing. */
SOTTO_MUST_CHECK enum sotto_status sotto_policy_ledger_open(const struct sotto_policy *p,
							    struct sotto_ledger **out,
							    struct sotto_error *err);

/* A sotto_schema_fn whose context is the session. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_schema(void *session, const struct sotto_policy_table *table,
		     const struct sotto_schema_table **out, struct sotto_error *err);

/* Returns what the planner is told about a session: its policy, its tables, its salt. */
struct sotto_plan_request sotto_session_request(struct sotto_session *s);

/* Plans and prices a question. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_plan(struct sotto_session *s, const struct sotto_question *question,
		   struct sotto_plan *plan, struct sotto_error *err);

/* Plans again within a question, after its charge. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_plan_again(struct sotto_session *s, const struct sotto_question *question,
			 struct sotto_plan *plan, struct sotto_error *err);

/* Refuses what the ledger cannot count: it has other neighbours, or the question is too cheap. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_check_neighbours(const struct sotto_session *s, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_session_check_least(const struct sotto_session *s, const struct sotto_rational *epsilon,
			  struct sotto_error *err);

/* Prices a plan, perhaps again, for the question's epsilon, delta and error. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_price(struct sotto_session *s, const struct sotto_question *question,
		    struct sotto_plan *plan, struct sotto_error *err);

/* ---- session_wish.c -------------------------------------------------------------------------------- */

/* Sets weights of columns and the mechanism in the plan.  Fails: SOTTO_EREFUSED, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_take_wishes(const struct sotto_session *s, const struct sotto_question *q,
			  struct sotto_plan *plan, struct sotto_error *err);

/* What a question may cost, or the error that it aims at; NULL: not given. */
struct sotto_asked_price {
	const struct sotto_rational *epsilon, *error, *delta;
	bool delta_is_wish; /* also for Gaussian noise */
};

/*
 * Prices with the noise that has the smaller error.  Gaussian noise ends the branch of the ledger
 * that adds up epsilons: unless it is asked for, it is used only if the ledger then admits as
 * many questions at the default epsilon as after Laplace noise.  An answer that the same analyst
 * has, with either noise, is found again, whatever the ledger admits by now: a repeated question
 * is never charged twice.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_price_noise(struct sotto_session *s, const struct sotto_question *q,
			  struct sotto_plan *plan, const struct sotto_asked_price *asked,
			  struct sotto_error *err);

/* ---- session_error.c ------------------------------------------------------------------------------- */

/*
 * Prices for the epsilon, or for the smallest one (to four digits) whose predicted error is at
 * most the one asked for, with the noise that the plan wants.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_price_once(const struct sotto_session *s, struct sotto_plan *plan,
			 const struct sotto_asked_price *asked, struct sotto_error *err);

/* ---- session_outlook.c ----------------------------------------------------------------------------- */

/*
 * Finds the largest epsilon with which the question would be admitted now; *found is false if
 * none is.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_largest(struct sotto_session *s, const struct sotto_question *q,
		      struct sotto_rational *epsilon, bool *found);

/* Adds to a refusal for lack of budget what is left and what would fit; returns st. */
enum sotto_status sotto_session_say_left(struct sotto_session *s,
					 const struct sotto_question *q, enum sotto_status st,
					 struct sotto_error *err);

/*
 * Opens a table's source: its schema, and what is read.  Starts the engine only for sources that
 * have a schema of their own.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_open(struct sotto_session *s, const struct sotto_policy_table *table,
		  struct sotto_schema_table *out, struct sotto_error *err);

/*
 * Checks that a table's files are still the ones that were sealed.
 *
 * Fails:    SOTTO_ESTATE with a sentence, SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_source_check(struct sotto_session *s,
						      const struct sotto_policy_table *table,
						      struct sotto_error *err);

/* Makes the views of the open tables.  Fails: SOTTO_EIO, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_define(struct sotto_session *s, struct sotto_error *err);

/* Forbids the engine every file except the sources. */
SOTTO_MUST_CHECK enum sotto_status sotto_source_lock(struct sotto_session *s);

/* Provides an engine that is confined to the sources, and a generator. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_ready(struct sotto_session *s, struct sotto_error *err);

/* A sotto_count_fn whose context is the session. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_count(void *session, const char *sql, int64_t *out, struct sotto_error *err);

/*
 * Reads public tables where the plan asks for it; the engine is ready.  Their contents are not
 * secret.  *text begins with 0 and goes from part to part of a question: bytes of its answer's texts.
 * Fails: SOTTO_EREFUSED with a sentence, SOTTO_EIO; SOTTO_ERANGE if it takes longer than s->looking.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_session_check(struct sotto_session *s,
						       const struct sotto_plan *plan,
						       int64_t *text, struct sotto_error *err);

/* The same for a question and all its parts. */
SOTTO_MUST_CHECK enum sotto_status sotto_session_check_parts(struct sotto_session *s,
							     const struct sotto_plan *plan,
							     struct sotto_error *err);

/*
 * Obtains everything except rows that the plan and its parts need, and keeps it until
 * sotto_engine_finish.  The last step before the charge.  Fails: SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_session_prepare(struct sotto_session *s,
							 const struct sotto_plan *plan,
							 struct sotto_error *err);

/* ---- session_limits.c ------------------------------------------------------------------------------ */

/* Starts the engine, within the policy's limits, unless it runs. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_engine(struct sotto_session *s, struct sotto_error *err);

/*
 * Called once for each question, before anything else: nothing is charged yet, and an engine that
 * has ended since the last question is dropped, with all schemas.
 */
void sotto_session_begin(struct sotto_session *s);

/*
 * Called around the charge: the clock starts before it, and the engine gets the rest of the time
 * after it.
 */
void sotto_run_begin(struct sotto_session *s);
void sotto_run_charged(struct sotto_session *s);

/*
 * Returns how long a question may take, in nanoseconds: the policy's limit, or longer on many
 * workers.
 */
uint64_t sotto_session_limit(const struct sotto_session *s);

/* Returns how much of that is left. */
uint64_t sotto_run_left(const struct sotto_session *s);

/* Called before an answer is stored.  Fails: SOTTO_EIO past the policy's limit. */
SOTTO_MUST_CHECK enum sotto_status sotto_run_in_time(const struct sotto_session *s);

/* Replaces st by a sentence about an engine that ended before the charge, if it did. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_lost(struct sotto_session *s, enum sotto_status st, struct sotto_error *err);

/*
 * Ends a question: writes the one sentence for a failure after the charge, and computes the
 * moment at which the result may be passed on; 0: at once.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_finish(struct sotto_session *s, const struct sotto_question *q,
		     enum sotto_status st, uint64_t *moment, struct sotto_error *err);

/*
 * Waits until that moment, and tells the ledger what came of the charge.  Fails: SOTTO_EIO,
 * SOTTO_ENOMEM: there is an answer, and it could not be stored.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_session_tell(struct sotto_session *s, uint64_t moment);

/* The same, where an answer that is not stored is none: returns st, or that it could not be stored. */
SOTTO_MUST_CHECK enum sotto_status sotto_session_depart(struct sotto_session *s,
							enum sotto_status st, uint64_t moment,
							struct sotto_error *err);

/* Returns how long after its charge an equal question may still be on its way, in nanoseconds. */
uint64_t sotto_run_longest(const struct sotto_session *s, const struct sotto_question *q);

/* ---- session_analyst.c ----------------------------------------------------------------------------- */

/* Checks a question.  Fails: SOTTO_EINVAL for an impossible epsilon, delta or error. */
SOTTO_MUST_CHECK enum sotto_status
sotto_question_check(const struct sotto_question *q, struct sotto_error *err);

/*
 * Returns its SQL and the values of its parameters, for the history; malloc'd, NULL if out of
 * memory.
 */
char *sotto_question_text(const struct sotto_question *q);

/* Returns the name under which it is asked. */
const char *sotto_question_analyst(const struct sotto_question *q);

/* Fails: SOTTO_EREFUSED if the policy gives shares, but none to this name. */
SOTTO_MUST_CHECK enum sotto_status sotto_session_check_analyst(const struct sotto_session *s,
							       const char *name,
							       struct sotto_error *err);

/* Computes what is left to that name now: of the budget, and of a share if it has one. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_left(struct sotto_session *s, const char *analyst, struct sotto_rational *epsilon,
		   struct sotto_rational *delta, struct sotto_error *err);

/*
 * For a server that has checked who asks: the next questions come from that name, with that share
 * of the budget (NULL: the policy's, or only the total).
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_admit(struct sotto_session *s, const char *name,
		    const struct sotto_rational *share, struct sotto_error *err);

/* Appends a line to the owner's log, if the policy has one. */
void sotto_session_log(const struct sotto_session *s, const char *what, const char *detail);

/* Makes the answer of the i-th part, noisy or free, a table that the query around it reads. */
struct sotto_releases;
SOTTO_MUST_CHECK enum sotto_status
sotto_session_write_part(struct sotto_session *s, const struct sotto_plan *plan, size_t i,
			 const struct sotto_releases *r, struct sotto_error *err);

#endif
