/* Is it the optimum?  The conditions of Karush, Kuhn and Tucker, from the leaves to the root. */
#include <stdlib.h>

#include "census/exact/census_exact_tree.h"

/* Of the children while they are added, then of the node. */
struct state {
	struct sotto_extended left, right; /* prices at which they want to be what they are */
	mpq_t sum;
};

static void state_init(struct state *s)
{
	mpq_inits(s->left.q, s->right.q, s->sum, NULL);
	s->left.infinite = s->right.infinite = true;
}

static void state_release(struct state *s)
{
	mpq_clears(s->left.q, s->right.q, s->sum, NULL);
}

static bool is_empty(const struct state *s)
{
	return !s->left.infinite && !s->right.infinite && mpq_cmp(s->left.q, s->right.q) > 0;
}

/* At what prices the node wants to be as large as it is; false if it cannot be that. */
static bool set_own(const struct sotto_exact_node *v, struct state *s)
{
	bool at_low = mpq_equal(v->optimum, v->low),
	     at_high = !v->high.infinite && mpq_equal(v->optimum, v->high.q);
	mpq_t pull;

	if (mpq_cmp(v->optimum, v->low) < 0 ||
	    (!v->high.infinite && mpq_cmp(v->optimum, v->high.q) > 0))
		return false;
	if (v->count == 0) /* without a measurement: any size at price 0 */
		s->left.infinite = s->right.infinite = false;
	else if (!mpq_equal(s->sum, v->optimum) || is_empty(s))
		return false;
	if (!v->variance.infinite && mpq_sgn(v->variance.q) > 0) {
		mpq_init(pull);
		mpq_sub(pull, v->optimum, v->value);
		mpq_div(pull, pull, v->variance.q);
		mpq_add(s->left.q, s->left.q, pull);
		mpq_add(s->right.q, s->right.q, pull);
		mpq_clear(pull);
	}
	s->left.infinite |= at_low;
	s->right.infinite |= at_high;
	return true;
}

static void add_child(struct state *to, const struct state *child, const mpq_t x)
{
	mpq_add(to->sum, to->sum, x);
	if (!child->left.infinite &&
	    (to->left.infinite || mpq_cmp(child->left.q, to->left.q) > 0)) {
		mpq_set(to->left.q, child->left.q);
		to->left.infinite = false;
	}
	if (!child->right.infinite &&
	    (to->right.infinite || mpq_cmp(child->right.q, to->right.q) < 0)) {
		mpq_set(to->right.q, child->right.q);
		to->right.infinite = false;
	}
}

bool sotto_exact_tree_is_optimal(const struct sotto_exact_tree *t)
{
	struct state *states = malloc(t->n * sizeof *states);
	bool optimal = true;

	if (!states)
		return false;
	for (size_t i = 0; i < t->n; i++)
		state_init(&states[i]);
	for (size_t i = t->n; optimal && i-- > 0;) {
		const struct sotto_exact_node *v = &t->nodes[i];

		optimal = set_own(v, &states[i]);
		if (i > 0)
			add_child(&states[v->parent], &states[i], v->optimum);
	}
	optimal = optimal && (states[0].left.infinite || mpq_sgn(states[0].left.q) <= 0) &&
		  (states[0].right.infinite || mpq_sgn(states[0].right.q) >= 0);
	for (size_t i = 0; i < t->n; i++)
		state_release(&states[i]);
	free(states);
	return optimal;
}
