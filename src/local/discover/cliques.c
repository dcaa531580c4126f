/* Cliques with one node in each part of a graph, part by part. */
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "sotto/discover.h"

struct node {
	uint32_t part;
	size_t gram;
};

struct search {
	uint32_t positions;
	struct node *nodes; /* ascending by part */
	size_t count, words;
	uint64_t *near; /* a row of bits per node */
	uint64_t *open; /* per depth: nodes that every chosen one is near to */
	size_t *chosen; /* per depth: a node */
	size_t most, room;
	struct sotto_local_cliques *out;
};

void sotto_local_cliques_release(struct sotto_local_cliques *c)
{
	if (!c)
		return;
	free(c->strings);
	*c = (struct sotto_local_cliques){.count = 0};
}

static int compare_nodes(const void *x, const void *y)
{
	const struct node *a = x, *b = y;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return (a->gram > b->gram) - (a->gram < b->gram);
}

static size_t find_node(const struct search *s, uint32_t part, size_t gram)
{
	struct node key = {part, gram};
	const struct node *at = bsearch(&key, s->nodes, s->count, sizeof key, compare_nodes);

	return (size_t)(at - s->nodes);
}

static void join(struct search *s, size_t a, size_t b)
{
	s->near[a * s->words + b / 64] |= UINT64_C(1) << b % 64;
	s->near[b * s->words + a / 64] |= UINT64_C(1) << a % 64;
}

static void search_release(struct search *s)
{
	free(s->nodes);
	free(s->near);
	free(s->open);
	free(s->chosen);
}

static void list_nodes(struct search *s, const struct sotto_local_graph *g)
{
	size_t kept = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct sotto_local_edge *e = &g->edges[i];

		s->nodes[s->count++] = (struct node){e->left, e->first};
		s->nodes[s->count++] = (struct node){e->right, e->second};
	}
	qsort(s->nodes, s->count, sizeof *s->nodes, compare_nodes);
	for (size_t i = 0; i < s->count; i++)
		if (i == 0 || compare_nodes(&s->nodes[i], &s->nodes[kept - 1]) != 0)
			s->nodes[kept++] = s->nodes[i];
	s->count = kept;
	s->words = kept / 64 + 1;
}

static enum sotto_status search_make(struct search *s, const struct sotto_local_graph *g)
{
	s->nodes = malloc((2 * g->count + 1) * sizeof *s->nodes);
	s->chosen = malloc((s->positions + 1) * sizeof *s->chosen);
	if (!s->nodes || !s->chosen)
		return SOTTO_ENOMEM;
	list_nodes(s, g);
	s->near = calloc(s->count * s->words + 1, sizeof *s->near);
	s->open = malloc((s->positions + 1) * s->words * sizeof *s->open);
	if (!s->near || !s->open)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < g->count; i++) {
		const struct sotto_local_edge *e = &g->edges[i];

		join(s, find_node(s, e->left, e->first), find_node(s, e->right, e->second));
	}
	memset(s->open, 0xff, s->words * sizeof *s->open);
	return SOTTO_OK;
}

static enum sotto_status keep_clique(struct search *s)
{
	struct sotto_local_cliques *c = s->out;

	if (c->count == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		size_t *more = realloc(c->strings, room * s->positions * sizeof *more);

		if (!more)
			return SOTTO_ENOMEM;
		c->strings = more;
		s->room = room;
	}
	for (uint32_t i = 0; i < s->positions; i++)
		c->strings[c->count * s->positions + i] = s->nodes[s->chosen[i]].gram;
	c->count++;
	return SOTTO_OK;
}

/* Chooses a node of part `depth` and goes on; the depth is at most 64. */
static enum sotto_status extend(struct search *s, uint32_t depth)
{
	const uint64_t *open = s->open + depth * s->words;
	uint64_t *next = s->open + (depth + 1) * s->words;

	if (depth == s->positions)
		return keep_clique(s);
	for (size_t i = 0; i < s->count && !s->out->capped; i++) {
		if (s->nodes[i].part != depth || !(open[i / 64] >> i % 64 & 1))
			continue;
		if (s->out->count == s->most) {
			s->out->capped = true;
			break;
		}
		s->chosen[depth] = i;
		for (size_t w = 0; w < s->words; w++)
			next[w] = open[w] & s->near[i * s->words + w];
		SOTTO_TRY(extend(s, depth + 1));
	}
	return SOTTO_OK;
}

enum sotto_status sotto_local_graph_cliques(const struct sotto_local_graph *g, size_t most,
					    struct sotto_local_cliques *out)
{
	if (!g || !out)
		return SOTTO_EINVAL;

	struct sotto_local_cliques found = {.count = 0};
	struct search s = {.positions = g->positions, .most = most, .out = &found};
	enum sotto_status st = search_make(&s, g);

	if (st == SOTTO_OK)
		st = extend(&s, 0);
	search_release(&s);
	if (st != SOTTO_OK) {
		sotto_local_cliques_release(&found);
		return st;
	}
	*out = found;
	return SOTTO_OK;
}
