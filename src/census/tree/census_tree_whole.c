/*
 * Whole numbers on a tree of any size: the optimum (tree.md, "Whole numbers").
 *
 * (1) What each further unit costs a subtree is a nondecreasing list.  Of each node's list only a
 *     window around the real optimum is looked at.
 * (2) A result counts if no node ends at the edge of its window, bounds aside: then no single step
 *     and no exchange gains, which is optimal.  Else those windows are widened, and only what
 *     depends on them is done again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/tree/census_tree.h"
#include "census/tree/census_tree_steps.h"
#include "core/base/failure.h"

enum { ROUNDS_MAX = 40, WIDTH_MAX = 1 << 24 };
static const int64_t unlimited = INT64_C(1) << 53;

/* The children of one node. */
struct family {
	int64_t base; /* what they are before the first step */
	int64_t least, most; /* what their bounds allow */
};

/* Why a node is looked at again. */
enum { NEW_COSTS = 1, NEW_COUNT = 2 };

/* A node is looked at from low to high; bounds, also of what is below it, allow least to most. */
struct window {
	int64_t low, high, middle;
	int64_t least, most;
};

struct work {
	const struct sotto_tree *tree;
	const struct sotto_tree_measures *m;
	const double *x;
	const uint64_t *lots;
	int64_t *whole;
	uint8_t *widened; /* how often each node's window was doubled */
	uint8_t *news; /* of each node, since the last walk */
	size_t n; /* nodes up to the last one that has children */
	struct window *windows; /* of those */
	size_t *first; /* of their costs */
	double *costs;
	size_t cost_count, cost_room;
	struct sotto_tree_steps steps; /* of a family */
	size_t step_room;
	struct window *children; /* of a family */
	uint32_t *ups; /* of each of them, steps that are taken */
};

/* ---- windows --------------------------------------------------------------------------------- */

static int64_t low_of(const struct work *w, size_t v)
{
	return w->m->s[v] == 0 ? (int64_t)w->m->y[v] : w->m->low ? (int64_t)w->m->low[v] : 0;
}

static int64_t high_of(const struct work *w, size_t v)
{
	if (w->m->s[v] == 0)
		return (int64_t)w->m->y[v];
	return w->m->high && w->m->high[v] < (double)unlimited ? (int64_t)w->m->high[v]
							       : unlimited;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t lesser(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t floor_of(double x)
{
	int64_t whole = (int64_t)x;

	return whole - ((double)whole > x);
}

/* Around the real optimum, within the node's own bounds. */
static struct window around(const struct work *w, size_t v)
{
	int64_t width = INT64_C(1) << w->widened[v];
	struct window window = {
		.middle = floor_of(w->x[v]), .least = low_of(w, v), .most = high_of(w, v)};

	window.low = greater(window.middle - width, window.least);
	window.high = lesser(window.middle + 1 + width, window.most);
	return window;
}

static struct window window_of(const struct work *w, size_t v)
{
	return w->tree->count[v] == 0 ? around(w, v) : w->windows[v];
}

/* (2 (x - y) + 1) / s: what the step from x to x+1 adds to (x - y)^2 / s */
static double own_cost(const struct work *w, size_t v, int64_t x)
{
	double s = w->m->s[v];

	return isinf(s) || s == 0 ? 0 : (2 * ((double)x - w->m->y[v]) + 1) / s;
}

/* ---- the steps of a family ------------------------------------------------------------------- */

static enum sotto_status reserve_steps(struct work *w, size_t n)
{
	struct sotto_tree_step *grown;

	if (n <= w->step_room)
		return SOTTO_OK;
	grown = realloc(w->steps.list, 2 * n * sizeof *grown);
	if (!grown)
		return SOTTO_ENOMEM;
	w->steps.list = grown;
	w->step_room = 2 * n;
	return SOTTO_OK;
}

/* The windows of v's children, and what they add up to. */
static enum sotto_status look_at_children(struct work *w, size_t v, struct family *f)
{
	size_t first = w->tree->first[v], count = w->tree->count[v], steps = 0;

	*f = (struct family){.base = 0};
	for (size_t c = 0; c < count; c++) {
		struct window window = window_of(w, first + c);

		w->children[c] = window;
		steps += (size_t)(window.high - window.low);
		f->base += window.low;
		f->least = lesser(f->least + window.least, unlimited);
		f->most = lesser(f->most + window.most, unlimited);
	}
	return reserve_steps(w, steps);
}

/* Adds the steps of one child from x on, up to end. */
static void list_child(struct work *w, size_t v, size_t c, int64_t x, int64_t end)
{
	const struct window *window = &w->children[c];
	size_t child = w->tree->first[v] + c;
	bool leaf = w->tree->count[child] == 0;

	for (; x < end; x++)
		w->steps.list[w->steps.n++] = (struct sotto_tree_step){
			.cost = leaf ? own_cost(w, child, x)
				     : w->costs[w->first[child] + (size_t)(x - window->low)],
			.place = (uint32_t)(x - window->middle + WIDTH_MAX),
			.child = (uint32_t)c};
}

/* Steps below the real optimum, across it, and above it. */
static enum sotto_status list_steps(struct work *w, size_t v, struct family *f)
{
	size_t count = w->tree->count[v];

	SOTTO_TRY(look_at_children(w, v, f));
	w->steps.n = 0;
	for (size_t c = 0; c < count; c++)
		list_child(w, v, c, w->children[c].low,
			   lesser(w->children[c].high, w->children[c].middle));
	w->steps.ends[0] = w->steps.n;
	for (size_t c = 0; c < count; c++)
		list_child(w, v, c, greater(w->children[c].low, w->children[c].middle),
			   lesser(w->children[c].high, w->children[c].middle + 1));
	w->steps.ends[1] = w->steps.n;
	for (size_t c = 0; c < count; c++)
		list_child(w, v, c, greater(w->children[c].low, w->children[c].middle + 1),
			   w->children[c].high);
	sotto_tree_steps_part(&w->steps);
	return SOTTO_OK;
}

static int compare_costs(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;

	return (l > r) - (l < r);
}

/* A window is narrow; one that was widened often has its costs sorted by merging. */
static void sort_costs(double *a, size_t n)
{
	if (n > 32) {
		qsort(a, n, sizeof *a, compare_costs);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		double cost = a[i];
		size_t j = i;

		for (; j > 0 && cost < a[j - 1]; j--)
			a[j] = a[j - 1];
		a[j] = cost;
	}
}

static const uint64_t *lots_of(const struct work *w, size_t v)
{
	return w->lots ? w->lots + w->tree->first[v] : NULL;
}

/* Keeps the costs of v's own window, with what v itself was measured to be. */
static enum sotto_status keep_costs(struct work *w, size_t v)
{
	struct window *window = &w->windows[v];
	const uint64_t *lots = lots_of(w, v);
	struct family f;
	size_t from, wanted;

	SOTTO_TRY(list_steps(w, v, &f));
	*window = around(w, v);
	window->least = greater(window->least, f.least);
	window->most = lesser(window->most, f.most);
	window->low = greater(window->low, f.base);
	window->high = lesser(window->high, f.base + (int64_t)w->steps.n);
	if (window->low > window->high)
		return SOTTO_EINFEASIBLE;
	from = (size_t)(window->low - f.base);
	wanted = (size_t)(window->high - window->low);
	sotto_tree_steps_select(&w->steps, 0, from, lots);
	sotto_tree_steps_select(&w->steps, from, from + wanted, lots);
	if (w->cost_count + wanted > w->cost_room) {
		size_t room = 2 * (w->cost_count + wanted) + 1024;
		double *grown = realloc(w->costs, room * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		w->costs = grown;
		w->cost_room = room;
	}
	w->first[v] = w->cost_count;
	if (wanted == 0)
		return SOTTO_OK; /* there may be no list of costs yet */
	for (size_t i = 0; i < wanted; i++)
		w->costs[w->cost_count + i] = w->steps.list[from + i].cost;
	sort_costs(w->costs + w->cost_count, wanted);
	for (size_t i = 0; i < wanted; i++)
		w->costs[w->cost_count++] += own_cost(w, v, window->low + (int64_t)i);
	return SOTTO_OK;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Every step of the root that does not cost is taken. */
static void choose_root(struct work *w)
{
	struct window window = window_of(w, 0);
	int64_t x = window.low;

	while (x < window.high &&
	       (w->n == 0 ? own_cost(w, 0, x)
			  : w->costs[w->first[0] + (size_t)(x - window.low)]) < 0)
		x++;
	if (w->whole[0] != x)
		w->news[0] |= NEW_COUNT;
	w->whole[0] = x;
}

static enum sotto_status hand_down(struct work *w, size_t v)
{
	size_t first = w->tree->first[v], count = w->tree->count[v], taken;
	struct family f;

	SOTTO_TRY(list_steps(w, v, &f));
	if (w->whole[v] < f.base || w->whole[v] > f.base + (int64_t)w->steps.n)
		return SOTTO_EINFEASIBLE;
	taken = (size_t)(w->whole[v] - f.base);
	sotto_tree_steps_select(&w->steps, 0, taken, lots_of(w, v));
	memset(w->ups, 0, count * sizeof *w->ups);
	for (size_t i = 0; i < taken; i++)
		w->ups[w->steps.list[i].child]++;
	for (size_t c = 0; c < count; c++) {
		int64_t x = w->children[c].low + w->ups[c];

		if (w->whole[first + c] != x)
			w->news[first + c] |= NEW_COUNT;
		w->whole[first + c] = x;
	}
	return SOTTO_OK;
}

/* Costs change with those of a child, or with the own window. */
static bool has_new_costs(const struct work *w, size_t v)
{
	uint8_t news = w->news[v];

	for (size_t c = w->tree->first[v], end = c + w->tree->count[v]; c < end; c++)
		news |= w->news[c];
	return news & NEW_COSTS;
}

static enum sotto_status walk(struct work *w)
{
	for (size_t v = w->n; v-- > 0;)
		if (w->tree->count[v] > 0 && has_new_costs(w, v)) {
			w->news[v] |= NEW_COSTS;
			SOTTO_TRY(keep_costs(w, v));
		}
	choose_root(w);
	for (size_t v = 0; v < w->n; v++)
		if (w->tree->count[v] > 0 && w->news[v])
			SOTTO_TRY(hand_down(w, v));
	return SOTTO_OK;
}

/* Widens the windows that a node ends at the edge of; how many. */
static size_t widen(struct work *w)
{
	size_t widened = 0;

	memset(w->news, 0, w->tree->n * sizeof *w->news);
	for (size_t v = 0; v < w->tree->n; v++) {
		struct window window = window_of(w, v);
		bool low = w->whole[v] == window.low && window.low > window.least,
		     high = w->whole[v] == window.high && window.high < window.most;

		if (low || high) {
			w->news[v] = NEW_COSTS;
			w->widened[v]++;
			widened++;
		}
	}
	return widened;
}

static enum sotto_status settle(struct work *w)
{
	memset(w->whole, 0, w->tree->n * sizeof *w->whole);
	memset(w->news, NEW_COSTS, w->tree->n * sizeof *w->news);
	for (int i = 0; i < ROUNDS_MAX; i++) {
		SOTTO_TRY(walk(w));
		if (widen(w) == 0)
			return SOTTO_OK;
		for (size_t v = 0; v < w->tree->n; v++)
			if (INT64_C(1) << w->widened[v] >= WIDTH_MAX)
				return SOTTO_ERANGE;
	}
	return SOTTO_ERANGE;
}

enum sotto_status sotto_tree_round(const struct sotto_tree *tree,
				   const struct sotto_tree_measures *m, const double *x,
				   const uint64_t *lots, int64_t *whole)
{
	struct work w = {
		.tree = tree, .m = m, .x = x, .lots = lots, .whole = whole, .n = tree->n};
	enum sotto_status st;
	size_t widest = 1;

	for (size_t v = 0; v < tree->n; v++) {
		if (!(x[v] <= 0x1p52))
			return SOTTO_ERANGE;
		widest = tree->count[v] > widest ? tree->count[v] : widest;
	}
	while (w.n > 0 && tree->count[w.n - 1] == 0)
		w.n--;
	w.widened = calloc(tree->n, sizeof *w.widened);
	w.news = malloc(tree->n * sizeof *w.news);
	w.children = malloc(widest * sizeof *w.children);
	w.ups = malloc(widest * sizeof *w.ups);
	w.windows = calloc(w.n + 1, sizeof *w.windows);
	w.first = calloc(w.n + 1, sizeof *w.first);
	st = w.widened && w.news && w.children && w.ups && w.windows && w.first ? settle(&w)
										: SOTTO_ENOMEM;
	free(w.widened);
	free(w.news);
	free(w.children);
	free(w.ups);
	free(w.windows);
	free(w.first);
	free(w.costs);
	free(w.steps.list);
	return st;
}
