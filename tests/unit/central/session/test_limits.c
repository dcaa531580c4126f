/*
 * What a question may use, and when its answer leaves: an engine that dies, runs out of time
 * or memory costs no more than its question; time is told in the owner's steps only.  Clocks
 * are of the test's own making.
 */
#include <mpfr.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "central/session/session.h"
#include "testlib/chance.h"
#include "testlib/children.h"
#include "testlib/fixture/clinic.h"
#include "testlib/sanitized.h"
#include "testlib/tap.h"

static const char count[] = "SELECT COUNT(*) FROM visits";
static const char charged[] = "the query was charged but could not be answered; nothing about "
			      "the data follows from this";
static const uint64_t second = 1000000000, millisecond = 1000000;

#define TABLES                                                                                 \
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\ntables:\n"    \
	"  visits: {source: visits.csv, unit: id, columns: {x: {bounds: [0, 100]}}}\n"

/* ---- a clock ------------------------------------------------------------------------- */

/* Each look at it takes a step; sleeping is jumping. */
struct hands {
	uint64_t now, step;
	uint64_t slept_until; /* 0: nobody slept */
	int sleeps;
};

static uint64_t read_hands(void *context)
{
	struct hands *h = context;

	h->now += h->step;
	return h->now;
}

static void jump(void *context, uint64_t moment)
{
	struct hands *h = context;

	h->slept_until = moment;
	h->sleeps++;
	if (moment > h->now)
		h->now = moment;
}

static void set_clock(struct clinic *c, struct sotto_clock *clock, struct hands *h)
{
	*clock = (struct sotto_clock){.now = read_hands, .sleep_until = jump, .context = h};
	c->session->clock = clock;
}

/* ---- spent --------------------------------------------------------------------------- */

/* In hundredths of epsilon. */
static long spent(struct clinic *c)
{
	struct sotto_ledger_totals t;
	struct sotto_ledger *l;
	long hundredths = -1;

	sotto_ledger_totals_init(&t);
	if (sotto_session_ledger(c->session, &l, NULL) == SOTTO_OK &&
	    sotto_ledger_totals(l, NULL, &t, NULL) == SOTTO_OK)
		hundredths = (long)(mpq_get_d(t.spent.epsilon.q) * 100 + 0.5);
	sotto_ledger_totals_release(&t);
	return hundredths;
}

static bool answers(struct clinic *c)
{
	struct sotto_answer *a = clinic_ask(c, count, "0.01", NULL, true);

	if (!a)
		tap_note("%s", c->err.text);
	sotto_answer_free(a);
	return a != NULL;
}

/* ---- death ----------------------------------------------------------------------------- */

/* (Kills: an engine that is kept although it has ended.) */
static void an_engine_that_died_between_questions_is_replaced(void)
{
	static const int signals[] = {SIGKILL, signal_of_a_crash};
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	for (size_t i = 0; i < 2; i++) {
		pid_t pid;

		CHECK(answers(&c));
		pid = children_only();
		REQUIRE(pid > 0);
		(void)kill(pid, signals[i]);
		for (int k = 0; k < 30000 && !sotto_engine_is_lost(c.session->engine); k++)
			(void)usleep(1000);
		CHECK(answers(&c));
	}
	CHECK_INT(spent(&c), 4);
	clinic_close(&c);
}

struct killer {
	bool stop;
	struct chance chance;
};

static void *kill_now_and_then(void *context)
{
	struct killer *k = context;

	while (!__atomic_load_n(&k->stop, __ATOMIC_ACQUIRE)) {
		(void)usleep(chance_below(&k->chance, 150000));
		(void)children_signal(chance_in(&k->chance, 2) ? SIGKILL : signal_of_a_crash);
	}
	return NULL;
}

/*
 * Whenever it dies: an answer and a charge, a charge and its sentence, or neither.
 * (Kills: a charge without its sentence, a sentence without its charge.)
 */
static void an_engine_that_dies_at_any_moment_costs_its_question_at_most(void)
{
	struct killer k = {.chance = {3}};
	int answered = 0, failed = 0, refused = 0;
	pthread_t thread;
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	REQUIRE(pthread_create(&thread, NULL, kill_now_and_then, &k) == 0);
	for (int i = 0; i < 40; i++) {
		struct sotto_answer *a = clinic_ask(&c, count, "0.01", NULL, true);

		answered += a != NULL;
		failed += !a && strcmp(c.err.text, charged) == 0;
		refused += !a && c.err.text[0] && strcmp(c.err.text, charged) != 0;
		sotto_answer_free(a);
	}
	__atomic_store_n(&k.stop, true, __ATOMIC_RELEASE);
	(void)pthread_join(thread, NULL);
	tap_note("%d answered, %d charged only, %d neither", answered, failed, refused);
	CHECK_INT(answered + failed + refused, 40);
	CHECK_INT(spent(&c), answered + failed);
	(void)answers(&c); /* the last signal may still be on its way */
	CHECK(answers(&c));
	clinic_close(&c);
}

/* A worker that is killed right after the charge, for certain: the clock is read there. */
static uint64_t kill_at_second_look(void *context)
{
	struct hands *h = context;

	if (++h->sleeps == 2)
		(void)children_signal(SIGKILL);
	return 0;
}

static void an_engine_that_dies_after_the_charge_keeps_it_and_the_session(void)
{
	struct hands h = {0};
	struct sotto_clock clock = {.now = kill_at_second_look, .context = &h};
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	CHECK(answers(&c));
	c.session->clock = &clock;
	CHECK(!clinic_ask(&c, count, "0.01", NULL, true));
	CHECK_STR(c.err.text, charged);
	CHECK_INT(spent(&c), 2);
	c.session->clock = &sotto_clock_system;
	CHECK(answers(&c));
	clinic_close(&c);
}

/* ---- time: limit ----------------------------------------------------------------------- */

/* (Kills: no limit; a limit whose failure is not charged or not said.) */
static void a_question_past_its_time_gets_the_one_sentence(void)
{
	struct sotto_clock clock;
	struct hands h = {.now = second, .step = 6 * second};
	struct clinic c;

	REQUIRE(clinic_open(&c, "time: {limit: 5s, pad: 2s}\n" TABLES, NULL));
	set_clock(&c, &clock, &h);
	CHECK(!clinic_ask(&c, count, "0.01", NULL, true));
	CHECK_STR(c.err.text, charged);
	CHECK_INT(spent(&c), 1);
	CHECK_INT(children_find(NULL, 0), 0); /* the engine did not go on */
	CHECK_INT(h.sleeps, 1);
	CHECK(h.slept_until > 0);
	h.step = 0;
	CHECK(answers(&c));
	clinic_close(&c);
}

/* The engine was quick and what came after it was not: the same sentence. */
static void time_is_looked_at_once_more_before_an_answer_is_kept(void)
{
	struct sotto_clock clock;
	struct hands h = {.now = second, .step = 2 * second};
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, "time: {limit: 3s}\n" TABLES, NULL));
	set_clock(&c, &clock, &h);
	CHECK(!clinic_ask(&c, count, "0.01", NULL, false));
	CHECK_STR(c.err.text, charged);
	h.step = 0;
	a = clinic_ask(&c, count, "0.01", NULL, false);
	REQUIRE(a);
	CHECK(!a->repeated); /* nothing was stored */
	CHECK_INT(spent(&c), 2);
	sotto_answer_free(a);
	clinic_close(&c);
}

/* ---- time: pad -------------------------------------------------------------------------- */

/* Asks with the analyst's own pad; when it left, in milliseconds after the charge. */
static long leaves(struct clinic *c, const char *sql, uint64_t pad, bool fresh)
{
	struct sotto_question q = {.sql = sql, .fresh = fresh, .pad = pad};
	struct sotto_answer *a = NULL;
	struct sotto_clock clock;
	struct hands h = {.now = 12345 * millisecond, .step = 150 * millisecond};
	struct sotto_rational e;
	uint64_t start = h.now + h.step;

	sotto_rational_init(&e);
	(void)!sotto_rational_set_ratio(&e, 1, 100);
	q.epsilon = &e;
	set_clock(c, &clock, &h);
	c->err.text[0] = '\0';
	if (sotto_session_query(c->session, &q, &a, &c->err) == SOTTO_OK)
		sotto_answer_free(a);
	sotto_rational_release(&e);
	if (h.sleeps > 1)
		return -2;
	return h.sleeps == 0 ? -1 : (long)((h.slept_until - start) / millisecond);
}

/* The clock's steps make 450 ms from the charge to the wait. */
static void an_answer_leaves_at_a_multiple_of_the_owners_pad(void)
{
	static const struct {
		const char *policy;
		uint64_t option, wish;
		long want; /* milliseconds; -1: at once */
	} cases[] = {
		{TABLES, 0, 0, -1},
		{TABLES, 1000, 0, 1000},
		{TABLES, 100, 0, 500},
		{"time: {pad: 200ms}\n" TABLES, 0, 0, 600},
		{"time: {pad: 200ms}\n" TABLES, 1000, 0, 600},
		{"time: {pad: 0s}\n" TABLES, 1000, 0, -1},
		{"time: {pad: 1m}\n" TABLES, 0, 0, 60000},
		/* the analyst raises it, in whole pads of the owner, and never lowers it */
		{TABLES, 0, 300, 600},
		{"time: {pad: 200ms}\n" TABLES, 0, 50, 600},
		{"time: {pad: 200ms}\n" TABLES, 0, 500, 600},
		{"time: {pad: 200ms}\n" TABLES, 0, 601, 800},
		{"time: {pad: 200ms}\n" TABLES, 0, 3001, 3200},
		{TABLES, 0, UINT64_MAX / 1000000, 86400000},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char path[FOLDER_PATH_MAX];
		struct sotto_session_options options = {.pad = cases[i].option * millisecond};
		struct clinic c;
		long got;

		REQUIRE(clinic_open(&c, cases[i].policy, NULL));
		sotto_session_close(c.session);
		folder_file(&c.folder, "sotto.yaml", path);
		REQUIRE(sotto_session_open_with(path, &options, &c.session, &c.err) ==
			SOTTO_OK);
		got = leaves(&c, count, cases[i].wish * millisecond, true);
		(void)tap_check(got == cases[i].want, __FILE__, __LINE__,
				"case %zu: left at %ld, not %ld", i, got, cases[i].want);
		clinic_close(&c);
	}
}

/* (Kills: padding answers alone.) */
static void a_failure_after_the_charge_leaves_like_an_answer(void)
{
	struct clinic c;
	long answer, failure;

	REQUIRE(clinic_open(&c, "time: {pad: 1s}\n" TABLES, NULL));
	answer = leaves(&c, count, 0, true);
	REQUIRE(clinic_damage(&c) && clinic_reopen(&c));
	failure = leaves(&c, "SELECT COUNT(x) FROM visits", 0, true);
	CHECK_STR(c.err.text, charged);
	CHECK_INT(children_find(NULL, 0), 0); /* nothing of it is felt by the next question */
	CHECK_INT(answer, 1000);
	CHECK_INT(failure, 1000);
	clinic_close(&c);
}

static void what_reads_no_private_row_leaves_at_once(void)
{
	struct sotto_question q = {.sql = count};
	struct sotto_explanation *e = NULL;
	struct sotto_rational epsilon;
	struct sotto_clock clock;
	struct hands h = {.step = second};
	struct clinic c;

	REQUIRE(clinic_open(&c, "time: {pad: 1h}\n" TABLES, NULL));
	CHECK(leaves(&c, count, 0, false) == 3600000);
	CHECK_INT(leaves(&c, count, 0, false), -1); /* one's own answer again */
	CHECK_INT(leaves(&c, "SELECT id FROM visits", 0, false), -1);
	CHECK_INT(leaves(&c, "SELECT COUNT(*) FROM nowhere", 0, false), -1);
	sotto_rational_init(&epsilon);
	(void)!sotto_rational_set_ratio(&epsilon, 1, 100);
	q.epsilon = &epsilon;
	set_clock(&c, &clock, &h);
	CHECK(sotto_session_explain(c.session, &q, &e, NULL) == SOTTO_OK);
	CHECK_INT(h.sleeps, 0);
	sotto_explanation_free(e);
	sotto_rational_release(&epsilon);
	clinic_close(&c);
}

/* How long an engine takes to end is padded too: it has ended before the answer leaves. */
static void see_no_child(void *context, uint64_t moment)
{
	(void)moment;
	*(size_t *)context = children_find(NULL, 0);
}

static uint64_t stand_still(void *context)
{
	(void)context;
	return 7;
}

static void with_one_question_the_engine_ends_before_the_answer_leaves(void)
{
	const struct sotto_session_options options = {.pad = second, .one_question = true};
	size_t seen = 99;
	struct sotto_clock clock = {
		.now = stand_still, .sleep_until = see_no_child, .context = &seen};
	char path[FOLDER_PATH_MAX];
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	sotto_session_close(c.session);
	folder_file(&c.folder, "sotto.yaml", path);
	REQUIRE(sotto_session_open_with(path, &options, &c.session, &c.err) == SOTTO_OK);
	c.session->clock = &clock;
	CHECK(answers(&c));
	CHECK_INT(seen, 0);
	CHECK(answers(&c)); /* and can be asked again all the same */
	clinic_close(&c);
}

/* ---- memory, threads, price -------------------------------------------------------------- */

static void the_engine_has_the_policys_memory(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, "memory: 512MiB\n" TABLES, NULL));
	CHECK(answers(&c));
	if (!is_sanitized)
		CHECK_INT(process_limit(children_only(), "Max data size"),
			  (512LL << 20) + (8 << 20));
	clinic_close(&c);
}

static void too_many_threads_are_refused_before_the_charge(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	sotto_session_set_threads(c.session, 2000);
	CHECK(!clinic_ask(&c, count, "0.01", NULL, false));
	CHECK(strstr(c.err.text, "at most 256 threads") != NULL);
	CHECK_INT(spent(&c), 0);
	sotto_session_set_threads(c.session, 256);
	CHECK(answers(&c));
	clinic_close(&c);
}

/* A question at the least price is answered, one below it refused, free. */
static void a_question_below_the_least_price_is_refused(void)
{
	struct sotto_question q = {.sql = count};
	struct sotto_explanation *e = NULL;
	struct sotto_rational error;
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, "min_epsilon: 0.02\n" TABLES, NULL));
	CHECK(!clinic_ask(&c, count, "0.0199", NULL, false));
	CHECK(strstr(c.err.text, "at least epsilon 0.02") != NULL);
	CHECK_INT(spent(&c), 0);
	a = clinic_ask(&c, count, "0.02", NULL, false);
	CHECK(a != NULL);
	sotto_answer_free(a);
	/* An error so large that less would do costs the least. */
	sotto_rational_init(&error);
	(void)!sotto_rational_set_ratio(&error, 1000000, 1);
	q.error = &error;
	REQUIRE(sotto_session_explain(c.session, &q, &e, &c.err) == SOTTO_OK);
	CHECK(mpq_cmp_ui(e->epsilon.q, 1, 50) == 0);
	sotto_explanation_free(e);
	sotto_rational_release(&error);
	clinic_close(&c);
}

static void without_a_word_of_the_policy_the_least_price_is_one_in_ten_thousand(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	CHECK(!clinic_ask(&c, count, "0.00009", NULL, false));
	CHECK(strstr(c.err.text, "at least epsilon 0.0001") != NULL);
	a = clinic_ask(&c, count, "0.0001", NULL, false);
	CHECK(a != NULL);
	sotto_answer_free(a);
	clinic_close(&c);
}

static void private_bounds_have_a_least_price_too(void)
{
	struct sotto_found_bounds found;
	struct sotto_question q = {0};
	struct sotto_rational e;
	struct clinic c;

	REQUIRE(clinic_open(&c, NULL, NULL));
	sotto_rational_init(&e);
	sotto_found_bounds_init(&found);
	(void)!sotto_rational_set_ratio(&e, 1, 20000);
	q.epsilon = &e;
	CHECK(sotto_session_bounds(c.session, "x", &q, &found, &c.err) == SOTTO_EREFUSED);
	CHECK(strstr(c.err.text, "min_epsilon") != NULL);
	CHECK_INT(spent(&c), 0);
	sotto_found_bounds_release(&found);
	sotto_rational_release(&e);
	clinic_close(&c);
}

/* ---- many ------------------------------------------------------------------------------- */

static void *ask_some(void *failures)
{
	struct clinic c;
	bool opened = clinic_open(&c, NULL, NULL);

	for (int i = 0; i < 5; i++)
		if (!opened || !answers(&c))
			__atomic_add_fetch((int *)failures, 1, __ATOMIC_RELAXED);
	if (opened && spent(&c) != 5)
		__atomic_add_fetch((int *)failures, 1, __ATOMIC_RELAXED);
	clinic_close(&c);
	mpfr_free_cache(); /* this thread's */
	return NULL;
}

static void many_sessions_answer_side_by_side(void)
{
	pthread_t threads[6];
	int failures = 0;

	for (int i = 0; i < 6; i++)
		REQUIRE(pthread_create(&threads[i], NULL, ask_some, &failures) == 0);
	for (int i = 0; i < 6; i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
	CHECK_INT(failures, 0);
}

int main(void)
{
	RUN(an_engine_that_died_between_questions_is_replaced);
	RUN(an_engine_that_dies_at_any_moment_costs_its_question_at_most);
	RUN(an_engine_that_dies_after_the_charge_keeps_it_and_the_session);
	RUN(a_question_past_its_time_gets_the_one_sentence);
	RUN(time_is_looked_at_once_more_before_an_answer_is_kept);
	RUN(an_answer_leaves_at_a_multiple_of_the_owners_pad);
	RUN(a_failure_after_the_charge_leaves_like_an_answer);
	RUN(what_reads_no_private_row_leaves_at_once);
	RUN(with_one_question_the_engine_ends_before_the_answer_leaves);
	RUN(the_engine_has_the_policys_memory);
	RUN(too_many_threads_are_refused_before_the_charge);
	RUN(a_question_below_the_least_price_is_refused);
	RUN(without_a_word_of_the_policy_the_least_price_is_one_in_ten_thousand);
	RUN(private_bounds_have_a_least_price_too);
	RUN(many_sessions_answer_side_by_side);
	return tap_done();
}
