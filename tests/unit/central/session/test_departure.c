/*
 * What came of a charge is seen by nobody before the answer leaves: not in the history, not by
 * explain, not by an equal question that waits for it.  Any of these would tell when private rows
 * had been read, which the owner's pad hides.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "central/session/session.h"
#include "core/ledger/ledger_asking.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char count[] = "SELECT COUNT(*) FROM visits";
static const char by_ward[] = "SELECT ward, COUNT(*) FROM visits GROUP BY ward";

#define POLICY(limits)                                                                         \
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ntime: {pad: 1h}\n"            \
	"default: {epsilon: 1}\ndiagnostics: 0.1\ntables:\n"                                   \
	"  visits:\n    source: visits.csv\n    unit: id\n" limits                             \
	"    columns:\n      x: {bounds: [0, 100]}\n      ward: {keys: [a, b, c]}\n"

static const char fixed[] = POLICY("    max_groups: 2\n    max_rows: 2\n");
static const char automatic[] = POLICY("    max_groups: auto\n    max_rows: auto\n");

/* What another session of the same analyst sees. */
struct sight {
	bool is_repeated, is_answered, is_at_work, has_limits;
	double price; /* of another question about the same */
};

/* The question that is asked, and who looks on while its answer waits. */
struct onlooker {
	struct clinic clinic;
	const char *sql, *other;
	struct sight seen;
	int sleeps;
};

struct last_entry {
	uint64_t number;
	bool is_answered;
};

static enum sotto_status note_last(void *context, const struct sotto_ledger_entry *e)
{
	*(struct last_entry *)context = (struct last_entry){e->number, e->answered};
	return SOTTO_OK;
}

static void
explain(struct onlooker *o, const char *sql, bool *is_repeated, bool *has_limits, double *price)
{
	const struct sotto_question q = {.sql = sql};
	struct sotto_explanation *x = NULL;

	(void)tap_check(sotto_session_explain(o->clinic.session, &q, &x, &o->clinic.err) ==
				SOTTO_OK,
			__FILE__, __LINE__, "%s: %s", sql, o->clinic.err.text);
	if (!x)
		return;
	*is_repeated = x->repeated;
	*has_limits = !x->assumes_limits;
	*price = mpq_get_d(x->epsilon.q);
	sotto_explanation_free(x);
}

static struct sight look(struct onlooker *o)
{
	struct sotto_ledger *ledger = NULL;
	struct last_entry last = {0};
	struct sotto_asking asking;
	char path[FOLDER_PATH_MAX];
	struct sight s = {0};
	bool ignored;

	explain(o, o->sql, &s.is_repeated, &s.has_limits, &s.price);
	explain(o, o->other, &ignored, &s.has_limits, &s.price);
	CHECK_INT(sotto_session_ledger(o->clinic.session, &ledger, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_each(ledger, note_last, &last, NULL), SOTTO_OK);
	s.is_answered = last.is_answered;
	folder_file(&o->clinic.folder, "ledger.db", path);
	sotto_asking_init(&asking);
	s.is_at_work = sotto_asking_is_taken(&asking, path, last.number);
	sotto_asking_release(&asking);
	return s;
}

static uint64_t stand_still(void *context)
{
	(void)context;
	return 1;
}

static void look_on(void *context, uint64_t moment)
{
	struct onlooker *o = context;

	(void)moment;
	o->sleeps++;
	o->seen = look(o);
}

static struct clinic beside(const struct clinic *c)
{
	struct clinic other = {.folder = c->folder};

	if (!clinic_reopen(&other))
		abort();
	return other;
}

static bool ask(struct clinic *c, const char *sql)
{
	struct sotto_answer *a = clinic_ask(c, sql, NULL, NULL, false);

	sotto_answer_free(a);
	return a != NULL;
}

static void same_sight(const struct sight *x, const struct sight *y, const char *what)
{
	(void)tap_check(x->is_repeated == y->is_repeated && x->is_answered == y->is_answered &&
				x->has_limits == y->has_limits && x->price == y->price,
			__FILE__, __LINE__, "%s", what);
}

/* Seen while it waits: what is seen while it works, and the entry is at work. */
static void is_seen_when_it_leaves(const char *policy, const char *sql, const char *other)
{
	struct onlooker o = {.sql = sql, .other = other};
	const struct sotto_clock clock = {
		.now = stand_still, .sleep_until = look_on, .context = &o};
	struct sight before, after;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, NULL));
	o.clinic = beside(&c);
	before = look(&o);
	c.session->clock = &clock;
	CHECK(ask(&c, sql));
	CHECK_INT(o.sleeps, 1);
	same_sight(&o.seen, &before, sql);
	CHECK(o.seen.is_at_work);
	after = look(&o);
	CHECK(after.is_repeated && after.is_answered && !after.is_at_work);
	(void)tap_check(policy == fixed || (after.has_limits && after.price < before.price),
			__FILE__, __LINE__, "limits are for both: %g, then %g", before.price,
			after.price);
	sotto_session_close(o.clinic.session);
	clinic_close(&c);
}

static void an_answer_is_in_the_ledger_when_it_leaves(void)
{
	is_seen_when_it_leaves(fixed, by_ward, "SELECT ward, SUM(x) FROM visits GROUP BY ward");
	/* here the other question needs no limits of its own any more */
	is_seen_when_it_leaves(automatic, by_ward,
			       "SELECT ward, SUM(x) FROM visits GROUP BY ward");
}

static void that_there_is_no_answer_is_known_when_it_leaves(void)
{
	struct onlooker o = {.sql = count, .other = by_ward};
	const struct sotto_clock clock = {
		.now = stand_still, .sleep_until = look_on, .context = &o};
	struct clinic c;

	REQUIRE(clinic_open(&c, fixed, NULL));
	REQUIRE(clinic_damage(&c) && clinic_reopen(&c));
	o.clinic = beside(&c);
	c.session->clock = &clock;
	CHECK(!ask(&c, "SELECT COUNT(x) FROM visits"));
	CHECK_STR(c.err.text, SOTTO_CHARGED_SENTENCE);
	CHECK_INT(o.sleeps, 1);
	CHECK(o.seen.is_at_work && !o.seen.is_answered);
	o.seen = look(&o);
	CHECK(!o.seen.is_at_work && !o.seen.is_answered);
	sotto_session_close(o.clinic.session);
	clinic_close(&c);
}

/* ---- an equal question ------------------------------------------------------------------------ */

struct twin {
	struct clinic clinic;
	pthread_t thread;
	atomic_bool is_done;
	bool was_done, repeated;
};

static void *ask_too(void *context)
{
	struct twin *t = context;
	const struct sotto_question q = {.sql = count};
	struct sotto_answer *a = NULL;

	if (sotto_session_query(t->clinic.session, &q, &a, &t->clinic.err) == SOTTO_OK)
		t->repeated = a->repeated;
	sotto_answer_free(a);
	atomic_store(&t->is_done, true);
	return NULL;
}

/* The first answer is on its way: an equal question, asked now, has to wait for it. */
static void let_twin_ask(void *context, uint64_t moment)
{
	const struct timespec moments = {.tv_nsec = 300000000};
	struct twin *t = context;

	(void)moment;
	if (pthread_create(&t->thread, NULL, ask_too, t) != 0)
		abort();
	(void)nanosleep(&moments, NULL);
	t->was_done = atomic_load(&t->is_done);
}

static void jump(void *context, uint64_t moment)
{
	(void)context;
	(void)moment;
}

static void an_equal_question_is_not_answered_before_the_first(void)
{
	struct twin t = {.was_done = true};
	const struct sotto_clock clock = {
		.now = stand_still, .sleep_until = let_twin_ask, .context = &t};
	const struct sotto_clock hasty = {.now = stand_still, .sleep_until = jump};
	struct clinic c;

	REQUIRE(clinic_open(&c, fixed, NULL));
	t.clinic = beside(&c);
	t.clinic.session->clock = &hasty;
	c.session->clock = &clock;
	CHECK(ask(&c, count));
	CHECK(!t.was_done);
	(void)pthread_join(t.thread, NULL);
	CHECK(t.repeated); /* and is free */
	sotto_session_close(t.clinic.session);
	clinic_close(&c);
}

int main(void)
{
	RUN(an_answer_is_in_the_ledger_when_it_leaves);
	RUN(that_there_is_no_answer_is_known_when_it_leaves);
	RUN(an_equal_question_is_not_answered_before_the_first);
	return tap_done();
}
