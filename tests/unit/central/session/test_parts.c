/*
 * A query of several parts is one charge and one answer, whoever asks beside it;
 * sessions may be used from many threads; a repeat tells that the data changed.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

enum { THREADS = 4 };

#define POLICY(budget)                                                                         \
	"ledger: ledger.db\nbudget: {epsilon: " budget "}\ndiagnostics: 0\ntables:\n"          \
	"  visits: {source: visits.csv, unit: id, columns: {ward: {keys: [a, b, c]}}}\n"

static const char cube[] =
	"SELECT ward, x > 40, COUNT(*) FROM visits GROUP BY CUBE(ward, x > 40)";
static const char fixed_sentence[] = "the query was charged but could not be answered; nothing "
				     "about the data follows from this";

/* ---- the ledger's view ---------------------------------------------------------------------- */

static enum sotto_status collect(void *context, const struct sotto_ledger_entry *e)
{
	char *text = context;
	size_t used = strlen(text);

	if (e->kind == SOTTO_LEDGER_RELEASE) /* the first entry is that of its making */
		snprintf(text + used, 256 - used, "%d:%d:%d ", (int)e->number - 1,
			 (int)e->part_count, e->answered);
	return SOTTO_OK;
}

static void history_is(struct clinic *c, const char *want)
{
	struct sotto_ledger *l;
	char text[256] = "";

	CHECK_INT(sotto_session_ledger(c->session, &l, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_each(l, collect, text, NULL), SOTTO_OK);
	CHECK_STR(text, want);
}

static bool same_values(const struct sotto_answer *x, const struct sotto_answer *y)
{
	bool same = x->row_count == y->row_count;

	for (size_t i = 0; same && i < x->row_count * x->column_count; i++)
		same = x->values[i].number == y->values[i].number;
	return same;
}

static void a_cube_is_one_entry_and_its_repeat_is_whole_and_free(void)
{
	struct sotto_answer *x, *y;
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY("1"), NULL));
	x = clinic_ask(&c, cube, "0.8", NULL, false);
	REQUIRE(x);
	CHECK(mpq_cmp_ui(x->epsilon.q, 4, 5) == 0);
	history_is(&c, "1:4:1 ");
	REQUIRE(clinic_reopen(&c));
	y = clinic_ask(&c, cube, "0.8", NULL, false);
	REQUIRE(y);
	CHECK(y->repeated && same_values(x, y) && sotto_rational_sign(&y->epsilon) == 0);
	history_is(&c, "1:4:1 ");
	sotto_answer_free(x);
	sotto_answer_free(y);
	CHECK(!clinic_ask(&c, cube, "0.3", NULL, false));
	history_is(&c, "1:4:1 ");
	clinic_close(&c);
}

static void a_part_alone_and_within_a_query_is_the_same_release(void)
{
	struct sotto_answer *x, *y;
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY("1"), NULL));
	x = clinic_ask(&c, "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", "0.5", NULL,
		       false);
	y = clinic_ask(
		&c,
		"SELECT max(n) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) "
		"AS q",
		"0.5", NULL, false);
	REQUIRE(x && y);
	CHECK(y->repeated);
	history_is(&c, "1:0:1 ");
	sotto_answer_free(x);
	sotto_answer_free(y);
	clinic_close(&c);
}

static void a_cube_that_fails_after_the_charge_says_that_it_was_charged(void)
{
	struct sotto_answer *a;
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY("1"), NULL));
	a = clinic_ask(&c, "SELECT COUNT(*) FROM visits", "0.1", NULL, false);
	REQUIRE(a);
	sotto_answer_free(a);
	REQUIRE(clinic_damage(&c) && clinic_reopen(&c));
	CHECK(!clinic_ask(&c, cube, "0.8", NULL, false));
	CHECK_STR(c.err.text, fixed_sentence);
	history_is(&c, "1:0:1 2:4:0 ");
	clinic_close(&c);
}

/* ---- threads -------------------------------------------------------------------------------- */

struct crew {
	struct clinic *clinic;
	const char *sql, *epsilon;
	bool own_session, until_refused;
	atomic_int answered, refused, wrong;
};

static struct sotto_session *session_of(struct crew *c)
{
	struct sotto_session *s = NULL;
	char path[FOLDER_PATH_MAX];

	if (!c->own_session)
		return c->clinic->session;
	folder_file(&c->clinic->folder, "sotto.yaml", path);
	if (sotto_session_open(path, &s, NULL) != SOTTO_OK)
		abort();
	sotto_session_set_threads(s, 1);
	return s;
}

/* What else a session can be asked meanwhile. */
static bool look_around(struct sotto_session *s, const struct sotto_question *q)
{
	struct sotto_explanation *e = NULL;
	struct sotto_ledger_totals t;
	struct sotto_ledger *l;
	bool right;

	sotto_ledger_totals_init(&t);
	right = sotto_session_explain(s, q, &e, NULL) == SOTTO_OK &&
		sotto_session_ledger(s, &l, NULL) == SOTTO_OK &&
		sotto_ledger_totals(l, NULL, &t, NULL) == SOTTO_OK;
	sotto_explanation_free(e);
	sotto_ledger_totals_release(&t);
	return right;
}

static void *ask(void *context)
{
	struct crew *c = context;
	struct sotto_session *s = session_of(c);
	struct sotto_rational epsilon = {0};
	struct sotto_question q = {.sql = c->sql, .epsilon = &epsilon, .fresh = true};
	enum sotto_status st;

	if (sotto_rational_parse(&epsilon, c->epsilon, NULL) != SOTTO_OK)
		abort();
	do {
		struct sotto_answer *answer = NULL;
		struct sotto_error err;

		st = sotto_session_query(s, &q, &answer, &err);
		atomic_fetch_add(&c->answered, st == SOTTO_OK);
		atomic_fetch_add(&c->refused, st == SOTTO_EBUDGET);
		if ((st != SOTTO_OK && st != SOTTO_EBUDGET) || !look_around(s, &q))
			atomic_fetch_add(&c->wrong, 1);
		sotto_answer_free(answer);
	} while (st == SOTTO_OK && c->until_refused);
	sotto_rational_release(&epsilon);
	if (c->own_session)
		sotto_session_close(s);
	return NULL;
}

static void let_them_ask(struct crew *c)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, ask, c) != 0)
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(c->wrong, 0);
}

static void ledger_is_whole(struct clinic *c, unsigned entries)
{
	uint64_t found = 0, answers = 0;
	struct sotto_ledger *l;

	CHECK_INT(sotto_session_ledger(c->session, &l, NULL), SOTTO_OK);
	CHECK_INT(sotto_ledger_verify(l, &found, &answers, NULL), SOTTO_OK);
	CHECK_INT(found, entries + 1); /* with its making */
	CHECK_INT(answers, entries);
}

static void threads_on_one_session_spend_the_budget_to_the_last_unit(void)
{
	struct clinic c;
	struct crew crew = {.clinic = &c,
			    .sql = "SELECT COUNT(*) FROM visits",
			    .epsilon = "0.05",
			    .until_refused = true};

	REQUIRE(clinic_open(&c, POLICY("1"), NULL));
	let_them_ask(&crew);
	CHECK_INT(crew.answered, 20);
	ledger_is_whole(&c, 20);
	clinic_close(&c);
}

/* The last of the budget is enough for one cube: one is answered whole, the others cost nothing. */
static void cubes_that_race_are_answered_whole_or_refused_whole(void)
{
	for (int own = 0; own < 2; own++) {
		struct clinic c;
		struct crew crew = {
			.clinic = &c, .sql = cube, .epsilon = "0.8", .own_session = own};

		REQUIRE(clinic_open(&c, POLICY("1"), NULL));
		let_them_ask(&crew);
		CHECK_INT(crew.answered, 1);
		CHECK_INT(crew.refused, THREADS - 1);
		history_is(&c, "1:4:1 ");
		ledger_is_whole(&c, 1);
		clinic_close(&c);
	}
}

static void a_session_is_refused_in_a_child(void)
{
	struct sotto_answer *a;
	struct clinic c;
	int status = 0;

	REQUIRE(clinic_open(&c, POLICY("1"), NULL));
	a = clinic_ask(&c, "SELECT COUNT(*) FROM visits", "0.1", NULL, false);
	REQUIRE(a);
	sotto_answer_free(a);
	fflush(stdout);
	if (fork() == 0) {
		bool right =
			!clinic_ask(&c, "SELECT COUNT(*) FROM visits", "0.2", NULL, false) &&
			strstr(c.err.text, "fork()") != NULL;

		sotto_session_close(c.session);
		_exit(right ? 0 : 1);
	}
	wait(&status);
	CHECK_INT(status, 0);
	a = clinic_ask(&c, "SELECT COUNT(*) FROM visits", "0.2", NULL, false);
	CHECK(a != NULL);
	sotto_answer_free(a);
	clinic_close(&c);
}

static void closing_the_sessions_ledger_does_nothing(void)
{
	struct sotto_ledger *l, *again;
	struct clinic c;

	REQUIRE(clinic_open(&c, POLICY("1"), NULL));
	REQUIRE(sotto_session_ledger(c.session, &l, NULL) == SOTTO_OK);
	sotto_ledger_close(l);
	CHECK_INT(sotto_session_ledger(c.session, &again, NULL), SOTTO_OK);
	CHECK(l == again);
	ledger_is_whole(&c, 0);
	clinic_close(&c);
}

static void questions_that_nobody_can_mean_are_refused(void)
{
	struct sotto_rational zero = {0}, minus = {0}, one = {0};
	const struct sotto_question questions[] = {
		{0},
		{.sql = "SELECT COUNT(*) FROM visits", .epsilon = &zero},
		{.sql = "SELECT COUNT(*) FROM visits", .epsilon = &minus},
		{.sql = "SELECT COUNT(*) FROM visits", .epsilon = &one, .delta = &one},
		{.sql = "SELECT COUNT(*) FROM visits", .epsilon = &one, .delta = &minus},
		{.sql = "SELECT COUNT(*) FROM visits", .error = &zero},
	};
	struct sotto_explanation *e = NULL;
	struct sotto_answer *a = NULL;
	struct clinic c;

	CHECK_INT(sotto_rational_set_ratio(&minus, -1, 2), SOTTO_OK);
	CHECK_INT(sotto_rational_set_ratio(&one, 1, 1), SOTTO_OK);
	REQUIRE(clinic_open(&c, POLICY("10"), NULL));
	for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
		CHECK_INT(sotto_session_query(c.session, &questions[i], &a, NULL),
			  SOTTO_EINVAL);
		CHECK_INT(sotto_session_explain(c.session, &questions[i], &e, NULL),
			  SOTTO_EINVAL);
	}
	/* a zeroed delta is none */
	CHECK_INT(sotto_session_query(c.session,
				      &(struct sotto_question){.sql = questions[1].sql,
							       .epsilon = &one,
							       .delta = &zero},
				      &a, NULL),
		  SOTTO_OK);
	sotto_answer_free(a);
	sotto_rational_release(&minus);
	sotto_rational_release(&one);
	clinic_close(&c);
}

/* ---- data that change ------------------------------------------------------------------------ */

static bool says_that_data_changed(const struct sotto_answer *a)
{
	for (size_t i = 0; i < a->note_count; i++)
		if (strstr(a->notes[i], "the data have changed since this answer was given") &&
		    strstr(a->notes[i], "--fresh asks again"))
			return true;
	return false;
}

static void a_repeat_after_the_data_changed_says_so(void)
{
	static const char *const questions[] = {"SELECT COUNT(*) FROM visits", cube};

	for (int i = 0; i < 2; i++) {
		struct sotto_answer *a;
		struct clinic c;

		REQUIRE(clinic_open(&c, POLICY("10"), NULL));
		a = clinic_ask(&c, questions[i], "0.5", NULL, false);
		REQUIRE(a);
		sotto_answer_free(a);
		REQUIRE(clinic_reopen(&c));
		a = clinic_ask(&c, questions[i], "0.5", NULL, false);
		REQUIRE(a);
		CHECK(a->repeated && !a->data_changed && !says_that_data_changed(a));
		sotto_answer_free(a);
		REQUIRE(clinic_write(&c, "visits.csv", "id,ward,x,note\n9,a,1,n\n"));
		REQUIRE(clinic_reopen(&c));
		a = clinic_ask(&c, questions[i], "0.5", NULL, false);
		REQUIRE(a);
		CHECK(a->repeated && a->data_changed && says_that_data_changed(a));
		sotto_answer_free(a);
		a = clinic_ask(&c, questions[i], "0.5", NULL, true);
		REQUIRE(a);
		CHECK(!a->repeated && !a->data_changed);
		sotto_answer_free(a);
		a = clinic_ask(&c, questions[i], "0.5", NULL, false);
		REQUIRE(a);
		CHECK(a->repeated && !a->data_changed);
		sotto_answer_free(a);
		clinic_close(&c);
	}
}

/*
 * A join with a public table looks at both sides of each equation, and so at the subquery, before
 * the question itself is bound; what is only looked at must leave no trace.  Nor may one that an
 * output reads for each public key be released twice, or not at all.
 */
static void each_subquery_is_compared_with_its_own_answer(void)
{
	static const char policy[] = "ledger: ledger.db\nbudget: {epsilon: "
				     "1000000}\ndiagnostics: 0\ntables:\n  visits: "
				     "{source: visits.csv, unit: id, max_rows: 3, max_groups: "
				     "3, columns: {x: {bounds: "
				     "[0, 100], type: integer}, ward: {keys: [a, b, c]}}}\n"
				     "  wards: {source: wards.csv, public: true}\n";
	static const struct {
		const char *sql;
		int value;
	} cases[] = {
		{"SELECT COUNT(*) FROM visits AS v JOIN wards AS w ON v.ward = w.ward WHERE "
		 "v.x = "
		 "(SELECT MAX(x) FROM visits)",
		 2},
		{"SELECT COUNT(*) FROM visits AS v JOIN wards AS w ON v.ward = w.ward WHERE "
		 "v.x = "
		 "(SELECT MAX(x) FROM visits) AND v.x > (SELECT MIN(x) FROM visits)",
		 2},
		{"SELECT COUNT(*) FROM visits AS v JOIN visits AS w ON v.id = w.id WHERE v.x = "
		 "(SELECT MAX(x) FROM visits)",
		 3},
		{"SELECT (SELECT COUNT(*) FROM visits AS i WHERE i.ward = v.ward) AS n FROM "
		 "visits "
		 "AS v GROUP BY ward ORDER BY ward LIMIT 1",
		 6},
		{"SELECT (SELECT COUNT(*) FROM visits AS i WHERE i.ward = v.ward) AS n, "
		 "COUNT(*) "
		 "FROM visits AS v GROUP BY ward ORDER BY ward LIMIT 1",
		 6},
	};
	struct clinic c;

	REQUIRE(clinic_open(&c, policy,
			    "id,ward,x\n1,a,10\n1,a,20\n2,a,40\n3,b,50\n4,b,60\n5,c,100\n"
			    "6,a,0\n8,a,100\n8,a,99\n") &&
		clinic_write(&c, "wards.csv", "ward,beds\na,1\nb,2\nc,3\n") &&
		clinic_reopen(&c));
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_answer *a = clinic_ask(&c, cases[i].sql, "2000", NULL, false);

		if (!tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", cases[i].sql,
			       c.err.text))
			continue;
		(void)tap_check((int)a->values[0].number == cases[i].value, __FILE__, __LINE__,
				"%s: %g", cases[i].sql, a->values[0].number);
		sotto_answer_free(a);
	}
	/* Each has the question beside it, except the fourth: groups of public keys are free. */
	history_is(&c, "1:2:1 2:3:1 3:2:1 4:0:1 5:2:1 ");
	clinic_close(&c);
}

int main(void)
{
	RUN(a_cube_is_one_entry_and_its_repeat_is_whole_and_free);
	RUN(a_part_alone_and_within_a_query_is_the_same_release);
	RUN(a_cube_that_fails_after_the_charge_says_that_it_was_charged);
	RUN(threads_on_one_session_spend_the_budget_to_the_last_unit);
	RUN(cubes_that_race_are_answered_whole_or_refused_whole);
	RUN(a_session_is_refused_in_a_child);
	RUN(closing_the_sessions_ledger_does_nothing);
	RUN(questions_that_nobody_can_mean_are_refused);
	RUN(a_repeat_after_the_data_changed_says_so);
	RUN(each_subquery_is_compared_with_its_own_answer);
	return tap_done();
}
