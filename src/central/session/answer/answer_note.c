/*
 * Sentences about columns that differ from what SQL would give.  They say what the
 * plan says, never what the data are.
 */
#include "central/session/answer/answer_inside.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "central/session/answer/answer_picked.h"
#include "central/session/release/releases.h"
#include "core/base/failure.h"

/* Where a rank is looked for that is, or may be, too close to an end. */
static const char *
say_end(struct sotto_arena *arena, const char *name, const struct sotto_rank *r)
{
	bool low = (uint64_t)r->part * 2 < r->whole;
	double rows = (double)r->margin / 2;

	if (r->part == 0 || r->part == r->whole)
		return sotto_arena_textf(
			arena,
			"%s: the answer is the value about %.10g rows from the %s, or the "
			"median if there are fewer than twice as many rows",
			name, rows, low ? "lowest" : "highest");
	return sotto_arena_textf(
		arena,
		"%s: a quantile near the end; if fewer than about %.4g rows would lie %s it, a "
		"value further inside is chosen, so that about as many do",
		name, rows, low ? "below" : "above");
}

static const struct sotto_rank *
rank_of(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	const struct sotto_aggregate *a;

	if (!e || e->kind != SOTTO_SQL_VALUE)
		return NULL;
	a = &plan->aggregates[e->index];
	if (a->form != SOTTO_FORM_RANK)
		return NULL;
	return &plan->choices[a->rank.choice].quantiles.ranks[3 * a->rank.rank];
}

/* The first rank with a margin that an output is computed from, or NULL. */
static const struct sotto_rank *
end_of(const struct sotto_plan *plan, const struct sotto_sql_expr *e)
{
	const struct sotto_rank *r = rank_of(plan, e);

	for (size_t i = 0; e && !r && i < e->count; i++)
		r = end_of(plan, e->args[i]);
	return r && r->margin > 1 ? r : NULL;
}

enum sotto_status sotto_note_output(struct sotto_arena *arena, const struct sotto_plan *plan,
				    const struct sotto_plan_output *o, const char **out)
{
	const struct sotto_rank *r = end_of(plan, o->expr);

	*out = NULL;
	if (!r)
		return SOTTO_OK;
	*out = say_end(arena, o->name, r);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status push(struct sotto_answer_owned *o, const char *text)
{
	const char **slot = SOTTO_PUSH(&o->arena, o->answer.notes, o->answer.note_count);

	if (!slot || !text)
		return SOTTO_ENOMEM;
	*slot = text;
	return SOTTO_OK;
}

/* Is the number that decides which keys are shown in the answer as well? */
static bool shows_threshold_measure(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->output_count; i++)
		if (sotto_output_reads(plan, plan->outputs[i].expr, plan->threshold.measure))
			return true;
	return false;
}

static const char *say_threshold(struct sotto_arena *arena, const struct sotto_plan *plan)
{
	return sotto_arena_textf(
		arena, "a group is shown if its noisy number of units is %lld or more%s",
		(long long)plan->threshold.least,
		shows_threshold_measure(plan)
			? "; with fewer units it is shown only when its noise is high, and "
			  "what "
			  "is computed from that number is then outside its interval more often"
			: "");
}

/*
 * Groups of public keys are there even if they are empty, which GROUP BY of the rows would not have: an
 * average over them is another one.
 */
static bool counts_empty_groups(const struct sotto_plan *plan)
{
	for (size_t i = 0; plan->over_groups && i < plan->part_count; i++)
		if (plan->parts[i]->public_keys && plan->parts[i]->key_count)
			return true;
	return false;
}

enum sotto_status
sotto_answer_add_notes(struct sotto_answer_owned *o, const struct sotto_plan *plan)
{
	const char *text;

	for (size_t i = 0; i < plan->output_count; i++) {
		SOTTO_TRY(sotto_note_output(&o->arena, plan, &plan->outputs[i], &text));
		if (text)
			SOTTO_TRY(push(o, text));
	}
	if (sotto_answer_is_picked(plan))
		SOTTO_TRY(push(o, "noise decides which rows are shown; their intervals are "
				  "wide enough that 95 % of those shown hold"));
	if (counts_empty_groups(plan))
		SOTTO_TRY(push(o, "figures over groups include every group of the public keys, "
				  "even empty ones and that of missing values; a condition on "
				  "the key can leave groups out"));
	if (plan->owner && plan->part_count)
		SOTTO_TRY(push(o, "rows were compared with the noisy result of a subquery; the "
				  "intervals take that noisy result as given"));
	if (!plan->owner || plan->threshold.measure == SIZE_MAX)
		return SOTTO_OK;
	text = say_threshold(&o->arena, plan);
	return push(o, text ? sotto_arena_textf(&o->arena, "the keys are private: %s", text)
			    : NULL);
}

enum sotto_status sotto_answer_note_empty(struct sotto_answer_owned *o,
					  const struct sotto_plan *plan,
					  const struct sotto_releases *r)
{
	bool hides = false;

	if (plan->is_empty)
		return push(o, "the conditions leave none of the public keys: the answer is "
			       "empty whatever the data are, and free");
	if (o->answer.row_count > 0 || r->count == 0)
		return SOTTO_OK;
	for (size_t i = 0; i < r->count; i++)
		hides = hides || r->plans[i]->threshold.measure != SIZE_MAX;
	return push(
		o,
		hides ? "no group is shown: none had enough units, or none met the "
			"conditions on the answer; the question costs the same in either case"
		      : "no row of the noisy answer met the conditions on it (HAVING, "
			"WHERE around it, OFFSET); the question costs the same in either case");
}

/* A number beside which no interval can be shown, as the quotient by a sum that may be 0. */
static bool is_open(const struct sotto_answer *a, size_t row, size_t column)
{
	size_t cell = row * a->column_count + column;
	enum sotto_value_kind kind = a->values[cell].kind;

	return a->columns[column].noisy && a->lows[cell].kind == SOTTO_VALUE_NULL &&
	       (kind == SOTTO_VALUE_INTEGER || kind == SOTTO_VALUE_NUMBER);
}

enum sotto_status sotto_answer_note_open(struct sotto_answer_owned *o)
{
	const struct sotto_answer *a = &o->answer;

	for (size_t row = 0; row < a->row_count; row++)
		for (size_t column = 0; column < a->column_count; column++)
			if (is_open(a, row, column))
				return push(o, "for a number without +- no interval could be "
					       "found: it may be far from the truth");
	return SOTTO_OK;
}

enum sotto_status sotto_answer_note_unstored(struct sotto_answer_owned *o)
{
	return push(o,
		    "this answer could not be stored, as on a full disk: keep it, since asking "
		    "again costs again");
}

/* What the first question paid for all that follow. */
static enum sotto_status
note_limits(struct sotto_answer_owned *o, const struct sotto_releases *r)
{
	char *found = NULL;
	enum sotto_status st;

	if (!r->charged || !r->paid)
		return SOTTO_OK;
	SOTTO_TRY(sotto_rational_format_up(&r->paid->spread.epsilon, 6, &found));
	st = push(o, sotto_arena_textf(&o->arena,
				       "epsilon %s of the cost was for finding max_groups and "
				       "max_rows, once for these tables and keys",
				       found));
	free(found);
	return st;
}

enum sotto_status
sotto_answer_note_charge(struct sotto_answer_owned *o, const struct sotto_releases *r)
{
	time_t given = (time_t)r->time;
	char when[40] = "";
	struct tm tm;

	SOTTO_TRY(note_limits(o, r));
	if (!r->data_changed)
		return SOTTO_OK;
	if (gmtime_r(&given, &tm))
		(void)strftime(when, sizeof when, " (%Y-%m-%dT%H:%M:%SZ)", &tm);
	return push(o, sotto_arena_textf(&o->arena,
					 "the data have changed since this answer was given%s; "
					 "--fresh asks again",
					 when));
}
