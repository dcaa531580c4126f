/*
 * census_nation.h - a made-up nation in memory, with its constraints, for bench_census.c
 */
#ifndef SOTTO_BENCH_CENSUS_NATION_H
#define SOTTO_BENCH_CENSUS_NATION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "census/generate/census_generate.h"
#include "census/measure/census_truth.h"
#include "census/measure/census_world.h"
#include "census/solve/census_feasible.h"

enum { LEVELS = 6 };

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
	uint32_t *counts[LEVELS]; /* children of each node, by level */
	size_t n[LEVELS], room[LEVELS];
	struct sotto_nation_block last;
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

static enum sotto_status take_block(void *context, const struct sotto_nation_block *k)
{
	struct builder *b = context;
	const uint32_t now[] = {0, k->state, k->county, k->tract, k->group, k->block};
	const uint32_t was[] = {
		0, b->last.state, b->last.county, b->last.tract, b->last.group, b->last.block};
	size_t level = 1;

	if (b->n[0] == 0) {
		add_node(b, 0);
		b->last.state = UINT32_MAX;
		return take_block(context, k);
	}
	while (level < LEVELS - 1 && now[level] == was[level])
		level++;
	for (; level < LEVELS; level++)
		add_node(b, level);
	b->last = *k;
	if (b->n[5] + 1 >= b->leaf_room) {
		b->leaf_room = 2 * b->leaf_room + 1024;
		b->starts = must(realloc(b->starts, b->leaf_room * sizeof *b->starts));
		b->facilities =
			must(realloc(b->facilities, b->leaf_room * sizeof *b->facilities));
	}
	if (b->entries + k->n > b->entry_room) {
		b->entry_room = (b->entry_room + k->n) * 3 / 2 + 4096;
		b->cells = must(realloc(b->cells, b->entry_room * sizeof *b->cells));
		b->people = must(realloc(b->people, b->entry_room * sizeof *b->people));
	}
	b->starts[b->n[5] - 1] = b->entries;
	for (size_t i = 0; i < k->n; i++) {
		b->cells[b->entries] = k->cells[i];
		b->people[b->entries++] = k->counts[i];
	}
	b->starts[b->n[5]] = b->entries;
	for (size_t q = 0; q < SOTTO_NATION_GQ; q++)
		b->facilities[b->n[5] - 1][q] =
			(uint8_t)(k->facilities[q] < 255 ? k->facilities[q] : 255);
	return SOTTO_OK;
}

/* The plan's cells are hhgq first and then votingage, hispanic, cenrace: as the nation's. */
static void set_shape(struct builder *b)
{
	struct sotto_census_shape *s = &b->w->shape;
	size_t n = 0;

	s->level_count = LEVELS;
	s->groups = SOTTO_NATION_GQ;
	for (size_t l = 0; l < LEVELS; l++) {
		s->plan_level[l] = l;
		s->start[l] = n;
		n += b->n[l];
	}
	s->start[LEVELS] = n;
	s->first = must(calloc(n + 1, sizeof *s->first));
	s->count = must(calloc(n + 1, sizeof *s->count));
	s->parent = must(calloc(n + 1, sizeof *s->parent));
	s->labels = must(calloc(n + 1, sizeof *s->labels));
	s->total_low = must(calloc(n + 1, sizeof *s->total_low));
	s->total_high = must(malloc((n + 1) * sizeof *s->total_high));
	s->low = must(calloc((n + 1) * s->groups, sizeof *s->low));
	s->high = must(malloc((n + 1) * s->groups * sizeof *s->high));
	for (size_t v = 0; v < n; v++)
		s->total_high[v] = sotto_census_unlimited;
	for (size_t i = 0; i < n * s->groups; i++)
		s->high[i] = sotto_census_unlimited;
	for (size_t l = 0; l + 1 < LEVELS; l++) {
		size_t child = s->start[l + 1];

		for (size_t i = 0; i < b->n[l]; i++) {
			size_t v = s->start[l] + i;

			s->first[v] = (uint32_t)child;
			s->count[v] = b->counts[l][i];
			for (size_t c = 0; c < s->count[v]; c++)
				s->parent[child++] = (uint32_t)v;
		}
	}
	for (size_t i = 0; i < b->n[5]; i++)
		for (size_t q = 0; q < s->groups; q++) {
			size_t at = (s->start[5] + i) * s->groups + q;

			s->low[at] = q > 0 ? b->facilities[i][q] : 0;
			s->high[at] = INT64_C(99999) * b->facilities[i][q];
		}
}

static void nation_build(struct sotto_census_world *w, const char *plan, size_t counties)
{
	struct builder b = {.w = w};
	const struct sotto_nation nation = {.counties = counties, .mixing = 15, .seed = 1};

	memset(w, 0, sizeof *w);
	check(sotto_census_plan_parse(&w->plan, "bench", plan, strlen(plan), NULL), "plan");
	check(sotto_census_schema_init(&w->schema, &w->plan, NULL), "schema");
	check(sotto_nation_generate(&nation, take_block, &b), "generate");
	w->truth = must(malloc(sizeof *w->truth));
	*w->truth = (struct sotto_census_truth){
		.leaves = b.n[5], .starts = b.starts, .cells = b.cells, .counts = b.people};
	set_shape(&b);
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
	for (size_t l = 0; l < LEVELS; l++)
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
