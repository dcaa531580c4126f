/*
 * Least squares on a tree in two passes (tree.md), in doubles, for trees of any size.
 *
 * Most nodes are leaves, and what is known of a leaf from below is its own measurement.  So nothing is
 * kept for leaves, and what is kept for inner nodes lies where their estimates will be: the passes move
 * little more than what they read and write.
 */
#include "census/tree/census_tree.h"

#include <math.h>

#include "core/base/failure.h"

/* z and t of an inner node are in x and v until its parent is done. */
struct passes {
	const struct sotto_tree *tree;
	const double *y, *s;
	double *x, *v;
	size_t inner; /* from here on all nodes are leaves */
};

struct sum {
	double z, t;
};

static bool is_leaf(const struct passes *p, size_t v)
{
	return v >= p->inner || p->tree->count[v] == 0;
}

/* The best estimate from the node's own subtree, and its variance. */
static struct sum from_below(const struct passes *p, size_t v)
{
	return is_leaf(p, v) ? (struct sum){p->y[v], p->s[v]} : (struct sum){p->x[v], p->v[v]};
}

static struct sum sum_children(const struct passes *p, size_t v)
{
	size_t c = p->tree->first[v], end = c + p->tree->count[v];
	struct sum sum = {0, 0};

	for (; c < end && c < p->inner; c++) {
		struct sum child = from_below(p, c);

		sum.z += child.z;
		sum.t += child.t;
	}
	for (; c < end; c++) {
		sum.z += p->y[c];
		sum.t += p->s[c];
	}
	return sum;
}

/* Joins a node's own measurement with the sum of its children. */
static bool join(double y, double s, struct sum children, double *z, double *t)
{
	if (s == 0) {
		*z = y;
		*t = 0;
		return children.t != 0 || children.z == y;
	}
	if (isinf(s) || children.t == 0) {
		*z = children.z;
		*t = children.t;
	} else if (isinf(children.t)) {
		*z = y;
		*t = s;
	} else {
		*z = (children.t * y + s * children.z) / (s + children.t);
		*t = s * children.t / (s + children.t);
	}
	return true;
}

static enum sotto_status pass_up(const struct passes *p)
{
	for (size_t v = p->inner; v-- > 0;) {
		struct sum sum;

		if (is_leaf(p, v))
			continue;
		sum = sum_children(p, v);
		if (!join(p->y[v], p->s[v], sum, &p->x[v], &p->v[v]))
			return SOTTO_EINFEASIBLE;
	}
	return SOTTO_OK;
}

/* Children of a node of which at least one is not determined by its own subtree. */
static void spread_unknown(const struct passes *p, size_t parent)
{
	size_t first = p->tree->first[parent], end = first + p->tree->count[parent];
	double known = 0, known_variance = 0;
	size_t unknown = 0;

	for (size_t c = first; c < end; c++) {
		struct sum child = from_below(p, c);

		p->x[c] = child.z;
		p->v[c] = child.t;
		known += isinf(child.t) ? 0 : child.z;
		known_variance += isinf(child.t) ? 0 : child.t;
		unknown += isinf(child.t);
	}
	for (size_t c = first; c < end; c++)
		if (isinf(p->v[c])) {
			p->x[c] = (p->x[parent] - known) / (double)unknown;
			p->v[c] = unknown == 1 ? p->v[parent] + known_variance : INFINITY;
		}
}

static void spread_known(const struct passes *p, size_t parent, struct sum sum)
{
	size_t c = p->tree->first[parent], end = c + p->tree->count[parent];
	double surplus = p->x[parent] - sum.z, above = p->v[parent];
	double divisor = sum.t > 0 ? sum.t : 1; /* else every t is 0 */

	for (; c < end && c < p->inner; c++) {
		struct sum child = from_below(p, c);
		double a = child.t / divisor;

		p->x[c] = child.z + a * surplus;
		p->v[c] = child.t * (1 - a) + a * a * above;
	}
	for (; c < end; c++) {
		double a = p->s[c] / divisor;

		p->x[c] = p->y[c] + a * surplus;
		p->v[c] = p->s[c] * (1 - a) + a * a * above;
	}
}

static enum sotto_status pass_down(const struct passes *p)
{
	struct sum root = from_below(p, 0);

	if (isinf(root.t))
		return SOTTO_ESTATE;
	p->x[0] = root.z;
	p->v[0] = root.t;
	for (size_t v = 0; v < p->inner; v++) {
		struct sum sum;

		if (is_leaf(p, v))
			continue;
		sum = sum_children(p, v);
		if (isinf(sum.t))
			spread_unknown(p, v);
		else if (sum.t == 0 && sum.z != p->x[v])
			return SOTTO_EINFEASIBLE;
		else
			spread_known(p, v, sum);
	}
	return SOTTO_OK;
}

enum sotto_status sotto_tree_gls(const struct sotto_tree *tree, const double *y,
				 const double *s, double *x, double *v)
{
	struct passes p = {.tree = tree, .y = y, .s = s, .x = x, .v = v};

	if (!tree || tree->n == 0 || !y || !s || !x || !v)
		return SOTTO_EINVAL;
	p.inner = tree->n;
	while (p.inner > 0 && tree->count[p.inner - 1] == 0)
		p.inner--;
	SOTTO_TRY(pass_up(&p));
	return pass_down(&p);
}
