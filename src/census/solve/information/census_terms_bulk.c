/* Noisy measurements as information, only where the parent has somebody. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/information/census_terms.h"
#include "core/base/failure.h"

/* Adds w y of one query to the cells listed; draws only what covers one of them. */
static enum sotto_status add_query(struct sotto_census_worker *w, size_t node, size_t measure,
				   const uint32_t *cells, size_t n, double *h)
{
	const struct sotto_census_level *l =
		sotto_census_plan_level(w->run, sotto_census_level_of(w->run->shape, node));
	const uint32_t *map = w->run->schema->maps[l->measures[measure].query];
	double weight = l->measures[measure].weight;
	size_t needed = 0;
	enum sotto_status st;

	for (size_t k = 0; k < n; k++)
		if (w->number[map[cells[k]]] == UINT32_MAX) {
			w->number[map[cells[k]]] = (uint32_t)needed;
			w->needed[needed++] = map[cells[k]];
		}
	st = sotto_census_measure(w->reader, node, measure, w->needed, needed, w->answers);
	for (size_t k = 0; st == SOTTO_OK && k < n; k++)
		h[k] += weight * (double)w->answers[w->number[map[cells[k]]]].value;
	for (size_t i = 0; i < needed; i++)
		w->number[w->needed[i]] = UINT32_MAX;
	return st;
}

/* The total by its own query, joined with what is known of it so far. */
static enum sotto_status
join_total(struct sotto_census_worker *w, size_t node, double *total, double *variance)
{
	const struct sotto_census_level *l =
		sotto_census_plan_level(w->run, sotto_census_level_of(w->run->shape, node));

	for (size_t i = 0; l && i < l->measure_count; i++) {
		double s = 1 / l->measures[i].weight;

		if (w->run->plan->queries[l->measures[i].query].cells != 1)
			continue;
		SOTTO_TRY(sotto_census_measure(w->reader, node, i, NULL, 1, w->answers));
		if (isinf(*variance)) {
			*total = (double)w->answers[0].value;
			*variance = s;
		} else {
			*total = (*total * s + (double)w->answers[0].value * *variance) /
				 (s + *variance);
			*variance = s * *variance / (s + *variance);
		}
	}
	return SOTTO_OK;
}

static enum sotto_status add_node(struct sotto_census_worker *w, size_t node,
				  const uint32_t *cells, size_t n, double *h, double *total,
				  double *variance)
{
	const struct sotto_census_level *l =
		sotto_census_plan_level(w->run, sotto_census_level_of(w->run->shape, node));

	for (size_t i = 0; l && i < l->measure_count; i++)
		if (!w->run->schema->told[l->measures[i].query])
			SOTTO_TRY(add_query(w, node, i, cells, n, h));
	return w->run->shape->known.is_given ? SOTTO_OK : join_total(w, node, total, variance);
}

enum sotto_status sotto_census_node_terms(struct sotto_census_worker *w, size_t node,
					  const uint32_t *cells, size_t n, double *h,
					  const double **kernel, double **own, double *total,
					  double *variance)
{
	struct sotto_census_run *run = w->run;
	size_t inner = run->shape->start[run->shape->level_count - 1];
	const struct sotto_census_slot *slot = node < inner ? run->slots[node] : NULL;

	*own = NULL;
	*variance = INFINITY;
	*total = 0;
	if (slot) {
		for (size_t k = 0; k < n; k++)
			h[k] = slot->h[cells[k]];
		*kernel = slot->kernel;
		*total = slot->total.z;
		*variance = slot->total.variance;
		return SOTTO_OK;
	}
	memset(h, 0, n * sizeof *h);
	SOTTO_TRY(add_node(w, node, cells, n, h, total, variance));
	*kernel = run->level_kernel[sotto_census_level_of(run->shape, node)];
	for (size_t below = sotto_census_only_child(run, node); below != SIZE_MAX;
	     below = sotto_census_only_child(run, below)) {
		if (!*own) {
			*own = malloc(run->basis.block * sizeof **own);
			if (!*own)
				return SOTTO_ENOMEM;
			memcpy(*own, *kernel, run->basis.block * sizeof **own);
			*kernel = *own;
		}
		for (size_t i = 0; i < run->basis.block; i++)
			(*own)[i] +=
				run->level_kernel[sotto_census_level_of(run->shape, below)][i];
		SOTTO_TRY(add_node(w, below, cells, n, h, total, variance));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_census_node_groups(struct sotto_census_worker *w, size_t node,
					   double *groups, bool *known)
{
	const struct sotto_census_run *run = w->run;
	const struct sotto_census_level *l =
		sotto_census_plan_level(run, sotto_census_level_of(run->shape, node));
	const struct sotto_census_slot *slot = run->slots[node];

	*known = slot != NULL;
	if (slot)
		memcpy(groups, slot->groups, run->schema->groups * sizeof *groups);
	for (size_t i = 0; !slot && l && i < l->measure_count; i++) {
		if (l->measures[i].query != run->schema->frame)
			continue;
		SOTTO_TRY(sotto_census_measure(w->reader, node, i, NULL, run->schema->groups,
					       w->answers));
		for (size_t g = 0; g < run->schema->groups; g++)
			groups[g] = (double)w->answers[g].value;
		*known = true;
	}
	return SOTTO_OK;
}
