/*
 * What a query would do, in words and numbers: everything that can be known
 * without a private row.
 */
#include "central/session/explain/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/session.h"
#include "core/number/nearest.h"

/* Processor time for looking at public tables, in nanoseconds: an explanation is there within a second. */
enum { LOOKING = 600000000 };

const char *
sotto_explain_amount(struct sotto_explanation_owned *x, const struct sotto_rational *r, bool up)
{
	enum { DIGITS = 6 };
	const char *out = NULL;
	char *text = NULL;

	if ((up ? sotto_rational_format_up(r, DIGITS, &text)
		: sotto_rational_format_down(r, DIGITS, &text)) == SOTTO_OK)
		out = sotto_arena_text(&x->arena, text);
	free(text);
	return out ? out : "";
}

/* Copies the name: the plan that most of them come from does not live as long. */
enum sotto_status sotto_explain_say(struct sotto_explanation_owned *x, const char *section,
				    const char *name, const char *text)
{
	struct sotto_explanation_line *line =
		SOTTO_PUSH(&x->arena, x->public.lines, x->public.count);
	const char *kept = name ? sotto_arena_text(&x->arena, name) : NULL;

	if (!line || !kept || !text)
		return SOTTO_ENOMEM;
	*line = (struct sotto_explanation_line){.section = section, .name = kept, .text = text};
	return SOTTO_OK;
}

const char *sotto_explain_number(struct sotto_explanation_owned *x, const mpq_t q)
{
	double nearest = sotto_nearest_double(q);
	struct sotto_rational r;
	char *text = NULL;
	const char *out;

	sotto_rational_init(&r);
	mpq_set(r.q, q);
	if ((nearest == 0 || fabs(nearest) >= 1e-4) &&
	    sotto_rational_format(&r, &text) == SOTTO_OK && strlen(text) <= 16 &&
	    !strchr(text, '/'))
		out = sotto_arena_text(&x->arena, text);
	else if (fabs(nearest) >= 1e-4)
		out = sotto_arena_textf(&x->arena, "%.6g", nearest);
	else
		out = sotto_explain_amount(x, &r, true);
	free(text);
	sotto_rational_release(&r);
	return out ? out : "";
}

const char *sotto_explain_steps(struct sotto_explanation_owned *x, int64_t count,
				const struct sotto_rational *step)
{
	mpq_t q;
	const char *out;

	mpq_init(q);
	mpq_set_si(q, count, 1);
	mpq_mul(q, q, step->q);
	out = sotto_explain_number(x, q);
	mpq_clear(q);
	return out;
}

/* Digits that are the ledger's salt, or what units that are whole numbers are mixed with: half of it. */
static bool is_salt(const struct sotto_session *s, const char *digits, size_t n)
{
	for (unsigned shift = 0; shift < 2; shift++) {
		char salt[24];
		int length = snprintf(salt, sizeof salt, "%llu",
				      (unsigned long long)s->salt >> shift);

		if (n == (size_t)length && memcmp(digits, salt, n) == 0)
			return true;
	}
	return false;
}

/*
 * The SQL with :key in the place of the ledger's salt: who knows that could tell beforehand
 * which groups of a unit are kept.
 */
static const char *sql_without_salt(struct sotto_explanation_owned *x,
				    const struct sotto_session *s, const char *sql)
{
	static const char digits[] = "0123456789", key[] = ":key";
	char *out = sotto_arena_text(&x->arena, sql), *to = out;

	for (const char *from = sql; out && *from;) {
		size_t run = strspn(from, digits);

		if (run >= sizeof key && is_salt(s, from, run)) {
			memcpy(to, key, sizeof key - 1);
			to += sizeof key - 1;
		} else {
			memcpy(to, from, run ? run : 1);
			to += run ? run : 1;
		}
		from += run ? run : 1;
	}
	if (out)
		*to = '\0';
	return out;
}

static enum sotto_status explain(struct sotto_explanation_owned *x, struct sotto_session *s,
				 const struct sotto_question *q, const struct sotto_plan *plan,
				 struct sotto_error *err)
{
	SOTTO_TRY(sotto_explain_plan(x, plan));
	SOTTO_TRY(sotto_explain_price(x, s, q, plan, err));
	SOTTO_TRY(sotto_explain_checks(x, s, plan, err));
	if (plan->noise != SOTTO_NOISE_NONE || plan->part_count)
		SOTTO_TRY(sotto_explain_limits(x, s));
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(sotto_explain_say(
			x, "engine", "first",
			sql_without_salt(x, s, sotto_plan_sql(plan->parts[i]))));
	x->public.engine_sql = sql_without_salt(x, s, sotto_plan_sql(plan));
	return sotto_explain_say(x, "engine", "sql", x->public.engine_sql);
}

static enum sotto_status make(struct sotto_session *s, const struct sotto_question *q,
			      struct sotto_explanation **out, struct sotto_error *err)
{
	struct sotto_explanation_owned *x = calloc(1, sizeof *x);
	struct sotto_plan plan;
	enum sotto_status st;

	if (!x)
		return SOTTO_ENOMEM;
	sotto_arena_init(&x->arena, (size_t)64 << 20);
	sotto_rational_init(&x->public.epsilon);
	sotto_rational_init(&x->public.delta);
	sotto_rational_init(&x->public.epsilon_left);
	sotto_rational_init(&x->public.delta_left);
	st = sotto_question_check(q, err);
	if (st == SOTTO_OK)
		st = sotto_session_check_analyst(s, q->analyst, err);
	if (st == SOTTO_OK)
		st = sotto_session_plan(s, q, &plan, err);
	if (st == SOTTO_OK) {
		st = explain(x, s, q, &plan, err);
		if (st != SOTTO_OK)
			st = sotto_session_lost(s, st, err);
		sotto_plan_release(&plan);
	}
	if (st != SOTTO_OK) {
		sotto_explanation_free(&x->public);
		return st;
	}
	*out = &x->public;
	return SOTTO_OK;
}

enum sotto_status sotto_session_explain(struct sotto_session *s, const struct sotto_question *q,
					struct sotto_explanation **out, struct sotto_error *err)
{
	enum sotto_status st;

	if (!q || !q->sql || !out)
		return sotto_fail(err, SOTTO_EINVAL,
				  "an explanation needs SQL and a place for it");
	SOTTO_TRY(sotto_session_enter(s, err));
	s->looking = LOOKING;
	st = make(s, q, out, err);
	s->looking = UINT64_MAX;
	sotto_session_leave(s);
	return st;
}

void sotto_explanation_free(struct sotto_explanation *e)
{
	struct sotto_explanation_owned *x = (struct sotto_explanation_owned *)e;

	if (!x)
		return;
	sotto_rational_release(&e->epsilon);
	sotto_rational_release(&e->delta);
	sotto_rational_release(&e->epsilon_left);
	sotto_rational_release(&e->delta_left);
	sotto_arena_release(&x->arena);
	free(x);
}
