/*
 * A question that is asked again is free and has the same answer, whatever was spent in
 * between: what a plan chooses by the ledger's room (Gaussian noise) or by what is stored there
 * (limits, losses) never makes it another question.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/session.h"
#include "testlib/fixture/clinic.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 20, delta: 1e-5}\nauto_epsilon: 0.1\n"
	"default: {epsilon: 5, delta: 1e-7}\ntables:\n  visits:\n"
	"    source: visits.csv\n    unit: id\n    max_groups: 40\n    max_rows: 2\n"
	"    columns:\n      x: {bounds: [0, 100], type: integer}\n"
	"      ward: {keys: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, "
	"w, aa, bb, cc, dd, ee, ff, gg, hh, ii, jj, kk, ll, mm, nn, oo, pp, qq]}\n"
	"  stays:\n    source: visits.csv\n    unit: id\n    max_groups: auto\n"
	"    max_rows: auto\n    columns:\n      x: {bounds: [0, 100], type: integer}\n"
	"      ward: {keys: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]}\n";

struct repeated {
	const char *sql, *error; /* error NULL: at epsilon 0.125 */
};

static const struct repeated questions[] = {
	{"SELECT COUNT(*) FROM visits", NULL},
	{"SELECT ward, COUNT(*) FROM visits GROUP BY ward", NULL},
	{"SELECT ward, COUNT(*), SUM(x), AVG(x) FROM visits GROUP BY ward", NULL},
	{"SELECT ward, COUNT(*) FROM visits GROUP BY ward", "200"},
	{"SELECT ward, VAR_POP(x), COUNT(x) FROM visits GROUP BY ward", NULL},
	{"SELECT note, COUNT(*) FROM visits GROUP BY note", NULL},
	{"SELECT ward, MEDIAN(x), COUNT(*) FROM visits GROUP BY ward", NULL},
	{"SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP (ward)", NULL},
	{"SELECT COUNT(*) FROM visits WHERE x > (SELECT AVG(x) FROM visits)", NULL},
	{"SELECT ward, SUM(x) FROM visits WHERE x > (SELECT AVG(x) FROM visits) GROUP BY ward",
	 NULL},
	{"SELECT a.ward, a.n - b.n FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) "
	 "a JOIN (SELECT ward, COUNT(x) AS n FROM visits WHERE x > 10 GROUP BY ward) b USING "
	 "(ward)",
	 NULL},
	{"SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 3", NULL},
	{"SELECT ward, COUNT(*), SUM(x) FROM stays GROUP BY ward", NULL},
	{"SELECT COUNT(*) FROM stays", NULL}};

enum { QUESTIONS = sizeof questions / sizeof questions[0], AUTO = QUESTIONS - 2 };

/* *number is its error or its epsilon. */
static struct sotto_question
question_of(const struct repeated *r, struct sotto_rational *number)
{
	if (sotto_rational_parse(number, r->error ? r->error : "0.125", NULL) != SOTTO_OK)
		abort();
	return (struct sotto_question){.sql = r->sql,
				       .error = r->error ? number : NULL,
				       .epsilon = r->error ? NULL : number};
}

/* NULL: refused; from any thread. */
static struct sotto_answer *try_to_ask(struct clinic *c, const struct repeated *r)
{
	struct sotto_answer *a = NULL;
	struct sotto_rational number;
	struct sotto_question q;

	sotto_rational_init(&number);
	q = question_of(r, &number);
	if (sotto_session_query(c->session, &q, &a, &c->err) != SOTTO_OK)
		a = NULL;
	sotto_rational_release(&number);
	return a;
}

static struct sotto_answer *ask(struct clinic *c, const struct repeated *r)
{
	struct sotto_answer *a = try_to_ask(c, r);

	(void)tap_check(a != NULL, __FILE__, __LINE__, "%s: %s", r->sql, c->err.text);
	return a;
}

/* The noise that a new answer would have now. */
static bool is_gaussian_now(struct clinic *c, const struct repeated *r)
{
	struct sotto_explanation *x = NULL;
	struct sotto_rational number;
	struct sotto_question q;
	bool gaussian = false;

	sotto_rational_init(&number);
	q = question_of(r, &number);
	q.fresh = true;
	if (sotto_session_explain(c->session, &q, &x, &c->err) == SOTTO_OK)
		gaussian = strstr(x->mechanism, "Gaussian");
	sotto_explanation_free(x);
	sotto_rational_release(&number);
	return gaussian;
}

static uint64_t entries(struct clinic *c)
{
	struct sotto_ledger_totals t;
	struct sotto_ledger *l = NULL;
	uint64_t count;

	sotto_ledger_totals_init(&t);
	CHECK(sotto_session_ledger(c->session, &l, NULL) == SOTTO_OK &&
	      sotto_ledger_totals(l, NULL, &t, NULL) == SOTTO_OK);
	count = t.entries;
	sotto_ledger_totals_release(&t);
	return count;
}

static bool same_values(const struct sotto_answer *x, const struct sotto_answer *y)
{
	bool same = x->row_count == y->row_count && x->column_count == y->column_count;

	for (size_t i = 0; same && i < x->row_count * x->column_count; i++)
		same = x->values[i].kind == y->values[i].kind &&
		       x->values[i].number == y->values[i].number;
	return same;
}

/* Takes all the delta that is left: from now on Gaussian noise does not fit. */
static void spend_delta(struct clinic *c, const struct sotto_rational *left)
{
	static const struct repeated another = {"SELECT COUNT(*) FROM visits WHERE x <> 1",
						NULL};
	struct sotto_answer *a = NULL;
	struct sotto_rational number;
	struct sotto_question q;

	sotto_rational_init(&number);
	q = question_of(&another, &number);
	q.delta = left;
	q.mechanism = "gaussian";
	(void)tap_check(sotto_session_query(c->session, &q, &a, &c->err) == SOTTO_OK, __FILE__,
			__LINE__, "%s", c->err.text);
	sotto_rational_release(&number);
	sotto_answer_free(a);
}

static void check_repeats(struct clinic *c, struct sotto_answer *const *first)
{
	for (size_t i = 0; i < QUESTIONS; i++) {
		uint64_t before = entries(c);
		struct sotto_answer *again = first[i] ? ask(c, &questions[i]) : NULL;

		if (!first[i])
			continue;
		(void)tap_check(again && again->repeated &&
					sotto_rational_sign(&again->epsilon) == 0 &&
					same_values(first[i], again) && entries(c) == before,
				__FILE__, __LINE__, "asked again: %s", questions[i].sql);
		sotto_answer_free(again);
	}
}

static void a_repeat_is_free_whatever_was_spent_in_between(void)
{
	struct sotto_answer *first[QUESTIONS] = {0};
	bool gaussian[QUESTIONS] = {0};
	unsigned switched = 0;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, NULL));
	for (size_t i = 0; i < QUESTIONS; i++) {
		gaussian[i] = is_gaussian_now(&c, &questions[i]);
		first[i] = ask(&c, &questions[i]);
		REQUIRE(first[i]);
	}
	check_repeats(&c, first);
	spend_delta(&c, &first[QUESTIONS - 1]->delta_left);
	for (size_t i = 0; i < QUESTIONS; i++)
		switched += gaussian[i] != is_gaussian_now(&c, &questions[i]);
	CHECK(switched > 0); /* otherwise nothing was put to the test */
	REQUIRE(clinic_reopen(&c));
	check_repeats(&c, first);
	for (size_t i = 0; i < QUESTIONS; i++)
		sotto_answer_free(first[i]);
	clinic_close(&c);
}

/* ---- asked at the same time ------------------------------------------------------------------- */

/* Another session of the same analyst, which is quicker. */
struct hasty {
	struct clinic clinic;
	const struct repeated *question;
	struct sotto_answer *answer;
	bool asked;
};

/* The clock is read between plan and charge: there the other one asks, with other noise. */
static uint64_t ask_meanwhile(void *context)
{
	struct hasty *h = context;

	if (!h->asked) {
		struct sotto_rational left, epsilon;

		h->asked = true;
		sotto_rational_init(&left);
		sotto_rational_init(&epsilon);
		CHECK_INT(sotto_session_enter(h->clinic.session, NULL), SOTTO_OK);
		CHECK_INT(sotto_session_left(h->clinic.session, NULL, &epsilon, &left, NULL),
			  SOTTO_OK);
		sotto_session_leave(h->clinic.session);
		spend_delta(&h->clinic, &left);
		CHECK(!is_gaussian_now(&h->clinic, h->question));
		h->answer = ask(&h->clinic, h->question);
		sotto_rational_release(&left);
		sotto_rational_release(&epsilon);
	}
	return 0;
}

static void jump(void *context, uint64_t moment)
{
	(void)context;
	(void)moment;
}

/* Another session on the same ledger; its folder is closed with the first. */
static struct clinic beside(const struct clinic *c)
{
	struct clinic other = {.folder = c->folder};

	if (!clinic_reopen(&other))
		abort();
	return other;
}

static void is_charged_once(const struct repeated *question)
{
	struct hasty h = {.question = question};
	const struct sotto_clock clock = {
		.now = ask_meanwhile, .sleep_until = jump, .context = &h};
	struct sotto_answer *a;
	struct clinic c;
	uint64_t before;

	REQUIRE(clinic_open(&c, policy, NULL));
	CHECK(is_gaussian_now(&c, question)); /* and later not: that puts it to the test */
	h.clinic = beside(&c);
	before = entries(&c);
	c.session->clock = &clock;
	a = ask(&c, question);
	(void)tap_check(a && h.answer && a->repeated && same_values(a, h.answer), __FILE__,
			__LINE__, "asked at the same time: %s", question->sql);
	CHECK_INT(entries(&c), before + 2); /* what took the delta, and the question */
	sotto_answer_free(a);
	sotto_answer_free(h.answer);
	sotto_session_close(h.clinic.session);
	clinic_close(&c);
}

static void a_question_that_is_asked_meanwhile_with_other_noise_is_charged_once(void)
{
	is_charged_once(&questions[1]);
	is_charged_once(&questions[3]);
}

/* ---- many threads ------------------------------------------------------------------------------- */

enum { THREADS = 6, RACES = 4 };

static void *ask_everything(void *context)
{
	struct clinic *c = context;

	for (size_t i = 0; i < RACES; i++)
		sotto_answer_free(try_to_ask(c, &questions[i < RACES - 1 ? i : AUTO]));
	return NULL;
}

static void of_many_threads_with_one_question_one_is_charged(void)
{
	struct clinic c, crew[THREADS];
	pthread_t threads[THREADS];
	uint64_t before;

	REQUIRE(clinic_open(&c, policy, NULL));
	before = entries(&c);
	for (size_t i = 0; i < THREADS; i++)
		crew[i] = beside(&c);
	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, ask_everything, &crew[i]) != 0)
			abort();
	for (size_t i = 0; i < THREADS; i++) {
		(void)pthread_join(threads[i], NULL);
		sotto_session_close(crew[i].session);
	}
	CHECK_INT(entries(&c), before + RACES);
	clinic_close(&c);
}

/* What a subquery leaves of its noisy groups decides on rows: a value that differs at its end is another one. */
static void a_long_parameter_with_another_end_is_another_question(void)
{
	char text[2][302];
	struct sotto_rational epsilon;
	struct clinic c;

	sotto_rational_init(&epsilon);
	REQUIRE(sotto_rational_parse(&epsilon, "0.125", NULL) == SOTTO_OK);
	REQUIRE(clinic_open(&c, policy, NULL));
	for (int i = 0; i < 3; i++) {
		struct sotto_bound_value value = {.kind = SOTTO_PARAMETER_TEXT,
						  .text = text[i / 2]};
		struct sotto_question q = {
			.sql = "SELECT COUNT(*) FROM visits WHERE ward IN (SELECT ward FROM "
			       "visits GROUP BY ward HAVING ward < $1)",
			.parameters = &value,
			.parameter_count = 1,
			.epsilon = &epsilon};
		struct sotto_answer *a = NULL;

		memset(text[i / 2], 'a', 300);
		memcpy(text[i / 2] + 300, i == 2 ? "z" : "b", 2);
		CHECK_INT(sotto_session_query(c.session, &q, &a, &c.err), SOTTO_OK);
		CHECK(a && a->repeated == (i == 1));
		sotto_answer_free(a);
	}
	sotto_rational_release(&epsilon);
	clinic_close(&c);
}

int main(void)
{
	RUN(a_repeat_is_free_whatever_was_spent_in_between);
	RUN(a_question_that_is_asked_meanwhile_with_other_noise_is_charged_once);
	RUN(of_many_threads_with_one_question_one_is_charged);
	RUN(a_long_parameter_with_another_end_is_another_question);
	return tap_done();
}
