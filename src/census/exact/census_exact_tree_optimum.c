/*
 * The non-negative optimum on a tree, exactly (../tree/tree.md, "Bounds").
 *
 * Each node is a curve: how much it wants to be when one more unit is worth mu.
 */
#include <stdlib.h>

#include "census/exact/census_exact_curve.h"
#include "census/exact/census_exact_tree.h"
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

/* How far child c may still jump at this price. */
static void room_of(const struct sotto_exact_tree *t, const struct sotto_exact_node *v,
		    const struct sotto_exact_curve *curves, size_t c, const mpq_t theta,
		    mpq_t room)
{
	mpq_t left;

	mpq_init(left);
	sotto_exact_curve_at(&curves[c], theta, left, room);
	mpq_sub(room, room, t->nodes[v->first + c].optimum);
	mpq_clear(left);
}

/* Children that jump at this price share what is left, equally as far as they can. */
static void share_rest(struct sotto_exact_tree *t, const struct sotto_exact_node *v,
		       const struct sotto_exact_curve *curves, const mpq_t theta, mpq_t rest)
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
		   const struct sotto_exact_curve *curves, const struct sotto_exact_curve *sum)
{
	mpq_t theta, left, right, rest;

	mpq_inits(theta, left, right, rest, NULL);
	sotto_exact_curve_invert(sum, v->optimum, theta);
	sotto_exact_curve_at(sum, theta, left, right);
	mpq_sub(rest, v->optimum, left);
	for (size_t c = 0; c < v->count; c++) {
		sotto_exact_curve_at(&curves[c], theta, left, right);
		mpq_set(t->nodes[v->first + c].optimum, left);
	}
	share_rest(t, v, curves, theta, rest);
	mpq_clears(theta, left, right, rest, NULL);
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
	SOTTO_TRY(sotto_exact_curve_sum(&sums[i], 1, &own[i]));
	add_own_measurement(v, &own[i]);
	mpq_init(high);
	set_high(v, ceiling, high);
	st = sotto_exact_curve_clip(&own[i], v->low, high);
	mpq_clear(high);
	return st;
}

enum sotto_status sotto_exact_tree_optimum(struct sotto_exact_tree *t)
{
	struct sotto_exact_curve *own = calloc(t->n, sizeof *own),
				 *sums = calloc(t->n, sizeof *sums);
	enum sotto_status st = own && sums ? SOTTO_OK : SOTTO_ENOMEM;
	mpq_t ceiling, zero, ignored;

	mpq_inits(ceiling, zero, ignored, NULL);
	set_ceiling(t, ceiling);
	for (size_t i = t->n; st == SOTTO_OK && i-- > 0;)
		st = curve_of(t, i, ceiling, own, sums);
	if (st == SOTTO_OK) {
		sotto_exact_curve_at(&own[0], zero, t->nodes[0].optimum, ignored);
		for (size_t i = 0; i < t->n; i++)
			if (t->nodes[i].count > 0)
				divide(t, &t->nodes[i], &own[t->nodes[i].first], &sums[i]);
	}
	for (size_t i = 0; own && sums && i < t->n; i++) {
		sotto_exact_curve_release(&own[i]);
		sotto_exact_curve_release(&sums[i]);
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
	struct sotto_exact_curve *own = calloc(v->count, sizeof *own), sum = {0};
	enum sotto_status st = own ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t c = 0; st == SOTTO_OK && c < v->count; c++) {
		const struct sotto_exact_node *child = &t->nodes[v->first + c];

		st = alone(child, child->y, &child->s, ceiling, &own[c]);
	}
	if (st == SOTTO_OK)
		st = sotto_exact_curve_sum(own, v->count, &sum);
	if (st == SOTTO_OK)
		divide(t, v, own, &sum);
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
