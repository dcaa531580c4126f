/*
 * Chooses for each table, of the measured queries whose cells add up to its own, the one with
 * the least total variance, and adds up its noisy cells.
 */
#include "census/publish/census_naive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/information/census_quantile.h"
#include "core/base/failure.h"

/* One table of a level: which query it is made from, and how. */
struct recipe {
	size_t measure; /* of the level; SIZE_MAX: no query tells it */
	uint32_t *image; /* the table's cell for each cell of the query */
	double *deviations; /* of each cell of the table */
	double quantile;
};

struct kitchen {
	const struct sotto_census_world *w;
	struct sotto_census_reader *reader;
	struct sotto_noisy *answers; /* of a query */
	int64_t *values; /* of a table */
	double *estimates;
};

/* The table's cell for each cell of a query; NULL if a cell of the query falls into two of them. */
static enum sotto_status
find_image(const struct sotto_census_world *w, size_t query, size_t table, uint32_t **out)
{
	size_t cells = w->plan.queries[query].cells;
	const uint32_t *fine = w->schema.maps[query], *coarse = w->schema.maps[table];
	uint32_t *image = malloc(cells * sizeof *image);

	if (!image)
		return SOTTO_ENOMEM;
	memset(image, 0xff, cells * sizeof *image);
	for (size_t cell = 0; cell < w->schema.cells; cell++) {
		if (image[fine[cell]] != UINT32_MAX && image[fine[cell]] != coarse[cell]) {
			free(image);
			*out = NULL;
			return SOTTO_OK;
		}
		image[fine[cell]] = coarse[cell];
	}
	*out = image;
	return SOTTO_OK;
}

/* Deviations of the table's cells, each a sum of cells of the query. */
static enum sotto_status set_deviations(struct recipe *r, const struct sotto_census_plan *p,
					const struct sotto_census_measure *m,
					size_t table_cells)
{
	size_t fewest = SIZE_MAX;

	r->deviations = calloc(table_cells, sizeof *r->deviations);
	if (!r->deviations)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < p->queries[m->query].cells; i++)
		r->deviations[r->image[i]]++;
	for (size_t i = 0; i < table_cells; i++) {
		fewest = (size_t)r->deviations[i] < fewest ? (size_t)r->deviations[i] : fewest;
		r->deviations[i] = sqrt(r->deviations[i] * m->variance);
	}
	if (p->intervals)
		r->quantile = sotto_census_sum_quantile(p->model == SOTTO_CENSUS_PURE,
							mpq_get_d(p->intervals->q), fewest);
	return SOTTO_OK;
}

static enum sotto_status
find_recipe(const struct sotto_census_world *w, size_t level, size_t table, struct recipe *r)
{
	const struct sotto_census_plan *p = &w->plan;
	const struct sotto_census_level *l = &p->levels[level];
	double least = INFINITY;

	*r = (struct recipe){.measure = SIZE_MAX};
	for (size_t i = 0; i < l->measure_count; i++) {
		double variance = l->measures[i].variance *
				  (double)p->queries[l->measures[i].query].cells;
		uint32_t *image = NULL;

		if (variance >= least)
			continue;
		SOTTO_TRY(find_image(w, l->measures[i].query, p->tables[table], &image));
		if (!image)
			continue;
		free(r->image);
		r->image = image;
		r->measure = i;
		least = variance;
	}
	if (r->measure == SIZE_MAX)
		return SOTTO_OK;
	return set_deviations(r, p, &l->measures[r->measure],
			      p->queries[p->tables[table]].cells);
}

static enum sotto_status cook(const struct kitchen *k, const struct recipe *r, size_t node,
			      size_t level, size_t table, struct sotto_census_output *o)
{
	const struct sotto_census_plan *p = &k->w->plan;
	size_t cells = p->queries[p->tables[table]].cells, from;
	struct sotto_census_estimates estimates = {.values = k->estimates,
						   .deviations = r->deviations,
						   .quantile = r->quantile,
						   .whole = true};

	if (r->measure == SIZE_MAX) {
		for (size_t i = 0; i < cells; i++)
			k->estimates[i] = INFINITY;
		estimates.deviations = k->estimates;
		return sotto_census_output_naive(o, node, table, NULL, &estimates);
	}
	from = p->queries[p->levels[level].measures[r->measure].query].cells;
	SOTTO_TRY(sotto_census_measure(k->reader, node, r->measure, NULL, from, k->answers));
	memset(k->values, 0, cells * sizeof *k->values);
	for (size_t i = 0; i < from; i++)
		k->values[r->image[i]] += k->answers[i].value;
	for (size_t i = 0; i < cells; i++)
		k->estimates[i] = (double)k->values[i];
	return sotto_census_output_naive(o, node, table, k->values, &estimates);
}

static enum sotto_status
run_level(const struct kitchen *k, size_t level, struct sotto_census_output *o)
{
	const struct sotto_census_shape *s = &k->w->shape;
	size_t tables = k->w->plan.table_count, plan_level = s->plan_level[level];
	struct recipe *recipes = calloc(tables + 1, sizeof *recipes);
	enum sotto_status st = recipes ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t t = 0; st == SOTTO_OK && t < tables; t++)
		st = find_recipe(k->w, plan_level, t, &recipes[t]);
	for (size_t v = s->start[level]; st == SOTTO_OK && v < s->start[level + 1]; v++)
		for (size_t t = 0; st == SOTTO_OK && t < tables; t++)
			st = cook(k, &recipes[t], v, plan_level, t, o);
	for (size_t t = 0; recipes && t < tables; t++) {
		free(recipes[t].image);
		free(recipes[t].deviations);
	}
	free(recipes);
	return st;
}

enum sotto_status
sotto_census_run_naive(const struct sotto_census_world *w,
		       const struct sotto_census_measurement *m,
		       void (*progress)(void *context, uint64_t done, uint64_t total),
		       void *progress_context, struct sotto_census_output *o)
{
	struct kitchen k = {.w = w};
	const struct sotto_census_shape *s = &w->shape;
	enum sotto_status st = SOTTO_ENOMEM;

	k.answers = malloc(w->schema.cells * sizeof *k.answers);
	k.values = malloc(w->schema.cells * sizeof *k.values);
	k.estimates = malloc(w->schema.cells * sizeof *k.estimates);
	if (k.answers && k.values && k.estimates)
		st = sotto_census_reader_open(m, &k.reader);
	for (size_t l = 0; st == SOTTO_OK && l < s->level_count; l++) {
		if (s->plan_level[l] != SIZE_MAX)
			st = run_level(&k, l, o);
		if (progress)
			progress(progress_context, s->start[l + 1], sotto_census_node_count(s));
	}
	sotto_census_reader_close(k.reader);
	free(k.answers);
	free(k.values);
	free(k.estimates);
	return st;
}
