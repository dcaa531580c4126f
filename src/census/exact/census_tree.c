/* Least squares on a tree in two passes (tree.md), in doubles, for trees of any size. */
#include "census/exact/census_tree.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"

enum sotto_status sotto_tree_work_init(struct sotto_tree_work *w, size_t n)
{
	w->z = malloc(n * sizeof *w->z);
	w->t = malloc(n * sizeof *w->t);
	w->a = malloc(n * sizeof *w->a);
	return w->z && w->t && w->a ? SOTTO_OK : SOTTO_ENOMEM;
}

void sotto_tree_work_release(struct sotto_tree_work *w)
{
	free(w->z);
	free(w->t);
	free(w->a);
}

struct sum {
	double z, t;
};

static struct sum
sum_children(const struct sotto_tree *tree, const double *z, const double *t, size_t v)
{
	struct sum sum = {0, 0};

	for (size_t c = tree->first[v], end = c + tree->count[v]; c < end; c++) {
		sum.z += z[c];
		sum.t += t[c];
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

static enum sotto_status pass_up(const struct sotto_tree *tree, const double *y,
				 const double *s, struct sotto_tree_work *w, size_t *bad)
{
	for (size_t v = tree->n; v-- > 0;) {
		if (tree->count[v] == 0) {
			w->z[v] = y[v];
			w->t[v] = s[v];
		} else if (!join(y[v], s[v], sum_children(tree, w->z, w->t, v), &w->z[v],
				 &w->t[v])) {
			*bad = v;
			return SOTTO_EINFEASIBLE;
		}
	}
	return SOTTO_OK;
}

/* Of what is below a node only this counts: where all children are fixed, so is their sum. */
static enum sotto_status pass_up_invariants(const struct sotto_tree *tree, const double *y,
					    const double *s, struct sotto_tree_work *w,
					    size_t *bad)
{
	for (size_t v = tree->n; v-- > 0;) {
		struct sum sum = sum_children(tree, w->z, w->t, v);
		bool fixed = tree->count[v] > 0 && sum.t == 0;

		if (fixed && s[v] == 0 && sum.z != y[v]) {
			*bad = v;
			return SOTTO_EINFEASIBLE;
		}
		w->z[v] = fixed ? sum.z : y[v];
		w->t[v] = fixed ? 0 : s[v];
	}
	return SOTTO_OK;
}

/* Children of a node of which at least one is not determined by its own subtree. */
static void spread_unknown(const struct sotto_tree *tree, struct sotto_tree_work *w, double *x,
			   double *v, size_t parent)
{
	size_t first = tree->first[parent], end = first + tree->count[parent];
	double known = 0, known_variance = 0;
	size_t unknown = 0;

	for (size_t c = first; c < end; c++) {
		if (isinf(w->t[c])) {
			unknown++;
			continue;
		}
		known += x[c] = w->z[c];
		known_variance += v[c] = w->t[c];
		w->a[c] = 0;
	}
	for (size_t c = first; c < end; c++)
		if (isinf(w->t[c])) {
			x[c] = (x[parent] - known) / (double)unknown;
			v[c] = unknown == 1 ? v[parent] + known_variance : INFINITY;
			w->a[c] = unknown == 1 ? 1 : 0;
		}
}

static void spread_known(const struct sotto_tree *tree, struct sotto_tree_work *w, double *x,
			 double *v, size_t parent, struct sum sum)
{
	size_t first = tree->first[parent], end = first + tree->count[parent];
	double surplus = x[parent] - sum.z;

	for (size_t c = first; c < end; c++) {
		double a = sum.t > 0 ? w->t[c] / sum.t : 0;

		w->a[c] = a;
		x[c] = w->z[c] + a * surplus;
		v[c] = w->t[c] * (1 - a) + a * a * v[parent];
	}
}

enum sotto_status sotto_tree_estimate(const struct sotto_tree *tree, const double *y,
				      const double *s, bool subtrees,
				      struct sotto_tree_work *work, double *x, double *v,
				      size_t *bad)
{
	SOTTO_TRY(subtrees ? pass_up(tree, y, s, work, bad)
			   : pass_up_invariants(tree, y, s, work, bad));
	*bad = 0;
	if (isinf(work->t[0]))
		return SOTTO_ESTATE;
	x[0] = work->z[0];
	v[0] = work->t[0];
	work->a[0] = 0;
	for (size_t p = 0; p < tree->n; p++) {
		struct sum sum;

		if (tree->count[p] == 0)
			continue;
		sum = sum_children(tree, work->z, work->t, p);
		if (isinf(sum.t))
			spread_unknown(tree, work, x, v, p);
		else if (sum.t == 0 && sum.z != x[p]) {
			*bad = p;
			return SOTTO_EINFEASIBLE;
		} else
			spread_known(tree, work, x, v, p, sum);
	}
	return SOTTO_OK;
}

static enum sotto_status estimate(const struct sotto_tree *tree, const double *y,
				  const double *s, bool subtrees, double *x, double *v)
{
	struct sotto_tree_work work = {0};
	enum sotto_status st;
	size_t bad;

	if (!tree || tree->n == 0 || !y || !s || !x || !v)
		return SOTTO_EINVAL;
	st = sotto_tree_work_init(&work, tree->n);
	if (st == SOTTO_OK)
		st = sotto_tree_estimate(tree, y, s, subtrees, &work, x, v, &bad);
	sotto_tree_work_release(&work);
	return st;
}

enum sotto_status sotto_tree_gls(const struct sotto_tree *tree, const double *y,
				 const double *s, double *x, double *v)
{
	return estimate(tree, y, s, true, x, v);
}

enum sotto_status sotto_tree_topdown(const struct sotto_tree *tree, const double *y,
				     const double *s, double *x, double *v)
{
	return estimate(tree, y, s, false, x, v);
}
