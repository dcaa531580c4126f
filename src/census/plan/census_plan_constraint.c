/* The keys of a plan about constraints: invariants, acknowledge_invariants, bounds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "census/plan/census_plan_read.h"
#include "census/plan/census_plan_item.h"
#include "census/plan/census_query.h"
#include "core/base/failure.h"

struct invariant_reader {
	struct sotto_census_plan *plan;
	struct sotto_census_invariant *invariant;
	bool has_query;
};

static enum sotto_status read_level(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct invariant_reader *r = target;

	SOTTO_TRY(sotto_yaml_text(y, value, "level", &r->invariant->level));
	return sotto_census_level_find(r->plan, r->invariant->level) != SIZE_MAX
		       ? SOTTO_OK
		       : sotto_yaml_fail(y, value, "there is no level %.60s in the hierarchy",
					 r->invariant->level);
}

static enum sotto_status read_query(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct invariant_reader *r = target;

	r->has_query = true;
	return sotto_census_read_query(y, value, r->plan, &r->invariant->query);
}

static enum sotto_status read_values(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "values",
			       &((struct invariant_reader *)target)->invariant->values);
}

static enum sotto_status read_node(struct sotto_yaml *y, yaml_node_t *item, void *target)
{
	struct invariant_reader *r = target;
	const char **added =
		SOTTO_PUSH(&r->plan->arena, r->invariant->nodes, r->invariant->node_count);

	return added ? sotto_yaml_text(y, item, "a node", added) : SOTTO_ENOMEM;
}

static enum sotto_status read_node_list(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_census_items(y, value, "nodes", read_node, target);
}

static enum sotto_status read_invariant(struct sotto_yaml *y, yaml_node_t *item, void *plan)
{
	static const struct sotto_yaml_field fields[] = {{"level", read_level},
							 {"query", read_query},
							 {"values", read_values},
							 {"nodes", read_node_list},
							 {NULL, NULL}};
	struct invariant_reader r = {.plan = plan};

	r.invariant = SOTTO_PUSH(&r.plan->arena, r.plan->invariants, r.plan->invariant_count);
	if (!r.invariant)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_yaml_fields(y, item, "an invariant", fields, &r));
	if (!r.invariant->level || !r.has_query)
		return sotto_yaml_fail(y, item, "an invariant needs a level and a query");
	if (r.invariant->nodes && r.invariant->values)
		return sotto_yaml_fail(y, item,
				       "an invariant has nodes, which are one union, or "
				       "values, one for each node; not both");
	return SOTTO_OK;
}

enum sotto_status
sotto_census_read_invariants(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_census_items(y, value, "invariants", read_invariant, plan);
}

enum sotto_status
sotto_census_read_acknowledgement(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_yaml_truth(y, value, "acknowledge_invariants",
				&((struct sotto_census_plan *)plan)->acknowledges_invariants);
}

/* ---- bounds ------------------------------------------------------------------------------------ */

struct bound_reader {
	struct sotto_census_plan *plan;
	struct sotto_census_bound *bound;
	bool has_query;
};

static enum sotto_status
read_bound_level(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct bound_reader *r = target;

	SOTTO_TRY(sotto_yaml_text(y, value, "level", &r->bound->level));
	return sotto_census_level_find(r->plan, r->bound->level) != SIZE_MAX
		       ? SOTTO_OK
		       : sotto_yaml_fail(y, value, "there is no level %.60s in the hierarchy",
					 r->bound->level);
}

static enum sotto_status
read_bound_query(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct bound_reader *r = target;

	r->has_query = true;
	return sotto_census_read_query(y, value, r->plan, &r->bound->query);
}

/* "5", "n_fac" or "99999*n_fac" */
static enum sotto_status
read_term(struct sotto_yaml *y, yaml_node_t *value, struct sotto_census_term *out)
{
	const char *text, *column;
	char *end;

	SOTTO_TRY(sotto_yaml_text(y, value, "a bound", &text));
	errno = 0;
	out->factor = strtoll(text, &end, 10);
	if (end == text)
		out->factor = 1;
	column = end == text ? text : *end == '*' ? end + 1 : end;
	if ((end != text && *end && *end != '*') || (end != text && *end == '*' && !*column) ||
	    out->factor < 0 || errno == ERANGE)
		return sotto_yaml_fail(y, value,
				       "a bound is a whole number, a column, or NUMBER*COLUMN");
	out->column = *column ? column : NULL;
	return SOTTO_OK;
}

static enum sotto_status read_lower(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct bound_reader *r = target;

	r->bound->has_lower = true;
	return read_term(y, value, &r->bound->lower);
}

static enum sotto_status read_upper(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	struct bound_reader *r = target;

	r->bound->has_upper = true;
	return read_term(y, value, &r->bound->upper);
}

static enum sotto_status read_table(struct sotto_yaml *y, yaml_node_t *value, void *target)
{
	return sotto_yaml_text(y, value, "table",
			       &((struct bound_reader *)target)->bound->table);
}

static enum sotto_status read_bound(struct sotto_yaml *y, yaml_node_t *item, void *plan)
{
	static const struct sotto_yaml_field fields[] = {
		{"level", read_bound_level}, {"query", read_bound_query}, {"lower", read_lower},
		{"upper", read_upper},       {"table", read_table},       {NULL, NULL}};
	struct bound_reader r = {.plan = plan};

	r.bound = SOTTO_PUSH(&r.plan->arena, r.plan->bounds, r.plan->bound_count);
	if (!r.bound)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_yaml_fields(y, item, "a bound", fields, &r));
	if (!r.bound->level || !r.has_query || !(r.bound->has_lower || r.bound->has_upper))
		return sotto_yaml_fail(y, item,
				       "a bound needs a level, a query, and lower or upper");
	if ((r.bound->lower.column || r.bound->upper.column) && !r.bound->table)
		return sotto_yaml_fail(y, item, "a bound with a column needs its table");
	return SOTTO_OK;
}

enum sotto_status sotto_census_read_bounds(struct sotto_yaml *y, yaml_node_t *value, void *plan)
{
	return sotto_census_items(y, value, "bounds", read_bound, plan);
}
