#include "census/plan/census_shape.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

/* ---- sorting leaves ---------------------------------------------------------------------------- */

struct sorter {
	const struct sotto_census_paths *paths;
};

static int compare_leaves(const void *a, const void *b, void *context)
{
	const struct sotto_census_paths *p = context;
	char **one = p->labels + *(const uint32_t *)a * p->depth;
	char **other = p->labels + *(const uint32_t *)b * p->depth;

	for (size_t i = 0; i < p->depth; i++) {
		int order = strcmp(one[i], other[i]);

		if (order != 0)
			return order;
	}
	return 0;
}

/* How many labels two leaves share from the top. */
static size_t shared(const struct sotto_census_paths *p, uint32_t a, uint32_t b)
{
	size_t n = 0;

	while (n < p->depth &&
	       strcmp(p->labels[a * p->depth + n], p->labels[b * p->depth + n]) == 0)
		n++;
	return n;
}

static enum sotto_status
sort_leaves(const struct sotto_census_paths *p, uint32_t **out, struct sotto_error *err)
{
	uint32_t *order = malloc((p->leaves + 1) * sizeof *order);

	if (!order)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < p->leaves; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, p->leaves, sizeof *order, compare_leaves, (void *)(uintptr_t)p);
	for (size_t i = 1; i < p->leaves; i++)
		if (shared(p, order[i - 1], order[i]) == p->depth) {
			enum sotto_status st = sotto_fail(
				err, SOTTO_EPARSE, "nodes: the leaf %.100s is there twice",
				p->labels[order[i] * p->depth + p->depth - 1]);

			free(order);
			return st;
		}
	*out = order;
	return SOTTO_OK;
}

/* ---- building ------------------------------------------------------------------------------------ */

static enum sotto_status allocate(struct sotto_census_shape *s)
{
	size_t n = sotto_census_node_count(s);

	s->first = calloc(n + 1, sizeof *s->first);
	s->count = calloc(n + 1, sizeof *s->count);
	s->parent = calloc(n + 1, sizeof *s->parent);
	s->labels = calloc(n + 1, sizeof *s->labels);
	s->total_low = calloc(n + 1, sizeof *s->total_low);
	s->total_high = malloc((n + 1) * sizeof *s->total_high);
	if (!s->first || !s->count || !s->parent || !s->labels || !s->total_low ||
	    !s->total_high)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++)
		s->total_high[i] = sotto_census_unlimited;
	return SOTTO_OK;
}

/* How many nodes each level has, from the sorted leaves. */
static void count_levels(struct sotto_census_shape *s, const struct sotto_census_paths *p,
			 const uint32_t *order)
{
	size_t counts[SOTTO_CENSUS_LEVELS_MAX] = {1};

	for (size_t i = 0; i < p->leaves; i++) {
		size_t same = i == 0 ? 0 : shared(p, order[i - 1], order[i]);

		for (size_t d = same; d < p->depth; d++)
			counts[d + 1]++;
	}
	s->level_count = p->depth + 1;
	s->start[0] = 0;
	for (size_t l = 0; l < s->level_count; l++) {
		s->start[l + 1] = s->start[l] + counts[l];
		s->plan_level[l] = l;
	}
}

static void link_nodes(struct sotto_census_shape *s, const struct sotto_census_paths *p,
		       const uint32_t *order)
{
	size_t next[SOTTO_CENSUS_LEVELS_MAX];

	memcpy(next, s->start, sizeof next);
	next[0] = 1;
	for (size_t i = 0; i < p->leaves; i++) {
		size_t same = i == 0 ? 0 : shared(p, order[i - 1], order[i]);

		for (size_t d = same; d < p->depth; d++) {
			size_t node = next[d + 1]++, parent = next[d] - 1;

			s->labels[node] = p->labels[order[i] * p->depth + d];
			s->parent[node] = (uint32_t)parent;
			if (s->count[parent]++ == 0)
				s->first[parent] = (uint32_t)node;
		}
	}
}

enum sotto_status
sotto_census_shape_init(struct sotto_census_shape *s, const struct sotto_census_schema *schema,
			const struct sotto_census_paths *paths, struct sotto_error *err)
{
	uint32_t *order = NULL;
	enum sotto_status st;

	*s = (struct sotto_census_shape){.groups = schema->groups};
	if (paths->leaves == 0)
		return sotto_fail(err, SOTTO_EPARSE, "nodes: the list of leaves is empty");
	SOTTO_TRY(sort_leaves(paths, &order, err));
	count_levels(s, paths, order);
	st = allocate(s);
	if (st == SOTTO_OK)
		link_nodes(s, paths, order);
	free(order);
	return st;
}

void sotto_census_shape_release(struct sotto_census_shape *s)
{
	free(s->first);
	free(s->count);
	free(s->parent);
	free(s->labels);
	free(s->total_low);
	free(s->total_high);
	free(s->low);
	free(s->high);
	for (size_t i = 0; s->sets && i < sotto_census_node_count(s); i++)
		free(s->sets[i]);
	free(s->sets);
}

/* ---- looking up ------------------------------------------------------------------------------- */

size_t sotto_census_level_of(const struct sotto_census_shape *s, size_t node)
{
	size_t level = 0;

	while (node >= s->start[level + 1])
		level++;
	return level;
}

void sotto_census_leaf_range(const struct sotto_census_shape *s, size_t node, size_t *first,
			     size_t *end)
{
	size_t leaves = s->start[s->level_count - 1], low = node, high = node;

	while (low < leaves) {
		low = s->first[low];
		high = s->first[high] + s->count[high] - 1;
	}
	*first = low - leaves;
	*end = high + 1 - leaves;
}

char *sotto_census_node_path(const struct sotto_census_shape *s, size_t node)
{
	char *path = strdup("");

	for (; path && node != 0; node = s->parent[node]) {
		char *longer = NULL;

		if (!s->labels[node])
			continue;
		if (asprintf(&longer, "%s%s%s", s->labels[node], *path ? "/" : "", path) < 0)
			longer = NULL;
		free(path);
		path = longer;
	}
	if (path && !*path) {
		free(path);
		path = strdup("/");
	}
	return path;
}

static size_t
find_child(const struct sotto_census_shape *s, size_t parent, const char *label, size_t length)
{
	for (size_t c = s->first[parent]; c < s->first[parent] + s->count[parent]; c++) {
		if (!s->labels[c]) { /* a union: look into it */
			size_t found = find_child(s, c, label, length);

			if (found != SIZE_MAX)
				return found;
		} else if (strlen(s->labels[c]) == length &&
			   memcmp(s->labels[c], label, length) == 0)
			return c;
	}
	return SIZE_MAX;
}

size_t sotto_census_node_find(const struct sotto_census_shape *s, const char *path)
{
	size_t node = 0;

	if (strcmp(path, "/") == 0)
		return 0;
	while (node != SIZE_MAX && *path) {
		size_t length = strcspn(path, "/");

		node = find_child(s, node, path, length);
		path += length + (path[length] == '/');
	}
	return node;
}
