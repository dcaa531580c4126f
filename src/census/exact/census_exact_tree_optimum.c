/*
 * The non-negative optimum on a tree, exactly (../tree/tree.md, "Bounds").
 *
 * Each node is a curve: how much it wants to be when one more unit is worth mu.
 */
#include <stdlib.h>

#include "census/exact/census_exact_curve.h"
#include "census/exact/census_exact_tree.h"
#include "census/exact/census_exact_tree_window.h"
#include "core/base/failure.h"

/* ---- nodes as curves --------------------------------------------------------------------- */

/* An upper end beyond which no optimum has to go: more than everything anybody asks for. */
static void set_ceiling(const struct sotto_exact_tree *t, mpq_t ceiling)
{
	mpq_t part;

	mpq_init(part);
	mpq_set_ui(ceiling, 1, 1);
	for (size_t v = 0; v < t->n; v++) {
		mpq_abs(part, t->nodes[v].value);
		mpq_add(ceiling, ceiling, part);
		mpq_add(ceiling, ceiling, t->nodes[v].low);
	}
	mpq_clear(part);
}

static void set_high(const struct sotto_exact_node *v, const mpq_t ceiling, mpq_t high)
{
	mpq_set(high,
		v->high.infinite || mpq_cmp(v->high.q, ceiling) > 0 ? ceiling : v->high.q);
	if (mpq_cmp(high, v->low) < 0)
		mpq_set(high, v->low);
}

/* A node whose children do not count: clip(y + s mu), a step at 0 where it is not measured. */
static enum sotto_status alone(const struct sotto_exact_node *v, const mpq_t y,
			       const struct sotto_extended *s, const mpq_t ceiling,
			       struct sotto_exact_curve *out)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t high, mu;

	mpq_inits(high, mu, NULL);
	set_high(v, ceiling, high);
	for (int end = 0; st == SOTTO_OK && end < 2; end++) {
		mpq_srcptr x = end == 0 ? v->low : high;

		if (!s->infinite && mpq_sgn(s->q) > 0) {
			mpq_sub(mu, x, y);
			mpq_div(mu, mu, s->q);
		}
		st = sotto_exact_curve_push(out, mu, x);
	}
	mpq_clears(high, mu, NULL);
	return st;
}

/* From the sum of the children to the node itself: theta + (G - y)/s. */
static void add_own_measurement(const struct sotto_exact_node *v, struct sotto_exact_curve *c)
{
	mpq_t pull;

	if (v->variance.infinite || mpq_sgn(v->variance.q) == 0)
		return;
	mpq_init(pull);
	for (size_t i = 0; i < c->n; i++) {
		mpq_sub(pull, c->corners[i].x, v->value);
		mpq_div(pull, pull, v->variance.q);
		mpq_add(c->corners[i].mu, c->corners[i].mu, pull);
	}
	mpq_clear(pull);
}

/* How far a child may still jump at the price that its parent pays. */
struct room {
	mpq_t size;
	mpq_ptr to; /* the child's amount */
};

static int compare_rooms(const void *a, const void *b)
{
	return mpq_cmp(((const struct room *)a)->size, ((const struct room *)b)->size);
}

/* Children that jump share what is left, equally as far as they can: the smallest room first. */
static void share_rest(struct room *rooms, size_t n, mpq_t rest)
{
	mpq_t part;

	if (mpq_sgn(rest) <= 0)
		return;
	mpq_init(part);
	qsort(rooms, n, sizeof *rooms, compare_rooms);
	for (size_t i = 0; i < n && mpq_sgn(rest) > 0; i++) {
		mpq_set_ui(part, n - i, 1);
		mpq_div(part, rest, part);
		if (mpq_cmp(part, rooms[i].size) > 0)
			mpq_set(part, rooms[i].size);
		mpq_sub(rest, rest, part);
		mpq_add(rooms[i].to, rooms[i].to, part);
	}
	mpq_clear(part);
}

/* Gives the children amounts that add up to x. */
static enum sotto_status divide(struct sotto_exact_tree *t, const struct sotto_exact_node *v,
				const struct sotto_exact_curve *curves,
				const struct sotto_exact_curve *sum)
{
	struct room *rooms = malloc(v->count * sizeof *rooms);
	mpq_t theta, left, right, rest;

	if (!rooms)
		return SOTTO_ENOMEM;
	mpq_inits(theta, left, right, rest, NULL);
	sotto_exact_curve_invert(sum, v->optimum, theta);
	sotto_exact_curve_at(sum, theta, left, right);
	mpq_sub(rest, v->optimum, left);
	for (size_t c = 0; c < v->count; c++) {
		rooms[c].to = t->nodes[v->first + c].optimum;
		mpq_init(rooms[c].size);
		sotto_exact_curve_at(&curves[c], theta, rooms[c].to, right);
		mpq_sub(rooms[c].size, right, rooms[c].to);
	}
	share_rest(rooms, v->count, rest);
	for (size_t c = 0; c < v->count; c++)
		mpq_clear(rooms[c].size);
	mpq_clears(theta, left, right, rest, NULL);
	free(rooms);
	return SOTTO_OK;
}

static enum sotto_status curve_of(const struct sotto_exact_tree *t, size_t i,
				  const mpq_t ceiling, struct sotto_exact_curve *own,
				  struct sotto_exact_curve *sums)
{
	const struct sotto_exact_node *v = &t->nodes[i];
	enum sotto_status st;
	mpq_t high;

	if (v->count == 0)
		return alone(v, v->value, &v->variance, ceiling, &own[i]);
	SOTTO_TRY(sotto_exact_curve_sum(&own[v->first], v->count, &sums[i]));
	SOTTO_TRY(sotto_exact_curve_copy(&sums[i], &own[i]));
	add_own_measurement(v, &own[i]);
	mpq_init(high);
	set_high(v, ceiling, high);
	st = sotto_exact_curve_clip(&own[i], v->low, high);
	mpq_clear(high);
	return st;
}

/* Leaves of a curve what lies in the window. */
static enum sotto_status
cut(struct sotto_exact_curve *c, const struct sotto_exact_window *window)
{
	return sotto_exact_curve_cut(c, window->left.infinite ? NULL : window->left.q,
				     window->right.infinite ? NULL : window->right.q);
}

/* The curves of all nodes: by themselves, and of their children together. */
struct curves {
	struct sotto_exact_curve *own, *sums;
	const struct sotto_exact_window *windows; /* NULL: whole curves */
};

/* A parent looks at its children only near its price. */
static enum sotto_status build(struct sotto_exact_tree *t, const struct curves *c)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t ceiling;

	mpq_init(ceiling);
	set_ceiling(t, ceiling);
	for (size_t i = t->n; st == SOTTO_OK && i-- > 0;) {
		st = curve_of(t, i, ceiling, c->own, c->sums);
		if (st == SOTTO_OK && c->windows && i > 0)
			st = cut(&c->own[i], &c->windows[t->nodes[i].parent]);
	}
	mpq_clear(ceiling);
	return st;
}

static enum sotto_status hand_down(struct sotto_exact_tree *t, const struct curves *c)
{
	mpq_t zero, ignored;

	mpq_inits(zero, ignored, NULL);
	sotto_exact_curve_at(&c->own[0], zero, t->nodes[0].optimum, ignored);
	mpq_clears(zero, ignored, NULL);
	SOTTO_TRY(sotto_exact_tree_check_length(t, t->nodes[0].optimum));
	for (size_t i = 0; i < t->n; i++)
		if (t->nodes[i].count > 0)
			SOTTO_TRY(divide(t, &t->nodes[i], &c->own[t->nodes[i].first],
					 &c->sums[i]));
	return SOTTO_OK;
}

static enum sotto_status
solve(struct sotto_exact_tree *t, const struct sotto_exact_window *windows)
{
	struct curves c = {calloc(t->n, sizeof *c.own), calloc(t->n, sizeof *c.sums), windows};
	enum sotto_status st = c.own && c.sums ? build(t, &c) : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		st = hand_down(t, &c);
	for (size_t i = 0; c.own && c.sums && i < t->n; i++) {
		sotto_exact_curve_release(&c.own[i]);
		sotto_exact_curve_release(&c.sums[i]);
	}
	free(c.own);
	free(c.sums);
	return st;
}

/* What short curves lead to is taken if it is the optimum; whole curves lead to nothing else. */
enum sotto_status sotto_exact_tree_optimum(struct sotto_exact_tree *t)
{
	struct sotto_exact_window *windows = sotto_exact_windows_new(t);
	bool optimal = false;

	if (windows) {
		enum sotto_status st = solve(t, windows);

		sotto_exact_windows_free(windows, t->n);
		SOTTO_TRY(st);
		optimal = sotto_exact_tree_is_optimal(t);
	}
	return optimal ? SOTTO_OK : solve(t, NULL);
}

/* ---- parent by parent -------------------------------------------------------------------- */

static enum sotto_status
descend_from(struct sotto_exact_tree *t, struct sotto_exact_node *v, const mpq_t ceiling)
{
	struct sotto_exact_curve *own = calloc(v->count, sizeof *own), sum = {0};
	enum sotto_status st = own ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t c = 0; st == SOTTO_OK && c < v->count; c++) {
		const struct sotto_exact_node *child = &t->nodes[v->first + c];

		st = alone(child, child->y, &child->s, ceiling, &own[c]);
	}
	if (st == SOTTO_OK)
		st = sotto_exact_curve_sum(own, v->count, &sum);
	if (st == SOTTO_OK)
		st = divide(t, v, own, &sum);
	for (size_t c = 0; own && c < v->count; c++)
		sotto_exact_curve_release(&own[c]);
	sotto_exact_curve_release(&sum);
	free(own);
	return st;
}

enum sotto_status sotto_exact_tree_descend(struct sotto_exact_tree *t)
{
	struct sotto_exact_node *root = &t->nodes[0];
	enum sotto_status st = SOTTO_OK;
	mpq_t ceiling;

	mpq_set(root->optimum, root->s.infinite ? root->estimate : root->y);
	if (mpq_cmp(root->optimum, root->low) < 0)
		mpq_set(root->optimum, root->low);
	if (!root->high.infinite && mpq_cmp(root->optimum, root->high.q) > 0)
		mpq_set(root->optimum, root->high.q);
	mpq_init(ceiling);
	set_ceiling(t, ceiling);
	for (size_t i = 0; st == SOTTO_OK && i < t->n; i++)
		if (t->nodes[i].count > 0)
			st = descend_from(t, &t->nodes[i], ceiling);
	mpq_clear(ceiling);
	return st;
}

void sotto_exact_tree_objective(const struct sotto_exact_tree *t, mpq_t out)
{
	mpq_t part;

	mpq_init(part);
	mpq_set_ui(out, 0, 1);
	for (size_t i = 0; i < t->n; i++) {
		const struct sotto_exact_node *v = &t->nodes[i];

		if (v->variance.infinite || mpq_sgn(v->variance.q) == 0)
			continue;
		mpq_sub(part, v->optimum, v->value);
		mpq_mul(part, part, part);
		mpq_div(part, part, v->variance.q);
		mpq_add(out, out, part);
	}
	mpq_clear(part);
}
