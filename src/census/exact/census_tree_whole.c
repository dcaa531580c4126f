/*
 * Whole numbers on a tree of any size: the optimum (tree.md, "Whole numbers").
 *
 * (1) What each further unit costs a subtree is a nondecreasing list.  Of each node's list only a
 *     window around the real optimum is looked at.
 * (2) A result counts if no node ends at the edge of its window, bounds aside: then no single step
 *     and no exchange gains, which is optimal.  Else those windows are widened.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/exact/census_tree.h"
#include "core/base/failure.h"

enum { ROUNDS_MAX = 40, WIDTH_MAX = 1 << 24 };
static const int64_t unlimited = INT64_C(1) << 53;

/* The steps of one family. */
struct family {
	int64_t base; /* what the children are before the first step */
	int64_t least, most; /* what their bounds allow */
	size_t n; /* steps */
};

struct step {
	double cost;
	uint64_t
		lot; /* decide between equals: what is nearer to the real optimum, lots, order */
	uint32_t place, child;
};

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
	size_t n; /* nodes up to the last one that has children */
	struct window *windows; /* of those */
	size_t *first; /* of their costs */
	double *costs;
	size_t cost_count, cost_room;
	struct step *steps;
	size_t step_room;
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

/* Around the real optimum, within the node's own bounds. */
static struct window around(const struct work *w, size_t v)
{
	int64_t width = INT64_C(1) << w->widened[v];
	struct window window = {.middle = (int64_t)floor(w->x[v]),
				.least = low_of(w, v),
				.most = high_of(w, v)};

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
	struct step *grown;

	if (n <= w->step_room)
		return SOTTO_OK;
	grown = realloc(w->steps, 2 * n * sizeof *grown);
	if (!grown)
		return SOTTO_ENOMEM;
	w->steps = grown;
	w->step_room = 2 * n;
	return SOTTO_OK;
}

static enum sotto_status list_steps(struct work *w, size_t v, struct family *f)
{
	size_t first = w->tree->first[v], count = w->tree->count[v];

	*f = (struct family){.base = 0};
	for (size_t c = 0; c < count; c++) {
		struct window window = window_of(w, first + c);
		bool leaf = w->tree->count[first + c] == 0;

		SOTTO_TRY(reserve_steps(w, f->n + (size_t)(window.high - window.low)));
		for (int64_t x = window.low; x < window.high; x++)
			w->steps[f->n++] = (struct step){
				.cost = leaf ? own_cost(w, first + c, x)
					     : w->costs[w->first[first + c] +
							(size_t)(x - window.low)],
				.place = (uint32_t)(x - window.middle + WIDTH_MAX),
				.lot = w->lots ? w->lots[first + c] : 0,
				.child = (uint32_t)c};
		f->base += window.low;
		f->least = lesser(f->least + window.least, unlimited);
		f->most = lesser(f->most + window.most, unlimited);
	}
	return SOTTO_OK;
}

static bool is_before(const struct step *a, const struct step *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost;
	if (a->place != b->place)
		return a->place < b->place;
	return a->lot != b->lot ? a->lot < b->lot : a->child < b->child;
}

static void swap(struct step *a, struct step *b)
{
	struct step kept = *a;

	*a = *b;
	*b = kept;
}

static void sort_few(struct step *a, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && is_before(&a[j], &a[j - 1]); j--)
			swap(&a[j], &a[j - 1]);
}

/* The middle one of three goes to the front. */
static void set_pivot(struct step *a, size_t n)
{
	size_t low = n / 4, middle = n / 2, high = n - 1 - n / 4;

	if (is_before(&a[middle], &a[low]))
		swap(&a[middle], &a[low]);
	if (is_before(&a[high], &a[middle]))
		swap(&a[high], &a[middle]);
	if (is_before(&a[middle], &a[low]))
		swap(&a[middle], &a[low]);
	swap(&a[0], &a[middle]);
}

/* The k first of n steps come first (quickselect; no two steps are equal). */
static void select_first(struct step *a, size_t n, size_t k)
{
	while (n > 12 && k > 0 && k < n) {
		size_t i = 1, j = n - 1;

		set_pivot(a, n);
		for (;;) {
			while (i <= j && is_before(&a[i], &a[0]))
				i++;
			while (i <= j && is_before(&a[0], &a[j]))
				j--;
			if (i >= j)
				break;
			swap(&a[i++], &a[j--]);
		}
		swap(&a[0], &a[j]); /* j steps are before the pivot */
		if (k <= j) {
			n = j;
		} else {
			a += j + 1;
			n -= j + 1;
			k -= j + 1;
		}
	}
	if (k > 0 && k < n)
		sort_few(a, n);
}

static int compare_steps(const void *a, const void *b)
{
	return is_before(a, b) ? -1 : 1;
}

/* Keeps the costs of v's own window, with what v itself was measured to be. */
static enum sotto_status keep_costs(struct work *w, size_t v)
{
	struct window *window = &w->windows[v];
	struct family f;
	size_t from, wanted;

	SOTTO_TRY(list_steps(w, v, &f));
	*window = around(w, v);
	window->least = greater(window->least, f.least);
	window->most = lesser(window->most, f.most);
	window->low = greater(window->low, f.base);
	window->high = lesser(window->high, f.base + (int64_t)f.n);
	if (window->low > window->high)
		return SOTTO_EINFEASIBLE;
	from = (size_t)(window->low - f.base);
	wanted = (size_t)(window->high - window->low);
	if (f.n > 0) { /* else there is no list */
		select_first(w->steps, f.n, from);
		select_first(w->steps + from, f.n - from, wanted);
		qsort(w->steps + from, wanted, sizeof *w->steps, compare_steps);
	}
	if (w->cost_count + wanted > w->cost_room) {
		size_t room = 2 * (w->cost_count + wanted) + 1024;
		double *grown = realloc(w->costs, room * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		w->costs = grown;
		w->cost_room = room;
	}
	w->first[v] = w->cost_count;
	for (size_t i = 0; i < wanted; i++)
		w->costs[w->cost_count++] =
			w->steps[from + i].cost + own_cost(w, v, window->low + (int64_t)i);
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
	w->whole[0] = x;
}

static enum sotto_status hand_down(struct work *w, size_t v)
{
	size_t first = w->tree->first[v], taken;
	struct family f;

	SOTTO_TRY(list_steps(w, v, &f));
	if (w->whole[v] < f.base || w->whole[v] > f.base + (int64_t)f.n)
		return SOTTO_EINFEASIBLE;
	taken = (size_t)(w->whole[v] - f.base);
	select_first(w->steps, f.n, taken);
	for (size_t c = first; c < first + w->tree->count[v]; c++)
		w->whole[c] = window_of(w, c).low;
	for (size_t i = 0; i < taken; i++)
		w->whole[first + w->steps[i].child]++;
	return SOTTO_OK;
}

static enum sotto_status walk(struct work *w)
{
	w->cost_count = 0;
	for (size_t v = w->n; v-- > 0;)
		if (w->tree->count[v] > 0)
			SOTTO_TRY(keep_costs(w, v));
	choose_root(w);
	for (size_t v = 0; v < w->n; v++)
		if (w->tree->count[v] > 0)
			SOTTO_TRY(hand_down(w, v));
	return SOTTO_OK;
}

/* Widens the windows that a node ends at the edge of; how many. */
static size_t widen(struct work *w)
{
	size_t widened = 0;

	for (size_t v = 0; v < w->tree->n; v++) {
		struct window window = window_of(w, v);
		bool low = w->whole[v] == window.low && window.low > window.least,
		     high = w->whole[v] == window.high && window.high < window.most;

		if (low || high) {
			w->widened[v]++;
			widened++;
		}
	}
	return widened;
}

static enum sotto_status settle(struct work *w)
{
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

	for (size_t v = 0; v < tree->n; v++)
		if (!(x[v] <= 0x1p52))
			return SOTTO_ERANGE;
	while (w.n > 0 && tree->count[w.n - 1] == 0)
		w.n--;
	w.widened = calloc(tree->n, sizeof *w.widened);
	w.windows = calloc(w.n + 1, sizeof *w.windows);
	w.first = calloc(w.n + 1, sizeof *w.first);
	st = w.widened && w.windows && w.first ? settle(&w) : SOTTO_ENOMEM;
	free(w.widened);
	free(w.windows);
	free(w.first);
	free(w.costs);
	free(w.steps);
	return st;
}
