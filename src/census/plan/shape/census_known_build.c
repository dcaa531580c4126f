/* Adds up a table that is given at every leaf along the tree. */
#include <stdlib.h>

#include "census/plan/shape/census_known.h"
#include "census/plan/shape/census_shape.h"
#include "core/base/failure.h"

static enum sotto_status
level_init(struct sotto_census_known_level *l, size_t nodes, size_t entries)
{
	l->starts = calloc(nodes + 1, sizeof *l->starts);
	l->cells = malloc((entries + 1) * sizeof *l->cells);
	l->counts = malloc((entries + 1) * sizeof *l->counts);
	return l->starts && l->cells && l->counts ? SOTTO_OK : SOTTO_ENOMEM;
}

static int compare_entries(const void *a, const void *b)
{
	const struct sotto_census_known_entry *l = a, *r = b;

	if (l->leaf != r->leaf)
		return l->leaf < r->leaf ? -1 : 1;
	return (l->cell > r->cell) - (l->cell < r->cell);
}

/* The leaves, from a sorted list. */
static enum sotto_status fill_leaves(struct sotto_census_known_level *l, size_t leaves,
				     const struct sotto_census_known_list *list, size_t *leaf)
{
	uint64_t n = 0;
	size_t next = 0;

	SOTTO_TRY(level_init(l, leaves, list->n));
	for (size_t i = 0; i < list->n; i++) {
		const struct sotto_census_known_entry *e = &list->entries[i];

		if (i > 0 && compare_entries(e - 1, e) == 0) {
			if (e->count == e[-1].count)
				continue;
			*leaf = e->leaf;
			return SOTTO_EINFEASIBLE;
		}
		while (next <= e->leaf)
			l->starts[next++] = n;
		if (e->count > 0) {
			l->cells[n] = e->cell;
			l->counts[n++] = e->count < sotto_census_unlimited
						 ? e->count
						 : sotto_census_unlimited;
		}
	}
	while (next <= leaves)
		l->starts[next++] = n;
	return SOTTO_OK;
}

static int compare_cells(const void *a, const void *b)
{
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;

	return (l > r) - (l < r);
}

/* What the children of one node have together, after the n entries of `to` before it. */
static uint64_t add_up(const struct sotto_census_known_level *from, uint64_t first,
		       uint64_t end, struct sotto_census_known_level *to, uint64_t n,
		       int64_t *sums)
{
	uint64_t begin = n;

	for (uint64_t i = first; i < end; i++) {
		int64_t *sum = &sums[from->cells[i]];

		if (*sum == 0)
			to->cells[n++] = from->cells[i];
		*sum = *sum < sotto_census_unlimited - from->counts[i] ? *sum + from->counts[i]
								       : sotto_census_unlimited;
	}
	qsort(to->cells + begin, n - begin, sizeof *to->cells, compare_cells);
	for (uint64_t i = begin; i < n; i++) {
		to->counts[i] = sums[to->cells[i]];
		sums[to->cells[i]] = 0;
	}
	return n;
}

static enum sotto_status fill_level(const struct sotto_census_shape *s, size_t level,
				    const struct sotto_census_known_level *below,
				    struct sotto_census_known_level *l, int64_t *sums)
{
	size_t nodes = s->start[level + 1] - s->start[level];
	uint64_t n = 0;

	SOTTO_TRY(
		level_init(l, nodes, below->starts[s->start[level + 2] - s->start[level + 1]]));
	for (size_t i = 0; i < nodes; i++) {
		size_t v = s->start[level] + i, first = s->first[v] - s->start[level + 1];

		l->starts[i] = n;
		n = add_up(below, below->starts[first], below->starts[first + s->count[v]], l,
			   n, sums);
	}
	l->starts[nodes] = n;
	return SOTTO_OK;
}

enum sotto_status sotto_census_known_build(struct sotto_census_shape *s, size_t query_cells,
					   struct sotto_census_known_list *list, size_t *leaf)
{
	struct sotto_census_known *k = &s->known;
	size_t level = s->level_count - 1;
	int64_t *sums = calloc(query_cells + 1, sizeof *sums);
	enum sotto_status st = sums ? SOTTO_OK : SOTTO_ENOMEM;

	sotto_census_known_release(k);
	if (list->n > 0)
		qsort(list->entries, list->n, sizeof *list->entries, compare_entries);
	if (st == SOTTO_OK)
		st = fill_leaves(&k->levels[level], sotto_census_leaf_count(s), list, leaf);
	while (st == SOTTO_OK && level-- > 0)
		st = fill_level(s, level, &k->levels[level + 1], &k->levels[level], sums);
	free(sums);
	k->query_cells = query_cells;
	k->is_given = st == SOTTO_OK;
	return st;
}

struct sotto_census_known_row
sotto_census_known_of(const struct sotto_census_shape *s, size_t node)
{
	size_t level = sotto_census_level_of(s, node);
	const struct sotto_census_known_level *l = &s->known.levels[level];
	uint64_t first = l->starts[node - s->start[level]];

	return (struct sotto_census_known_row){
		.cells = l->cells + first,
		.counts = l->counts + first,
		.n = (size_t)(l->starts[node - s->start[level] + 1] - first)};
}
