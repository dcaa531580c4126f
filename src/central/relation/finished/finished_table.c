/*
 * A finished query as a table: the groups of private rows are released with
 * noise, and the query around reads that answer like any public table.
 */
#include "central/relation/finished/finished_table.h"

#include "central/aggregate/output_expression.h"
#include "central/plan/plan.h"
#include "central/relation/finished/query_layers.h"
#include "central/relation/relation.h"
#include "core/base/failure.h"

static bool is_number(enum sotto_sql_type type)
{
	return type == SOTTO_TYPE_INTEGER || type == SOTTO_TYPE_NUMBER;
}

/* One SELECT that is named twice is one release. */
static enum sotto_status
find_part(struct sotto_planner *p, const struct sotto_sql_select *select,
	  const struct sotto_layers *layers, const struct sotto_relation *from, size_t *index)
{
	const struct sotto_sql_select **slot;
	struct sotto_plan **part;
	size_t selects = p->part_count;
	enum sotto_status st;

	for (*index = 0; *index < p->part_count; ++*index)
		if (p->part_selects[*index] == select)
			return SOTTO_OK;
	part = SOTTO_PUSH(p->arena, p->parts, p->part_count);
	slot = SOTTO_PUSH(p->arena, p->part_selects, selects);
	SOTTO_NEED(part && slot);
	*slot = select;
	st = sotto_plan_finish(p, layers, from, &p->parts[*index]);
	if (st != SOTTO_OK)
		p->part_count--;
	return st;
}

/* Are there rows that noise decides on, by the values that are shown? */
static bool is_selected(const struct sotto_plan *part, const struct sotto_layers *layers)
{
	return layers->having || layers->limit >= 0 || layers->offset > 0 || layers->distinct ||
	       part->top.chosen;
}

/* A count and nothing more: noise moves it by whole numbers. */
static bool is_count(const struct sotto_plan *part, const struct sotto_plan_output *o)
{
	const struct sotto_aggregate *x = o->expr && o->expr->kind == SOTTO_SQL_VALUE
						  ? &part->aggregates[o->expr->index]
						  : NULL;

	return x && x->record->unit == SOTTO_UNIT_COUNT && o->type == SOTTO_TYPE_INTEGER;
}

enum sotto_status
sotto_finished_table_bind(struct sotto_planner *p, const struct sotto_sql_select *select,
			  const struct sotto_layers *layers, struct sotto_relation *from,
			  struct sotto_bound *bounds, const struct sotto_rowset **rows)
{
	const char *alias = sotto_planner_alias(p);
	struct sotto_rowset_select s = {0};
	const struct sotto_plan *part;
	size_t index;

	SOTTO_NEED(alias);
	SOTTO_TRY(find_part(p, select, layers, from, &index));
	part = p->parts[index];
	for (size_t i = 0; i < part->output_count; i++) {
		const struct sotto_plan_output *o = &part->outputs[i];

		bounds[i] = (struct sotto_bound){.type = o->type,
						 .is_double = is_number(o->type),
						 .nullable = true,
						 .noisy = o->noisy,
						 .load = {.nodes = 1, .work = 1}};
		if (o->expr)
			SOTTO_TRY(
				sotto_output_range(part, o->expr, p->arena, &bounds[i].range));
		bounds[i].value =
			sotto_expression_column(p->arena, alias, sotto_output_field(p, i));
		SOTTO_NEED(bounds[i].value);
		if (sotto_output_has_interval(o)) {
			bounds[i].low =
				sotto_expression_column(p->arena, alias, sotto_low_field(p, i));
			bounds[i].high = sotto_expression_column(p->arena, alias,
								 sotto_high_field(p, i));
			SOTTO_NEED(bounds[i].low && bounds[i].high);
			bounds[i].by_one = is_count(part, o);
		}
	}
	*from = (struct sotto_relation){.finished = true,
					.selected = is_selected(part, layers)};
	from->picked = from->selected || part->threshold.measure != SIZE_MAX;
	SOTTO_TRY(sotto_outputs_add(p, bounds, part->output_count, &s));
	SOTTO_NEED(sotto_rowset_from(p->arena, &s, sotto_rowset_part(p->arena, index, alias)));
	*rows = sotto_rowset_select(p->arena, &s, NULL);
	return *rows ? SOTTO_OK : SOTTO_ENOMEM;
}
