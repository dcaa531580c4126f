/*
 * Whole numbers on a tree: the optimum, exactly (../tree/tree.md, "Whole numbers").
 *
 * The least cost of a subtree is a convex function of its total, kept as the sorted list
 * of what each further unit costs.  Children are merged, the node's own cost is added term
 * by term.  Nodes are looked at within a window around the real optimum, which is widened
 * until none lies at its edge.
 */
#include <stdint.h>
#include <stdlib.h>

#include "census/exact/census_exact_tree.h"
#include "core/base/failure.h"

struct step {
	mpq_t cost;
	long place; /* decides between equals: from below the real optimum to above it */
	size_t child;
};

struct steps {
	mpz_t low; /* the total before the first step */
	struct step *list;
	size_t n;
	size_t skipped; /* steps that the node's own bounds take for granted */
	long middle; /* the step that leads beyond the real optimum */
};

static void steps_release(struct steps *s)
{
	for (size_t i = 0; i < s->n; i++)
		mpq_clear(s->list[i].cost);
	free(s->list);
	mpz_clear(s->low);
}

/* (2 (x - y) + 1) / s: what the step from x to x+1 adds to (x - y)^2 / s */
static void step_cost(const mpz_t x, const mpq_t y, const mpq_t s, mpq_t out)
{
	mpq_t one;

	mpq_init(one);
	mpq_set_z(out, x);
	mpq_sub(out, out, y);
	mpq_add(out, out, out);
	mpq_set_ui(one, 1, 1);
	mpq_add(out, out, one);
	mpq_div(out, out, s);
	mpq_clear(one);
}

static bool is_measured(const struct sotto_extended *s)
{
	return !s->infinite && mpq_sgn(s->q) > 0;
}

/* The window of a node: the whole numbers around its optimum that its bounds allow. */
static void window(const struct sotto_exact_node *v, unsigned long width, mpz_t low, mpz_t high)
{
	mpz_fdiv_q(low, mpq_numref(v->optimum), mpq_denref(v->optimum));
	mpz_add_ui(high, low, width + 1);
	mpz_sub_ui(low, low, width);
	if (mpz_cmp(low, mpq_numref(v->low)) < 0)
		mpz_set(low, mpq_numref(v->low));
	if (!v->high.infinite && mpz_cmp(high, mpq_numref(v->high.q)) > 0)
		mpz_set(high, mpq_numref(v->high.q));
}

static enum sotto_status leaf_steps(const struct sotto_exact_node *v, const mpq_t y,
				    const struct sotto_extended *s, unsigned long width,
				    struct steps *out)
{
	enum sotto_status st = SOTTO_OK;
	mpz_t x, high;

	mpz_inits(x, high, NULL);
	window(v, width, out->low, high);
	mpz_sub(x, high, out->low);
	if (mpz_sgn(x) > 0) {
		size_t n = mpz_get_ui(x);

		out->list = malloc(n * sizeof *out->list);
		if (!out->list)
			st = SOTTO_ENOMEM;
		for (size_t i = 0; st == SOTTO_OK && i < n; i++) {
			mpq_init(out->list[i].cost);
			mpz_add_ui(x, out->low, i);
			if (is_measured(s))
				step_cost(x, y, s->q, out->list[i].cost);
			out->n++;
		}
	}
	mpz_clears(x, high, NULL);
	return st;
}

static int compare_steps(const void *a, const void *b)
{
	const struct step *l = a, *r = b;
	int order = mpq_cmp(l->cost, r->cost);

	if (order != 0)
		return order;
	if (l->place != r->place)
		return l->place < r->place ? -1 : 1;
	return (l->child > r->child) - (l->child < r->child);
}

static enum sotto_status merge(const struct steps *children, size_t count, struct steps *out)
{
	size_t n = 0;

	for (size_t c = 0; c < count; c++) {
		mpz_add(out->low, out->low, children[c].low);
		mpz_add_ui(out->low, out->low, children[c].skipped);
		n += children[c].n - children[c].skipped;
	}
	out->list = malloc((n + 1) * sizeof *out->list);
	if (!out->list)
		return SOTTO_ENOMEM;
	for (size_t c = 0; c < count; c++)
		for (size_t i = children[c].skipped; i < children[c].n; i++) {
			struct step *s = &out->list[out->n++];

			mpq_init(s->cost);
			mpq_set(s->cost, children[c].list[i].cost);
			s->place = (long)i - children[c].middle;
			s->child = c;
		}
	qsort(out->list, out->n, sizeof *out->list, compare_steps);
	return SOTTO_OK;
}

/* Keeps the steps from low to high; false if there is no way between them. */
static bool hold(struct steps *s, const mpz_t low, const mpz_t high)
{
	bool possible;
	mpz_t room;

	mpz_init(room);
	mpz_sub(room, low, s->low);
	if (mpz_sgn(room) > 0)
		s->skipped = mpz_fits_ulong_p(room) ? mpz_get_ui(room) : SIZE_MAX;
	mpz_sub(room, high, s->low);
	possible =
		s->skipped <= s->n && mpz_sgn(room) >= 0 && mpz_cmp_ui(room, s->skipped) >= 0;
	while (possible && mpz_cmp_ui(room, s->n) < 0)
		mpq_clear(s->list[--s->n].cost);
	mpz_clear(room);
	return possible;
}

/* Adds the node's own cost to the steps of its children and holds them to its window. */
static bool add_own(const struct sotto_exact_node *v, unsigned long width, struct steps *s)
{
	mpz_t x, high;
	mpq_t cost;
	bool possible;

	mpz_inits(x, high, NULL);
	mpq_init(cost);
	for (size_t i = 0; i < s->n && is_measured(&v->variance); i++) {
		mpz_add_ui(x, s->low, i);
		step_cost(x, v->value, v->variance.q, cost);
		mpq_add(s->list[i].cost, s->list[i].cost, cost);
	}
	window(v, width, x, high);
	possible = hold(s, x, high);
	mpz_clears(x, high, NULL);
	mpq_clear(cost);
	return possible;
}

/* The children share what the node has: its first units, cheapest first. */
static void hand_down(struct sotto_exact_tree *t, const struct sotto_exact_node *v,
		      const struct steps *own, const struct steps *merged)
{
	mpz_t units;
	size_t n;

	mpz_init(units);
	mpz_sub(units, v->whole, merged->low);
	n = mpz_get_ui(units);
	for (size_t c = 0; c < v->count; c++)
		mpz_add_ui(t->nodes[v->first + c].whole, own[v->first + c].low,
			   own[v->first + c].skipped);
	for (size_t i = 0; i < n; i++) {
		struct sotto_exact_node *child = &t->nodes[v->first + merged->list[i].child];

		mpz_add_ui(child->whole, child->whole, 1);
	}
	mpz_clear(units);
}

/* The root takes every step that lowers the cost. */
static void choose_root(struct sotto_exact_tree *t, const struct steps *s)
{
	size_t n = s->skipped;

	while (n < s->n && mpq_sgn(s->list[n].cost) < 0)
		n++;
	mpz_add_ui(t->nodes[0].whole, s->low, n);
}

/* A node at the edge of its window might want to go further. */
static bool at_edge(const struct sotto_exact_node *v, unsigned long width)
{
	mpz_t low, high;
	bool edge;

	mpz_inits(low, high, NULL);
	window(v, width, low, high);
	edge = (mpz_cmp(v->whole, low) <= 0 && mpz_cmp(low, mpq_numref(v->low)) > 0) ||
	       (mpz_cmp(v->whole, high) >= 0 &&
		(v->high.infinite || mpz_cmp(high, mpq_numref(v->high.q)) < 0));
	mpz_clears(low, high, NULL);
	return edge;
}

struct attempt {
	struct steps *own,
		*merged; /* own: with the node's cost; merged: the children's alone */
	unsigned long width;
	bool settled;
};

static void set_middle(const struct sotto_exact_node *v, struct steps *s)
{
	mpz_t middle;

	mpz_init(middle);
	mpz_fdiv_q(middle, mpq_numref(v->optimum), mpq_denref(v->optimum));
	mpz_sub(middle, middle, s->low);
	s->middle = mpz_get_si(middle);
	mpz_clear(middle);
}

static enum sotto_status build(struct sotto_exact_tree *t, struct attempt *a, bool *possible)
{
	*possible = true;
	for (size_t i = t->n; *possible && i-- > 0;) {
		const struct sotto_exact_node *v = &t->nodes[i];

		if (v->count == 0) {
			SOTTO_TRY(leaf_steps(v, v->value, &v->variance, a->width, &a->own[i]));
			set_middle(v, &a->own[i]);
			continue;
		}
		SOTTO_TRY(merge(&a->own[v->first], v->count, &a->merged[i]));
		SOTTO_TRY(merge(&a->merged[i], 1, &a->own[i]));
		*possible = add_own(v, a->width, &a->own[i]);
		set_middle(v, &a->own[i]);
	}
	return SOTTO_OK;
}

static enum sotto_status try_width(struct sotto_exact_tree *t, struct attempt *a)
{
	bool possible;

	SOTTO_TRY(build(t, a, &possible));
	a->settled = false;
	if (!possible)
		return SOTTO_OK;
	choose_root(t, &a->own[0]);
	for (size_t i = 0; i < t->n; i++)
		if (t->nodes[i].count > 0)
			hand_down(t, &t->nodes[i], a->own, &a->merged[i]);
	a->settled = true;
	for (size_t i = 0; i < t->n; i++)
		if (at_edge(&t->nodes[i], a->width))
			a->settled = false;
	return SOTTO_OK;
}

static enum sotto_status attempt(struct sotto_exact_tree *t, unsigned long width, bool *settled)
{
	struct attempt a = {.own = calloc(t->n, sizeof *a.own),
			    .merged = calloc(t->n, sizeof *a.merged),
			    .width = width};
	enum sotto_status st = a.own && a.merged ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; st == SOTTO_OK && i < t->n; i++)
		mpz_inits(a.own[i].low, a.merged[i].low, NULL);
	if (st == SOTTO_OK) {
		st = try_width(t, &a);
		for (size_t i = 0; i < t->n; i++) {
			steps_release(&a.own[i]);
			steps_release(&a.merged[i]);
		}
	}
	free(a.own);
	free(a.merged);
	*settled = a.settled;
	return st;
}

static enum sotto_status whole_optimum(struct sotto_exact_tree *t)
{
	enum { WIDTH_MAX = 1 << 16 };
	bool settled = false;

	for (unsigned long width = 2; !settled && width <= WIDTH_MAX; width *= 4)
		SOTTO_TRY(attempt(t, width, &settled));
	return settled ? SOTTO_OK : SOTTO_ERANGE;
}

/* ---- parent by parent -------------------------------------------------------------------- */

/*
 * One parent and its children: a tree of two levels with the parent fixed.  The real
 * optimum of that small tree is the window's middle.
 */
static enum sotto_status descend_from(struct sotto_exact_tree *t, size_t parent)
{
	const struct sotto_exact_node *v = &t->nodes[parent];
	struct sotto_exact_tree small;
	enum sotto_status st;

	sotto_exact_tree_init(&small);
	small.nodes = malloc((v->count + 1) * sizeof *small.nodes);
	if (!small.nodes)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i <= v->count; i++) {
		const struct sotto_exact_node *from = i == 0 ? v : &t->nodes[v->first + i - 1];
		struct sotto_exact_node *to = &small.nodes[small.n++];

		sotto_exact_node_init(to);
		mpq_set(to->value, from->y);
		mpq_set(to->variance.q, from->s.q);
		to->variance.infinite = from->s.infinite;
		mpq_set(to->low, from->low);
		mpq_set(to->high.q, from->high.q);
		to->high.infinite = from->high.infinite;
	}
	small.nodes[0].first = 1;
	small.nodes[0].count = v->count;
	mpq_set_z(small.nodes[0].low, v->whole);
	mpq_set_z(small.nodes[0].high.q, v->whole);
	small.nodes[0].high.infinite = false;
	mpq_set_z(small.nodes[0].value, v->whole);
	mpq_set_ui(small.nodes[0].variance.q, 0, 1);
	small.nodes[0].variance.infinite = false;
	st = sotto_exact_tree_optimum(&small);
	if (st == SOTTO_OK)
		st = whole_optimum(&small);
	for (size_t c = 0; st == SOTTO_OK && c < v->count; c++)
		mpz_set(t->nodes[v->first + c].whole, small.nodes[c + 1].whole);
	sotto_exact_tree_release(&small);
	return st;
}

/* The nearest whole number; halves go down. */
static void round_root(struct sotto_exact_node *v)
{
	mpq_t half;

	mpq_init(half);
	mpq_set_ui(half, 1, 2);
	mpq_sub(half, v->optimum, half);
	mpz_cdiv_q(v->whole, mpq_numref(half), mpq_denref(half));
	mpq_clear(half);
}

enum sotto_status sotto_exact_tree_whole(struct sotto_exact_tree *t)
{
	if (t->subtrees)
		return whole_optimum(t);
	round_root(&t->nodes[0]);
	for (size_t i = 0; i < t->n; i++)
		if (t->nodes[i].count > 0)
			SOTTO_TRY(descend_from(t, i));
	return SOTTO_OK;
}

enum sotto_status sotto_exact_tree_solve(struct sotto_exact_tree *t, struct sotto_error *err)
{
	SOTTO_TRY(sotto_exact_tree_bound(t, err));
	SOTTO_TRY(sotto_exact_tree_estimate(t, err));
	SOTTO_TRY(sotto_exact_tree_descend(t));
	sotto_exact_tree_objective(t, t->objective_parent_by_parent);
	SOTTO_TRY(sotto_exact_tree_optimum(t));
	sotto_exact_tree_objective(t, t->objective);
	if (!t->subtrees)
		SOTTO_TRY(sotto_exact_tree_descend(t));
	return sotto_exact_tree_whole(t);
}
