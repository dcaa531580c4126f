/*
 * One sentence for each limit that can bind, from the plan alone: nothing here has seen the
 * data.
 */
#include "central/session/answer/answer_limits.h"

#include <math.h>
#include <string.h>

#include "central/session/answer/evaluate.h"
#include "core/base/failure.h"
#include "core/number/nearest.h"

static const char *unit_column(const struct sotto_plan *plan)
{
	const struct sotto_policy_table *t = plan->owner;

	return t->unit_is_row ? "row" : t->unit ? t->unit : t->root->unit;
}

const char *sotto_unit_word(struct sotto_arena *arena, const struct sotto_plan *plan)
{
	const char *name = unit_column(plan);
	size_t n = strlen(name);

	if (n > 3 && strcmp(name + n - 3, "_id") == 0)
		n -= 3;
	return sotto_arena_textf(arena, "%.*s", (int)n, name);
}

/* ---- sentences ----------------------------------------------------------------------------- */

static enum sotto_status
say(struct sotto_arena *arena, struct sotto_limits *l, const char *sentence)
{
	const char **slot = SOTTO_PUSH(arena, l->sentences, l->sentence_count);

	if (!slot || !sentence)
		return SOTTO_ENOMEM;
	*slot = sentence;
	return SOTTO_OK;
}

static const char *key_names(struct sotto_arena *arena, const struct sotto_plan *plan)
{
	const char *names = "";

	for (size_t i = 0; names && i < plan->key_count; i++)
		names = sotto_arena_textf(arena, "%s%s%.60s", names, i ? ", " : "",
					  plan->keys[i].name);
	return names;
}

static enum sotto_status say_groups(struct sotto_arena *arena, const struct sotto_plan *plan,
				    const char *who, struct sotto_limits *l)
{
	const char *keys = key_names(arena, plan);

	if (!l->groups_can_bind)
		return SOTTO_OK;
	return say(arena, l,
		   keys ? sotto_arena_textf(arena,
					    "each %s counts in at most %lld group%s by %s; "
					    "further groups are dropped",
					    who, (long long)l->max_groups,
					    l->max_groups == 1 ? "" : "s", keys)
			: NULL);
}

static bool only_different_values(const struct sotto_plan *plan)
{
	bool any = false;

	for (size_t i = 0; i < plan->measure_count; i++) {
		bool different = plan->measures[i].kind == SOTTO_MEASURE_DISTINCT ||
				 plan->measures[i].addend.distinct;

		if (!different && i != plan->threshold.measure)
			return false;
		any = any || different;
	}
	return any && plan->choice_count == 0;
}

static enum sotto_status say_rows(struct sotto_arena *arena, const struct sotto_plan *plan,
				  const char *who, struct sotto_limits *l)
{
	bool values = only_different_values(plan);

	if (!l->rows_can_bind)
		return SOTTO_OK;
	return say(arena, l,
		   sotto_arena_textf(
			   arena, "each %s counts with at most %lld %s%s%s; more are %s", who,
			   (long long)l->max_rows, values ? "different value" : "row",
			   l->max_rows == 1 ? "" : "s", plan->key_count ? " in each group" : "",
			   values ? "dropped" : "scaled down to that, with their mean kept"));
}

static enum sotto_status
say_found(struct sotto_arena *arena, const struct sotto_plan *plan, struct sotto_limits *l)
{
	if (!plan->found_limits)
		return SOTTO_OK;
	if (plan->spread.is_pending)
		return say(arena, l,
			   "these limits assume 1 group and 1 row: the first question finds "
			   "them privately (auto)");
	return say(arena, l, "these limits were found privately (auto)");
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
	return is_said(l, sentence) ? SOTTO_OK : say(arena, l, sentence);
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
	return say(arena, l,
		   sotto_arena_textf(arena, "rows with %.60s %s are grouped as if it were %s",
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
		return say(arena, l,
			   sotto_arena_textf(arena,
					     "values of %s that are none of its keys are not "
					     "counted",
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

		SOTTO_TRY(say(arena, l,
			      sotto_arena_textf(arena,
						"%.60s has no type in the policy; values that "
						"cannot be read as %s count as missing",
						u->column, sotto_sql_type_word(u->as))));
	}
	return SOTTO_OK;
}

/* ---- one plan ------------------------------------------------------------------------------ */

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

static enum sotto_status
set_clips(struct sotto_arena *arena, const struct sotto_plan *plan, struct sotto_limits *l)
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

static double error_of(const struct sotto_plan *plan, enum sotto_loss_kind kind)
{
	for (size_t i = 0; i < plan->loss.count; i++)
		if (plan->loss.items[i].kind == kind)
			return (double)plan->loss.items[i].noise->errors[0];
	return NAN;
}

/* Known values keep the errors that they were published with. */
static double known_error(const struct sotto_plan *plan, enum sotto_loss_kind kind)
{
	for (size_t i = 0; i < plan->loss.count; i++)
		if (plan->loss.known[i].kind == kind)
			return (double)plan->loss.known[i].error;
	return NAN;
}

static struct sotto_loss_forecast forecast(const struct sotto_plan *plan)
{
	struct sotto_loss_forecast f = {
		.units_error = NAN, .rows_error = NAN, .pairs_error = NAN};
	double (*error)(const struct sotto_plan *, enum sotto_loss_kind) =
		plan->loss.known ? known_error : error_of;

	if (!sotto_loss_is_wanted(&plan->loss))
		return f;
	return (struct sotto_loss_forecast){.is_wanted = true,
					    .is_known = plan->loss.known != NULL,
					    .epsilon =
						    sotto_nearest_double(plan->loss.epsilon->q),
					    .units_error = error(plan, SOTTO_LOSS_UNITS),
					    .rows_error = error(plan, SOTTO_LOSS_ROWS),
					    .pairs_error = error(plan, SOTTO_LOSS_PAIRS)};
}

static enum sotto_status
describe(struct sotto_arena *arena, const struct sotto_plan *plan, struct sotto_limits *l)
{
	const char *who = sotto_unit_word(arena, plan);

	*l = (struct sotto_limits){.table = sotto_arena_text(arena, plan->owner->name),
				   .unit = sotto_arena_text(arena, unit_column(plan)),
				   .max_groups = plan->groups,
				   .max_rows = plan->max_rows,
				   .groups_can_bind = sotto_plan_limits_groups(plan),
				   .rows_can_bind = sotto_plan_limits_rows(plan),
				   .forecast = forecast(plan),
				   .hides_keys = plan->threshold.measure != SIZE_MAX};
	if (!who || !l->table || !l->unit)
		return SOTTO_ENOMEM;
	SOTTO_TRY(set_clips(arena, plan, l));
	SOTTO_TRY(say_groups(arena, plan, who, l));
	SOTTO_TRY(say_rows(arena, plan, who, l));
	SOTTO_TRY(say_found(arena, plan, l));
	SOTTO_TRY(say_keys(arena, plan, l));
	SOTTO_TRY(say_sets(arena, plan, l));
	SOTTO_TRY(say_clips(arena, plan, l));
	return say_untyped(arena, plan, l);
}

static enum sotto_status add(struct sotto_arena *arena, const struct sotto_plan *plan,
			     struct sotto_limits **list, size_t *count)
{
	struct sotto_limits *slot;

	if (!plan->owner || plan->noise == SOTTO_NOISE_NONE)
		return SOTTO_OK;
	slot = SOTTO_PUSH(arena, *list, *count);
	return slot ? describe(arena, plan, slot) : SOTTO_ENOMEM;
}

enum sotto_status sotto_limits_list(struct sotto_arena *arena, const struct sotto_plan *plan,
				    struct sotto_limits **out, size_t *count)
{
	*out = NULL;
	*count = 0;
	for (size_t i = 0; i < plan->part_count; i++)
		SOTTO_TRY(add(arena, plan->parts[i], out, count));
	return add(arena, plan, out, count);
}
