/* Noisy measurements as information: in full where they count upwards, else only where needed. */
#include <math.h>
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

struct sotto_census_reader *sotto_census_worker_reader(struct sotto_census_worker *w)
{
	return w->reader;
}

static size_t level_of(const struct sotto_census_run *run, size_t node)
{
	return sotto_census_level_of(run->shape, node);
}

static const struct sotto_census_level *
plan_level(const struct sotto_census_run *run, size_t level)
{
	size_t l = run->shape->plan_level[level];

	return l == SIZE_MAX ? NULL : &run->plan->levels[l];
}

uint64_t sotto_census_node_mask(const struct sotto_census_run *run, size_t node)
{
	const struct sotto_census_shape *s = run->shape;
	uint64_t mask = 0;

	if (!s->low)
		return run->schema->places == 64 ? UINT64_MAX
						 : (UINT64_C(1) << run->schema->places) - 1;
	for (size_t g = 0; g < s->groups; g++)
		if (s->high[node * s->groups + g] > 0)
			mask |= run->schema->group_mask[g];
	return mask;
}

/* ---- in full ------------------------------------------------------------------------------------------ */

/* g = sum of w M'y over all queries of the node */
static enum sotto_status measure_all(struct sotto_census_worker *w, size_t node, double *g)
{
	const struct sotto_census_level *l = plan_level(w->run, level_of(w->run, node));
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
	size_t level = level_of(run, node);

	if (level + 1 >= run->shape->level_count || run->shape->count[node] == 0)
		return false;
	return run->plan->mode == SOTTO_CENSUS_GLS ? run->up[level + 1] : !run->measured[level];
}

static enum sotto_status gather(struct sotto_census_worker *w, size_t node, size_t keep_from,
				struct sotto_census_sums *parent);

static enum sotto_status keep_slot(struct sotto_census_run *run, size_t node, size_t level,
				   const double *info, const double *h, const double *z,
				   const double *covariance)
{
	size_t cells = run->schema->cells, block = run->basis.block;
	size_t more = level <= run->task_level ? cells + block : 0;
	struct sotto_census_slot *slot =
		malloc(sizeof *slot + (block + cells + more) * sizeof *slot->memory);
	double total = 0;

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
	for (size_t e = 0; e < run->basis.places; e++) {
		total += z[e * run->basis.regular];
		slot->groups[run->schema->group_of_place[e]] +=
			z[e * run->basis.regular] * sqrt((double)run->basis.regular);
	}
	slot->total = total * sqrt((double)run->basis.regular);
	slot->variance = sotto_census_total_variance(&run->basis, covariance);
	run->slots[node] = slot;
	return SOTTO_OK;
}

static void add_to(const struct sotto_census_run *run, struct sotto_census_sums *parent,
		   const double *z, const double *covariance)
{
	for (size_t i = 0; i < run->schema->cells; i++)
		parent->z[i] += z[i];
	for (size_t i = 0; i < run->basis.block; i++)
		parent->covariance[i] += covariance[i];
}

/* The node below an only child's node; SIZE_MAX: there is none, or it is not to be pooled. */
static size_t only_child(const struct sotto_census_run *run, size_t node)
{
	size_t inner = run->shape->start[run->shape->level_count - 1];

	return run->plan->bypass && run->plan->mode == SOTTO_CENSUS_TOPDOWN && node < inner &&
			       run->shape->count[node] == 1
		       ? run->shape->first[node]
		       : SIZE_MAX;
}

/* What the node itself was measured to be: information and h, in coefficients. */
static enum sotto_status own_terms(struct sotto_census_worker *w, size_t node, uint64_t mask,
				   double *info, double *h, double *spare)
{
	struct sotto_census_run *run = w->run;

	memcpy(info, run->level_info[level_of(run, node)], run->basis.block * sizeof *info);
	SOTTO_TRY(measure_all(w, node, h));
	for (size_t below = only_child(run, node); below != SIZE_MAX;
	     below = only_child(run, below)) {
		const double *more = run->level_info[level_of(run, below)];

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

/* Conditions an estimate on a total that is fixed: z += S1 (1'S1)^-1 (N - 1'z). */
static void
condition_total(const struct sotto_census_run *run, size_t node, double *z, double *covariance)
{
	size_t d = run->basis.places, m = run->basis.regular;
	double u[SOTTO_CENSUS_EXPLICIT_MAX], sum = 0, lack;

	if (run->shape->total_low[node] != run->shape->total_high[node])
		return;
	lack = (double)run->shape->total_low[node] / sqrt((double)m);
	for (size_t e = 0; e < d; e++) {
		u[e] = 0;
		for (size_t f = 0; f < d; f++)
			u[e] += covariance[e * d + f];
		sum += u[e];
		lack -= z[e * m];
	}
	if (sum <= 0)
		return;
	for (size_t e = 0; e < d; e++) {
		z[e * m] += u[e] * lack / sum;
		for (size_t f = 0; f < d; f++)
			covariance[e * d + f] -= u[e] * u[f] / sum;
	}
}

/* Adds what the children tell together, then z = J^-1 h. */
static void join_below(struct sotto_census_worker *w, size_t node,
		       const struct sotto_census_sums *below, double *info, double *h,
		       double *z, double *covariance, double *spare)
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
	struct sotto_census_sums below = {.z = NULL};
	bool looks = sotto_census_looks_below(run, node);
	double *memory = NULL;

	SOTTO_TRY(own_terms(w, node, sotto_census_node_mask(run, node), info, h, z));
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

enum sotto_status sotto_census_gather_one(struct sotto_census_worker *w, size_t node,
					  const struct sotto_census_sums *below, double *z,
					  double *covariance)
{
	size_t cells = w->run->schema->cells, block = w->run->basis.block;
	double *memory = malloc((cells + 2 * block) * sizeof *memory);
	enum sotto_status st;

	if (!memory)
		return SOTTO_ENOMEM;
	st = own_terms(w, node, sotto_census_node_mask(w->run, node), memory + cells, memory,
		       z);
	if (st == SOTTO_OK)
		join_below(w, node, below, memory + cells, memory, z, covariance,
			   memory + cells + block);
	if (st == SOTTO_OK)
		condition_total(w->run, node, z, covariance);
	free(memory);
	return st;
}

static enum sotto_status gather(struct sotto_census_worker *w, size_t node, size_t keep_from,
				struct sotto_census_sums *parent)
{
	struct sotto_census_run *run = w->run;
	size_t cells = run->schema->cells, block = run->basis.block;
	size_t level = level_of(run, node);
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

/* ---- only where needed ---------------------------------------------------------------------------------- */

/* Adds w y of one query to the cells listed; draws only what covers one of them. */
static enum sotto_status add_query(struct sotto_census_worker *w, size_t node, size_t measure,
				   const uint32_t *cells, size_t n, double *h)
{
	const struct sotto_census_level *l = plan_level(w->run, level_of(w->run, node));
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
	const struct sotto_census_level *l = plan_level(w->run, level_of(w->run, node));

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
	const struct sotto_census_level *l = plan_level(w->run, level_of(w->run, node));

	for (size_t i = 0; l && i < l->measure_count; i++)
		SOTTO_TRY(add_query(w, node, i, cells, n, h));
	return join_total(w, node, total, variance);
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
		*total = slot->total;
		*variance = slot->variance;
		return SOTTO_OK;
	}
	memset(h, 0, n * sizeof *h);
	SOTTO_TRY(add_node(w, node, cells, n, h, total, variance));
	*kernel = run->level_kernel[level_of(run, node)];
	for (size_t below = only_child(run, node); below != SIZE_MAX;
	     below = only_child(run, below)) {
		if (!*own) {
			*own = malloc(run->basis.block * sizeof **own);
			if (!*own)
				return SOTTO_ENOMEM;
			memcpy(*own, *kernel, run->basis.block * sizeof **own);
			*kernel = *own;
		}
		for (size_t i = 0; i < run->basis.block; i++)
			(*own)[i] += run->level_kernel[level_of(run, below)][i];
		SOTTO_TRY(add_node(w, below, cells, n, h, total, variance));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_census_node_groups(struct sotto_census_worker *w, size_t node,
					   double *groups, bool *known)
{
	const struct sotto_census_run *run = w->run;
	const struct sotto_census_level *l = plan_level(run, level_of(run, node));
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
