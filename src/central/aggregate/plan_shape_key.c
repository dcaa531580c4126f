/*
 * Keys of GROUP BY: which they are, whether they are public, how many groups there
 * can be and how many a unit reaches.
 */
#include "central/aggregate/plan_shape.h"

#include <stdlib.h>
#include <string.h>

#include "central/aggregate/aggregate.h"
#include "central/aggregate/group/key_set.h"
#include "central/aggregate/group/key_values.h"
#include "central/emit/engine_query.h"
#include "central/expression/bind.h"
#include "central/expression/domain/bounded_domain.h"
#include "central/expression/domain/public_domain.h"
#include "central/expression/row_function.h"
#include "central/plan/plan.h"
#include "central/relation/join_fanout.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

enum { VALUES_MAX = 20000000, PREVIEW_MAX = 200000 };

static enum sotto_status refuse(struct sotto_plan_shape *s, int at, const char *why)
{
	return sotto_sql_fail(s->planner.err, SOTTO_EREFUSED, s->planner.text, at, "%s", why);
}

/* GROUP BY 2 and GROUP BY alias mean an output; a column of the table goes before an alias. */
const struct sotto_sql_expr *
sotto_shape_by_output(struct sotto_plan_shape *s, const struct sotto_sql_expr *e)
{
	size_t n = e->kind == SOTTO_SQL_NUMBER ? strtoul(e->text, NULL, 10) : 0;
	struct sotto_error *err = s->binder.err;
	struct sotto_bound ignored;
	enum sotto_status st;

	if (n >= 1 && n <= s->inner_count)
		return s->inner[n - 1].expr;
	if (e->kind != SOTTO_SQL_COLUMN || e->qualifier)
		return e;
	s->binder.err = NULL;
	st = sotto_bind(&s->binder, e, &ignored);
	s->binder.err = err;
	for (size_t i = 0; st != SOTTO_OK && i < s->inner_count; i++)
		if (s->inner[i].name && strcmp(s->inner[i].name, e->text) == 0)
			return s->inner[i].expr;
	return e;
}

/* What the analyst calls a key: the name of the output that shows it, if one does. */
static const char *key_name(const struct sotto_plan_shape *s, const struct sotto_sql_expr *e)
{
	struct sotto_sql_output unnamed = {.expr = (struct sotto_sql_expr *)e};

	for (size_t i = 0; i < s->output_count; i++)
		if (s->outputs[i].name && sotto_sql_expr_equal(s->outputs[i].expr, e))
			return s->outputs[i].name;
	return sotto_output_name(&unnamed);
}

static enum sotto_status refuse_unit(struct sotto_plan_shape *s, const struct sotto_sql_expr *e)
{
	const char *name = e->kind == SOTTO_SQL_COLUMN ? e->text : "itself";

	return sotto_sql_fail(s->planner.err, SOTTO_EREFUSED, s->planner.text, e->at,
			      "the privacy unit %.40s cannot be a key: each group would be one "
			      "unit; group by what many of them share, or have %.40s as the "
			      "key of a subquery and AVG, MAX or COUNT around it",
			      name, name);
}

static enum sotto_status add_key(struct sotto_plan_shape *s, const struct sotto_sql_expr *e)
{
	struct sotto_plan *plan = s->plan;
	struct sotto_plan_key key = {0}, *slot;

	if (sotto_expr_has_aggregate(e))
		return refuse(s, e->at, "aggregates cannot be keys of GROUP BY");
	SOTTO_TRY(sotto_bind(&s->binder, e, &key.bound));
	if (key.bound.literal) /* it divides nothing */
		return SOTTO_OK;
	if (key.bound.is_unit)
		return refuse_unit(s, e);
	for (size_t i = 0; i < plan->key_count; i++)
		if (sotto_expression_equal(plan->keys[i].bound.value, key.bound.value))
			return SOTTO_OK;
	key.name = sotto_arena_text(&plan->arena, key_name(s, e));
	SOTTO_NEED(key.name);
	key.values = -1;
	SOTTO_TRY(sotto_key_find_values(&s->binder, e, &s->met, &key));
	slot = SOTTO_PUSH(&plan->arena, plan->keys, plan->key_count);
	SOTTO_NEED(slot);
	*slot = key;
	return SOTTO_OK;
}

/* SELECT kurtosis(age): an aggregate that is not known here is not a row that is shown. */
static enum sotto_status
refuse_unknown(struct sotto_plan_shape *s, const struct sotto_sql_expr *e)
{
	static const char *const others[] = {"now",    "coalesce", "greatest", "least",
					     "nullif", "clip",     "concat",   "concat_ws"};
	bool known = e->kind != SOTTO_SQL_CALL || e->over || sotto_function_find(e->text);
	const char *list;

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		known = known || strcmp(others[i], e->text ? e->text : "") == 0;
	if (known)
		return SOTTO_OK;
	list = sotto_aggregate_list(s->planner.arena);
	SOTTO_NEED(list);
	return sotto_sql_fail(s->planner.err, SOTTO_EREFUSED, s->planner.text, e->at,
			      "%.40s is not a known aggregate; there are %s and "
			      "others (man sotto-sql)",
			      e->text, list);
}

/* SELECT DISTINCT city means GROUP BY city. */
static enum sotto_status add_keys(struct sotto_plan_shape *s)
{
	for (size_t i = 0; i < s->select->group_count; i++)
		SOTTO_TRY(add_key(s, sotto_shape_by_output(s, s->select->groups[i])));
	if (sotto_select_is_grouped(s->select))
		return SOTTO_OK;
	if (!s->select->distinct && s->output_count)
		SOTTO_TRY(refuse_unknown(s, s->outputs[0].expr));
	if (!s->select->distinct)
		return refuse(
			s, s->select->at,
			"rows of a private table are not shown; ask for COUNT, SUM, AVG or "
			"another aggregate, with GROUP BY if you like");
	for (size_t i = 0; i < s->output_count; i++)
		SOTTO_TRY(add_key(s, s->outputs[i].expr));
	return SOTTO_OK;
}

static const char too_many_groups[] =
	"the keys have more than 1000000 combinations; group by fewer columns";

/* How many values a set of keys has, counted if something leaves values out; -1: not known. */
static enum sotto_status count_set(struct sotto_plan_shape *s, struct sotto_key_set *set)
{
	struct sotto_plan *plan = s->plan;
	struct sotto_emitted query;
	enum sotto_status st;
	int64_t n;

	if (!s->planner.count || !set->rows || (set->size >= 0 && !set->may_be_fewer))
		return SOTTO_OK;
	SOTTO_TRY(sotto_key_set_compose_count(plan, set, SOTTO_DOMAIN_MAX, &query));
	st = query.reads_private ? SOTTO_ERANGE
				 : s->planner.count(s->planner.count_context, query.sql, &n,
						    s->planner.err);
	if (st == SOTTO_ERANGE)
		return SOTTO_OK;
	SOTTO_TRY(st);
	set->size = n;
	set->is_counted = query.scan_count > 0;
	if (set->count == 1)
		plan->keys[set->keys[0]].values = n;
	return SOTTO_OK;
}

/*
 * How many groups public keys have; -1 where that depends on public tables and is not
 * known: these are then counted before anything is charged.
 */
static enum sotto_status count_groups(struct sotto_plan_shape *s, int64_t *groups)
{
	struct sotto_plan *plan = s->plan;
	bool known = true;

	SOTTO_TRY(sotto_key_sets_make(plan, &s->met));
	*groups = 1;
	for (size_t i = 0; i < plan->set_count; i++) {
		SOTTO_TRY(count_set(s, &plan->sets[i]));
		known = known && plan->sets[i].size >= 0;
		if (plan->sets[i].size >= 0)
			*groups *= plan->sets[i].size;
		if (*groups > SOTTO_DOMAIN_MAX)
			return SOTTO_OK;
	}
	if (!known)
		*groups = -1;
	return SOTTO_OK;
}

/* More values between bounds than are worth showing: these keys are private then. */
static bool has_too_many_bounded(const struct sotto_plan *plan, int64_t groups)
{
	bool bounded = false;

	for (size_t i = 0; i < plan->key_count; i++)
		bounded = bounded || plan->keys[i].held;
	return bounded && groups > SOTTO_BOUNDED_MAX;
}

static void forget_bounded(struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->key_count; i++)
		if (plan->keys[i].held) {
			plan->keys[i].held = NULL;
			plan->keys[i].domain = NULL;
		}
	plan->sets = NULL;
	plan->set_count = 0;
	plan->public_keys = false;
}

/* How many groups there are, if all keys are public. */
static enum sotto_status find_groups(struct sotto_plan_shape *s, int64_t *groups)
{
	const struct sotto_rowset *query;

	SOTTO_TRY(count_groups(s, groups));
	if (has_too_many_bounded(s->plan, *groups)) {
		forget_bounded(s->plan);
		*groups = -1;
		return SOTTO_OK;
	}
	if (*groups > SOTTO_DOMAIN_MAX)
		return refuse(s, s->select->at, too_many_groups);
	if (*groups >= 0)
		return SOTTO_OK;
	SOTTO_TRY(sotto_key_sets_count(s->plan, SOTTO_DOMAIN_MAX, &query));
	return sotto_planner_check(&s->planner, query, SOTTO_DOMAIN_MAX, too_many_groups);
}

/*
 * A count of what is in tables is good enough to choose the noise by, and not to rely on:
 * the question reads them at another moment.
 */
bool sotto_shape_is_counted(const struct sotto_plan *plan)
{
	for (size_t i = 0; i < plan->set_count; i++)
		if (plan->sets[i].is_counted)
			return true;
	return false;
}

static int64_t at_most(int64_t x, int64_t limit)
{
	return limit > 0 && limit < x ? limit : x;
}

/*
 * FROM is the table itself, no query that WITH gives a name, and sealing found no value of the unit's
 * column twice.
 */
static bool has_one_row(const struct sotto_plan_shape *s)
{
	const struct sotto_sql_from *from = s->layers.select->from;
	const struct sotto_policy_table *t = s->plan->owner;
	const struct sotto_policy_column *unit =
		t->unit ? sotto_policy_column_find(t, t->unit) : NULL;

	return from && from->kind == SOTTO_SQL_TABLE && s->from.grain == t && unit &&
	       unit->unique && s->from.unit_rows == 0 && s->from.unit_column;
}

/*
 * Limits are found without WHERE, and how many rows a join makes was counted with it: what
 * a question may read is then no bound on what finding its limits reads.
 */
static enum sotto_status check_join(struct sotto_plan_shape *s)
{
	const struct sotto_sql_select *select = s->layers.select;

	if (!s->plan->spread.is_pending || !select->where || !select->from ||
	    select->from->kind != SOTTO_SQL_JOIN)
		return SOTTO_OK;
	return refuse(s, select->at,
		      "max_groups and max_rows (auto) are not known yet and can only be found "
		      "without WHERE: first ask for the same groups of the same JOIN ... ON "
		      "without WHERE");
}

/* Limits that the policy leaves open: found for these tables and keys, or still to be. */
static enum sotto_status find_limits(struct sotto_plan_shape *s, int64_t *groups, int64_t *rows)
{
	const struct sotto_policy_table *t = s->plan->owner;
	struct sotto_found_limits limits = {.groups = 1, .rows = 1};
	bool found = s->from.unit_rows == 1 || has_one_row(s);

	*groups = t->max_groups;
	*rows = t->max_rows;
	if (!s->plan->units || (!s->planner.finds_limits && !t->finds_rows &&
				(!t->finds_groups || !s->plan->key_count)))
		return SOTTO_OK;
	s->plan->found_limits = !found;
	SOTTO_TRY(sotto_spread_name(s->plan, s->from.tree, &s->plan->spread.name));
	if (!found && s->planner.limits)
		SOTTO_TRY(s->planner.limits(s->planner.schema_context, s->plan->spread.name,
					    &limits, &found));
	s->plan->spread.is_pending = !found;
	*groups = t->finds_groups ? limits.groups : t->max_groups;
	*rows = t->finds_rows ? limits.rows : t->max_rows;
	return check_join(s);
}

/* Are all keys public, how many groups can there be, and how many does a unit reach? */
static enum sotto_status bound_groups(struct sotto_plan_shape *s)
{
	struct sotto_plan *plan = s->plan;
	int64_t groups = -1, max_groups, max_rows;
	bool exceeds;

	plan->public_keys = true;
	for (size_t i = 0; i < plan->key_count; i++)
		plan->public_keys = plan->public_keys && plan->keys[i].domain;
	if (plan->public_keys)
		SOTTO_TRY(find_groups(s, &groups));
	s->group_count = plan->most_groups = groups;
	SOTTO_TRY(find_limits(s, &max_groups, &max_rows));
	plan->one_row = plan->units && has_one_row(s);
	if (plan->one_row) /* the engine holds it to that, and nothing is lost */
		max_groups = max_rows = 1;
	plan->max_rows = plan->units ? at_most(max_rows, s->from.unit_rows) : 1;
	plan->few_rows = s->from.unit_rows > 0 && s->from.unit_rows <= plan->max_rows;
	plan->groups = 1;
	if (!plan->units || plan->key_count == 0)
		return SOTTO_OK;
	if (s->from.unit_rows > 0 && (groups < 0 || groups > s->from.unit_rows))
		groups = s->from.unit_rows; /* a row is in one group */
	exceeds = groups < 0 || groups > max_groups;
	plan->window = exceeds || sotto_shape_is_counted(plan);
	plan->groups = exceeds ? max_groups : groups > 0 ? groups : 1;
	return SOTTO_OK;
}

enum sotto_status sotto_shape_check_size(struct sotto_plan_shape *s)
{
	static const char too_large[] =
		"the answer would have more than 20000000 values; ask for fewer aggregates at "
		"once, or group by fewer keys";
	static const char no_preview[] =
		"the answer would have more than 200000 values, which is too many for a "
		"preview; explain without --preview shows their errors";
	bool preview = s->planner.is_preview;
	const char *why = preview ? no_preview : too_large;
	int64_t most = preview ? PREVIEW_MAX : VALUES_MAX;
	struct sotto_plan *plan = s->plan;
	int64_t values = (int64_t)(plan->key_count + plan->derived_count + plan->measure_count +
				   plan->outcome_count + plan->output_count + 1);
	const struct sotto_rowset *query;

	if (!plan->public_keys || most / values >= SOTTO_DOMAIN_MAX)
		return SOTTO_OK;
	if (s->group_count >= 0)
		return s->group_count > most / values ? refuse(s, s->select->at, why)
						      : SOTTO_OK;
	SOTTO_TRY(sotto_key_sets_count(plan, most / values, &query));
	return sotto_planner_check(&s->planner, query, most / values, why);
}

enum sotto_status sotto_shape_keys(struct sotto_plan_shape *s)
{
	SOTTO_TRY(add_keys(s));
	return bound_groups(s);
}
