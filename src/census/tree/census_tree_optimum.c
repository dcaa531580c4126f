/*
 * The non-negative optimum on a tree of any size, in doubles (tree.md, "Bounds").
 *
 * (1) Of the curve of each inner node only what lies around its price in plain least squares is
 *     kept.
 * (2) A solution counts if the price of every node lies in the part that was kept: then every
 *     condition of optimality holds on true curves.  Else the parts are widened, in the end to
 *     whole curves.
 */
#include <math.h>
#include <stdlib.h>

#include "census/tree/census_tree.h"
#include "census/tree/census_tree_curve.h"
#include "core/base/failure.h"

/* Kept for the nodes up to the last one that has children. */
struct inner {
	double low, high; /* what its own bounds and its children allow */
	double z, t, sum, spread; /* least squares: itself, and its children together */
	struct sotto_tree_curve below; /* of the children together */
};

struct work {
	const struct sotto_tree *tree;
	const struct sotto_tree_measures *m;
	struct inner *inner;
	size_t n; /* of them */
	double ceiling; /* more than any optimum needs */
	struct sotto_tree_bends bends, spare;
};

static bool is_leaf(const struct work *w, size_t v)
{
	return w->tree->count[v] == 0;
}

/* ---- bounds ---------------------------------------------------------------------------------- */

static struct sotto_tree_wish wish_of(const struct work *w, size_t v)
{
	const struct sotto_tree_measures *m = w->m;
	struct sotto_tree_wish wish = {.y = m->y[v], .s = m->s[v], .high = INFINITY};

	if (!is_leaf(w, v)) {
		wish.low = w->inner[v].low;
		wish.high = w->inner[v].high;
	} else if (m->s[v] == 0) {
		wish.low = wish.high = m->y[v];
	} else {
		wish.low = m->low ? m->low[v] : 0;
		wish.high = m->high ? m->high[v] : INFINITY;
	}
	if (isinf(wish.s) && wish.high > w->ceiling)
		wish.high = fmax(w->ceiling, wish.low);
	return wish;
}

static bool
is_possible(struct sotto_tree_wish wish, const struct sotto_tree_measures *m, size_t v)
{
	if (m->s[v] == 0 &&
	    ((m->low && m->y[v] < m->low[v]) || (m->high && m->y[v] > m->high[v])))
		return false;
	return wish.low <= wish.high && wish.low >= 0;
}

static bool bound_inner(struct work *w, size_t v)
{
	const struct sotto_tree_measures *m = w->m;
	double low = 0, high = 0, own_low = m->low ? m->low[v] : 0,
	       own_high = m->high ? m->high[v] : INFINITY;

	for (size_t c = w->tree->first[v]; c < w->tree->first[v] + w->tree->count[v]; c++) {
		struct sotto_tree_wish child = wish_of(w, c);

		if (!is_possible(child, m, c))
			return false;
		low += child.low;
		high += child.high;
	}
	if (m->s[v] == 0)
		own_low = own_high = m->y[v];
	w->inner[v].low = fmax(low, own_low);
	w->inner[v].high = fmin(high, own_high);
	return true;
}

static enum sotto_status bound(struct work *w, size_t *bad)
{
	for (size_t v = w->n; v-- > 0;)
		if (!is_leaf(w, v) && !bound_inner(w, v)) {
			*bad = v;
			return SOTTO_EINFEASIBLE;
		}
	*bad = 0;
	return is_possible(wish_of(w, 0), w->m, 0) ? SOTTO_OK : SOTTO_EINFEASIBLE;
}

/* ---- where prices will be -------------------------------------------------------------------- */

static void gather(struct work *w, size_t v)
{
	struct inner *in = &w->inner[v];
	double y = w->m->y[v], s = w->m->s[v];

	in->sum = in->spread = 0;
	for (size_t c = w->tree->first[v]; c < w->tree->first[v] + w->tree->count[v]; c++) {
		in->sum += is_leaf(w, c) ? w->m->y[c] : w->inner[c].z;
		in->spread += is_leaf(w, c) ? w->m->s[c] : w->inner[c].t;
	}
	if (s == 0) {
		in->z = y;
		in->t = 0;
	} else if (isinf(s) || in->spread == 0) {
		in->z = in->sum;
		in->t = in->spread;
	} else if (isinf(in->spread)) {
		in->z = y;
		in->t = s;
	} else {
		in->z = (in->spread * y + s * in->sum) / (s + in->spread);
		in->t = s * in->spread / (s + in->spread);
	}
}

/* z becomes the estimate from the whole tree; the window lies around the price that it implies. */
static void set_windows(struct work *w, double margin)
{
	for (size_t v = 0; v < w->n; v++) {
		struct inner *in = &w->inner[v];
		double theta, half;

		if (is_leaf(w, v))
			continue;
		theta = in->spread > 0 && isfinite(in->spread) ? (in->z - in->sum) / in->spread
							       : 0;
		half = in->spread > 0 && isfinite(in->spread)
			       ? margin * (fabs(theta) +
					   sqrt((double)w->tree->count[v] / in->spread))
			       : INFINITY;
		in->below.left = theta - half;
		in->below.right = theta + half;
		for (size_t c = w->tree->first[v]; c < w->tree->first[v] + w->tree->count[v];
		     c++)
			if (c < w->n && !is_leaf(w, c) && isfinite(w->inner[c].t))
				w->inner[c].z += w->inner[c].t * theta;
	}
}

/* ---- up and down ----------------------------------------------------------------------------- */

static enum sotto_status build(struct work *w)
{
	w->bends.n = 0;
	for (size_t v = w->n; v-- > 0;) {
		struct sotto_tree_curve *curve = &w->inner[v].below;

		if (is_leaf(w, v))
			continue;
		sotto_tree_curve_begin(curve, &w->bends, curve->left, curve->right);
		for (size_t c = w->tree->first[v]; c < w->tree->first[v] + w->tree->count[v];
		     c++)
			SOTTO_TRY(is_leaf(w, c) ? sotto_tree_curve_add_leaf(curve, &w->bends,
									    wish_of(w, c))
						: sotto_tree_curve_add_node(curve, &w->bends,
									    &w->inner[c].below,
									    wish_of(w, c)));
		SOTTO_TRY(sotto_tree_curve_end(curve, &w->bends, &w->spare));
	}
	return SOTTO_OK;
}

static struct sotto_tree_height height_of(const struct work *w, size_t v, double price)
{
	return is_leaf(w, v) ? sotto_tree_leaf_height(wish_of(w, v), price)
			     : sotto_tree_node_height(&w->inner[v].below, &w->bends,
						      wish_of(w, v), price);
}

/* Children that jump at this price share what is left, equally as far as they can. */
static void share_rest(const struct work *w, size_t v, double price, double rest, double *x)
{
	size_t first = w->tree->first[v], end = first + w->tree->count[v], sharing = 1;

	while (sharing > 0 && rest > 0) {
		double part;

		sharing = 0;
		for (size_t c = first; c < end; c++)
			sharing += height_of(w, c, price).after > x[c];
		part = sharing > 0 ? rest / (double)sharing : 0;
		rest = 0;
		for (size_t c = first; c < end; c++) {
			double most = height_of(w, c, price).after;

			if (most <= x[c])
				continue;
			rest += fmax(part - (most - x[c]), 0);
			x[c] = fmin(x[c] + part, most);
		}
	}
}

static bool divide(const struct work *w, size_t v, double *x)
{
	const struct sotto_tree_curve *curve = &w->inner[v].below;
	double price = sotto_tree_curve_price(curve, &w->bends, x[v]), sum = 0;
	bool jumps = false, known = price >= curve->left && price <= curve->right;

	for (size_t c = w->tree->first[v]; c < w->tree->first[v] + w->tree->count[v]; c++) {
		struct sotto_tree_height h = height_of(w, c, price);

		sum += x[c] = h.before;
		jumps |= h.after > h.before;
		known &= h.known;
	}
	if (jumps)
		share_rest(w, v, price, x[v] - sum, x);
	return known;
}

static bool hand_down(const struct work *w, double *x)
{
	struct sotto_tree_height root = height_of(w, 0, 0);
	bool known = root.known;

	x[0] = root.before;
	for (size_t v = 0; v < w->n; v++)
		if (!is_leaf(w, v))
			known &= divide(w, v, x);
	return known;
}

static enum sotto_status solve(struct work *w, double *x, size_t *bad)
{
	static const double margins[] = {6, 100, INFINITY};

	SOTTO_TRY(bound(w, bad));
	for (size_t i = 0; i < sizeof margins / sizeof *margins; i++) {
		for (size_t v = w->n; v-- > 0;)
			if (!is_leaf(w, v))
				gather(w, v);
		set_windows(w, margins[i]);
		SOTTO_TRY(build(w));
		if (hand_down(w, x))
			return SOTTO_OK;
	}
	return SOTTO_OK; /* the last windows are infinite */
}

static size_t count_inner(const struct sotto_tree *tree)
{
	size_t n = tree->n;

	while (n > 0 && tree->count[n - 1] == 0)
		n--;
	return n;
}

enum sotto_status sotto_tree_nnls(const struct sotto_tree *tree,
				  const struct sotto_tree_measures *m, double *x, size_t *bad)
{
	struct work w = {.tree = tree, .m = m, .n = count_inner(tree), .ceiling = 1};
	enum sotto_status st;

	w.inner = calloc(w.n + 1, sizeof *w.inner);
	if (!w.inner)
		return SOTTO_ENOMEM;
	for (size_t v = 0; v < tree->n; v++)
		w.ceiling += (isinf(m->s[v]) ? 0 : fabs(m->y[v])) + (m->low ? m->low[v] : 0);
	st = solve(&w, x, bad);
	free(w.inner);
	free(w.bends.list);
	free(w.spare.list);
	return st;
}
