/*
 * Curves are slices of one growing list of bends; a node's curve is made from its children's by
 * one walk along their bends, which are sorted by insertion in short runs and merged.
 */
#include "census/tree/census_tree_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { RUN = 24 }; /* so many bends are sorted by insertion */

/* Adds a bend.  Fails: SOTTO_ENOMEM. */
static enum sotto_status bends_add(struct sotto_tree_bends *b, struct sotto_tree_bend bend)
{
	if (b->n == b->room) {
		size_t room = b->room + b->room / 2 + 256;
		struct sotto_tree_bend *grown = realloc(b->list, room * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		b->list = grown;
		b->room = room;
	}
	b->list[b->n++] = bend;
	return SOTTO_OK;
}

/* ---- sums ------------------------------------------------------------------------------------ */

void sotto_tree_curve_begin(struct sotto_tree_curve *c, const struct sotto_tree_bends *b,
			    double left, double right)
{
	*c = (struct sotto_tree_curve){.left = left, .right = right, .first = b->n};
}

/* What happens left of the curve counts for its beginning, what happens right of it for nothing. */
static enum sotto_status
add_bend(struct sotto_tree_curve *c, struct sotto_tree_bends *b, struct sotto_tree_bend bend)
{
	if (bend.at > c->right)
		return SOTTO_OK;
	if (bend.at > c->left)
		return bends_add(b, bend);
	c->slope += bend.slope;
	c->x += bend.jump + bend.slope * (c->left - bend.at);
	return SOTTO_OK;
}

enum sotto_status sotto_tree_curve_add_leaf(struct sotto_tree_curve *c,
					    struct sotto_tree_bends *b,
					    struct sotto_tree_wish leaf)
{
	c->x += leaf.low;
	if (leaf.low >= leaf.high)
		return SOTTO_OK;
	if (isinf(leaf.s))
		return add_bend(c, b, (struct sotto_tree_bend){0, 0, leaf.high - leaf.low});
	SOTTO_TRY(add_bend(c, b,
			   (struct sotto_tree_bend){(leaf.low - leaf.y) / leaf.s, leaf.s, 0}));
	if (isinf(leaf.high))
		return SOTTO_OK;
	return add_bend(c, b,
			(struct sotto_tree_bend){(leaf.high - leaf.y) / leaf.s, -leaf.s, 0});
}

/* The price of a node whose children have price theta and are x high together. */
static double own_price(struct sotto_tree_wish node, double theta, double x)
{
	return isinf(node.s) ? theta : theta + (x - node.y) / node.s;
}

static double own_slope(struct sotto_tree_wish node, double slope)
{
	return isinf(node.s) ? slope : slope / (1 + slope / node.s);
}

/* A way along the children's curve, and what of it has become the node's own. */
struct way {
	struct sotto_tree_curve *to;
	struct sotto_tree_bends *b;
	struct sotto_tree_wish node;
	double theta, x, slope; /* of the children */
	double given; /* slope of the node so far */
};

static enum sotto_status give(struct way *w, double at, double slope, double jump)
{
	double more = slope - w->given;

	if (more == 0 && jump == 0)
		return SOTTO_OK;
	w->given = slope;
	return add_bend(w->to, w->b, (struct sotto_tree_bend){at, more, jump});
}

/* The straight part from here to x1, at theta1, between the node's bounds. */
static enum sotto_status go(struct way *w, double theta1, double x1)
{
	double low = w->node.low, high = w->node.high, from = w->x, slope = w->slope;
	double theta = w->theta;

	if (x1 > low && from < high && slope > 0) {
		double start = from < low ? theta + (low - from) / slope : theta;
		double x = from < low ? low : from;

		SOTTO_TRY(give(w, own_price(w->node, start, x), own_slope(w->node, slope), 0));
		if (isfinite(high) && x1 >= high)
			SOTTO_TRY(give(w,
				       own_price(w->node, theta + (high - from) / slope, high),
				       0, 0));
	} else if (slope <= 0) {
		SOTTO_TRY(give(w, own_price(w->node, theta, from), 0, 0));
	}
	w->theta = theta1;
	w->x = x1;
	return SOTTO_OK;
}

static double cut(struct sotto_tree_wish n, double x)
{
	return x < n.low ? n.low : x > n.high ? n.high : x;
}

/* A jump of the children is a jump of a node that was not measured, else a part with slope s. */
static enum sotto_status leap(struct way *w, double jump)
{
	double from = cut(w->node, w->x), to = cut(w->node, w->x + jump);

	w->x += jump;
	if (to <= from)
		return SOTTO_OK;
	if (isinf(w->node.s))
		return give(w, w->theta, w->given, to - from);
	SOTTO_TRY(give(w, own_price(w->node, w->theta, from), w->node.s, 0));
	return give(w, own_price(w->node, w->theta, to), 0, 0);
}

enum sotto_status
sotto_tree_curve_add_node(struct sotto_tree_curve *c, struct sotto_tree_bends *b,
			  const struct sotto_tree_curve *below, struct sotto_tree_wish node)
{
	struct way w = {.to = c, .b = b, .node = node, .slope = below->slope};
	bool begins = isinf(below->left);

	c->x += node.low;
	if (node.low >= node.high)
		return SOTTO_OK;
	/* Left of where it is known the curve goes on as it begins, down to the lower bound. */
	w.x = begins || w.slope <= 0 ? below->x : fmin(below->x, node.low);
	w.theta = begins ? -INFINITY : below->left;
	if (w.x < below->x)
		w.theta -= (below->x - w.x) / w.slope;
	if (w.x > node.low) /* flat and above the bound: it is never lower */
		c->x += fmin(w.x, node.high) - node.low;
	for (size_t i = 0; i < below->n; i++) {
		struct sotto_tree_bend bend = b->list[below->first + i];
		double x = w.slope > 0 ? w.x + w.slope * (bend.at - w.theta) : w.x;

		SOTTO_TRY(go(&w, bend.at, x));
		SOTTO_TRY(leap(&w, bend.jump));
		w.slope = fmax(w.slope + bend.slope, 0);
	}
	return go(&w, INFINITY, w.slope > 0 ? INFINITY : w.x);
}

/* ---- sorting --------------------------------------------------------------------------------- */

static void sort_run(struct sotto_tree_bend *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sotto_tree_bend bend = a[i];
		size_t j = i;

		for (; j > 0 && a[j - 1].at > bend.at; j--)
			a[j] = a[j - 1];
		a[j] = bend;
	}
}

static void merge(const struct sotto_tree_bend *l, size_t n, const struct sotto_tree_bend *r,
		  size_t m, struct sotto_tree_bend *out)
{
	size_t i = 0, j = 0;

	while (i < n && j < m)
		*out++ = r[j].at < l[i].at ? r[j++] : l[i++];
	memcpy(out, l + i, (n - i) * sizeof *out);
	memcpy(out + (n - i), r + j, (m - j) * sizeof *out);
}

enum sotto_status sotto_tree_curve_end(struct sotto_tree_curve *c, struct sotto_tree_bends *b,
				       struct sotto_tree_bends *spare)
{
	size_t n = b->n - c->first;
	struct sotto_tree_bend *from, *to, *swap;

	c->n = n;
	if (n == 0)
		return SOTTO_OK;
	from = b->list + c->first;
	for (size_t i = 0; i < n; i += RUN)
		sort_run(from + i, n - i < RUN ? n - i : RUN);
	if (n <= RUN)
		return SOTTO_OK;
	if (spare->room < n) {
		free(spare->list);
		spare->list = malloc(n * sizeof *spare->list);
		spare->room = spare->list ? n : 0;
		if (!spare->list)
			return SOTTO_ENOMEM;
	}
	to = spare->list;
	for (size_t width = RUN; width < n; width *= 2) {
		for (size_t i = 0; i < n; i += 2 * width) {
			size_t l = n - i < width ? n - i : width;
			size_t r = n - i - l < width ? n - i - l : width;

			merge(from + i, l, from + i + l, r, to + i);
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from == spare->list)
		memcpy(b->list + c->first, from, n * sizeof *from);
	return SOTTO_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct sotto_tree_height sotto_tree_leaf_height(struct sotto_tree_wish leaf, double price)
{
	double x;

	if (leaf.low >= leaf.high)
		return (struct sotto_tree_height){leaf.low, leaf.low, true};
	if (isinf(leaf.s))
		return (struct sotto_tree_height){price > 0 ? leaf.high : leaf.low,
						  price < 0 ? leaf.low : leaf.high, true};
	x = cut(leaf, leaf.y + leaf.s * price);
	return (struct sotto_tree_height){x, x, true};
}

/* Not measured: the node is what its children are. */
static struct sotto_tree_height
height_below(const struct sotto_tree_curve *c, const struct sotto_tree_bends *b, double price)
{
	double x = c->x, slope = c->slope, at = c->left, jump = 0;

	for (size_t i = 0; i < c->n && b->list[c->first + i].at <= price; i++) {
		const struct sotto_tree_bend *bend = &b->list[c->first + i];

		if (slope > 0)
			x += slope * (bend->at - at);
		if (bend->at == price)
			jump += bend->jump;
		else
			x += bend->jump;
		slope = fmax(slope + bend->slope, 0);
		at = bend->at;
	}
	if (slope > 0)
		x += slope * (price - at);
	return (struct sotto_tree_height){x, x + jump, true};
}

/* The price of the children at which the node has the given one; x is their height there. */
static double height_at(const struct sotto_tree_curve *c, const struct sotto_tree_bends *b,
			struct sotto_tree_wish node, double price)
{
	double x = c->x, slope = c->slope, at = c->left;

	for (size_t i = 0; i <= c->n; i++) {
		const struct sotto_tree_bend *bend = i < c->n ? &b->list[c->first + i] : NULL;
		double end = bend ? bend->at : INFINITY, next = x;

		if (slope > 0 && bend)
			next += slope * (end - at);
		if (!bend || own_price(node, end, next) >= price) {
			/* at + d + (x + slope d - y)/s = price */
			if (slope <= 0 || isinf(at))
				return x;
			return x +
			       slope * (price - own_price(node, at, x)) / (1 + slope / node.s);
		}
		if (own_price(node, end, next + bend->jump) >= price)
			return next + (price - own_price(node, end, next)) * node.s;
		x = next + bend->jump;
		slope = fmax(slope + bend->slope, 0);
		at = end;
	}
	return x;
}

struct sotto_tree_height sotto_tree_node_height(const struct sotto_tree_curve *below,
						const struct sotto_tree_bends *b,
						struct sotto_tree_wish node, double price)
{
	struct sotto_tree_height h;
	double theta = price;

	if (node.low >= node.high)
		return (struct sotto_tree_height){node.low, node.low, true};
	if (isinf(node.s)) {
		h = height_below(below, b, price);
	} else {
		h.before = h.after = height_at(below, b, node, price);
		theta = price - (h.before - node.y) / node.s;
	}
	/* Beyond what is known the node may still be at a bound for certain. */
	h.known = (theta >= below->left || below->x <= node.low) &&
		  (theta <= below->right || h.before >= node.high);
	h.before = cut(node, h.before);
	h.after = cut(node, h.after);
	return h;
}

double sotto_tree_curve_price(const struct sotto_tree_curve *c,
			      const struct sotto_tree_bends *b, double x)
{
	double height = c->x, slope = c->slope, at = c->left;
	double little = 1e-12 * fmax(1, fabs(x)); /* what rounding may add */

	if (slope <= 0 && isfinite(c->left) && x < height - little)
		return -INFINITY;
	for (size_t i = 0; i < c->n; i++) {
		const struct sotto_tree_bend *bend = &b->list[c->first + i];
		double next = slope > 0 ? height + slope * (bend->at - at) : height;

		if (next >= x)
			return slope > 0 ? at + (x - height) / slope : bend->at;
		if (next + bend->jump >= x)
			return bend->at;
		height = next + bend->jump;
		slope = fmax(slope + bend->slope, 0);
		at = bend->at;
	}
	if (slope <= 0 && isfinite(c->right) && x > height + little)
		return INFINITY;
	return slope > 0 ? at + (x - height) / slope : at;
}
