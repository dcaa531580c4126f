/*
 * The non-negative optimum on a tree, exactly (tree.md, "Bounds").
 *
 * Each node is a nondecreasing piecewise-linear function X(mu): how much it wants to be
 * when one more unit is worth mu.  It is kept as corner points; left of the first and
 * right of the last it is constant, and a jump is two points with one mu.
 */
#include <stdlib.h>

#include "census/exact/census_exact_tree.h"
#include "core/base/failure.h"

struct corner {
	mpq_t mu, x;
};

struct curve {
	struct corner *corners;
	size_t n, room;
};

static void curve_release(struct curve *c)
{
	for (size_t i = 0; i < c->n; i++)
		mpq_clears(c->corners[i].mu, c->corners[i].x, NULL);
	free(c->corners);
	*c = (struct curve){0};
}

static enum sotto_status curve_push(struct curve *c, const mpq_t mu, const mpq_t x)
{
	struct corner *last = c->n ? &c->corners[c->n - 1] : NULL;

	if (last && mpq_equal(last->mu, mu) && mpq_equal(last->x, x))
		return SOTTO_OK;
	if (c->n == c->room) {
		size_t room = 2 * c->room + 4;
		struct corner *grown = realloc(c->corners, room * sizeof *grown);

		if (!grown)
			return SOTTO_ENOMEM;
		c->corners = grown;
		c->room = room;
	}
	last = &c->corners[c->n++];
	mpq_inits(last->mu, last->x, NULL);
	mpq_set(last->mu, mu);
	mpq_set(last->x, x);
	return SOTTO_OK;
}

/* The point of the line through a and b at the given x (or the given mu). */
static void cross(const mpq_t from, const mpq_t to, const mpq_t at, const mpq_t start,
		  const mpq_t end, mpq_t out)
{
	mpq_t share;

	mpq_init(share);
	mpq_sub(share, to, from);
	mpq_sub(out, at, from);
	mpq_div(share, out, share);
	mpq_sub(out, end, start);
	mpq_mul(out, out, share);
	mpq_add(out, out, start);
	mpq_clear(share);
}

/* X(mu-) and X(mu+) */
static void curve_at(const struct curve *c, const mpq_t mu, mpq_t left, mpq_t right)
{
	size_t i = 0;

	while (i < c->n && mpq_cmp(c->corners[i].mu, mu) < 0)
		i++;
	if (i == c->n) {
		mpq_set(left, c->corners[c->n - 1].x);
		mpq_set(right, left);
		return;
	}
	if (mpq_equal(c->corners[i].mu, mu)) {
		mpq_set(left, c->corners[i].x);
		while (i + 1 < c->n && mpq_equal(c->corners[i + 1].mu, mu))
			i++;
		mpq_set(right, c->corners[i].x);
		return;
	}
	if (i == 0)
		mpq_set(left, c->corners[0].x);
	else
		cross(c->corners[i - 1].mu, c->corners[i].mu, mu, c->corners[i - 1].x,
		      c->corners[i].x, left);
	mpq_set(right, left);
}

/* Some mu with X(mu-) <= x <= X(mu+). */
static void curve_invert(const struct curve *c, const mpq_t x, mpq_t mu)
{
	size_t i = 0;

	while (i < c->n && mpq_cmp(c->corners[i].x, x) < 0)
		i++;
	if (i == 0 || i == c->n)
		mpq_set(mu, c->corners[i == 0 ? 0 : c->n - 1].mu);
	else
		cross(c->corners[i - 1].x, c->corners[i].x, x, c->corners[i - 1].mu,
		      c->corners[i].mu, mu);
}

static enum sotto_status
push_crossing(struct curve *out, const struct corner *a, const struct corner *b, const mpq_t x)
{
	enum sotto_status st = SOTTO_OK;
	mpq_t mu;

	if (mpq_cmp(a->x, x) >= 0 || mpq_cmp(b->x, x) <= 0)
		return SOTTO_OK;
	mpq_init(mu);
	cross(a->x, b->x, x, a->mu, b->mu, mu);
	st = curve_push(out, mu, x);
	mpq_clear(mu);
	return st;
}

/* Holds X between low and high. */
static enum sotto_status curve_clip(struct curve *c, const mpq_t low, const mpq_t high)
{
	struct curve out = {0};
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; st == SOTTO_OK && i < c->n; i++) {
		mpq_srcptr x = c->corners[i].x;

		if (i > 0)
			st = push_crossing(&out, &c->corners[i - 1], &c->corners[i], low);
		if (st == SOTTO_OK && i > 0)
			st = push_crossing(&out, &c->corners[i - 1], &c->corners[i], high);
		if (mpq_cmp(x, low) < 0)
			x = low;
		if (mpq_cmp(x, high) > 0)
			x = high;
		if (st == SOTTO_OK)
			st = curve_push(&out, c->corners[i].mu, x);
	}
	curve_release(c);
	*c = out;
	return st;
}

static int compare_mu(const void *a, const void *b)
{
	return mpq_cmp(((const struct corner *)a)->mu, ((const struct corner *)b)->mu);
}

/* The sum of n curves. */
static enum sotto_status curve_sum(const struct curve *curves, size_t n, struct curve *out)
{
	struct curve all = {0};
	enum sotto_status st = SOTTO_OK;
	mpq_t left, right, l, r;

	mpq_inits(left, right, l, r, NULL);
	for (size_t c = 0; c < n; c++)
		for (size_t i = 0; st == SOTTO_OK && i < curves[c].n; i++)
			st = curve_push(&all, curves[c].corners[i].mu, l);
	if (all.n)
		qsort(all.corners, all.n, sizeof *all.corners, compare_mu);
	for (size_t i = 0; st == SOTTO_OK && i < all.n; i++) {
		if (i > 0 && mpq_equal(all.corners[i].mu, all.corners[i - 1].mu))
			continue;
		mpq_set_ui(left, 0, 1);
		mpq_set_ui(right, 0, 1);
		for (size_t c = 0; c < n; c++) {
			curve_at(&curves[c], all.corners[i].mu, l, r);
			mpq_add(left, left, l);
			mpq_add(right, right, r);
		}
		st = curve_push(out, all.corners[i].mu, left);
		if (st == SOTTO_OK)
			st = curve_push(out, all.corners[i].mu, right);
	}
	curve_release(&all);
	mpq_clears(left, right, l, r, NULL);
	return st;
}

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
			       struct curve *out)
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
		st = curve_push(out, mu, x);
	}
	mpq_clears(high, mu, NULL);
	return st;
}

/* From the sum of the children to the node itself: theta + (G - y)/s. */
static void add_own_measurement(const struct sotto_exact_node *v, struct curve *c)
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

/* How far child c may still jump at this price. */
static void room_of(const struct sotto_exact_tree *t, const struct sotto_exact_node *v,
		    const struct curve *curves, size_t c, const mpq_t theta, mpq_t room)
{
	mpq_t left;

	mpq_init(left);
	curve_at(&curves[c], theta, left, room);
	mpq_sub(room, room, t->nodes[v->first + c].optimum);
	mpq_clear(left);
}

/* Children that jump at this price share what is left, equally as far as they can. */
static void share_rest(struct sotto_exact_tree *t, const struct sotto_exact_node *v,
		       const struct curve *curves, const mpq_t theta, mpq_t rest)
{
	unsigned long sharing = 1;
	mpq_t part, room;

	mpq_inits(part, room, NULL);
	while (sharing > 0 && mpq_sgn(rest) > 0) {
		sharing = 0;
		for (size_t c = 0; c < v->count; c++) {
			room_of(t, v, curves, c, theta, room);
			sharing += mpq_sgn(room) > 0;
		}
		mpq_set_ui(part, sharing > 0 ? sharing : 1, 1);
		mpq_div(part, rest, part);
		for (size_t c = 0; c < v->count; c++) {
			room_of(t, v, curves, c, theta, room);
			if (mpq_sgn(room) <= 0)
				continue;
			if (mpq_cmp(room, part) > 0)
				mpq_set(room, part);
			mpq_sub(rest, rest, room);
			mpq_add(t->nodes[v->first + c].optimum, t->nodes[v->first + c].optimum,
				room);
		}
	}
	mpq_clears(part, room, NULL);
}

/* Gives the children amounts that add up to x. */
static void divide(struct sotto_exact_tree *t, const struct sotto_exact_node *v,
		   const struct curve *curves, const struct curve *sum)
{
	mpq_t theta, left, right, rest;

	mpq_inits(theta, left, right, rest, NULL);
	curve_invert(sum, v->optimum, theta);
	curve_at(sum, theta, left, right);
	mpq_sub(rest, v->optimum, left);
	for (size_t c = 0; c < v->count; c++) {
		curve_at(&curves[c], theta, left, right);
		mpq_set(t->nodes[v->first + c].optimum, left);
	}
	share_rest(t, v, curves, theta, rest);
	mpq_clears(theta, left, right, rest, NULL);
}

static enum sotto_status curve_of(const struct sotto_exact_tree *t, size_t i,
				  const mpq_t ceiling, struct curve *own, struct curve *sums)
{
	const struct sotto_exact_node *v = &t->nodes[i];
	enum sotto_status st;
	mpq_t high;

	if (v->count == 0)
		return alone(v, v->value, &v->variance, ceiling, &own[i]);
	SOTTO_TRY(curve_sum(&own[v->first], v->count, &sums[i]));
	SOTTO_TRY(curve_sum(&sums[i], 1, &own[i]));
	add_own_measurement(v, &own[i]);
	mpq_init(high);
	set_high(v, ceiling, high);
	st = curve_clip(&own[i], v->low, high);
	mpq_clear(high);
	return st;
}

enum sotto_status sotto_exact_tree_optimum(struct sotto_exact_tree *t)
{
	struct curve *own = calloc(t->n, sizeof *own), *sums = calloc(t->n, sizeof *sums);
	enum sotto_status st = own && sums ? SOTTO_OK : SOTTO_ENOMEM;
	mpq_t ceiling, zero, ignored;

	mpq_inits(ceiling, zero, ignored, NULL);
	set_ceiling(t, ceiling);
	for (size_t i = t->n; st == SOTTO_OK && i-- > 0;)
		st = curve_of(t, i, ceiling, own, sums);
	if (st == SOTTO_OK) {
		curve_at(&own[0], zero, t->nodes[0].optimum, ignored);
		for (size_t i = 0; i < t->n; i++)
			if (t->nodes[i].count > 0)
				divide(t, &t->nodes[i], &own[t->nodes[i].first], &sums[i]);
	}
	for (size_t i = 0; own && sums && i < t->n; i++) {
		curve_release(&own[i]);
		curve_release(&sums[i]);
	}
	free(own);
	free(sums);
	mpq_clears(ceiling, zero, ignored, NULL);
	return st;
}

/* ---- parent by parent -------------------------------------------------------------------- */

static enum sotto_status
descend_from(struct sotto_exact_tree *t, struct sotto_exact_node *v, const mpq_t ceiling)
{
	struct curve *own = calloc(v->count, sizeof *own), sum = {0};
	enum sotto_status st = own ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t c = 0; st == SOTTO_OK && c < v->count; c++) {
		const struct sotto_exact_node *child = &t->nodes[v->first + c];

		st = alone(child, child->y, &child->s, ceiling, &own[c]);
	}
	if (st == SOTTO_OK)
		st = curve_sum(own, v->count, &sum);
	if (st == SOTTO_OK)
		divide(t, v, own, &sum);
	for (size_t c = 0; own && c < v->count; c++)
		curve_release(&own[c]);
	curve_release(&sum);
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
