/*
 * Collects the counts of all leaves, from the file or from the data themselves, and refuses a
 * cell that is given twice.
 */
#include "census/measure/read/census_known_table.h"

#include <stdlib.h>

#include "census/measure/read/census_constraint_table.h"
#include "census/measure/census_truth.h"
#include "core/base/failure.h"

struct knowing {
	struct sotto_census_world *w;
	struct sotto_census_known_list list;
};

static enum sotto_status take_known(void *context, size_t node, size_t cell,
				    const int64_t *values, struct sotto_error *err)
{
	struct knowing *k = context;
	const struct sotto_census_shape *s = &k->w->shape;

	(void)err;
	return sotto_census_known_add(
		&k->list, &(struct sotto_census_known_entry){
				  .leaf = (uint32_t)(node - s->start[s->level_count - 1]),
				  .cell = (uint32_t)cell,
				  .count = values[0]});
}

/* The data's own counts, added up by the query's cell. */
static enum sotto_status know_truth(struct knowing *k, size_t query)
{
	const struct sotto_census_truth *t = k->w->truth;
	size_t cells = k->w->plan.queries[query].cells, large = 0;
	int64_t *sums = calloc(cells, sizeof *sums);
	enum sotto_status st = sums ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t leaf = 0; st == SOTTO_OK && leaf < t->leaves; leaf++) {
		for (uint64_t i = t->starts[leaf]; i < t->starts[leaf + 1]; i++)
			sums[k->w->schema.maps[query][t->cells[i]]] +=
				t->counts[i] == UINT32_MAX ? t->large[large++].count.secret
							   : t->counts[i];
		for (uint32_t cell = 0; st == SOTTO_OK && cell < cells; cell++) {
			if (sums[cell] > 0)
				st = sotto_census_known_add(
					&k->list, &(struct sotto_census_known_entry){
							  (uint32_t)leaf, cell, sums[cell]});
			sums[cell] = 0;
		}
	}
	free(sums);
	return st;
}

static enum sotto_status refuse_two(const struct sotto_census_world *w,
				    const struct sotto_census_invariant *inv, size_t leaf,
				    struct sotto_error *err)
{
	const struct sotto_census_shape *s = &w->shape;
	char *path = sotto_census_node_path(s, s->start[s->level_count - 1] + leaf);
	enum sotto_status st = sotto_fail(
		err, SOTTO_EINFEASIBLE, "%.200s: a cell of %.80s has two values in %.200s",
		path ? path : "a node", w->plan.queries[inv->query].name, inv->values);

	free(path);
	return st;
}

enum sotto_status sotto_census_read_known(struct sotto_engine *e, struct sotto_census_world *w,
					  const struct sotto_census_invariant *inv, bool data,
					  struct sotto_error *err)
{
	const struct sotto_census_table table = {.file = inv->values,
						 .level = w->plan.level_count - 1,
						 .query = inv->query,
						 .columns = {"value"},
						 .column_count = 1};
	struct knowing k = {.w = w};
	enum sotto_status st = SOTTO_OK;
	size_t leaf = 0;

	if (!inv->values && !data)
		return SOTTO_OK;
	st = inv->values ? sotto_census_table_read(e, w, &table, take_known, &k, err)
			 : know_truth(&k, inv->query);
	if (st == SOTTO_OK) {
		st = sotto_census_known_build(&w->shape, w->plan.queries[inv->query].cells,
					      &k.list, &leaf);
		if (st == SOTTO_EINFEASIBLE)
			st = refuse_two(w, inv, leaf, err);
	}
	sotto_census_known_list_release(&k.list);
	return st;
}
