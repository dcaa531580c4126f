/*
 * Any number of threads on one session, and sessions that are opened and closed beside it: each
 * question is charged once, and whoever asks it gets the same answer.  The long set runs this
 * under the thread sanitizer.
 *
 * Seen to fail there: without the lock in sotto_session_enter, in sotto_ledger_enter, or
 * without pthread_once in pair_noise.c.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "sotto/owner.h"
#include "sotto/query.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

enum { THREADS = 6, ROUNDS = 4 };

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndefault: {epsilon: 0.125}\n"
	"tables:\n  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 2\n"
	"    max_rows: 2\n    columns:\n      x: {bounds: [0, 100], type: integer}\n"
	"      ward: {keys: [a, b, c]}\n";

struct crew {
	struct clinic clinic;
	char path[FOLDER_PATH_MAX];
	atomic_int next; /* number of a thread */
	atomic_int wrong;
	atomic_llong
		shared; /* the answer to the question that all of them ask, and 1; 0: not yet */
};

static void wrong_unless(struct crew *c, bool right)
{
	atomic_fetch_add(&c->wrong, !right);
}

static bool ask(struct sotto_session *s, const char *sql, struct sotto_answer **out,
		struct sotto_error *err)
{
	const struct sotto_question q = {.sql = sql};

	return sotto_session_query(s, &q, out, err) == SOTTO_OK;
}

/* A question of one thread alone. */
static void ask_own(struct crew *c, struct sotto_session *s, int who, int round)
{
	struct sotto_answer *a = NULL;
	struct sotto_error err;
	char sql[128];

	(void)snprintf(sql, sizeof sql,
		       "SELECT ward, COUNT(*), SUM(x) / COUNT(*) FROM visits WHERE x > %d "
		       "GROUP BY ward",
		       who * ROUNDS + round);
	wrong_unless(c, ask(s, sql, &a, &err) && !a->repeated && a->row_count == 3);
	sotto_answer_free(a);
}

/* What all of them ask: one pays, and all have one answer. */
static void ask_shared(struct crew *c, struct sotto_session *s)
{
	long long first = 0, mine;
	struct sotto_answer *a = NULL;
	struct sotto_error err;
	bool fine = ask(s, "SELECT COUNT(*) FROM visits", &a, &err);

	wrong_unless(c, fine);
	if (fine) {
		mine = a->values[0].integer * 2 + 1;
		wrong_unless(c, atomic_compare_exchange_strong(&c->shared, &first, mine) ||
					first == mine);
	}
	sotto_answer_free(a);
}

/* Everything else that a session does. */
static void look_around(struct crew *c, struct sotto_session *s)
{
	const struct sotto_question q = {.sql = "SELECT ward, SUM(x), AVG(x), SUM(x) / "
						"COUNT(*) FROM visits GROUP BY ward"};
	struct sotto_explanation *x = NULL;
	struct sotto_ledger_totals totals;
	struct sotto_ledger *ledger = NULL;
	struct sotto_tables *tables = NULL;
	struct sotto_answer *preview = NULL;
	struct sotto_error err;
	const char *name;

	sotto_ledger_totals_init(&totals);
	sotto_session_set_threads(s, 1);
	sotto_session_set_progress(s, NULL, NULL);
	wrong_unless(c, !sotto_session_analyst(s, 0, &name));
	wrong_unless(c, sotto_session_explain(s, &q, &x, &err) == SOTTO_OK && x->affordable);
	wrong_unless(c, sotto_session_preview(s, &q, &preview, &err) == SOTTO_OK);
	wrong_unless(c, sotto_session_tables(s, &tables, &err) == SOTTO_OK);
	wrong_unless(c, sotto_session_ledger(s, &ledger, &err) == SOTTO_OK &&
				sotto_ledger_totals(ledger, NULL, &totals, &err) == SOTTO_OK);
	sotto_explanation_free(x);
	sotto_answer_free(preview);
	sotto_tables_free(tables);
	sotto_ledger_totals_release(&totals);
}

static void use(struct crew *c, struct sotto_session *s, int who, int round)
{
	ask_shared(c, s);
	look_around(c, s);
	ask_own(c, s, who, round);
}

static void *use_one_session(void *context)
{
	struct crew *c = context;
	int who = atomic_fetch_add(&c->next, 1);

	for (int round = 0; round < ROUNDS; round++)
		use(c, c->clinic.session, who, round);
	return NULL;
}

/* Every second thread has sessions of its own, one after the other. */
static void *open_and_close(void *context)
{
	struct crew *c = context;
	int who = atomic_fetch_add(&c->next, 1);
	struct sotto_error err;

	for (int round = 0; round < ROUNDS; round++) {
		struct sotto_session *s = c->clinic.session;

		if (who % 2 == 1 && sotto_session_open(c->path, &s, &err) != SOTTO_OK) {
			wrong_unless(c, false);
			continue;
		}
		use(c, s, who, round);
		if (who % 2 == 1)
			sotto_session_close(s);
	}
	return NULL;
}

/* Nothing has changed, so nothing that the others do fails. */
static void *do_the_owners_part(void *context)
{
	const struct sotto_seal_options options = {.drop_malformed = true};
	struct crew *c = context;

	for (int round = 0; round < ROUNDS; round++) {
		struct sotto_seal_report *report = NULL;
		char *difference = NULL;
		struct sotto_error err;

		if (sotto_policy_seal(c->path, &options, &report, &err) == SOTTO_OK)
			sotto_seal_report_free(report);
		else
			wrong_unless(c, false);
		if (sotto_policy_accept(c->path, "owner", &difference, &err) == SOTTO_OK)
			free(difference);
	}
	return NULL;
}

static void work(struct crew *c, void *(*thread)(void *), void *(*beside)(void *))
{
	pthread_t threads[THREADS + 1];
	int count = beside ? THREADS + 1 : THREADS;

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, i < THREADS ? thread : beside, c) != 0)
			abort();
	for (int i = 0; i < count; i++)
		(void)pthread_join(threads[i], NULL);
}

static uint64_t entries(struct crew *c)
{
	uint64_t entries = 0, answers = 0;
	struct sotto_ledger *l = NULL;

	CHECK(sotto_session_ledger(c->clinic.session, &l, NULL) == SOTTO_OK &&
	      sotto_ledger_verify(l, &entries, &answers, NULL) == SOTTO_OK);
	return entries;
}

static void everything_is_charged_once(void *(*thread)(void *), void *(*beside)(void *))
{
	struct crew c = {0};
	uint64_t before;

	REQUIRE(clinic_open(&c.clinic, policy, NULL));
	folder_file(&c.clinic.folder, "sotto.yaml", c.path);
	before = entries(&c);
	work(&c, thread, beside);
	CHECK_INT(c.wrong, 0);
	CHECK_INT(entries(&c), before + THREADS * ROUNDS + 1);
	clinic_close(&c.clinic);
}

static void many_threads_share_one_session(void)
{
	everything_is_charged_once(use_one_session, NULL);
}

static void sessions_are_opened_and_closed_beside_others(void)
{
	everything_is_charged_once(open_and_close, NULL);
}

static void the_owner_seals_and_accepts_beside_questions(void)
{
	everything_is_charged_once(open_and_close, do_the_owners_part);
}

int main(void)
{
	RUN(many_threads_share_one_session);
	RUN(sessions_are_opened_and_closed_beside_others);
	RUN(the_owner_seals_and_accepts_beside_questions);
	return tap_done();
}
