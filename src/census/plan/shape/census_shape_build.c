/*
 * Leaves come sorted, so each one shares a prefix with the last and opens new nodes only below
 * it; the levels are joined into flat arrays at the end.
 */
#include "census/plan/shape/census_shape_build.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { ROOM_FIRST = 64 };

/* A node at the end of a level.  Large arrays grow by half: memory is what limits a nation. */
static enum sotto_status add_node(struct sotto_census_built_level *l, char *label)
{
	if (l->n == l->room) {
		size_t room = l->room ? l->room + l->room / 2 : ROOM_FIRST;
		char **labels = realloc(l->labels, room * sizeof *labels);
		uint32_t *children;

		if (!labels)
			return SOTTO_ENOMEM;
		l->labels = labels;
		children = realloc(l->children, room * sizeof *children);
		if (!children)
			return SOTTO_ENOMEM;
		l->children = children;
		l->room = room;
	}
	l->labels[l->n] = label;
	l->children[l->n++] = 0;
	return SOTTO_OK;
}

enum sotto_status sotto_census_shape_builder_init(struct sotto_census_shape_builder *b,
						  size_t depth, struct sotto_arena *texts)
{
	*b = (struct sotto_census_shape_builder){.depth = depth, .texts = texts};
	return add_node(&b->levels[0], NULL);
}

void sotto_census_shape_builder_release(struct sotto_census_shape_builder *b)
{
	for (size_t l = 0; l <= b->depth; l++) {
		free(b->levels[l].labels);
		free(b->levels[l].children);
		b->levels[l] = (struct sotto_census_built_level){0};
	}
}

/* The first level on which the leaf differs from the last one; false: it does not come after it. */
static bool find_difference(const struct sotto_census_shape_builder *b,
			    const char *const *labels, size_t *level)
{
	for (*level = 1; *level <= b->depth; ++*level) {
		const struct sotto_census_built_level *l = &b->levels[*level];
		int order = l->n == 0 ? 1 : strcmp(labels[*level - 1], l->labels[l->n - 1]);

		if (order != 0)
			return order > 0;
	}
	return b->depth == 0; /* the root alone is its own leaf */
}

enum sotto_status
sotto_census_shape_builder_add(struct sotto_census_shape_builder *b, const char *const *labels)
{
	size_t level;

	if (!find_difference(b, labels, &level))
		return SOTTO_ESTATE;
	for (; level <= b->depth; level++) {
		struct sotto_census_built_level *above = &b->levels[level - 1];
		char *label = sotto_arena_text(b->texts, labels[level - 1]);

		if (!label)
			return SOTTO_ENOMEM;
		SOTTO_TRY(add_node(&b->levels[level], label));
		above->children[above->n - 1]++;
	}
	return SOTTO_OK;
}

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

static void
link_level(struct sotto_census_shape *s, const struct sotto_census_built_level *l, size_t level)
{
	size_t at = s->start[level], child = s->start[level + 1];

	memcpy(s->labels + at, l->labels, l->n * sizeof *l->labels);
	memcpy(s->count + at, l->children, l->n * sizeof *l->children);
	for (size_t v = at; v < at + l->n; v++) {
		s->first[v] = s->count[v] ? (uint32_t)child : 0;
		for (size_t c = 0; c < s->count[v]; c++)
			s->parent[child++] = (uint32_t)v;
	}
}

enum sotto_status sotto_census_shape_builder_finish(struct sotto_census_shape_builder *b,
						    size_t groups, struct sotto_census_shape *s,
						    struct sotto_error *err)
{
	*s = (struct sotto_census_shape){.groups = groups, .level_count = b->depth + 1};
	if (b->levels[b->depth].n == 0)
		return sotto_fail(err, SOTTO_EPARSE, "nodes: the list of leaves is empty");
	for (size_t l = 0; l <= b->depth; l++) {
		s->start[l + 1] = s->start[l] + b->levels[l].n;
		s->plan_level[l] = l;
	}
	SOTTO_TRY(allocate(s));
	for (size_t l = 0; l <= b->depth; l++)
		link_level(s, &b->levels[l], l);
	sotto_census_shape_builder_release(b);
	return SOTTO_OK;
}
