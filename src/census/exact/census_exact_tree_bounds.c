/*
 * What the constraints of a scalar tree leave possible: low and high of every node.
 *
 * On one number per node intervals are enough: the children can add up to x exactly for
 * every x between the sums of their ends (../tree/tree.md).
 */
#include "census/exact/census_exact_tree.h"
#include "core/base/failure.h"

static bool is_whole(const mpq_t q)
{
	return mpz_cmp_ui(mpq_denref(q), 1) == 0;
}

static enum sotto_status check_number(const struct sotto_exact_node *v, const mpq_t q,
				      const char *what, struct sotto_error *err)
{
	if (mpq_sgn(q) < 0)
		return sotto_fail(err, SOTTO_EINFEASIBLE,
				  "%.300s: the %s is negative, and counts are not", v->path,
				  what);
	if (!is_whole(q))
		return sotto_fail(err, SOTTO_EINFEASIBLE,
				  "%.300s: the %s is not a whole number", v->path, what);
	return SOTTO_OK;
}

static bool is_invariant(const struct sotto_exact_node *v)
{
	return !v->variance.infinite && mpq_sgn(v->variance.q) == 0;
}

static enum sotto_status check_own(const struct sotto_exact_node *v, struct sotto_error *err)
{
	SOTTO_TRY(check_number(v, v->lower, "lower bound", err));
	if (!v->upper.infinite) {
		SOTTO_TRY(check_number(v, v->upper.q, "upper bound", err));
		if (mpq_cmp(v->lower, v->upper.q) > 0)
			return sotto_fail(err, SOTTO_EINFEASIBLE,
					  "%.300s: the lower bound is above the upper bound",
					  v->path);
	}
	if (!is_invariant(v))
		return SOTTO_OK;
	SOTTO_TRY(check_number(v, v->value, "fixed value", err));
	if (mpq_cmp(v->value, v->lower) < 0 ||
	    (!v->upper.infinite && mpq_cmp(v->value, v->upper.q) > 0))
		return sotto_fail(err, SOTTO_EINFEASIBLE,
				  "%.300s: the fixed value lies outside the node's bounds",
				  v->path);
	return SOTTO_OK;
}

static void own_interval(struct sotto_exact_node *v)
{
	mpq_set(v->low, is_invariant(v) ? v->value : v->lower);
	v->high.infinite = !is_invariant(v) && v->upper.infinite;
	mpq_set(v->high.q, is_invariant(v) ? v->value : v->upper.q);
}

/* Narrows the node's interval to what its children can add up to. */
static enum sotto_status
narrow(struct sotto_exact_tree *t, struct sotto_exact_node *v, struct sotto_error *err)
{
	struct sotto_extended high = {.infinite = false};
	mpq_t low;
	enum sotto_status st = SOTTO_OK;

	mpq_inits(low, high.q, NULL);
	for (size_t c = v->first; c < v->first + v->count; c++) {
		mpq_add(low, low, t->nodes[c].low);
		mpq_add(high.q, high.q, t->nodes[c].high.q);
		high.infinite |= t->nodes[c].high.infinite;
	}
	if (!v->high.infinite && mpq_cmp(low, v->high.q) > 0)
		st = sotto_fail(err, SOTTO_EINFEASIBLE,
				"%.300s: the %s is below what the constraints of its children "
				"add up to",
				v->path, is_invariant(v) ? "fixed value" : "upper bound");
	else if (!high.infinite && mpq_cmp(high.q, v->low) < 0)
		st = sotto_fail(err, SOTTO_EINFEASIBLE,
				"%.300s: the %s is above what the constraints of its children "
				"allow",
				v->path, is_invariant(v) ? "fixed value" : "lower bound");
	if (mpq_cmp(low, v->low) > 0)
		mpq_set(v->low, low);
	if (!high.infinite && (v->high.infinite || mpq_cmp(high.q, v->high.q) < 0)) {
		mpq_set(v->high.q, high.q);
		v->high.infinite = false;
	}
	mpq_clears(low, high.q, NULL);
	return st;
}

enum sotto_status sotto_exact_tree_bound(struct sotto_exact_tree *t, struct sotto_error *err)
{
	for (size_t i = t->n; i-- > 0;) {
		struct sotto_exact_node *v = &t->nodes[i];

		SOTTO_TRY(check_own(v, err));
		own_interval(v);
		if (v->count > 0)
			SOTTO_TRY(narrow(t, v, err));
	}
	return SOTTO_OK;
}
