/*
 * Nodes are indices into flat arrays: a level, a path or a range of leaves is found by walking
 * parents and first children; bounds of leaves are numbers of shared boxes.
 */
#include "census/plan/shape/census_shape.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

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
	free(s->box);
	sotto_census_bounds_table_release(&s->boxes);
	for (size_t i = 0; s->sets && i < sotto_census_node_count(s); i++)
		free(s->sets[i]);
	free(s->sets);
	sotto_census_known_release(&s->known);
}

/* ---- bounds of groups ----------------------------------------------------------------------------- */

enum sotto_status sotto_census_shape_reserve_groups(struct sotto_census_shape *s)
{
	size_t inner = s->start[s->level_count - 1], n = inner * s->groups;
	int64_t free_box[2 * SOTTO_CENSUS_GROUPS_MAX] = {0};
	uint32_t first;

	if (s->has_groups)
		return SOTTO_OK;
	s->low = calloc(n + 1, sizeof *s->low);
	s->high = malloc((n + 1) * sizeof *s->high);
	s->box = calloc(sotto_census_leaf_count(s) + 1, sizeof *s->box);
	if (!s->low || !s->high || !s->box)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++)
		s->high[i] = sotto_census_unlimited;
	for (size_t g = 0; g < s->groups; g++)
		free_box[s->groups + g] = sotto_census_unlimited;
	SOTTO_TRY(sotto_census_bounds_table_init(&s->boxes, s->groups));
	SOTTO_TRY(sotto_census_bounds_table_find(&s->boxes, free_box,
						 &first)); /* all leaves have it */
	s->has_groups = true;
	return SOTTO_OK;
}

enum sotto_status
sotto_census_shape_set_groups(struct sotto_census_shape *s, size_t node, const int64_t *bounds)
{
	size_t inner = s->start[s->level_count - 1];

	if (node >= inner)
		return sotto_census_bounds_table_find(&s->boxes, bounds, &s->box[node - inner]);
	memcpy(s->low + node * s->groups, bounds, s->groups * sizeof *bounds);
	memcpy(s->high + node * s->groups, bounds + s->groups, s->groups * sizeof *bounds);
	return SOTTO_OK;
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
