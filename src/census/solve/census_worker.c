/* The memory of one thread, and what a node's place in the tree says about it. */
#include <stdlib.h>
#include <string.h>

#include "census/solve/census_worker.h"
#include "core/base/failure.h"

enum sotto_status
sotto_census_worker_open(struct sotto_census_run *run, struct sotto_census_worker **out)
{
	struct sotto_census_worker *w = calloc(1, sizeof *w);
	size_t cells = run->schema->cells, places = run->schema->places;
	enum sotto_status st = SOTTO_ENOMEM;

	if (!w)
		return st;
	w->run = run;
	w->answers = malloc(cells * sizeof *w->answers);
	w->needed = malloc(cells * sizeof *w->needed);
	w->number = malloc(cells * sizeof *w->number);
	w->invert = malloc(3 * places * places * sizeof *w->invert);
	if (w->answers && w->needed && w->number && w->invert) {
		memset(w->number, 0xff, cells * sizeof *w->number);
		st = sotto_census_reader_open(run->measurement, &w->reader);
	}
	if (st == SOTTO_OK)
		*out = w;
	else
		sotto_census_worker_close(w);
	return st;
}

void sotto_census_worker_close(struct sotto_census_worker *w)
{
	if (!w)
		return;
	sotto_census_reader_close(w->reader);
	sotto_census_solver_release(&w->solver);
	sotto_transport_work_release(&w->transport);
	free(w->answers);
	free(w->needed);
	free(w->number);
	free(w->invert);
	free(w);
}

const struct sotto_census_level *
sotto_census_plan_level(const struct sotto_census_run *run, size_t level)
{
	size_t l = run->shape->plan_level[level];

	return l == SIZE_MAX ? NULL : &run->plan->levels[l];
}

uint64_t sotto_census_node_mask(const struct sotto_census_run *run, size_t node)
{
	const struct sotto_census_shape *s = run->shape;
	uint64_t mask = 0;

	if (!s->has_groups)
		return run->schema->places == 64 ? UINT64_MAX
						 : (UINT64_C(1) << run->schema->places) - 1;
	for (size_t g = 0; g < s->groups; g++)
		if (sotto_census_group_high(s, node)[g] > 0)
			mask |= run->schema->group_mask[g];
	return mask;
}

size_t sotto_census_only_child(const struct sotto_census_run *run, size_t node)
{
	size_t inner = run->shape->start[run->shape->level_count - 1];

	return run->plan->bypass && run->plan->mode == SOTTO_CENSUS_TOPDOWN && node < inner &&
			       run->shape->count[node] == 1
		       ? run->shape->first[node]
		       : SIZE_MAX;
}
