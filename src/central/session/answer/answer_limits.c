/*
 * One sentence for each limit that can bind, from the plan alone: nothing here has seen the
 * data.
 */
#include "central/session/answer/answer_limits.h"

#include <math.h>
#include <string.h>

#include "central/relation/private_join.h"
#include "central/session/answer/answer_outside.h"
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
	return sotto_limits_say(
		arena, l,
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
	return sotto_limits_say(
		arena, l,
		sotto_arena_textf(
			arena, "each %s counts with at most %lld %s%s%s; more are %s", who,
			(long long)l->max_rows, values ? "different value" : "row",
			l->max_rows == 1 ? "" : "s", plan->key_count ? " in each group" : "",
			values ? "dropped" : "scaled down to that, with their mean kept"));
}

static enum sotto_status say_cut(struct sotto_arena *arena, const struct sotto_plan *plan,
				 const char *who, struct sotto_limits *l)
{
	for (size_t i = 0; i < plan->cut_count; i++)
		SOTTO_TRY(sotto_limits_say(
			arena, l,
			sotto_arena_textf(
				arena,
				"a row is joined or compared with at most %d rows of "
				"%.60s of the same %s; further ones are left out, and "
				"no estimate counts them",
				SOTTO_UNIT_ROWS, plan->cut[i], who)));
	return SOTTO_OK;
}

static enum sotto_status
say_found(struct sotto_arena *arena, const struct sotto_plan *plan, struct sotto_limits *l)
{
	if (!plan->found_limits)
		return SOTTO_OK;
	if (plan->spread.is_pending)
		return sotto_limits_say(
			arena, l,
			"these limits assume 1 group and 1 row: the first question finds "
			"them privately (auto)");
	return sotto_limits_say(arena, l, "these limits were found privately (auto)");
}

/* ---- one plan ------------------------------------------------------------------------------ */

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
	SOTTO_TRY(sotto_limits_set_clips(arena, plan, l));
	SOTTO_TRY(say_groups(arena, plan, who, l));
	SOTTO_TRY(say_rows(arena, plan, who, l));
	SOTTO_TRY(say_cut(arena, plan, who, l));
	SOTTO_TRY(say_found(arena, plan, l));
	return sotto_limits_say_values(arena, plan, l);
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
