/*
 * Orders the nodes breadth first from node 0; the best column is found from the last node to
 * the first, and read off from the first to the last.
 */
#include "channel/optimal/channel_tree.h"

#include <stdlib.h>

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_powers.h"
#include "core/base/failure.h"

void sotto_channel_tree_release(struct sotto_channel_tree *t)
{
	free(t->order);
	free(t->parent);
	sotto_matrix_free(t->alpha);
}

/* Breadth first from node 0: every node is found along an edge from one found before. */
static enum sotto_status tree_of(const struct sotto_graph *graph,
				 const struct sotto_powers *powers,
				 struct sotto_channel_tree *t)
{
	bool *found = calloc(graph->nodes, sizeof *found);
	size_t filled = 1;

	*t = (struct sotto_channel_tree){.n = graph->nodes};
	t->order = calloc(t->n, sizeof *t->order);
	t->parent = calloc(t->n, sizeof *t->parent);
	if (!found || !t->order || !t->parent ||
	    sotto_matrix_new(1, t->n, &t->alpha) != SOTTO_OK) {
		free(found);
		sotto_channel_tree_release(t);
		return SOTTO_ENOMEM;
	}
	found[0] = true;
	for (size_t i = 0; i < filled; i++) {
		for (size_t k = 0; k < graph->edge_count; k++) {
			const struct sotto_edge *e = &graph->edges[k];
			size_t at = t->order[i];
			size_t other = e->from == at ? e->to : e->from;

			if ((e->from != at && e->to != at) || found[other])
				continue;
			found[other] = true;
			t->parent[other] = at;
			t->order[filled++] = other;
			sotto_powers_of(powers, e->length, t->alpha->cells[other]);
		}
	}
	free(found);
	return SOTTO_OK;
}

enum sotto_status
sotto_channel_tree_init(struct sotto_channel_tree *t, const struct sotto_graph *graph,
			const struct sotto_eps *eps, enum sotto_alpha_side side)
{
	struct sotto_powers powers;
	enum sotto_status st;
	mpq_t one;

	mpq_init(one);
	mpq_set_ui(one, 1, 1);
	st = sotto_powers_init(&powers, graph, eps, one, side);
	mpq_clear(one);
	if (st != SOTTO_OK)
		return st;
	st = tree_of(graph, &powers, t);
	sotto_powers_release(&powers);
	return st;
}

bool sotto_channel_tree_is_flat(const struct sotto_channel_tree *t)
{
	bool flat = false;

	for (size_t i = 1; i < t->n; i++)
		flat = flat || mpq_cmp_ui(t->alpha->cells[t->order[i]], 1, 1) >= 0;
	return flat;
}

int sotto_channel_tree_best(const struct sotto_channel_tree *t, const mpq_t *q,
			    const mpq_t *lam, mpq_t *f)
{
	mpq_t term;

	mpq_init(term);
	for (size_t i = 0; i < t->n; i++)
		mpq_sub(f[i], q[i], lam[i]);
	for (size_t i = t->n - 1; i > 0; i--) {
		size_t at = t->order[i];

		if (mpq_sgn(f[at]) > 0)
			mpq_div(term, f[at], t->alpha->cells[at]);
		else
			mpq_mul(term, f[at], t->alpha->cells[at]);
		mpq_add(f[t->parent[at]], f[t->parent[at]], term);
	}
	mpq_clear(term);
	return mpq_sgn(f[t->order[0]]);
}

void sotto_channel_tree_column(const struct sotto_channel_tree *t, const mpq_t *f,
			       mpq_t *column)
{
	mpq_set_ui(column[t->order[0]], 1, 1);
	for (size_t i = 1; i < t->n; i++) {
		size_t at = t->order[i];

		if (mpq_sgn(f[at]) > 0)
			mpq_div(column[at], column[t->parent[at]], t->alpha->cells[at]);
		else
			mpq_mul(column[at], column[t->parent[at]], t->alpha->cells[at]);
	}
}
