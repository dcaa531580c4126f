/*
 * The outermost SELECT, from its text to a plan.
 */
#include "central/plan/name_hint.h"
#include "central/plan/plan.h"

#include "central/aggregate/plan_shape.h"
#include "central/plan/plan_inside.h"
#include "central/relation/free_guard.h"
#include "central/relation/finished/grouping_sets.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/finished/short_clause.h"
#include "central/relation/relation.h"
#include "central/relation/finished/united_select.h"
#include "central/relation/finished/windowed_select.h"
#include "core/base/arena_rational.h"
#include "core/base/failure.h"

/* ---- joins anywhere ------------------------------------------------------------------ */

static bool select_has_join(const struct sotto_sql_select *s);

static bool from_has_join(const struct sotto_sql_from *f)
{
	return f && (f->kind == SOTTO_SQL_JOIN ||
		     (f->kind == SOTTO_SQL_SUBQUERY && select_has_join(f->select)));
}

static bool select_has_join(const struct sotto_sql_select *s)
{
	if (from_has_join(s->from) || s->unite)
		return true;
	for (size_t i = 0; i < s->cte_count; i++)
		if (select_has_join(s->ctes[i].select))
			return true;
	return false;
}

/* ---- how much is asked ---------------------------------------------------------------------- */

enum sotto_status sotto_plan_too_many_aggregates(const struct sotto_planner *p, int at)
{
	return sotto_sql_fail(
		p->err, SOTTO_EREFUSED, p->text, at,
		"the query has more than %d aggregates, with those of each set of "
		"keys and of each subquery; ask several questions",
		SOTTO_AGGREGATES_MAX);
}

/* A plan, and the parts that the planner has finished, of which it may be one. */
static enum sotto_status
check_aggregates(const struct sotto_planner *p, const struct sotto_plan *plan, int at)
{
	size_t count = plan->aggregate_count;

	for (size_t i = 0; i < p->part_count; i++)
		count += p->parts[i] == plan ? 0 : p->parts[i]->aggregate_count;
	return count <= SOTTO_AGGREGATES_MAX ? SOTTO_OK : sotto_plan_too_many_aggregates(p, at);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* More than the tables of other databases may have; each costs explain time. */
enum { OUTPUTS_MAX = 2000 };

/* What layers make of groups is over outputs that are written out already. */
static enum sotto_status set_outputs(struct sotto_plan_shape *s)
{
	SOTTO_TRY(sotto_outputs_expand(&s->planner, s->select, &s->from.scope, &s->inner,
				       &s->inner_count));
	s->outputs = s->layers.flattened ? s->layers.outputs : s->inner;
	s->output_count = s->layers.flattened ? s->layers.output_count : s->inner_count;
	if (s->output_count > OUTPUTS_MAX)
		return sotto_sql_fail(
			s->planner.err, SOTTO_EREFUSED, s->planner.text, s->select->at,
			"the query has more than %d outputs; ask several questions",
			OUTPUTS_MAX);
	return SOTTO_OK;
}

static enum sotto_status bind_from(struct sotto_plan_shape *s)
{
	s->planner.where = s->layers.select->where;
	s->planner.from = s->layers.select->from;
	s->planner.ctes = s->layers.ctes;
	return sotto_relation_bind(&s->planner, s->layers.ctes, s->layers.select->from,
				   &s->from);
}

static enum sotto_status shape_bound(struct sotto_plan_shape *s)
{
	s->select = s->layers.select;
	SOTTO_TRY(set_outputs(s));
	s->binder = sotto_relation_binder(&s->planner, &s->from);
	SOTTO_TRY(s->from.owner ? sotto_shape_private(s) : sotto_shape_public(s));
	s->plan->parts = s->planner.parts;
	/* Public keys are shown whichever rows there are: rows are not compared with the parts. */
	s->plan->part_count =
		s->plan->owner && sotto_plan_is_free(s->plan) && !s->plan->reads_parts
			? 0
			: s->planner.part_count;
	s->plan->checks = s->planner.checks;
	s->plan->check_count = s->planner.check_count;
	s->plan->untyped = s->planner.untyped;
	s->plan->untyped_count = s->planner.untyped_count;
	s->plan->cut = s->planner.cut;
	s->plan->cut_count = s->planner.cut_count;
	return SOTTO_OK;
}

static enum sotto_status shape_select(struct sotto_plan_shape *s,
				      const struct sotto_sql_select *select,
				      const struct sotto_ctes *ctes)
{
	SOTTO_TRY(sotto_united_wrap(&s->planner, &select));
	if (sotto_select_is_windowed(s->planner.policy, select))
		SOTTO_TRY(sotto_windowed_expand(&s->planner, select, &select));
	if (select->set_count)
		SOTTO_TRY(sotto_grouping_expand(&s->planner, ctes, select, &select));
	if (select->unite)
		SOTTO_TRY(sotto_united_around(s->planner.arena, &select));
	SOTTO_TRY(sotto_ctes_push(&s->planner, select, &ctes));
	SOTTO_TRY(sotto_layers_peel(&s->planner, select, ctes, &s->layers));
	SOTTO_TRY(bind_from(s));
	if (s->layers.flattened && !s->from.owner) {
		s->layers = (struct sotto_layers){.select = select, .ctes = ctes};
		SOTTO_TRY(bind_from(s));
	}
	return shape_bound(s);
}

static enum sotto_status init_plan(struct sotto_plan *plan)
{
	*plan = (struct sotto_plan){
		.limit = -1, .threshold = {.measure = SIZE_MAX}, .typical_group = 100};
	sotto_arena_init(&plan->arena, (size_t)256 << 20);
	sotto_cost_init(&plan->cost);
	sotto_cost_init(&plan->own_cost);
	sotto_cost_init(&plan->most_cost);
	sotto_cost_init(&plan->spread_cost);
	plan->epsilon = sotto_arena_rational(&plan->arena);
	plan->delta = sotto_arena_rational(&plan->arena);
	return plan->epsilon && plan->delta ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status make(struct sotto_plan *plan, const struct sotto_plan_request *request,
			      const struct sotto_sql_query *query, struct sotto_error *err)
{
	struct sotto_plan_shape s = {.plan = plan};
	const struct sotto_schema_table **seen = sotto_arena_alloc(
		&plan->arena, (request->policy->table_count + 1) * sizeof(void *));

	SOTTO_NEED(seen);
	s.planner = (struct sotto_planner){.arena = &plan->arena,
					   .text = query->text,
					   .err = err,
					   .policy = request->policy,
					   .schema = request->schema,
					   .schema_context = request->schema_context,
					   .seen = seen,
					   .count = request->count,
					   .count_context = request->count_context,
					   .salt = request->salt,
					   .takes_values = true,
					   .limits = request->limits,
					   .finds_limits = request->finds_limits,
					   .is_preview = request->is_preview,
					   .row_ids = select_has_join(query->select)};
	SOTTO_TRY(sotto_short_expand(&s.planner, query->select));
	SOTTO_TRY(shape_select(&s, query->select, NULL));
	return check_aggregates(&s.planner, plan, query->select->at);
}

/* The plan points into the parsed query, which therefore lives in the plan's arena. */
static void release_query(void *query)
{
	sotto_sql_query_release(query);
}

enum sotto_status sotto_plan_make(struct sotto_plan *plan,
				  const struct sotto_plan_request *request, const char *sql,
				  struct sotto_error *err)
{
	struct sotto_sql_query *query;
	enum sotto_status st = init_plan(plan);

	query = st == SOTTO_OK ? sotto_arena_alloc(&plan->arena, sizeof *query) : NULL;
	st = query ? sotto_sql_query_bind(query, sql, request->parameters,
					  request->parameter_count, err)
		   : SOTTO_ENOMEM;
	if (st == SOTTO_EPARSE)
		sotto_name_hint(request, sql, err);
	if (st == SOTTO_OK && !sotto_arena_defer(&plan->arena, release_query, query)) {
		sotto_sql_query_release(query);
		st = SOTTO_ENOMEM;
	}
	if (st == SOTTO_OK)
		st = make(plan, request, query, err);
	if (st == SOTTO_OK)
		st = sotto_plan_guard(plan, err);
	if (st == SOTTO_ENOMEM)
		st = sotto_fail(err, st, "the query is too large to plan, or memory ran out");
	if (st != SOTTO_OK)
		sotto_plan_release(plan);
	return st;
}

/*
 * Only the outermost query compares its rows with finished values (sensitivity.md, 10a).  A
 * subquery below the part was bound before anyone knew that it would be one.
 */
static enum sotto_status check_part(struct sotto_planner *p, const struct sotto_plan *part,
				    const struct sotto_sql_select *select)
{
	if (!part->reads_parts)
		return SOTTO_OK;
	return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text, select->at,
			      "a question inside another one cannot compare its rows with the "
			      "result of a subquery over private rows; ask the inner question "
			      "on its own");
}

static void release_part(void *part)
{
	sotto_plan_release(part);
}

/* What FROM of a part reads was bound before the part was made. */
static enum sotto_status copy_noted(const struct sotto_planner *from, struct sotto_planner *to)
{
	to->untyped = NULL;
	to->cut = NULL;
	to->untyped_count = to->cut_count = 0;
	for (size_t i = 0; i < from->untyped_count; i++) {
		struct sotto_untyped *slot =
			SOTTO_PUSH(to->arena, to->untyped, to->untyped_count);

		SOTTO_NEED(slot);
		*slot = from->untyped[i];
	}
	for (size_t i = 0; i < from->cut_count; i++) {
		const char **slot = SOTTO_PUSH(to->arena, to->cut, to->cut_count);

		SOTTO_NEED(slot);
		*slot = from->cut[i];
	}
	return SOTTO_OK;
}

enum sotto_status sotto_plan_finish(struct sotto_planner *p, const struct sotto_layers *layers,
				    const struct sotto_relation *from, struct sotto_plan **out)
{
	struct sotto_plan *part = sotto_arena_alloc(p->arena, sizeof *part);
	struct sotto_plan_shape s = {
		.plan = part, .planner = *p, .layers = *layers, .from = *from};
	enum sotto_status st = part ? init_plan(part) : SOTTO_ENOMEM;

	SOTTO_TRY(st);
	if (!sotto_arena_defer(p->arena, release_part, part)) {
		sotto_plan_release(part);
		return SOTTO_ENOMEM;
	}
	s.planner.arena = &part->arena;
	s.planner.ctes = layers->ctes;
	s.planner.where = layers->select->where;
	s.planner.work = from->work;
	s.planner.checks = NULL;
	s.planner.check_count = 0;
	s.planner.parts = NULL;
	s.planner.part_count = 0;
	s.planner.part_selects = NULL;
	s.planner.takes_values = false;
	*out = part;
	SOTTO_TRY(copy_noted(p, &s.planner));
	SOTTO_TRY(shape_bound(&s));
	SOTTO_TRY(check_aggregates(p, part, layers->select->at));
	return check_part(p, part, layers->select);
}
