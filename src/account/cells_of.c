#include <math.h>

#include "account/cells.h"

bool sotto_cells_need(const struct sotto_event *e)
{
	return e->kind == SOTTO_EVENT_SAMPLED || e->kind == SOTTO_EVENT_SHUFFLE ||
	       e->kind == SOTTO_EVENT_PARALLEL || e->kind == SOTTO_EVENT_GROUP;
}

enum sotto_status sotto_cells_of(struct sotto_cells *c, const struct sotto_event *e,
				 enum sotto_neighbours neighbours,
				 enum sotto_direction direction,
				 const struct sotto_cutting *cutting)
{
	const struct sotto_event *child = e->n_children ? e->children[0] : NULL;

	if (e->kind == SOTTO_EVENT_SHUFFLE)
		return sotto_cells_shuffle(c, e, cutting);
	if (e->kind == SOTTO_EVENT_SAMPLED && child->kind == SOTTO_EVENT_GAUSSIAN)
		return sotto_cells_sampled_gaussian(c, sqrt(mpq_get_d(child->a.q)),
						    mpq_get_d(e->a.q), direction, cutting);
	if (e->kind == SOTTO_EVENT_SAMPLED && child->kind == SOTTO_EVENT_LAPLACE &&
	    child->count == 1)
		return sotto_cells_sampled_laplace(c, mpq_get_d(child->a.q), mpq_get_d(e->a.q),
						   direction, cutting);
	return sotto_cells_curve(c, e, neighbours, direction, cutting);
}
