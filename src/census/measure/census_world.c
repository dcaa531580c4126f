/*
 * Releases the parts in the reverse order of reading; the private counts can be wiped earlier,
 * as soon as the noise is drawn.
 */
#include "census/measure/census_world.h"

#include <stdlib.h>

#include "census/measure/census_truth.h"

void sotto_census_world_forget(struct sotto_census_world *w)
{
	if (w->truth)
		sotto_census_truth_release(w->truth);
	free(w->truth);
	w->truth = NULL;
}

bool sotto_census_world_digest(const struct sotto_census_world *w, struct evp_md_ctx_st *hash)
{
	return sotto_census_truth_digest(w->truth, hash);
}

void sotto_census_world_close(struct sotto_census_world *w)
{
	sotto_census_world_forget(w);
	if (w->has_shape)
		sotto_census_shape_release(&w->shape);
	if (w->schema.plan)
		sotto_census_schema_release(&w->schema);
	sotto_arena_release(&w->texts);
	if (w->plan.path)
		sotto_census_plan_release(&w->plan);
}
