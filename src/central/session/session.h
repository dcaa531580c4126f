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

/* All that is said of a failure after the charge. */
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
	bool shares_moment; /* of ADBC, once the engine is there: all reads are of one */
	bool is_made_up; /* private tables have invented rows (explain/preview.c); never changes */
	struct sotto_manifest manifest; /* of what was sealed, once it was needed */
	bool has_manifest;
	ino_t manifest_file; /* which file it was */
	struct timespec manifest_time;
	struct sotto_schema_table **schemas; /* as many as tables; NULL until needed */
	uint64_t salt; /* the ledger's: what a hash of it chooses stays chosen */
	char *terms; /* what the policy says, before anybody is admitted */
	bool counts_replace_one; /* the ledger does, so that no question fits it */
	const struct sotto_clock *clock;
	char *admitted; /* somebody whom a server let in, by key; or NULL */
	struct sotto_session_limits *limits; /* of the question that is asked now */
	size_t limit_count;
	const char *asker; /* in whose name plans are made now */
	bool is_charged; /* private rows are read, since started */
	uint64_t
		looking; /* nanoseconds left to look at public tables; UINT64_MAX: as the policy
			     says */
	uint64_t started;
	uint32_t buckets; /* the question is spread over so many; 0: one engine */
	uint32_t processes; /* of this machine, at a time, if the question says so itself */
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
 * As sotto_session_query and sotto_session_ledger, for who holds the lock; whatever comes of
 * the question may leave at the moment (session_limits.c), after the lock was left.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_ask(struct sotto_session *s, const struct sotto_question *question,
		  struct sotto_answer **out, uint64_t *moment, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_session_book(struct sotto_session *s, struct sotto_ledger **out, struct sotto_error *err);

/* Takes down what the policy says, once.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_session_take_terms(struct sotto_session *s);

/* The ledger that a policy names, with its budget; nothing is compared. */
SOTTO_MUST_CHECK enum sotto_status sotto_policy_ledger_open(const struct sotto_policy *p,
							    struct sotto_ledger **out,
							    struct sotto_error *err);

/* A sotto_schema_fn whose context is the session. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_schema(void *session, const struct sotto_policy_table *table,
		     const struct sotto_schema_table **out, struct sotto_error *err);

/* What the planner is told of a session: its policy, its tables, its salt. */
struct sotto_plan_request sotto_session_request(struct sotto_session *s);

/* Plans and prices a question. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_plan(struct sotto_session *s, const struct sotto_question *question,
		   struct sotto_plan *plan, struct sotto_error *err);

/* The same once more within a question, after its charge. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_plan_again(struct sotto_session *s, const struct sotto_question *question,
			 struct sotto_plan *plan, struct sotto_error *err);

/* Refuses what the ledger cannot count: its neighbours are others, or it is too cheap. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_check_neighbours(const struct sotto_session *s, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_session_check_least(const struct sotto_session *s, const struct sotto_rational *epsilon,
			  struct sotto_error *err);

/* Prices a plan, again if need be, for the question's epsilon, delta and error. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_price(struct sotto_session *s, const struct sotto_question *question,
		    struct sotto_plan *plan, struct sotto_error *err);

/* ---- session_wish.c -------------------------------------------------------------------------------- */

/* Weights of columns and the mechanism, into the plan.  Fails: SOTTO_EREFUSED, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_take_wishes(const struct sotto_session *s, const struct sotto_question *q,
			  struct sotto_plan *plan, struct sotto_error *err);

/* What a question may cost, or the error that it aims at (NULL: none). */
struct sotto_asked_price {
	const struct sotto_rational *epsilon, *error, *delta;
	bool delta_is_wish; /* for Gaussian noise, too */
};

/*
 * Prices with the noise that errs less.  Gaussian noise ends the branch of the ledger that
 * adds up epsilons: unless it is asked for, it is taken only if the ledger then admits as
 * many questions at the default epsilon as after Laplace noise.  What the same analyst has
 * been given with either noise is found again, whatever the ledger admits by now: a
 * question that is repeated is never charged twice.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_price_noise(struct sotto_session *s, const struct sotto_question *q,
			  struct sotto_plan *plan, const struct sotto_asked_price *asked,
			  struct sotto_error *err);

/* ---- session_error.c ------------------------------------------------------------------------------- */

/*
 * Prices for the epsilon, or for the smallest one (to four digits) whose predicted error is
 * at most the wish, with the noise that the plan wants.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_price_once(const struct sotto_session *s, struct sotto_plan *plan,
			 const struct sotto_asked_price *asked, struct sotto_error *err);

/* ---- session_outlook.c ----------------------------------------------------------------------------- */

/* The largest epsilon with which the question would be admitted now; *found false: none. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_largest(struct sotto_session *s, const struct sotto_question *q,
		      struct sotto_rational *epsilon, bool *found);

/* Adds to a refusal for want of budget what is left and what would fit; gives st back. */
enum sotto_status sotto_session_say_left(struct sotto_session *s,
					 const struct sotto_question *q, enum sotto_status st,
					 struct sotto_error *err);

/*
 * Opens a table's source: its schema, and what is read.  The
 * engine is started only for sources that have a schema of their own.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_open(struct sotto_session *s, const struct sotto_policy_table *table,
		  struct sotto_schema_table *out, struct sotto_error *err);

/*
 * Whether a table's files are still the ones that were sealed.
 *
 * Fails:    SOTTO_ESTATE with a sentence, SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_source_check(struct sotto_session *s,
						      const struct sotto_policy_table *table,
						      struct sotto_error *err);

/* Makes the views of the tables that were opened.  Fails: SOTTO_EIO, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_source_define(struct sotto_session *s, struct sotto_error *err);

/* Forbids the engine every file but the sources. */
SOTTO_MUST_CHECK enum sotto_status sotto_source_lock(struct sotto_session *s);

/* An engine that is confined to the sources, and a generator. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_ready(struct sotto_session *s, struct sotto_error *err);

/* A sotto_count_fn whose context is the session. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_count(void *session, const char *sql, int64_t *out, struct sotto_error *err);

/*
 * Looks at public tables where the plan asks for it; the engine is ready.  What
 * they say is not a secret.  Fails: SOTTO_EREFUSED with a sentence, SOTTO_EIO; SOTTO_ERANGE if
 * that takes longer than s->looking.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_session_check(struct sotto_session *s,
						       const struct sotto_plan *plan,
						       struct sotto_error *err);

/*
 * Has everything that the plan and its parts need besides rows, and keeps it until
 * sotto_engine_finish.  Comes last before the charge.  Fails: SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_session_prepare(struct sotto_session *s,
							 const struct sotto_plan *plan,
							 struct sotto_error *err);

/* ---- session_limits.c ------------------------------------------------------------------------------ */

/* Starts the engine if it does not run yet, within the policy's limits. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_engine(struct sotto_session *s, struct sotto_error *err);

/*
 * Once for each question, before anything else: nothing is charged yet, and an engine that
 * has ended since the last one is forgotten, with all schemas.
 */
void sotto_session_begin(struct sotto_session *s);

/* Around the charge: the clock starts before it, the engine has the rest of its time after it. */
void sotto_run_begin(struct sotto_session *s);
void sotto_run_charged(struct sotto_session *s);

/* What a question may take, in nanoseconds: as the policy says, or longer on many workers. */
uint64_t sotto_session_limit(const struct sotto_session *s);

/* What is left of that. */
uint64_t sotto_run_left(const struct sotto_session *s);

/* Before an answer is stored.  Fails: SOTTO_EIO past the policy's limit. */
SOTTO_MUST_CHECK enum sotto_status sotto_run_in_time(const struct sotto_session *s);

/* The sentence about an engine that ended before the charge, in place of st; or st. */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_lost(struct sotto_session *s, enum sotto_status st, struct sotto_error *err);

/*
 * Last of all: the one sentence for what failed after the charge, and the moment at which
 * what is known may leave; 0: at once.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_finish(struct sotto_session *s, const struct sotto_question *q,
		     enum sotto_status st, uint64_t *moment, struct sotto_error *err);

/* Until that moment.  Nothing of the session is touched but its clock. */
void sotto_session_wait(const struct sotto_session *s, uint64_t moment);

/* ---- session_analyst.c ----------------------------------------------------------------------------- */

/* Fails: SOTTO_EINVAL for an epsilon, delta or error that nobody can mean. */
SOTTO_MUST_CHECK enum sotto_status
sotto_question_check(const struct sotto_question *q, struct sotto_error *err);

/* Its SQL and the values of its parameters, for the history; malloc'd, NULL: no memory. */
char *sotto_question_text(const struct sotto_question *q);

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

/*
 * For a server that has checked who asks: the next questions come from that name, with
 * that share of the budget (NULL: the policy's, or none but the total).
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_session_admit(struct sotto_session *s, const char *name,
		    const struct sotto_rational *share, struct sotto_error *err);

/* Appends a line to the owner's log, if the policy has one. */
void sotto_session_log(const struct sotto_session *s, const char *what, const char *detail);

/* The answer of the i-th part, noisy or free, as a table that the query around it reads. */
struct sotto_releases;
SOTTO_MUST_CHECK enum sotto_status
sotto_session_write_part(struct sotto_session *s, const struct sotto_plan *plan, size_t i,
			 const struct sotto_releases *r, struct sotto_error *err);

#endif
