/*
 * Prepares, level by level, the information of its queries before the threads start, and
 * decides without data whether looking at the leaves is worth its time.
 */
#include "census/solve/census_run.h"

#include <stdlib.h>

#include "core/base/failure.h"

enum { TASKS_MAX = 4096 };

static enum sotto_status prepare_level(struct sotto_census_run *run, size_t l)
{
	size_t block = run->basis.block, plan = run->shape->plan_level[l];
	double *rest = calloc(block, sizeof *rest);

	run->level_info[l] = calloc(block, sizeof(double));
	run->level_kernel[l] = calloc(block, sizeof(double));
	if (!run->level_info[l] || !run->level_kernel[l] || !rest) {
		free(rest);
		return SOTTO_ENOMEM;
	}
	sotto_census_level_info(&run->basis, plan, run->level_info[l]);
	sotto_census_level_rest(&run->basis, plan, rest);
	sotto_census_info_kernel(&run->basis, rest, run->level_kernel[l]);
	free(rest);
	run->measured[l] = plan != SIZE_MAX && run->plan->levels[plan].measure_count > 0;
	return SOTTO_OK;
}

/*
 * Would the leaves lower some variance of their parents by more than 2 %?  Known without data:
 * compare diagonals of what the parents' own queries and the leaves tell, at the mean number
 * of children.
 */
static bool leaves_pay(const struct sotto_census_run *run)
{
	size_t leaf = run->shape->level_count - 1, d = run->basis.places;
	double parents = (double)(run->shape->start[leaf] - run->shape->start[leaf - 1]);
	double mean = (double)sotto_census_leaf_count(run->shape) / parents;

	for (size_t t = 0; t < run->basis.components; t++)
		for (size_t e = 0; e < d; e++) {
			size_t i = (t * d + e) * d + e;

			if (run->level_info[leaf][i] / mean >
			    0.02 * run->level_info[leaf - 1][i])
				return true;
		}
	return false;
}

enum sotto_status sotto_census_run_prepare(struct sotto_census_run *run)
{
	const struct sotto_census_shape *s = run->shape;
	size_t leaf = s->level_count - 1;

	SOTTO_TRY(sotto_census_basis_init(&run->basis, run->schema));
	for (size_t l = 0; l < s->level_count; l++) {
		SOTTO_TRY(prepare_level(run, l));
		run->up[l] = true;
	}
	if (leaf > 0 && !run->plan->up_all)
		run->up[leaf] = run->plan->up_auto && leaves_pay(run);
	run->slots = calloc(s->start[leaf] + 1, sizeof *run->slots);
	if (run->plan->mode == SOTTO_CENSUS_GLS) {
		run->totals = calloc(s->start[leaf] + 1, sizeof *run->totals);
		if (!run->totals)
			return SOTTO_ENOMEM;
	}
	for (size_t l = 0; l < leaf; l++)
		if (s->start[l + 1] - s->start[l] <= TASKS_MAX)
			run->task_level = l;
	return run->slots ? SOTTO_OK : SOTTO_ENOMEM;
}

void sotto_census_run_release(struct sotto_census_run *run)
{
	for (size_t l = 0; l < run->shape->level_count; l++) {
		free(run->level_info[l]);
		free(run->level_kernel[l]);
	}
	for (size_t i = 0; run->slots && i < run->shape->start[run->shape->level_count - 1];
	     i++)
		free(run->slots[i]);
	free(run->slots);
	free(run->totals);
	free(run->targets);
	sotto_census_basis_release(&run->basis);
}
