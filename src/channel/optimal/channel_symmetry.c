/*
 * Symmetries by colours: an answer is given a colour of its own, colours are refined, and so
 * on until all answers differ.  Doing the same with another answer of the same colour gives
 * a second colouring; equal colours are then a renaming, which is checked before it is used.
 */
#include "channel/optimal/channel_symmetry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "channel/optimal/channel_colours.h"
#include "core/base/failure.h"

/* About a tenth of a second; what was found until then is used. */
static const uint64_t steps_max = 60000000;
enum { LEVELS_MAX = 400 };

/* Answers singled out one after another, and the colours before each. */
struct search {
	struct sotto_pattern pattern;
	size_t nodes;
	size_t *levels; /* LEVELS_MAX + 1 times nodes */
	size_t *base; /* the answer singled out on each level */
	size_t depth;
	size_t *colours; /* of the second colouring */
	size_t *image; /* of each node, answers first */
	size_t *answer_root, *cell_root; /* orbits as trees */
	uint64_t steps;
};

static void search_release(struct search *s)
{
	sotto_pattern_release(&s->pattern);
	free(s->levels);
	free(s->base);
	free(s->colours);
	free(s->image);
	free(s->answer_root);
	free(s->cell_root);
}

static enum sotto_status search_init(struct search *s, const struct sotto_graph *graph,
				     const struct sotto_matrix *prior,
				     const struct sotto_matrix *gain)
{
	size_t n = gain->columns, cells = n * gain->rows;

	*s = (struct search){.nodes = n + gain->rows};
	SOTTO_TRY(sotto_pattern_init(&s->pattern, graph, prior, gain));
	s->levels = calloc((LEVELS_MAX + 1) * s->nodes, sizeof *s->levels);
	s->base = calloc(LEVELS_MAX, sizeof *s->base);
	s->colours = calloc(s->nodes, sizeof *s->colours);
	s->image = calloc(s->nodes, sizeof *s->image);
	s->answer_root = calloc(n, sizeof *s->answer_root);
	s->cell_root = calloc(cells, sizeof *s->cell_root);
	if (!s->levels || !s->base || !s->colours || !s->image || !s->answer_root ||
	    !s->cell_root) {
		search_release(s);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		s->answer_root[i] = i;
	for (size_t i = 0; i < cells; i++)
		s->cell_root[i] = i;
	for (size_t i = n; i < s->nodes; i++)
		s->levels[i] = n; /* guesses differ from answers */
	return SOTTO_OK;
}

/* ---- the first colouring ----------------------------------------------------------------------- */

static size_t *level(const struct search *s, size_t i)
{
	return s->levels + i * s->nodes;
}

/* An answer of the smallest colour that several answers have; false if all differ. */
static bool find_shared(const struct search *s, const size_t *colours, size_t *node)
{
	size_t n = s->pattern.answers, least = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		bool shared = false;

		for (size_t j = i + 1; j < n && colours[i] < least && !shared; j++)
			shared = colours[j] == colours[i];
		if (shared) {
			least = colours[i];
			*node = i;
		}
	}
	return least != SIZE_MAX;
}

static enum sotto_status go_down(struct search *s)
{
	size_t node = 0;

	SOTTO_TRY(sotto_colours_refine(&s->pattern, level(s, 0), &s->steps));
	while (s->steps < steps_max && s->depth < LEVELS_MAX &&
	       find_shared(s, level(s, s->depth), &node)) {
		size_t *next = level(s, s->depth + 1);

		memcpy(next, level(s, s->depth), s->nodes * sizeof *next);
		sotto_colours_single(next, s->nodes, node);
		SOTTO_TRY(sotto_colours_refine(&s->pattern, next, &s->steps));
		s->base[s->depth++] = node;
	}
	return SOTTO_OK;
}

/* ---- the second, and the renaming --------------------------------------------------------------- */

static size_t find_colour(const struct search *s, size_t colour)
{
	size_t i = 0;

	while (i < s->pattern.answers && s->colours[i] != colour)
		i++;
	return i;
}

/* Equal colours belong together; nodes that are still alike, in their order. */
static bool match(struct search *s)
{
	const size_t *first = level(s, s->depth);
	size_t n = s->nodes, *taken = calloc(n, sizeof *taken);
	bool fine = taken;

	for (size_t i = 0; i < n && fine; i++) {
		size_t j = 0;

		while (j < n && (taken[j] || s->colours[j] != first[i]))
			j++;
		fine = j < n && (i < s->pattern.answers) == (j < s->pattern.answers);
		if (fine)
			taken[s->image[i] = j] = 1;
	}
	free(taken);
	return fine;
}

static size_t edge_between(const struct sotto_graph *g, size_t a, size_t b)
{
	size_t low = 0, high = g->edge_count, from = a < b ? a : b, to = a < b ? b : a;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct sotto_edge *e = &g->edges[middle];

		if (e->from == from && e->to == to)
			return middle;
		if (e->from < from || (e->from == from && e->to < to))
			low = middle + 1;
		else
			high = middle;
	}
	return g->edge_count;
}

/* Edges to edges of the same length, priors and gains to equal ones. */
static bool is_symmetry(const struct search *s)
{
	const struct sotto_pattern *p = &s->pattern;
	const struct sotto_graph *g = p->graph;
	bool fine = true;

	for (size_t k = 0; k < g->edge_count && fine; k++) {
		size_t to =
			edge_between(g, s->image[g->edges[k].from], s->image[g->edges[k].to]);

		fine = to < g->edge_count && p->length[to] == p->length[k];
	}
	for (size_t y = 0; y < p->answers && fine; y++)
		fine = p->prior[s->image[y]] == p->prior[y];
	for (size_t i = 0; i < p->guesses * p->answers && fine; i++) {
		size_t w = s->image[p->answers + i / p->answers] - p->answers;

		fine = p->gain[w * p->answers + s->image[i % p->answers]] == p->gain[i];
	}
	return fine;
}

/* The renaming that keeps the answers singled out before `depth` and takes its answer to u. */
static enum sotto_status try_image(struct search *s, size_t depth, size_t u, bool *found)
{
	*found = false;
	memcpy(s->colours, level(s, depth), s->nodes * sizeof *s->colours);
	for (size_t i = depth; i < s->depth; i++) {
		size_t node = i == depth ? u : find_colour(s, level(s, i)[s->base[i]]);

		if (node == s->pattern.answers)
			return SOTTO_OK;
		sotto_colours_single(s->colours, s->nodes, node);
		SOTTO_TRY(sotto_colours_refine(&s->pattern, s->colours, &s->steps));
	}
	*found = match(s) && is_symmetry(s);
	return SOTTO_OK;
}

/* ---- orbits ---------------------------------------------------------------------------------------- */

static size_t root_of(size_t *roots, size_t i)
{
	while (roots[i] != i)
		i = roots[i] = roots[roots[i]];
	return i;
}

static void join(size_t *roots, size_t a, size_t b)
{
	a = root_of(roots, a);
	b = root_of(roots, b);
	roots[a > b ? a : b] = a < b ? a : b;
}

static void join_images(struct search *s)
{
	size_t n = s->pattern.answers, guesses = s->pattern.guesses;

	for (size_t y = 0; y < n; y++) {
		join(s->answer_root, y, s->image[y]);
		for (size_t w = 0; w < guesses; w++)
			join(s->cell_root, y * guesses + w,
			     s->image[y] * guesses + (s->image[n + w] - n));
	}
}

/* From the deepest level up: renamings found there keep all answers of the levels above. */
static enum sotto_status find_renamings(struct search *s)
{
	for (size_t depth = s->depth; depth-- > 0;) {
		size_t base = s->base[depth], colour = level(s, depth)[base];

		for (size_t u = 0; u < s->pattern.answers && s->steps < steps_max; u++) {
			bool found;

			if (level(s, depth)[u] != colour ||
			    root_of(s->answer_root, u) == root_of(s->answer_root, base))
				continue;
			SOTTO_TRY(try_image(s, depth, u, &found));
			if (found)
				join_images(s);
		}
	}
	return SOTTO_OK;
}

/* Orbits numbered by their first members, and their sizes. */
static size_t number_orbits(size_t *roots, size_t n, size_t *orbit, size_t *size)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t root = root_of(roots, i);

		orbit[i] = root == i ? count++ : orbit[root];
		size[orbit[i]]++;
	}
	return count;
}

void sotto_symmetry_release(struct sotto_symmetry *s)
{
	free(s->cell);
	free(s->answer);
	free(s->cell_size);
	free(s->answer_size);
}

static enum sotto_status read_orbits(struct search *s, struct sotto_symmetry *out)
{
	size_t n = s->pattern.answers, cells = n * s->pattern.guesses;

	*out = (struct sotto_symmetry){.answers = n, .guesses = s->pattern.guesses};
	out->cell = calloc(cells, sizeof *out->cell);
	out->cell_size = calloc(cells, sizeof *out->cell_size);
	out->answer = calloc(n, sizeof *out->answer);
	out->answer_size = calloc(n, sizeof *out->answer_size);
	if (!out->cell || !out->cell_size || !out->answer || !out->answer_size) {
		sotto_symmetry_release(out);
		return SOTTO_ENOMEM;
	}
	out->cell_orbits = number_orbits(s->cell_root, cells, out->cell, out->cell_size);
	out->answer_orbits = number_orbits(s->answer_root, n, out->answer, out->answer_size);
	return SOTTO_OK;
}

enum sotto_status
sotto_symmetry_find(const struct sotto_graph *graph, const struct sotto_matrix *prior,
		    const struct sotto_matrix *gain, struct sotto_symmetry *out)
{
	struct search s;
	enum sotto_status st;

	SOTTO_TRY(search_init(&s, graph, prior, gain));
	st = go_down(&s);
	if (st == SOTTO_OK)
		st = find_renamings(&s);
	if (st == SOTTO_OK)
		st = read_orbits(&s, out);
	search_release(&s);
	return st;
}
