/* Noisy measurements as information, in full: where they count upwards (marginals.md). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/information/census_gather.h"
#include "core/base/failure.h"

/* g = sum of w M'y over all queries of the node */
static enum sotto_status measure_all(struct sotto_census_worker *w, size_t node, double *g)
{
	const struct sotto_census_level *l =
		sotto_census_plan_level(w->run, sotto_census_level_of(w->run->shape, node));
	size_t cells = w->run->schema->cells;

	memset(g, 0, cells * sizeof *g);
	for (size_t i = 0; l && i < l->measure_count; i++) {
		const uint32_t *map = w->run->schema->maps[l->measures[i].query];
		double weight = l->measures[i].weight;

		SOTTO_TRY(sotto_census_measure(
			w->reader, node, i, NULL,
			w->run->plan->queries[l->measures[i].query].cells, w->answers));
		for (size_t cell = 0; cell < cells; cell++)
			g[cell] += weight * (double)w->answers[map[cell]].value;
	}
	return SOTTO_OK;
}

static void drop_masked(const struct sotto_census_run *run, uint64_t mask, double *x)
{
	for (size_t e = 0; e < run->basis.places; e++)
		if (!(mask >> e & 1))
			memset(x + e * run->basis.regular, 0, run->basis.regular * sizeof *x);
}

bool sotto_census_looks_below(const struct sotto_census_run *run, size_t node)
{
	size_t level = sotto_census_level_of(run->shape, node);

	if (level + 1 >= run->shape->level_count || run->shape->count[node] == 0)
		return false;
	return run->plan->mode == SOTTO_CENSUS_GLS ? run->up[level + 1] : !run->measured[level];
}

/* Of children: their estimates and covariances, added up. */
struct sums {
	double *z, *covariance;
};

static enum sotto_status
gather(struct sotto_census_worker *w, size_t node, size_t keep_from, struct sums *parent);

static struct sotto_census_total
total_of(const struct sotto_census_run *run, const double *z, const double *covariance)
{
	double total = 0;

	for (size_t e = 0; e < run->basis.places; e++)
		total += z[e * run->basis.regular];
	return (struct sotto_census_total){
		total * sqrt((double)run->basis.regular),
		sotto_census_total_variance(&run->basis, covariance)};
}

static enum sotto_status keep_slot(struct sotto_census_run *run, size_t node, size_t level,
				   const double *info, const double *h, const double *z,
				   const double *covariance)
{
	size_t cells = run->schema->cells, block = run->basis.block;
	size_t more = level <= run->task_level ? cells + block : 0;
	struct sotto_census_slot *slot =
		malloc(sizeof *slot + (block + cells + more) * sizeof *slot->memory);

	if (!slot)
		return SOTTO_ENOMEM;
	slot->kernel = slot->memory;
	slot->h = slot->memory + block;
	slot->z = more ? slot->h + cells : NULL;
	slot->covariance = more ? slot->z + cells : NULL;
	sotto_census_info_kernel(&run->basis, info, slot->kernel);
	memcpy(slot->h, h, cells * sizeof *h);
	sotto_census_synthesise(&run->basis, slot->h);
	if (more) {
		memcpy(slot->z, z, cells * sizeof *z);
		memcpy(slot->covariance, covariance, block * sizeof *covariance);
	}
	memset(slot->groups, 0, sizeof slot->groups);
	for (size_t e = 0; e < run->basis.places; e++)
		slot->groups[run->schema->group_of_place[e]] +=
			z[e * run->basis.regular] * sqrt((double)run->basis.regular);
	slot->total = total_of(run, z, covariance);
	run->slots[node] = slot;
	return SOTTO_OK;
}

static void add_to(const struct sotto_census_run *run, struct sums *parent, const double *z,
		   const double *covariance)
{
	for (size_t i = 0; i < run->schema->cells; i++)
		parent->z[i] += z[i];
	for (size_t i = 0; i < run->basis.block; i++)
		parent->covariance[i] += covariance[i];
}

enum sotto_status sotto_census_own_terms(struct sotto_census_worker *w, size_t node,
					 double *info, double *h, double *spare)
{
	struct sotto_census_run *run = w->run;
	uint64_t mask = sotto_census_node_mask(run, node);

	memcpy(info, run->level_info[sotto_census_level_of(run->shape, node)],
	       run->basis.block * sizeof *info);
	SOTTO_TRY(measure_all(w, node, h));
	for (size_t below = sotto_census_only_child(run, node); below != SIZE_MAX;
	     below = sotto_census_only_child(run, below)) {
		const double *more = run->level_info[sotto_census_level_of(run->shape, below)];

		SOTTO_TRY(measure_all(w, below, spare));
		for (size_t i = 0; i < run->schema->cells; i++)
			h[i] += spare[i];
		for (size_t i = 0; i < run->basis.block; i++)
			info[i] += more[i];
	}
	sotto_census_info_mask(&run->basis, mask, info);
	sotto_census_analyse(&run->basis, h);
	drop_masked(run, mask, h);
	return SOTTO_OK;
}

/* Adds what the children tell together, then z = J^-1 h. */
static void join_below(struct sotto_census_worker *w, size_t node, const struct sums *below,
		       double *info, double *h, double *z, double *covariance, double *spare)
{
	struct sotto_census_run *run = w->run;
	uint64_t mask = sotto_census_node_mask(run, node);

	if (below) {
		sotto_census_info_invert(&run->basis, mask, below->covariance, spare,
					 w->invert);
		for (size_t i = 0; i < run->basis.block; i++)
			info[i] += spare[i];
		sotto_census_info_apply(&run->basis, spare, below->z, h, true);
	}
	sotto_census_info_invert(&run->basis, mask, info, covariance, w->invert);
	sotto_census_info_apply(&run->basis, covariance, h, z, false);
}

static enum sotto_status gather_node(struct sotto_census_worker *w, size_t node,
				     size_t keep_from, double *info, double *h, double *z,
				     double *covariance, double *spare)
{
	struct sotto_census_run *run = w->run;
	struct sums below = {.z = NULL};
	bool looks = sotto_census_looks_below(run, node);
	double *memory = NULL;

	SOTTO_TRY(sotto_census_own_terms(w, node, info, h, z));
	if (looks) {
		enum sotto_status st = SOTTO_OK;

		memory = calloc(run->schema->cells + run->basis.block, sizeof *memory);
		if (!memory)
			return SOTTO_ENOMEM;
		below.z = memory;
		below.covariance = memory + run->schema->cells;
		for (size_t c = run->shape->first[node];
		     st == SOTTO_OK && c < run->shape->first[node] + run->shape->count[node];
		     c++)
			st = gather(w, c, keep_from, &below);
		if (st != SOTTO_OK) {
			free(memory);
			return st;
		}
	}
	join_below(w, node, looks ? &below : NULL, info, h, z, covariance, spare);
	free(memory);
	return SOTTO_OK;
}

static enum sotto_status
gather(struct sotto_census_worker *w, size_t node, size_t keep_from, struct sums *parent)
{
	struct sotto_census_run *run = w->run;
	size_t cells = run->schema->cells, block = run->basis.block;
	size_t level = sotto_census_level_of(run->shape, node);
	bool inner = level + 1 < run->shape->level_count;
	double *memory, *h, *z, *info, *covariance;
	enum sotto_status st;

	if (inner && run->slots[node] && run->slots[node]->z) { /* another thread was here */
		if (parent)
			add_to(run, parent, run->slots[node]->z, run->slots[node]->covariance);
		return SOTTO_OK;
	}
	memory = malloc((2 * cells + 3 * block) * sizeof *memory);
	if (!memory)
		return SOTTO_ENOMEM;
	h = memory;
	z = memory + cells;
	info = z + cells;
	covariance = info + block;
	st = gather_node(w, node, keep_from, info, h, z, covariance, covariance + block);
	if (st == SOTTO_OK && inner && run->totals)
		run->totals[node] = total_of(run, z, covariance);
	if (st == SOTTO_OK && inner && level <= keep_from)
		st = keep_slot(run, node, level, info, h, z, covariance);
	if (st == SOTTO_OK && parent)
		add_to(run, parent, z, covariance);
	free(memory);
	return st;
}

enum sotto_status sotto_census_gather(struct sotto_census_worker *w, size_t node)
{
	return gather(w, node, SIZE_MAX, NULL);
}

enum sotto_status sotto_census_gather_top(struct sotto_census_worker *w, size_t node)
{
	return gather(w, node, w->run->task_level, NULL);
}

void sotto_census_slots_release(struct sotto_census_run *run, size_t node)
{
	size_t inner = run->shape->start[run->shape->level_count - 1];

	if (node >= inner)
		return;
	free(run->slots[node]);
	run->slots[node] = NULL;
	for (size_t c = run->shape->first[node];
	     c < run->shape->first[node] + run->shape->count[node]; c++)
		sotto_census_slots_release(run, c);
}
