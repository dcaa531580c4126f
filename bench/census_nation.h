/*
 * census_nation.h - a made-up nation in memory, with its constraints, for bench_census*.c
 */
#ifndef SOTTO_BENCH_CENSUS_NATION_H
#define SOTTO_BENCH_CENSUS_NATION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census/generate/census_generate.h"
#include "census/measure/census_truth.h"
#include "census/measure/census_world.h"
#include "census/solve/feasible/census_feasible.h"

enum { LEVELS = 6, DHC_LEVELS = 8, DHC_PERSONS = 1227744 };

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static void check(enum sotto_status st, const char *what)
{
	if (st == SOTTO_OK)
		return;
	fprintf(stderr, "bench_census: %s: %s\n", what, sotto_status_name(st));
	exit(1);
}

struct builder {
	struct sotto_census_world *w;
	size_t levels; /* LEVELS, or DHC_LEVELS with the cells of dhc-shape and no bounds */
	uint32_t *counts[DHC_LEVELS]; /* children of each node, by level */
	size_t n[DHC_LEVELS], room[DHC_LEVELS];
	uint32_t last[DHC_LEVELS];
	uint64_t dice;
	uint64_t entries, entry_room;
	uint32_t *cells, *people;
	uint64_t *starts;
	uint8_t (*facilities)[SOTTO_NATION_GQ];
	size_t leaf_room;
};

static void add_node(struct builder *b, size_t level)
{
	if (b->n[level] == b->room[level]) {
		b->room[level] = 2 * b->room[level] + 64;
		b->counts[level] =
			must(realloc(b->counts[level], b->room[level] * sizeof(uint32_t)));
	}
	b->counts[level][b->n[level]++] = 0;
	if (level > 0)
		b->counts[level - 1][b->n[level - 1] - 1]++;
}

/* A block's place on each level; dhc-shape has two more, of a tract's four neighbours. */
static void path_of(const struct builder *b, const struct sotto_nation_block *k, uint32_t *path)
{
	const uint32_t six[] = {0, k->state, k->county, k->tract, k->group, k->block};
	const uint32_t eight[] = {0,        k->state, k->county, k->tract / 64, k->tract / 4,
				  k->tract, k->group, k->block};

	memcpy(path, b->levels == LEVELS ? six : eight, b->levels * sizeof *path);
}

static void reserve(struct builder *b, size_t entries)
{
	if (b->n[b->levels - 1] + 1 >= b->leaf_room) {
		b->leaf_room = 2 * b->leaf_room + 1024;
		b->starts = must(realloc(b->starts, b->leaf_room * sizeof *b->starts));
		b->facilities =
			must(realloc(b->facilities, b->leaf_room * sizeof *b->facilities));
	}
	if (b->entries + entries > b->entry_room) {
		b->entry_room = (b->entry_room + entries) * 3 / 2 + 4096;
		b->cells = must(realloc(b->cells, b->entry_room * sizeof *b->cells));
		b->people = must(realloc(b->people, b->entry_room * sizeof *b->people));
	}
}

static uint32_t dice(struct builder *b, uint32_t n)
{
	b->dice = b->dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(b->dice >> 33) % n;
}

/* Somebody of a cell of the nation gets a sex, an age, and a place in the household. */
static uint32_t detail(struct builder *b, uint32_t cell)
{
	uint32_t hhgq = cell / 252, adult = cell / 126 % 2, rest = cell % 126;
	uint32_t age = adult ? 18 + dice(b, 20) + dice(b, 20) + dice(b, 30) : dice(b, 18);
	uint32_t few = dice(b, 8), relgq = hhgq ? 34 + hhgq : few < 7 ? few % 3 : dice(b, 35);

	return ((relgq * 2 + dice(b, 2)) * 116 + age) * 126 + rest;
}

/* Or a household: most are of a few of the 522 types.  Elderly, the explicit axis, is first. */
static uint32_t household(struct builder *b)
{
	uint32_t type = dice(b, 8) ? dice(b, 12) : dice(b, 522);
	uint32_t at = dice(b, 4) ? 0 : 1 + dice(b, 3);

	at = (at * 2 + dice(b, 2)) * 9 + dice(b, 9);
	at = (at * 2 + !dice(b, 5)) * 7 + (dice(b, 4) ? 0 : dice(b, 7));
	return (at * 3 + dice(b, 3)) * 522 + type;
}

static int compare_cells(const void *a, const void *b)
{
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;

	return (l > r) - (l < r);
}

/* One entry a person, then equal ones joined. */
static void add_people(struct builder *b, const struct sotto_nation_block *k)
{
	uint64_t first = b->entries, kept;

	for (size_t i = 0; i < k->n; i++) {
		reserve(b, k->counts[i]);
		for (uint32_t p = 0; p < k->counts[i]; p++)
			b->cells[b->entries++] = b->w->schema.cells == DHC_PERSONS
							 ? detail(b, k->cells[i])
							 : household(b);
	}
	qsort(b->cells + first, b->entries - first, sizeof *b->cells, compare_cells);
	kept = first;
	for (uint64_t i = first; i < b->entries; i++)
		if (kept > first && b->cells[kept - 1] == b->cells[i]) {
			b->people[kept - 1]++;
		} else {
			b->cells[kept] = b->cells[i];
			b->people[kept++] = 1;
		}
	b->entries = kept;
}

static enum sotto_status take_block(void *context, const struct sotto_nation_block *k)
{
	struct builder *b = context;
	size_t leaf = b->levels - 1, level = 1;
	uint32_t now[DHC_LEVELS];

	path_of(b, k, now);
	if (b->n[0] == 0)
		add_node(b, 0);
	else
		while (level < leaf && now[level] == b->last[level])
			level++;
	for (; level <= leaf; level++)
		add_node(b, level);
	memcpy(b->last, now, sizeof b->last);
	reserve(b, k->n);
	b->starts[b->n[leaf] - 1] = b->entries;
	if (b->levels == DHC_LEVELS)
		add_people(b, k);
	for (size_t i = 0; b->levels == LEVELS && i < k->n; i++) {
		b->cells[b->entries] = k->cells[i];
		b->people[b->entries++] = k->counts[i];
	}
	b->starts[b->n[leaf]] = b->entries;
	for (size_t q = 0; q < SOTTO_NATION_GQ; q++)
		b->facilities[b->n[leaf] - 1][q] =
			(uint8_t)(k->facilities[q] < 255 ? k->facilities[q] : 255);
	return SOTTO_OK;
}

/* The plan's cells are hhgq first and then votingage, hispanic, cenrace: as the nation's. */
static void set_shape(struct builder *b)
{
	struct sotto_census_shape *s = &b->w->shape;
	size_t n = 0, leaf = b->levels - 1;

	s->level_count = b->levels;
	s->groups = b->levels == LEVELS ? SOTTO_NATION_GQ : 1;
	for (size_t l = 0; l <= leaf; l++) {
		s->plan_level[l] = l;
		s->start[l] = n;
		n += b->n[l];
	}
	s->start[b->levels] = n;
	s->first = must(calloc(n + 1, sizeof *s->first));
	s->count = must(calloc(n + 1, sizeof *s->count));
	s->parent = must(calloc(n + 1, sizeof *s->parent));
	s->labels = must(calloc(n + 1, sizeof *s->labels));
	s->total_low = must(calloc(n + 1, sizeof *s->total_low));
	s->total_high = must(malloc((n + 1) * sizeof *s->total_high));
	for (size_t v = 0; v < n; v++)
		s->total_high[v] = sotto_census_unlimited;
	for (size_t l = 0; l < leaf; l++) {
		size_t child = s->start[l + 1];

		for (size_t i = 0; i < b->n[l]; i++) {
			size_t v = s->start[l] + i;

			s->first[v] = (uint32_t)child;
			s->count[v] = b->counts[l][i];
			for (size_t c = 0; c < s->count[v]; c++)
				s->parent[child++] = (uint32_t)v;
		}
	}
}

/* Facilities of group quarters bound the people in them. */
static void set_bounds(struct builder *b)
{
	struct sotto_census_shape *s = &b->w->shape;
	size_t leaf = s->start[LEVELS - 1];

	check(sotto_census_shape_reserve_groups(s), "bounds");
	for (size_t i = 0; i < b->n[LEVELS - 1]; i++) {
		int64_t bounds[2 * SOTTO_NATION_GQ] = {0};

		for (size_t q = 0; q < s->groups; q++) {
			bounds[q] = q > 0 ? b->facilities[i][q] : 0;
			bounds[s->groups + q] = INT64_C(99999) * b->facilities[i][q];
		}
		check(sotto_census_shape_set_groups(s, leaf + i, bounds), "bounds");
	}
}

static void nation_build(struct sotto_census_world *w, const char *plan, size_t counties)
{
	struct builder b = {.w = w, .dice = 1};
	const struct sotto_nation nation = {.counties = counties, .mixing = 15, .seed = 1};

	memset(w, 0, sizeof *w);
	check(sotto_census_plan_parse(&w->plan, "bench", plan, strlen(plan), NULL), "plan");
	check(sotto_census_schema_init(&w->schema, &w->plan, NULL), "schema");
	b.levels = w->plan.level_count;
	check(sotto_nation_generate(&nation, take_block, &b), "generate");
	w->truth = must(malloc(sizeof *w->truth));
	*w->truth = (struct sotto_census_truth){.leaves = b.n[b.levels - 1],
						.n = b.entries,
						.starts = b.starts,
						.cells = b.cells,
						.counts = b.people};
	set_shape(&b);
	if (b.levels == LEVELS)
		set_bounds(&b);
	w->has_shape = true;
	for (size_t v = w->shape.start[1]; v < w->shape.start[2]; v++) {
		size_t first, end;
		int64_t people = 0;

		sotto_census_leaf_range(&w->shape, v, &first, &end);
		for (uint64_t i = b.starts[first]; i < b.starts[end]; i++)
			people += b.people[i];
		w->shape.total_low[v] = w->shape.total_high[v] = people;
	}
	check(sotto_census_constrain(&w->shape, &w->schema, NULL), "constraints");
	for (size_t l = 0; l < b.levels; l++)
		free(b.counts[l]);
	free(b.facilities);
}

static void nation_release(struct sotto_census_world *w)
{
	sotto_census_truth_release(w->truth);
	free(w->truth);
	sotto_census_shape_release(&w->shape);
	sotto_census_schema_release(&w->schema);
	sotto_census_plan_release(&w->plan);
}

#endif
