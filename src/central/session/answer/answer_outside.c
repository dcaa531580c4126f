/*
 * Ends of ranges as people write them, and one sentence for each way in which a row's value counts
 * as another one or not at all.
 */
#include "central/session/answer/answer_outside.h"

#include <string.h>

#include "central/session/answer/evaluate.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

/* ---- words --------------------------------------------------------------------------------- */

enum sotto_status
sotto_limits_say(struct sotto_arena *arena, struct sotto_limits *l, const char *sentence)
{
	const char **slot = SOTTO_PUSH(arena, l->sentences, l->sentence_count);

	if (!slot || !sentence)
		return SOTTO_ENOMEM;
	*slot = sentence;
	return SOTTO_OK;
}

/* An end of a range of values: a number, or a date. */
static const char *end_text(struct sotto_arena *arena, double x, enum sotto_sql_type type)
{
	struct sotto_value moment;

	if (type != SOTTO_TYPE_DATE && type != SOTTO_TYPE_TIMESTAMP)
		return sotto_arena_textf(arena, "%.10g", x);
	moment = sotto_value_of_moment(arena, x, type);
	return moment.kind == SOTTO_VALUE_TEXT ? moment.text : "its bounds";
}

/* Where a value can lie outside the bounds lo to hi, and what it then counts as. */
struct outside {
	struct sotto_sides sides;
	enum sotto_sql_type type;
	const char *lo, *hi;
};

/* "outside 0 to 10", or "above 10" if no row can have a value below 0. */
static const char *where_text(struct sotto_arena *arena, const struct outside *x)
{
	bool is_moment = x->type == SOTTO_TYPE_DATE || x->type == SOTTO_TYPE_TIMESTAMP;

	if (x->sides.below && x->sides.above)
		return sotto_arena_textf(arena, "outside %s to %s", x->lo, x->hi);
	if (x->sides.above)
		return sotto_arena_textf(arena, is_moment ? "after %s" : "above %s", x->hi);
	return sotto_arena_textf(arena, is_moment ? "before %s" : "below %s", x->lo);
}

static const char *nearest_text(const struct outside *x)
{
	if (x->sides.below && x->sides.above)
		return "the nearest bound";
	return x->sides.above ? x->hi : x->lo;
}

static bool is_said(const struct sotto_limits *l, const char *sentence)
{
	for (size_t i = 0; i < l->sentence_count; i++)
		if (strcmp(l->sentences[i], sentence) == 0)
			return true;
	return false;
}

/* Parts of several aggregates may clip the same column; that is said once. */
static enum sotto_status say_clip(struct sotto_arena *arena, const char *what,
				  const struct outside *x, struct sotto_limits *l)
{
	const char *where = where_text(arena, x);
	const char *sentence = where ? sotto_arena_textf(arena, "values of %s %s count as %s",
							 what, where, nearest_text(x))
				     : NULL;

	SOTTO_NEED(sentence);
	return is_said(l, sentence) ? SOTTO_OK : sotto_limits_say(arena, l, sentence);
}

/* What a row can have outside of the bounds that people are told of. */
static struct sotto_sides told_sides(const struct sotto_row_column *c)
{
	return sotto_range_is_closed(c->told) ? c->told_clips : c->clips;
}

static enum sotto_status
say_clips(struct sotto_arena *arena, const struct sotto_plan *plan, struct sotto_limits *l)
{
	for (size_t i = 0, k = 0; k < l->clip_count && i < plan->column_count; i++) {
		const struct sotto_clip_limit *c = &l->clips[k];
		const struct sotto_row_column *column = &plan->columns[i];
		struct outside x = {.sides = told_sides(column), .type = column->clip_type};

		if (!column->name)
			continue;
		k++;
		x.lo = end_text(arena, c->lo, x.type);
		x.hi = end_text(arena, c->hi, x.type);
		if (!x.lo || !x.hi)
			return SOTTO_ENOMEM;
		if (c->can_bind)
			SOTTO_TRY(say_clip(arena, c->what, &x, l));
	}
	return SOTTO_OK;
}

/* Bounds of moments are whole days. */
static const char *bound_text(struct sotto_arena *arena, const struct sotto_bound *x,
			      const struct sotto_rational *r)
{
	bool is_day = x->type == SOTTO_TYPE_DATE || x->type == SOTTO_TYPE_TIMESTAMP;

	return end_text(arena, sotto_nearest_double(r->q), is_day ? SOTTO_TYPE_DATE : x->type);
}

static enum sotto_status say_held(struct sotto_arena *arena, const char *what,
				  const struct sotto_bound *bound, struct sotto_sides sides,
				  struct sotto_limits *l)
{
	struct outside x = {.sides = sides, .type = bound->type};
	const char *where;

	if (!sotto_range_is_closed(bound->range) || (!sides.below && !sides.above))
		return SOTTO_OK;
	x.lo = bound_text(arena, bound, bound->range.lo);
	x.hi = bound_text(arena, bound, bound->range.hi);
	if (!x.lo || !x.hi)
		return SOTTO_ENOMEM;
	where = where_text(arena, &x);
	if (!where)
		return SOTTO_ENOMEM;
	return sotto_limits_say(
		arena, l,
		sotto_arena_textf(arena, "rows with %.60s %s are grouped with those of %s",
				  what, where, nearest_text(&x)));
}

/* Keys within bounds: a row outside of them is in a group that it does not name itself. */
static enum sotto_status
say_keys(struct sotto_arena *arena, const struct sotto_plan *plan, struct sotto_limits *l)
{
	for (size_t i = 0; i < plan->key_count; i++) {
		const struct sotto_plan_key *k = &plan->keys[i];

		if (k->held && k->held_count == 0)
			SOTTO_TRY(say_held(arena, k->name, &k->bound, k->outside, l));
		for (size_t j = 0; k->held && j < k->held_count; j++) {
			const struct sotto_held_column *c = &k->held_columns[j];

			SOTTO_TRY(say_held(arena, c->column->name, &c->column->bound,
					   c->outside, l));
		}
	}
	return SOTTO_OK;
}

/* What is counted once each, of what the policy declares: other values are none, or the nearest. */
static enum sotto_status
say_set(struct sotto_arena *arena, const struct sotto_declared_set *set, struct sotto_limits *l)
{
	const struct sotto_bound *x = set->of;
	struct outside where = {.sides = set->outside, .type = x->type};

	if (x->domain)
		return sotto_limits_say(
			arena, l,
			sotto_arena_textf(
				arena,
				"values of %s that are not among its keys are not counted",
				set->name));
	if (!set->outside.below && !set->outside.above)
		return SOTTO_OK;
	where.lo = bound_text(arena, x, x->range.lo);
	where.hi = bound_text(arena, x, x->range.hi);
	return where.lo && where.hi ? say_clip(arena, set->name, &where, l) : SOTTO_ENOMEM;
}

/* Once for each name: measures with other filters have columns of their own. */
static enum sotto_status
say_sets(struct sotto_arena *arena, const struct sotto_plan *plan, struct sotto_limits *l)
{
	for (size_t i = 0; i < plan->column_count; i++) {
		const struct sotto_declared_set *set = &plan->columns[i].set;
		bool said = false;

		for (size_t j = 0; set->of && j < i; j++)
			said = said || (plan->columns[j].set.of &&
					strcmp(plan->columns[j].set.name, set->name) == 0);
		if (set->of && !said)
			SOTTO_TRY(say_set(arena, set, l));
	}
	return SOTTO_OK;
}

/* No other sentence tells that a whole column may be missing. */
static enum sotto_status
say_untyped(struct sotto_arena *arena, const struct sotto_plan *plan, struct sotto_limits *l)
{
	for (size_t i = 0; i < plan->untyped_count; i++) {
		const struct sotto_untyped *u = &plan->untyped[i];

		SOTTO_TRY(sotto_limits_say(
			arena, l,
			u->as == SOTTO_TYPE_TEXT
				? sotto_arena_textf(
					  arena,
					  "%.60s has no type in the policy and is compared "
					  "with a date in quotes letter by letter; write DATE "
					  "before the quotes to compare days",
					  u->column)
				: sotto_arena_textf(
					  arena,
					  "%.60s has no type in the policy; values that "
					  "cannot be read as %s count as missing",
					  u->column, sotto_sql_type_word(u->as))));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_limits_say_values(struct sotto_arena *arena,
					  const struct sotto_plan *plan, struct sotto_limits *l)
{
	SOTTO_TRY(say_keys(arena, plan, l));
	SOTTO_TRY(say_sets(arena, plan, l));
	SOTTO_TRY(say_clips(arena, plan, l));
	return say_untyped(arena, plan, l);
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* The ends of what is a date or a time, as texts; numbers have none. */
static enum sotto_status
set_moments(struct sotto_arena *arena, enum sotto_sql_type type, struct sotto_clip_limit *c)
{
	struct sotto_value lo, hi;

	if (type != SOTTO_TYPE_DATE && type != SOTTO_TYPE_TIMESTAMP)
		return SOTTO_OK;
	lo = sotto_value_of_moment(arena, c->lo, type);
	hi = sotto_value_of_moment(arena, c->hi, type);
	if (lo.kind == SOTTO_VALUE_TEXT && hi.kind == SOTTO_VALUE_TEXT) {
		c->lo_moment = lo.text;
		c->hi_moment = hi.text;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_limits_set_clips(struct sotto_arena *arena,
					 const struct sotto_plan *plan, struct sotto_limits *l)
{
	for (size_t i = 0; i < plan->column_count; i++) {
		const struct sotto_row_column *c = &plan->columns[i];
		const struct sotto_sides sides = told_sides(c);
		struct sotto_clip_limit *slot;
		double step;

		if (!c->name)
			continue;
		slot = SOTTO_PUSH(arena, l->clips, l->clip_count);
		step = sotto_nearest_double(c->step->q);
		if (!slot)
			return SOTTO_ENOMEM;
		*slot = (struct sotto_clip_limit){.what = sotto_arena_text(arena, c->name),
						  .lo = (double)c->clip_lo * step,
						  .hi = (double)c->clip_hi * step,
						  .can_bind = sides.below || sides.above};
		if (sotto_range_is_closed(c->told)) {
			slot->lo = sotto_nearest_double(c->told.lo->q);
			slot->hi = sotto_nearest_double(c->told.hi->q);
		}
		if (!slot->what)
			return SOTTO_ENOMEM;
		SOTTO_TRY(set_moments(arena, c->clip_type, slot));
	}
	return SOTTO_OK;
}
