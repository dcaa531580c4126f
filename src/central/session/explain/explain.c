/*
 * What a query would do, in words and numbers: everything that can be known
 * without a private row.
 */
#include "central/plan/price/plan_price.h"
#include "central/session/explain/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/session/answer/answer.h"
#include "central/session/release/releases.h"
#include "central/session/session.h"
#include "central/session/session_auto.h"
#include "central/session/spread/session_spread.h"
#include "core/number/nearest.h"
#include "sotto/cost.h"

/* Nanoseconds that public tables may be looked at: an explanation is there within a second. */
enum { LOOKING = 600000000 };

/* Six digits; of a cost never less, of what is left never more. */
static const char *
amount(struct sotto_explanation_owned *x, const struct sotto_rational *r, bool up)
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
		out = amount(x, &r, true);
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

/* ---- the budget ---------------------------------------------------------------------------- */

/* data_changed says whether the stored answer is about older data. */
static enum sotto_status look_for_answer(struct sotto_explanation_owned *x,
					 struct sotto_session *s, const char *analyst,
					 const struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_releases releases;
	enum sotto_status st;

	SOTTO_TRY(sotto_releases_init(&releases, plan));
	st = releases.count ? sotto_releases_find(&releases, s, analyst, true, err) : SOTTO_OK;
	x->public.repeated = releases.repeated;
	x->public.data_changed = releases.data_changed;
	sotto_releases_release(&releases);
	return st;
}

static enum sotto_status look_at_ledger(struct sotto_explanation_owned *x,
					struct sotto_session *s, const struct sotto_question *q,
					const struct sotto_plan *plan, struct sotto_error *err)
{
	struct sotto_ledger_forecast f;
	struct sotto_ledger *ledger;
	enum sotto_status st;

	SOTTO_TRY(sotto_session_book(s, &ledger, err));
	SOTTO_TRY(look_for_answer(x, s, sotto_question_analyst(q), plan, err));
	sotto_ledger_forecast_init(&f);
	st = sotto_ledger_forecast(ledger, sotto_question_analyst(q), &plan->cost, &f, err);
	if (st == SOTTO_OK) {
		x->public.affordable = f.affordable;
		x->public.fits = f.fits;
		sotto_rational_set(&x->public.epsilon_left, &f.epsilon_left);
		sotto_rational_set(&x->public.delta_left, &f.delta_left);
	}
	sotto_ledger_forecast_release(&f);
	if (st == SOTTO_OK && x->public.repeated) /* a repeat is free: what is left is left */
		st = sotto_session_left(s, q->analyst, &x->public.epsilon_left,
					&x->public.delta_left, err);
	return st;
}

static enum sotto_status explain_largest(struct sotto_explanation_owned *x,
					 struct sotto_session *s,
					 const struct sotto_question *q)
{
	struct sotto_rational largest;
	const char *text = NULL;
	bool found = false;

	sotto_rational_init(&largest);
	if (sotto_session_largest(s, q, &largest, &found) == SOTTO_OK && found)
		text = amount(x, &largest, false);
	sotto_rational_release(&largest);
	return text ? sotto_explain_say(
			      x, "price", "largest epsilon",
			      sotto_arena_textf(&x->arena, "%s would still fit", text))
		    : SOTTO_OK;
}

static enum sotto_status explain_left(struct sotto_explanation_owned *x,
				      struct sotto_session *s, const struct sotto_question *q)
{
	const char *epsilon = amount(x, &x->public.epsilon_left, false);
	const char *delta = amount(x, &x->public.delta_left, false);

	if (!x->public.affordable && !x->public.repeated) {
		SOTTO_SAY("price", "budget",
			  "not enough: epsilon %s and delta %s are left for releases", epsilon,
			  delta);
		SOTTO_TRY(explain_largest(x, s, q));
	} else
		SOTTO_SAY("price", "left afterwards", "epsilon %s, delta %s", epsilon, delta);
	if (x->public.fits < UINT64_MAX)
		SOTTO_SAY("price", "how often",
			  "%llu question%s like this one %s into what is "
			  "left",
			  (unsigned long long)x->public.fits, x->public.fits == 1 ? "" : "s",
			  x->public.fits == 1 ? "fits" : "fit");
	if (x->public.repeated)
		SOTTO_SAY(
			"price", "asked before",
			"the stored answer will be repeated, free%s; --fresh pays for another",
			x->public.data_changed ? ", although the data have changed since" : "");
	return SOTTO_OK;
}

/* "2 s" or "500 ms"; of memory the largest unit that says it exactly. */
static const char *time_text(struct sotto_explanation_owned *x, uint64_t nanoseconds)
{
	const uint64_t second = 1000000000;

	return nanoseconds % second
		       ? sotto_arena_textf(&x->arena, "%g ms", (double)nanoseconds / 1e6)
		       : sotto_arena_textf(&x->arena, "%llu s",
					   (unsigned long long)(nanoseconds / second));
}

static const char *memory_text(struct sotto_explanation_owned *x, uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	size_t i = 0;

	if (bytes == 0)
		return "four fifths of the machine's";
	while (i + 1 < sizeof units / sizeof units[0] && bytes % 1024 == 0) {
		bytes /= 1024;
		i++;
	}
	return sotto_arena_textf(&x->arena, "%llu %s", (unsigned long long)bytes, units[i]);
}

/* What holds for every question under this policy; one that needs more fails when charged. */
static enum sotto_status
explain_limits(struct sotto_explanation_owned *x, const struct sotto_session *s)
{
	const char *limit = time_text(x, sotto_session_limit(s));
	const char *memory = memory_text(x, s->policy.memory);
	uint64_t pad = s->policy.has_pad ? s->policy.pad : s->options.pad;

	if (!limit || !memory)
		return SOTTO_ENOMEM;
	x->public.time_limit = (double)sotto_session_limit(s) / 1e9;
	x->public.memory_limit = s->policy.memory;
	x->public.pad = (double)pad / 1e9;
	SOTTO_SAY("limits", "time", "%s; a question that takes longer is charged and fails",
		  limit);
	SOTTO_SAY("limits", "memory", "%s; a question that needs more is charged and fails",
		  memory);
	if (s->buckets > 0) {
		const char *how = sotto_spread_text(s, &x->arena);

		x->public.buckets = s->buckets;
		SOTTO_SAY("limits", "workers", "%s", how ? how : "");
	}
	if (pad > 0) {
		const char *step = time_text(x, pad);

		SOTTO_SAY("limits", "answer", "sent at a multiple of %s after the charge",
			  step ? step : "");
	}
	if (s->policy.server == SOTTO_SERVER_ADBC)
		SOTTO_SAY("limits", "moment", "%s",
			  s->shares_moment ? "all tables are read as of one moment"
					   : "each table is read at a different moment, "
					     "because this driver has no snapshot that reads "
					     "can share; a question that reads a table "
					     "twice is refused");
	return SOTTO_OK;
}

static enum sotto_status explain_price(struct sotto_explanation_owned *x,
				       struct sotto_session *s, const struct sotto_question *q,
				       const struct sotto_plan *plan, struct sotto_error *err)
{
	x->public.mechanism = sotto_plan_mechanism(plan);
	sotto_rational_set(&x->public.epsilon, &plan->cost.epsilon);
	sotto_rational_set(&x->public.delta, &plan->cost.delta);
	if (plan->noise == SOTTO_NOISE_NONE)
		SOTTO_SAY("price", "mechanism", "none: exact and free");
	else
		SOTTO_SAY("price", "mechanism", "%s%s", x->public.mechanism,
			  plan->noise == SOTTO_NOISE_GAUSSIAN
				  ? ", whose error is smaller here than that of Laplace noise"
			  : plan->spares_ledger
				  ? "; Gaussian noise would have a smaller error, but fewer "
				    "questions would then fit into the budget; --mechanism "
				    "gaussian uses it"
				  : "");
	SOTTO_SAY("price", "cost", "epsilon %s, delta %s", amount(x, &plan->cost.epsilon, true),
		  amount(x, &plan->cost.delta, true));
	if (plan->owner && plan->part_count)
		SOTTO_SAY(
			"price", "of that",
			"epsilon %s for the question, the rest for what its rows are compared "
			"with: %zu subquer%s over private rows, finished with noise first",
			amount(x, &plan->own_cost.epsilon, true), plan->part_count,
			plan->part_count == 1 ? "y" : "ies");
	x->public.assumes_limits = sotto_plan_is_pending(plan);
	if (x->public.assumes_limits)
		SOTTO_SAY("price", "of that",
			  "epsilon %s is for finding max_groups and max_rows (auto), once for "
			  "these tables and keys; the errors above assume 1 group and 1 row, "
			  "and grow with what is found",
			  amount(x, &plan->spread_cost.epsilon, true));
	SOTTO_TRY(look_at_ledger(x, s, q, plan, err));
	return explain_left(x, s, q);
}

/* What public tables would tell; *known false: looking takes too long. */
static enum sotto_status check(struct sotto_session *s, const struct sotto_plan *plan,
			       bool *known, struct sotto_error *err)
{
	enum sotto_status st;

	if (plan->check_count == 0)
		return SOTTO_OK;
	st = s->looking ? sotto_session_ready(s, err) : SOTTO_ERANGE;
	if (st == SOTTO_OK)
		st = sotto_session_check(s, plan, err);
	*known = *known && st != SOTTO_ERANGE;
	return st == SOTTO_ERANGE ? SOTTO_OK : st;
}

static enum sotto_status explain_checks(struct sotto_explanation_owned *x,
					struct sotto_session *s, const struct sotto_plan *plan,
					struct sotto_error *err)
{
	bool known = true;

	SOTTO_TRY(check(s, plan, &known, err));
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(check(s, plan->parts[i], &known, err));
	if (!known || s->looking == 0)
		SOTTO_SAY("limits", "public tables",
			  "too large to look at now; the query looks at them before it is "
			  "charged, and may then have fewer groups or be refused");
	return SOTTO_OK;
}

/*
 * The SQL with :key in the place of the ledger's salt: who knows that could tell beforehand
 * which groups of a unit are kept.
 */
static const char *sql_without_salt(struct sotto_explanation_owned *x,
				    const struct sotto_session *s, const char *sql)
{
	static const char digits[] = "0123456789", key[] = ":key";
	char salt[24];
	int n = snprintf(salt, sizeof salt, "%llu", (unsigned long long)s->salt);
	char *out = sotto_arena_text(&x->arena, sql), *to = out;

	for (const char *from = sql; out && *from;) {
		size_t run = strspn(from, digits);

		if (run == (size_t)n && memcmp(from, salt, run) == 0 && run >= sizeof key) {
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
	SOTTO_TRY(explain_price(x, s, q, plan, err));
	SOTTO_TRY(explain_checks(x, s, plan, err));
	if (plan->noise != SOTTO_NOISE_NONE || plan->part_count)
		SOTTO_TRY(explain_limits(x, s));
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
