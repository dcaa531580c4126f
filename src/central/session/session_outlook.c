/*
 * What a refusal for lack of budget adds: what is left, and the largest epsilon with which
 * the same question would fit now.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/ledger/ledger_inside.h"
#include "central/session/session.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

enum { STEPS = 40 };
static const double close_enough = 1.0002;

/* A question priced again and again, and what may be spent on it. */
struct search {
	struct sotto_session *session;
	struct sotto_question question; /* with the epsilon that is tried */
	struct sotto_plan plan;
	struct sotto_rational tried, best;
	bool found;
};

/*
 * Does a charge fit into what the analyst is told is left?  More may be admitted, because an
 * answer that two analysts share counts once: how much more would tell what others asked.
 */
static bool
is_told_to_fit(struct sotto_ledger *ledger, const char *analyst, const struct sotto_cost *cost)
{
	struct sotto_cost nothing;
	uint64_t times = 0;
	enum sotto_status st;

	sotto_cost_init(&nothing);
	st = sotto_ledger_fits_after(ledger, analyst, &nothing, cost, &times, NULL);
	sotto_cost_release(&nothing);
	return st == SOTTO_OK && times > 0;
}

/* The plan's price with that epsilon is admitted; then it is the best so far. */
static bool fits(struct search *s)
{
	const char *analyst = sotto_question_analyst(&s->question);
	struct sotto_ledger *ledger;

	s->question.epsilon = &s->tried;
	if (sotto_rational_sign(&s->tried) <= 0 ||
	    sotto_session_price(s->session, &s->question, &s->plan, NULL) != SOTTO_OK ||
	    sotto_session_book(s->session, &ledger, NULL) != SOTTO_OK ||
	    sotto_ledger_check(ledger, analyst, &s->plan.cost, NULL) != SOTTO_OK ||
	    !is_told_to_fit(ledger, analyst, &s->plan.cost))
		return false;
	sotto_rational_set(&s->best, &s->tried);
	s->found = true;
	return true;
}

/* Four digits, so that what is printed is what was tried. */
static void set_digits(struct sotto_rational *r, double x)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%.3e", x);
	if (sotto_rational_parse(r, text, NULL) != SOTTO_OK)
		mpq_set_ui(r->q, 0, 1);
}

/*
 * First what is left, which is exact while costs simply add up; then between the best so
 * far, or the least that a question costs, and what was refused.
 */
static void
look(struct search *s, const struct sotto_rational *left, const struct sotto_rational *refused)
{
	double low, high = sotto_nearest_double(refused->q);

	sotto_rational_set(&s->tried, left);
	if (!fits(s)) {
		sotto_rational_set(&s->tried, s->session->policy.min_epsilon);
		if (!fits(s))
			return;
	}
	low = sotto_nearest_double(s->best.q);
	for (int i = 0; i < STEPS && high / low > close_enough; i++) {
		double middle = sqrt(low * high);

		set_digits(&s->tried, middle);
		if (sotto_rational_compare(&s->tried, &s->best) > 0 && fits(s))
			low = middle;
		else
			high = middle;
	}
}

static enum sotto_status
search(struct search *s, const struct sotto_question *q, const struct sotto_rational *left)
{
	struct sotto_rational refused;
	enum sotto_status st;

	s->question = *q;
	st = sotto_session_plan(s->session, &s->question, &s->plan, NULL);
	SOTTO_TRY(st);
	sotto_rational_init(&refused);
	sotto_rational_set(&refused, &s->plan.cost.epsilon);
	if (sotto_rational_sign(&refused) <=
	    0) /* Gaussian noise has no bound: what was wished */
		sotto_rational_set(&refused, s->plan.epsilon);
	s->question.error = NULL;
	look(s, left, &refused);
	sotto_rational_release(&refused);
	sotto_plan_release(&s->plan);
	return SOTTO_OK;
}

enum sotto_status sotto_session_largest(struct sotto_session *s, const struct sotto_question *q,
					struct sotto_rational *epsilon, bool *found)
{
	struct search x = {.session = s};
	struct sotto_rational left, delta;
	enum sotto_status st;

	sotto_rational_init(&x.tried);
	sotto_rational_init(&x.best);
	sotto_rational_init(&left);
	sotto_rational_init(&delta);
	st = sotto_session_left(s, q->analyst, &left, &delta, NULL);
	if (st == SOTTO_OK)
		st = search(&x, q, &left);
	*found = st == SOTTO_OK && x.found;
	if (*found)
		sotto_rational_set(epsilon, &x.best);
	sotto_rational_release(&left);
	sotto_rational_release(&delta);
	sotto_rational_release(&x.tried);
	sotto_rational_release(&x.best);
	return st;
}

/* ---- the sentence ---------------------------------------------------------------------------- */

static void say(const struct sotto_rational *left, const struct sotto_rational *delta,
		const struct sotto_rational *largest, struct sotto_error *err)
{
	char *epsilon_text = NULL, *delta_text = NULL, *largest_text = NULL;
	char reason[SOTTO_ERROR_TEXT_MAX];

	(void)snprintf(reason, sizeof reason, "%s", err->text);
	if (sotto_rational_format_down(left, 6, &epsilon_text) == SOTTO_OK &&
	    sotto_rational_format_down(delta, 6, &delta_text) == SOTTO_OK &&
	    (!largest || sotto_rational_format_down(largest, 6, &largest_text) == SOTTO_OK))
		(void)sotto_fail(
			err, SOTTO_EBUDGET, "%.400s; epsilon %s and delta %s are left, %s%s%s",
			reason, epsilon_text, delta_text,
			largest ? "and the largest epsilon that would still fit is "
				: "which is not enough for this question at any epsilon",
			largest ? largest_text : "",
			largest && sotto_rational_compare(largest, left) > 0
				? ", and less than that would be charged"
				: "");
	free(epsilon_text);
	free(delta_text);
	free(largest_text);
}

enum sotto_status sotto_session_say_left(struct sotto_session *s,
					 const struct sotto_question *q, enum sotto_status st,
					 struct sotto_error *err)
{
	struct sotto_rational left, delta, largest;
	bool found = false;

	if (st != SOTTO_EBUDGET || !err)
		return st;
	sotto_rational_init(&left);
	sotto_rational_init(&delta);
	sotto_rational_init(&largest);
	if (sotto_session_left(s, q->analyst, &left, &delta, NULL) == SOTTO_OK &&
	    sotto_session_largest(s, q, &largest, &found) == SOTTO_OK)
		say(&left, &delta, found ? &largest : NULL, err);
	sotto_rational_release(&left);
	sotto_rational_release(&delta);
	sotto_rational_release(&largest);
	return st;
}
