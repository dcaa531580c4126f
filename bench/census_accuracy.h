/*
 * census_accuracy.h - how wrong a release is, by level, size of the place and query, and in areas
 * that are not nodes; for bench_census.c
 */
#ifndef SOTTO_BENCH_CENSUS_ACCURACY_H
#define SOTTO_BENCH_CENSUS_ACCURACY_H

#include <math.h>

#include "census_nation.h"

enum {
	BINS = 6, /* of population: 0, from 1, 10, 100, 1000, 10000 on */
	ERRORS = 512, /* absolute errors that are told apart */
	QUERIES = 16,
	AREA = 40, /* blocks next to each other, from the middle of one block group on */
	AREA_LEAST = 500, /* people */
	GROUPS = 126, /* cells of hispanic*cenrace */
};

struct level_accuracy {
	double nodes, error, absolute, squares, relative, occupied;
	uint64_t errors[BINS][ERRORS];
	double l1[QUERIES], distance[QUERIES]; /* sums over nodes */
};

struct accuracy {
	struct level_accuracy levels[LEVELS];
	uint64_t areas, near; /* off the tree; largest group within 5 points */
	int64_t area[GROUPS], area_true[GROUPS];
	size_t area_blocks, area_end;
	int64_t *scratch;
};

static struct accuracy *accuracy_new(const struct sotto_census_world *w)
{
	struct accuracy *a = must(calloc(1, sizeof *a));

	a->scratch = must(calloc(w->schema.cells, sizeof *a->scratch));
	return a;
}

static void accuracy_free(struct accuracy *a)
{
	free(a->scratch);
	free(a);
}

static size_t bin_of(int64_t people)
{
	size_t bin = people > 0;

	for (int64_t from = 10; from <= people && bin + 1 < BINS; from *= 10)
		bin++;
	return bin;
}

static void add_total(struct level_accuracy *l, int64_t people, int64_t error)
{
	int64_t size = error < 0 ? -error : error;

	l->nodes++;
	l->error += (double)error;
	l->absolute += (double)size;
	l->squares += (double)error * (double)error;
	l->occupied += people > 0;
	l->relative += people > 0 ? (double)size / (double)people : 0;
	l->errors[bin_of(people)][size < ERRORS ? size : ERRORS - 1]++;
}

/* A node's released and true cells. */
struct node_cells {
	const uint32_t *cells, *true_cells, *true_counts;
	const int64_t *counts;
	size_t n, true_n;
};

/* The sum of absolute differences in one query. */
static int64_t query_l1(struct accuracy *a, const uint32_t *map, const struct node_cells *c)
{
	int64_t l1 = 0;

	for (size_t i = 0; i < c->n; i++)
		a->scratch[map[c->cells[i]]] += c->counts[i];
	for (size_t i = 0; i < c->true_n; i++)
		a->scratch[map[c->true_cells[i]]] -= c->true_counts[i];
	for (size_t i = 0; i < c->n + c->true_n; i++) {
		int64_t *at =
			&a->scratch[map[i < c->n ? c->cells[i] : c->true_cells[i - c->n]]];

		l1 += *at < 0 ? -*at : *at;
		*at = 0;
	}
	return l1;
}

/* The largest true group of an area: is its share right to 5 points? */
static void end_area(struct accuracy *a)
{
	int64_t people = 0, released = 0;
	size_t largest = 0;

	for (size_t g = 0; g < GROUPS; g++) {
		people += a->area_true[g];
		released += a->area[g];
		largest = a->area_true[g] > a->area_true[largest] ? g : largest;
	}
	if (people >= AREA_LEAST) {
		a->areas++;
		a->near += released > 0 &&
			   fabs((double)a->area[largest] / (double)released -
				(double)a->area_true[largest] / (double)people) <= 0.05;
	}
	memset(a->area, 0, sizeof a->area);
	memset(a->area_true, 0, sizeof a->area_true);
	a->area_blocks = 0;
}

/* Blocks come in order within a batch; an area that a batch ends is left out. */
static void
add_block(struct accuracy *a, size_t leaf, const uint32_t *map, const struct node_cells *c)
{
	if (a->area_blocks > 0 && leaf != a->area_end)
		a->area_blocks = 0;
	if (a->area_blocks == 0) {
		memset(a->area, 0, sizeof a->area);
		memset(a->area_true, 0, sizeof a->area_true);
	}
	for (size_t i = 0; i < c->n; i++)
		a->area[map[c->cells[i]]] += c->counts[i];
	for (size_t i = 0; i < c->true_n; i++)
		a->area_true[map[c->true_cells[i]]] += c->true_counts[i];
	a->area_end = leaf + 1;
	if (++a->area_blocks == AREA)
		end_area(a);
}

static void accuracy_add(struct accuracy *a, const struct sotto_census_world *w, size_t v,
			 const uint32_t *groups, const struct node_cells *c)
{
	size_t level = sotto_census_level_of(&w->shape, v);
	struct level_accuracy *l = &a->levels[level];
	int64_t people = 0, released = 0;

	for (size_t i = 0; i < c->n; i++)
		released += c->counts[i];
	for (size_t i = 0; i < c->true_n; i++)
		people += c->true_counts[i];
	add_total(l, people, released - people);
	for (size_t q = 0; q < w->plan.query_count && q < QUERIES; q++) {
		double l1 = (double)query_l1(a, w->schema.maps[q], c);

		l->l1[q] += l1;
		l->distance[q] += people > 0 ? l1 / (2 * (double)people) : 0;
	}
	if (level == LEVELS - 1)
		add_block(a, v - w->shape.start[level], groups, c);
}

static void accuracy_join(struct accuracy *to, const struct accuracy *from)
{
	for (size_t i = 0; i < LEVELS; i++) {
		struct level_accuracy *l = &to->levels[i];
		const struct level_accuracy *m = &from->levels[i];

		l->nodes += m->nodes;
		l->error += m->error;
		l->absolute += m->absolute;
		l->squares += m->squares;
		l->relative += m->relative;
		l->occupied += m->occupied;
		for (size_t b = 0; b < BINS; b++)
			for (size_t e = 0; e < ERRORS; e++)
				l->errors[b][e] += m->errors[b][e];
		for (size_t q = 0; q < QUERIES; q++) {
			l->l1[q] += m->l1[q];
			l->distance[q] += m->distance[q];
		}
	}
	to->areas += from->areas;
	to->near += from->near;
}

static size_t quantile(const uint64_t *errors, double share)
{
	uint64_t all = 0, seen = 0;
	size_t at = 0;

	for (size_t e = 0; e < ERRORS; e++)
		all += errors[e];
	while (at + 1 < ERRORS && (double)(seen += errors[at]) < share * (double)all)
		at++;
	return at;
}

static void accuracy_print(const struct accuracy *a, const struct sotto_census_world *w)
{
	static const char *const bins[BINS] = {"0", "1", "10", "100", "1000", "10000"};

	printf("\n  released totals, by level: mean absolute error, mean error, root mean "
	       "square, "
	       "mean percentage where somebody lives;\n  and the median, 90 %% and 99 %% of "
	       "absolute errors of nodes with so many people or more:\n");
	for (size_t i = 1; i < LEVELS; i++) {
		const struct level_accuracy *l = &a->levels[i];

		printf("  %-8s %9.3f %+9.4f %9.3f %8.3f %%  ", w->plan.levels[i].name,
		       l->absolute / l->nodes, l->error / l->nodes, sqrt(l->squares / l->nodes),
		       100 * l->relative / fmax(l->occupied, 1));
		for (size_t b = 0; b < BINS; b++)
			if (quantile(l->errors[b], 1) > 0 || l->errors[b][0] > 0)
				printf(" %s: %zu %zu %zu", bins[b], quantile(l->errors[b], 0.5),
				       quantile(l->errors[b], 0.9),
				       quantile(l->errors[b], 0.99));
		printf("\n");
	}
	printf("  sum of absolute errors of a node's cells, and half of it as a share of its "
	       "people (total variation):\n  %-28s",
	       "");
	for (size_t i = 1; i < LEVELS; i++)
		printf(" %17s", w->plan.levels[i].name);
	for (size_t q = 0; q < w->plan.query_count && q < QUERIES; q++) {
		printf("\n  %-28s", w->plan.queries[q].name);
		for (size_t i = 1; i < LEVELS; i++)
			printf(" %9.2f %7.4f", a->levels[i].l1[q] / a->levels[i].nodes,
			       a->levels[i].distance[q] / fmax(a->levels[i].occupied, 1));
	}
	printf("\n  areas off the tree (%d blocks in a row, %d people or more): the largest "
	       "group's share is within 5 points in %.2f %% of %llu\n",
	       AREA, AREA_LEAST, 100 * (double)a->near / fmax((double)a->areas, 1),
	       (unsigned long long)a->areas);
}

#endif
