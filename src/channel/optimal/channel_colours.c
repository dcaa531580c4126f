/*
 * Refines by sorting signatures, each a node's colour and a sum of mixed hashes of what
 * surrounds it; a collision costs a symmetry, never a wrong result.
 */
#include "channel/optimal/channel_colours.h"

#include <stdlib.h>

#include "core/base/failure.h"

/* ---- fractions as numbers --------------------------------------------------------------------- */

static int compare_fractions(const void *a, const void *b)
{
	return mpq_cmp(*(const mpq_srcptr *)a, *(const mpq_srcptr *)b);
}

/* out[i]: how many different fractions are smaller than the i-th */
static enum sotto_status number_all(mpq_srcptr *const fractions, size_t n, uint32_t *out)
{
	mpq_srcptr *sorted = calloc(n + 1, sizeof *sorted);
	size_t kinds = 0;

	if (!sorted)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = fractions[i];
	qsort(sorted, n, sizeof *sorted, compare_fractions);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !mpq_equal(sorted[i], sorted[kinds - 1]))
			sorted[kinds++] = sorted[i];
	for (size_t i = 0; i < n; i++) {
		const mpq_srcptr *found = bsearch(&fractions[i], sorted, kinds, sizeof *sorted,
						  compare_fractions);

		out[i] = (uint32_t)(found - sorted);
	}
	free(sorted);
	return SOTTO_OK;
}

void sotto_pattern_release(struct sotto_pattern *p)
{
	free(p->prior);
	free(p->gain);
	free(p->length);
}

enum sotto_status sotto_pattern_init(struct sotto_pattern *p, const struct sotto_graph *graph,
				     const struct sotto_matrix *prior,
				     const struct sotto_matrix *gain)
{
	size_t cells = gain->rows * gain->columns, edges = graph->edge_count;
	size_t most = cells > edges ? cells : edges;
	mpq_srcptr *fractions = calloc(most + 1, sizeof *fractions);
	enum sotto_status st = SOTTO_ENOMEM;

	*p = (struct sotto_pattern){gain->columns, gain->rows, graph, NULL, NULL, NULL};
	p->prior = calloc(p->answers, sizeof *p->prior);
	p->gain = calloc(cells, sizeof *p->gain);
	p->length = calloc(edges + 1, sizeof *p->length);
	if (fractions && p->prior && p->gain && p->length) {
		for (size_t i = 0; i < p->answers; i++)
			fractions[i] = prior->cells[i];
		st = number_all(fractions, p->answers, p->prior);
		for (size_t i = 0; i < cells; i++)
			fractions[i] = gain->cells[i];
		if (st == SOTTO_OK)
			st = number_all(fractions, cells, p->gain);
		for (size_t i = 0; i < edges; i++)
			fractions[i] = graph->edges[i].length;
		if (st == SOTTO_OK)
			st = number_all(fractions, edges, p->length);
	}
	free(fractions);
	if (st != SOTTO_OK)
		sotto_pattern_release(p);
	return st;
}

/* ---- refinement --------------------------------------------------------------------------------- */

struct signature {
	uint64_t seen; /* a sum of mixed numbers: in any order the same */
	size_t colour, node;
};

/* Two numbers as one that looks random; two pairs that meet cost a symmetry, no truth. */
static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static void
look_around(const struct sotto_pattern *p, const size_t *colours, struct signature *s)
{
	size_t n = p->answers;

	for (size_t i = 0; i < n + p->guesses; i++)
		s[i] = (struct signature){i < n ? p->prior[i] : 0, colours[i], i};
	for (size_t k = 0; k < p->graph->edge_count; k++) {
		size_t a = p->graph->edges[k].from, b = p->graph->edges[k].to;

		s[a].seen += mix(colours[b], 2 * (uint64_t)p->length[k]);
		s[b].seen += mix(colours[a], 2 * (uint64_t)p->length[k]);
	}
	for (size_t w = 0; w < p->guesses; w++)
		for (size_t y = 0; y < n; y++) {
			uint64_t gain = 2 * (uint64_t)p->gain[w * n + y] + 1;

			s[n + w].seen += mix(colours[y], gain);
			s[y].seen += mix(colours[n + w], gain);
		}
}

static int compare_signatures(const void *a, const void *b)
{
	const struct signature *x = a, *y = b;

	if (x->colour != y->colour)
		return x->colour < y->colour ? -1 : 1;
	return x->seen < y->seen ? -1 : x->seen > y->seen;
}

/* New colours from sorted signatures; returns how many there are. */
static size_t number_colours(const struct signature *s, size_t n, size_t *colours)
{
	size_t kinds = 0, first = 0;

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || compare_signatures(&s[i - 1], &s[i]) != 0) {
			first = i;
			kinds++;
		}
		colours[s[i].node] = first;
	}
	return kinds;
}

enum sotto_status
sotto_colours_refine(const struct sotto_pattern *p, size_t *colours, uint64_t *steps)
{
	size_t n = p->answers + p->guesses, kinds = 0, before;
	struct signature *s = calloc(n, sizeof *s);

	if (!s)
		return SOTTO_ENOMEM;
	do {
		before = kinds;
		look_around(p, colours, s);
		qsort(s, n, sizeof *s, compare_signatures);
		kinds = number_colours(s, n, colours);
		*steps += p->answers * p->guesses + p->graph->edge_count + 16 * n;
	} while (kinds > before);
	free(s);
	return SOTTO_OK;
}

void sotto_colours_single(size_t *colours, size_t nodes, size_t node)
{
	size_t own = colours[node];

	for (size_t i = 0; i < nodes; i++)
		if (i != node && colours[i] == own)
			colours[i]++;
}
