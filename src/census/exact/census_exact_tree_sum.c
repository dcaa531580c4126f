/*
 * The variance of a sum of estimates (../tree/tree.md, "Sums").
 *
 * From the leaves up, a sum over the children of a node is a multiple of the node's own estimate
 * and a rest that is independent of it.
 */
#include <stdlib.h>

#include "census/exact/census_exact_tree.h"

struct step {
	mpq_t all, weighted, squares, part; /* sums of t, of g t, and of g^2 t; work */
};

static void add_child(struct step *s, const mpq_t g, const mpq_t t)
{
	mpq_add(s->all, s->all, t);
	mpq_mul(s->part, g, t);
	mpq_add(s->weighted, s->weighted, s->part);
	mpq_mul(s->part, s->part, g);
	mpq_add(s->squares, s->squares, s->part);
}

/* All children are known: the node's change is shared by t, and the rest has what is left. */
static void pass_known(const struct sotto_exact_tree *t, const struct sotto_exact_node *v,
		       mpq_t *g, mpq_t up, mpq_t variance, struct step *s)
{
	for (size_t c = v->first; c < v->first + v->count; c++)
		add_child(s, g[c], t->nodes[c].t.q);
	mpq_set_ui(up, 0, 1);
	if (mpq_sgn(s->all) <= 0)
		return;
	mpq_div(up, s->weighted, s->all);
	mpq_mul(s->part, up, s->weighted);
	mpq_sub(s->squares, s->squares, s->part);
	mpq_add(variance, variance, s->squares);
}

/*
 * Unknown children are known together, as what the others leave of the node; false if they do not
 * all count alike in the sum, which is then not known.
 */
static bool pass_unknown(const struct sotto_exact_tree *t, const struct sotto_exact_node *v,
			 mpq_t *g, mpq_t up, mpq_t variance, struct step *s)
{
	bool found = false;

	for (size_t c = v->first; c < v->first + v->count; c++) {
		if (!t->nodes[c].t.infinite)
			continue;
		if (found && !mpq_equal(up, g[c]))
			return false;
		mpq_set(up, g[c]);
		found = true;
	}
	for (size_t c = v->first; c < v->first + v->count; c++)
		if (!t->nodes[c].t.infinite) {
			mpq_sub(g[c], g[c], up);
			add_child(s, g[c], t->nodes[c].t.q);
		}
	mpq_add(variance, variance, s->squares);
	return true;
}

void sotto_exact_tree_sum_variance(const struct sotto_exact_tree *t, mpq_t *g,
				   struct sotto_extended *out)
{
	struct step s;
	mpq_t up;

	mpq_inits(s.all, s.weighted, s.squares, s.part, up, NULL);
	mpq_set_ui(out->q, 0, 1);
	out->infinite = false;
	for (size_t i = t->n; !out->infinite && i-- > 0;) {
		const struct sotto_exact_node *v = &t->nodes[i];
		bool unknown = false;

		for (size_t c = v->first; c < v->first + v->count; c++)
			unknown |= t->nodes[c].t.infinite;
		if (v->count == 0)
			continue;
		mpq_set_ui(s.all, 0, 1);
		mpq_set_ui(s.weighted, 0, 1);
		mpq_set_ui(s.squares, 0, 1);
		if (unknown)
			out->infinite = !pass_unknown(t, v, g, up, out->q, &s);
		else
			pass_known(t, v, g, up, out->q, &s);
		mpq_add(g[i], g[i], up);
	}
	mpq_mul(s.part, g[0], g[0]);
	mpq_mul(s.part, s.part, t->nodes[0].v.q);
	mpq_add(out->q, out->q, s.part);
	mpq_clears(s.all, s.weighted, s.squares, s.part, up, NULL);
}
