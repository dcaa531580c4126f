/* Which events need cells, and the cells of an event. */
#include <math.h>

#include "core/account/law/law_cells.h"

bool sotto_cells_need(const struct sotto_event *e)
{
	return e->kind == SOTTO_EVENT_SAMPLED || e->kind == SOTTO_EVENT_SHUFFLE ||
	       e->kind == SOTTO_EVENT_PARALLEL || e->kind == SOTTO_EVENT_GROUP;
}

static bool contains(const struct sotto_event *e, enum sotto_event_kind kind)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (contains(e->children[i], kind))
			return true;
	return e->kind == kind;
}

bool sotto_cells_possible(const struct sotto_terms *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (contains(t->list[i].event, SOTTO_EVENT_ZCDP))
			return false;
	return true;
}

enum sotto_status sotto_cells_of(struct sotto_cuts *c, const struct sotto_event *e,
				 enum sotto_neighbours neighbours,
				 enum sotto_direction direction,
				 const struct sotto_cutting *cutting)
{
	const struct sotto_event *child = e->n_children ? e->children[0] : NULL;

	*c = (struct sotto_cuts){.above = {.at = NULL}};
	if (e->kind == SOTTO_EVENT_SHUFFLE)
		return sotto_cells_shuffle(c, e, cutting);
	if (e->kind == SOTTO_EVENT_SAMPLED && child->kind == SOTTO_EVENT_GAUSSIAN)
		return sotto_cells_sampled_gaussian(&c->above, sqrt(mpq_get_d(child->a.q)),
						    mpq_get_d(e->a.q), direction, cutting);
	if (e->kind == SOTTO_EVENT_SAMPLED && child->kind == SOTTO_EVENT_LAPLACE &&
	    child->count == 1)
		return sotto_cells_sampled_laplace(&c->above, mpq_get_d(child->a.q),
						   mpq_get_d(e->a.q), direction, cutting);
	return sotto_cells_curve(c, e, neighbours, direction, cutting);
}
