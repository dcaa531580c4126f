/* Proves in exact fractions that no private channel is more useful: certificate.md. */
#include <stdlib.h>

#include "channel/optimal/certificate/channel_certificate_path.h"
#include "channel/optimal/channel_tree.h"
#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_graph.h"
#include "core/base/failure.h"

/* ---- the pieces of the argument ------------------------------------------------------------ */

/* H_z for one guess: up towards the root, then down again. */
static void
sweep(const struct sotto_channel_tree *t, const struct sotto_matrix *q, size_t w, mpq_t *h)
{
	mpq_t term, own;

	mpq_inits(term, own, (mpq_ptr)0);
	for (size_t i = 0; i < t->n; i++)
		mpq_set(h[i], sotto_matrix_at(q, w, i));
	for (size_t i = t->n - 1; i > 0; i--) {
		size_t at = t->order[i];

		mpq_mul(term, h[at], t->alpha->cells[at]);
		mpq_add(h[t->parent[at]], h[t->parent[at]], term);
	}
	for (size_t i = 1; i < t->n; i++) { /* what comes from beyond the parent */
		size_t at = t->order[i];

		mpq_mul(own, h[at], t->alpha->cells[at]);
		mpq_sub(term, h[t->parent[at]], own);
		mpq_mul(term, term, t->alpha->cells[at]);
		mpq_add(h[at], h[at], term);
	}
	mpq_clears(term, own, (mpq_ptr)0);
}

/* c_i, and lam = Phi^-1 h: both are sums over the edges at a node. */
static void
weights_and_prices(const struct sotto_channel_tree *t, const mpq_t *h, mpq_t *c, mpq_t *lam)
{
	mpq_t a, one, x, term;

	mpq_inits(a, one, x, term, (mpq_ptr)0);
	mpq_set_ui(one, 1, 1);
	for (size_t i = 0; i < t->n; i++) {
		mpq_set(c[i], one);
		mpq_set(lam[i], h[i]);
	}
	for (size_t i = 1; i < t->n; i++) {
		size_t ends[2] = {t->order[i], t->parent[t->order[i]]};

		mpq_set(a, t->alpha->cells[ends[0]]);
		mpq_add(x, one, a);
		mpq_inv(x, x);
		mpq_sub(x, x, one);
		for (int k = 0; k < 2; k++)
			mpq_add(c[ends[k]], c[ends[k]], x);
		mpq_mul(x, a, a);
		mpq_sub(x, one, x);
		mpq_div(x, a, x); /* a/(1 - a^2) */
		for (int k = 0; k < 2; k++) {
			mpq_mul(term, a, h[ends[k]]);
			mpq_sub(term, term, h[ends[!k]]);
			mpq_mul(term, term, x);
			mpq_add(lam[ends[k]], lam[ends[k]], term);
		}
	}
	mpq_clears(a, one, x, term, (mpq_ptr)0);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* h_z = max over guesses of H_z, and which guess. */
static void find_best(const struct sotto_channel_tree *t, const struct sotto_matrix *q,
		      mpq_t *scratch, mpq_t *h, size_t *remap)
{
	for (size_t w = 0; w < q->rows; w++) {
		sweep(t, q, w, scratch);
		for (size_t z = 0; z < t->n; z++) {
			if (w && mpq_cmp(scratch[z], h[z]) <= 0)
				continue;
			mpq_set(h[z], scratch[z]);
			remap[z] = w;
		}
	}
}

static enum sotto_status judge(const struct sotto_channel_tree *t, const struct sotto_matrix *q,
			       const mpq_t *lam, mpq_t *f, struct sotto_certificate *out)
{
	out->optimal = true;
	for (size_t w = 0; w < q->rows && out->optimal; w++) {
		if (sotto_channel_tree_best(t, (const mpq_t *)q->cells + w * t->n, lam, f) <= 0)
			continue;
		out->optimal = false;
		out->guess = w;
		SOTTO_TRY(sotto_matrix_new(t->n, 1, &out->column));
		sotto_channel_tree_column(t, (const mpq_t *)f, out->column->cells);
	}
	return SOTTO_OK;
}

static enum sotto_status on_tree(const struct sotto_channel_tree *t,
				 const struct sotto_matrix *q, struct sotto_certificate *out)
{
	struct sotto_matrix *rows = NULL;
	enum sotto_status st = sotto_matrix_new(4, t->n, &rows);
	mpq_t *h, *c, *lam, *f, term;

	SOTTO_TRY(st);
	h = rows->cells;
	c = h + t->n;
	lam = c + t->n;
	f = lam + t->n;
	find_best(t, q, f, h, out->remap);
	weights_and_prices(t, (const mpq_t *)h, c, lam);
	mpq_init(term);
	out->applies = true;
	for (size_t z = 0; z < t->n; z++) {
		out->applies = out->applies && (mpq_sgn(c[z]) > 0);
		mpq_mul(term, c[z], h[z]);
		mpq_add(out->utility.q, out->utility.q, term);
	}
	mpq_clear(term);
	if (out->applies)
		st = judge(t, q, (const mpq_t *)lam, f, out);
	sotto_matrix_free(rows);
	return st;
}

static enum sotto_status weighted(const struct sotto_matrix *prior,
				  const struct sotto_matrix *gain, struct sotto_matrix **out)
{
	SOTTO_TRY(sotto_matrix_new(gain->rows, gain->columns, out));
	for (size_t i = 0; i < gain->rows * gain->columns; i++)
		mpq_mul((*out)->cells[i], gain->cells[i], prior->cells[i % gain->columns]);
	return SOTTO_OK;
}

/* At epsilon 0 all columns are constant: the tight mechanism does not exist. */
static bool is_candidate(const struct sotto_graph *graph, const struct sotto_eps *eps)
{
	return graph->is_tree && !sotto_eps_is_zero(eps);
}

enum sotto_status
sotto_certificate_find(const struct sotto_graph *graph, const struct sotto_eps *eps,
		       enum sotto_alpha_side side, const struct sotto_matrix *prior,
		       const struct sotto_matrix *gain, struct sotto_certificate *out)
{
	struct sotto_certificate c = {.applies = false};
	struct sotto_matrix *q = NULL;
	struct sotto_channel_tree t;
	enum sotto_status st;

	if (!graph || !eps || !prior || !gain || !out || prior->columns != graph->nodes ||
	    gain->columns != graph->nodes || !gain->rows)
		return SOTTO_EINVAL;
	sotto_rational_init(&c.utility);
	if (!is_candidate(graph, eps)) {
		*out = c;
		return SOTTO_OK;
	}
	c.remap = calloc(graph->nodes, sizeof *c.remap);
	st = c.remap ? weighted(prior, gain, &q) : SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		st = sotto_channel_tree_init(&t, graph, eps, side);
	if (st == SOTTO_OK) {
		if (sotto_channel_tree_is_flat(&t))
			c.applies = false;
		else if (graph->is_path && graph->nodes > 2)
			st = sotto_certificate_path_table(t.alpha->cells[1], q, &c);
		else
			st = on_tree(&t, q, &c);
		sotto_channel_tree_release(&t);
	}
	sotto_matrix_free(q);
	if (st == SOTTO_OK)
		*out = c;
	else
		sotto_certificate_release(&c);
	return st;
}

void sotto_certificate_release(struct sotto_certificate *c)
{
	if (!c)
		return;
	sotto_rational_release(&c->utility);
	free(c->remap);
	sotto_matrix_free(c->column);
	c->remap = NULL;
	c->column = NULL;
}
