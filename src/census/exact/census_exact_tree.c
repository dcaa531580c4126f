/* Least squares on a tree in exact rationals, and the covariances (../tree/tree.md). */
#include "census/exact/census_exact_tree.h"

#include <stdlib.h>

#include "core/base/failure.h"

static void extended_init(struct sotto_extended *e)
{
	mpq_init(e->q);
	e->infinite = false;
}

static void extended_set(struct sotto_extended *e, const struct sotto_extended *from)
{
	mpq_set(e->q, from->q);
	e->infinite = from->infinite;
}

static bool is_zero(const struct sotto_extended *e)
{
	return !e->infinite && mpq_sgn(e->q) == 0;
}

void sotto_exact_node_init(struct sotto_exact_node *node)
{
	*node = (struct sotto_exact_node){.path = NULL};
	mpq_inits(node->value, node->y, node->lower, node->z, node->a, node->estimate,
		  node->optimum, node->low, NULL);
	mpz_init(node->whole);
	extended_init(&node->variance);
	extended_init(&node->s);
	extended_init(&node->upper);
	extended_init(&node->t);
	extended_init(&node->v);
	extended_init(&node->high);
	node->variance.infinite = node->upper.infinite = true;
}

static void node_release(struct sotto_exact_node *node)
{
	mpq_clears(node->value, node->y, node->lower, node->z, node->a, node->estimate,
		   node->optimum, node->low, node->variance.q, node->s.q, node->upper.q,
		   node->t.q, node->v.q, node->high.q, NULL);
	mpz_clear(node->whole);
}

void sotto_exact_tree_init(struct sotto_exact_tree *t)
{
	*t = (struct sotto_exact_tree){.subtrees = true};
	mpq_inits(t->objective, t->objective_parent_by_parent, NULL);
}

void sotto_exact_tree_release(struct sotto_exact_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		node_release(&t->nodes[i]);
	free(t->nodes);
	mpq_clears(t->objective, t->objective_parent_by_parent, NULL);
}

enum sotto_status sotto_exact_tree_check_length(const struct sotto_exact_tree *t, const mpq_t q)
{
	const size_t most = 1000000000; /* bits in all */
	size_t bits = mpz_sizeinbase(mpq_numref(q), 2) + mpz_sizeinbase(mpq_denref(q), 2);

	return bits <= most / t->n ? SOTTO_OK : SOTTO_ERANGE;
}

struct sum {
	mpq_t z;
	struct sotto_extended t;
};

static void sum_init(struct sum *s)
{
	mpq_init(s->z);
	extended_init(&s->t);
}

static void sum_release(struct sum *s)
{
	mpq_clears(s->z, s->t.q, NULL);
}

/* z only of children with a finite t: the others have none. */
static void
sum_children(const struct sotto_exact_tree *t, const struct sotto_exact_node *v, struct sum *s)
{
	mpq_set_ui(s->z, 0, 1);
	mpq_set_ui(s->t.q, 0, 1);
	s->t.infinite = false;
	for (size_t c = v->first; c < v->first + v->count; c++) {
		const struct sotto_exact_node *child = &t->nodes[c];

		if (child->t.infinite) {
			s->t.infinite = true;
			continue;
		}
		mpq_add(s->z, s->z, child->z);
		mpq_add(s->t.q, s->t.q, child->t.q);
	}
}

static void take(struct sotto_exact_node *v, const mpq_t z, const struct sotto_extended *t)
{
	mpq_set(v->z, z);
	extended_set(&v->t, t);
}

/* z = (T y + s Z)/(s + T), t = s T/(s + T) */
static void weigh(struct sotto_exact_node *v, const struct sum *s)
{
	mpq_t total, part;

	mpq_inits(total, part, NULL);
	mpq_add(total, v->s.q, s->t.q);
	mpq_mul(v->z, s->t.q, v->y);
	mpq_mul(part, v->s.q, s->z);
	mpq_add(v->z, v->z, part);
	mpq_div(v->z, v->z, total);
	mpq_mul(v->t.q, v->s.q, s->t.q);
	mpq_div(v->t.q, v->t.q, total);
	v->t.infinite = false;
	mpq_clears(total, part, NULL);
}

static enum sotto_status contradicted(const struct sotto_exact_node *v, struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EINFEASIBLE,
			  "%.300s: the fixed values of the children do not add up to the fixed "
			  "value of this node",
			  v->path);
}

static enum sotto_status join(struct sotto_exact_tree *t, struct sotto_exact_node *v,
			      struct sum *s, struct sotto_error *err)
{
	if (v->count == 0) {
		take(v, v->y, &v->s);
		return SOTTO_OK;
	}
	sum_children(t, v, s);
	if (is_zero(&v->s)) {
		take(v, v->y, &v->s);
		if (is_zero(&s->t) && !mpq_equal(s->z, v->y))
			return contradicted(v, err);
	} else if (is_zero(&s->t) || (t->subtrees && v->s.infinite))
		take(v, s->z, &s->t);
	else if (!t->subtrees || s->t.infinite)
		take(v, v->y, &v->s);
	else
		weigh(v, s);
	return SOTTO_OK;
}

/*
 * An only child counts the same thing as its parent: both measurements are pooled by their
 * inverse variances and stand in both nodes, which is what giving the child the parent's
 * budget amounts to.
 */
static void pool(struct sotto_exact_node *a, struct sotto_exact_node *b)
{
	struct sum s;

	if (b->s.infinite || is_zero(&a->s)) {
		mpq_set(b->y, a->y);
		extended_set(&b->s, &a->s);
	} else if (!a->s.infinite && !is_zero(&b->s)) {
		sum_init(&s);
		mpq_set(s.z, b->y);
		extended_set(&s.t, &b->s);
		weigh(a, &s);
		mpq_set(b->y, a->z);
		extended_set(&b->s, &a->t);
		sum_release(&s);
	}
	mpq_set(a->y, b->y);
	extended_set(&a->s, &b->s);
}

static enum sotto_status pass_up(struct sotto_exact_tree *t, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	struct sum s;

	sum_init(&s);
	for (size_t v = t->n; st == SOTTO_OK && v-- > 0;)
		st = join(t, &t->nodes[v], &s, err);
	sum_release(&s);
	return st;
}

/* Both ends of every chain of only children know what any of them measured. */
static enum sotto_status pool_chains(struct sotto_exact_tree *t, struct sotto_error *err)
{
	for (size_t v = t->n; v-- > 0;) {
		struct sotto_exact_node *node = &t->nodes[v];

		if (node->count != 1)
			continue;
		if (is_zero(&node->s) && is_zero(&t->nodes[node->first].s) &&
		    !mpq_equal(node->y, t->nodes[node->first].y))
			return contradicted(node, err);
		pool(node, &t->nodes[node->first]);
	}
	for (size_t v = 0; v < t->n; v++)
		if (t->nodes[v].count == 1) {
			struct sotto_exact_node *child = &t->nodes[t->nodes[v].first];

			mpq_set(child->y, t->nodes[v].y);
			extended_set(&child->s, &t->nodes[v].s);
		}
	return SOTTO_OK;
}

/* ---- down ------------------------------------------------------------------------------ */

/* V = t (1 - a) + a^2 V_parent */
static void set_variance(struct sotto_exact_node *c, const struct sotto_exact_node *parent)
{
	mpq_t part;

	mpq_init(part);
	mpq_set_ui(part, 1, 1);
	mpq_sub(part, part, c->a);
	mpq_mul(c->v.q, c->t.q, part);
	mpq_mul(part, c->a, c->a);
	mpq_mul(part, part, parent->v.q);
	mpq_add(c->v.q, c->v.q, part);
	c->v.infinite = parent->v.infinite && mpq_sgn(c->a) != 0;
	mpq_clear(part);
}

static void
spread_known(struct sotto_exact_tree *t, const struct sotto_exact_node *v, const struct sum *s)
{
	mpq_t surplus;

	mpq_init(surplus);
	mpq_sub(surplus, v->estimate, s->z);
	for (size_t c = v->first; c < v->first + v->count; c++) {
		struct sotto_exact_node *child = &t->nodes[c];

		mpq_set_ui(child->a, 0, 1);
		if (mpq_sgn(s->t.q) > 0)
			mpq_div(child->a, child->t.q, s->t.q);
		mpq_mul(child->estimate, child->a, surplus);
		mpq_add(child->estimate, child->estimate, child->z);
		set_variance(child, v);
	}
	mpq_clear(surplus);
}

static void spread_unknown(struct sotto_exact_tree *t, const struct sotto_exact_node *v,
			   const struct sum *s)
{
	unsigned long unknown = 0;
	mpq_t share, parts;

	for (size_t c = v->first; c < v->first + v->count; c++)
		unknown += t->nodes[c].t.infinite;
	mpq_inits(share, parts, NULL);
	mpq_sub(share, v->estimate, s->z);
	mpq_set_ui(parts, unknown, 1);
	mpq_div(share, share, parts);
	for (size_t c = v->first; c < v->first + v->count; c++) {
		struct sotto_exact_node *child = &t->nodes[c];
		bool known = !child->t.infinite;

		mpq_set_ui(child->a, known || unknown > 1 ? 0 : 1, 1);
		mpq_set(child->estimate, known ? child->z : share);
		if (known) {
			extended_set(&child->v, &child->t);
		} else {
			mpq_add(child->v.q, v->v.q, s->t.q);
			child->v.infinite = unknown > 1 || v->v.infinite;
		}
	}
	mpq_clears(share, parts, NULL);
}

static enum sotto_status pass_down(struct sotto_exact_tree *t, struct sotto_error *err)
{
	enum sotto_status st = SOTTO_OK;
	struct sum s;

	if (t->nodes[0].t.infinite)
		return sotto_fail(
			err, SOTTO_ESTATE,
			"/: no measurement determines the root; give it %sa value and "
			"a variance",
			t->subtrees ? "or all of its children " : "");
	mpq_set(t->nodes[0].estimate, t->nodes[0].z);
	extended_set(&t->nodes[0].v, &t->nodes[0].t);
	sum_init(&s);
	for (size_t v = 0; st == SOTTO_OK && v < t->n; v++) {
		struct sotto_exact_node *node = &t->nodes[v];

		if (node->count == 0)
			continue;
		sum_children(t, node, &s);
		if (is_zero(&s.t) && !mpq_equal(s.z, node->estimate))
			st = contradicted(node, err);
		else if (s.t.infinite)
			spread_unknown(t, node, &s);
		else
			spread_known(t, node, &s);
	}
	sum_release(&s);
	return st;
}

enum sotto_status sotto_exact_tree_estimate(struct sotto_exact_tree *t, struct sotto_error *err)
{
	for (size_t v = 0; v < t->n; v++) {
		mpq_set(t->nodes[v].y, t->nodes[v].value);
		extended_set(&t->nodes[v].s, &t->nodes[v].variance);
	}
	if (t->bypass && !t->subtrees)
		SOTTO_TRY(pool_chains(t, err));
	SOTTO_TRY(pass_up(t, err));
	SOTTO_TRY(sotto_exact_tree_check_length(t, t->nodes[0].z));
	SOTTO_TRY(sotto_exact_tree_check_length(t, t->nodes[0].t.q));
	return pass_down(t, err);
}

/* ---- covariances ----------------------------------------------------------------------- */

/* The number of steps from the root. */
static size_t depth(const struct sotto_exact_tree *t, size_t v)
{
	size_t d = 0;

	for (; v != 0; v = t->nodes[v].parent)
		d++;
	return d;
}

/* Of two children of one node. */
static void sibling_covariance(const struct sotto_exact_tree *t, size_t c, size_t d, mpq_t out)
{
	const struct sotto_exact_node *v = &t->nodes[t->nodes[c].parent];
	const struct sotto_exact_node *one = &t->nodes[c], *other = &t->nodes[d];
	mpq_t part;

	mpq_set_ui(out, 0, 1);
	if (one->t.infinite && other->t.infinite)
		return;
	if (one->t.infinite ||
	    other->t.infinite) { /* what one gains, the unmeasured one loses */
		mpq_neg(out, one->t.infinite ? other->t.q : one->t.q);
		mpq_mul(out, out, one->t.infinite ? one->a : other->a);
		return;
	}
	mpq_init(part);
	mpq_mul(part, one->a, other->t.q);
	mpq_mul(out, one->a, other->a);
	mpq_mul(out, out, v->v.q);
	mpq_sub(out, out, part);
	mpq_clear(part);
}

static void climb(const struct sotto_exact_tree *t, size_t *v, size_t *level, mpq_t below)
{
	mpq_mul(below, below, t->nodes[*v].a);
	*v = t->nodes[*v].parent;
	(*level)--;
}

/* Up to where both are children of one node, or the same; what is below only scales. */
void sotto_exact_tree_covariance(const struct sotto_exact_tree *t, size_t a, size_t b,
				 struct sotto_extended *out)
{
	size_t da = depth(t, a), db = depth(t, b);
	mpq_t below;

	out->infinite = t->nodes[a].v.infinite || t->nodes[b].v.infinite;
	mpq_init(below);
	mpq_set_ui(below, 1, 1);
	while (da > db)
		climb(t, &a, &da, below);
	while (db > da)
		climb(t, &b, &db, below);
	while (a != b && t->nodes[a].parent != t->nodes[b].parent) {
		climb(t, &a, &da, below);
		climb(t, &b, &db, below);
	}
	if (a == b)
		mpq_set(out->q, t->nodes[a].v.q);
	else
		sibling_covariance(t, a, b, out->q);
	mpq_mul(out->q, out->q, below);
	mpq_clear(below);
}
