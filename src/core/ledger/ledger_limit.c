/*
 * Counts entries into a filter and a plain sum; what is left is remembered until the next
 * entry, and how many more would fit is found by bisection.
 */
#include "core/account/cost/filter.h"
#include "core/ledger/ledger_limit.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

static enum sotto_status init_filter(struct sotto_filter *f,
				     const struct sotto_ledger_budget *budget,
				     const struct sotto_limit *alike, struct sotto_error *err)
{
	if (!alike || !mpq_equal(alike->budget.epsilon.q, budget->epsilon.q) ||
	    !mpq_equal(alike->budget.delta.q, budget->delta.q))
		return sotto_filter_init(f, &budget->epsilon, &budget->delta, err);
	sotto_filter_init_same(f, &alike->filter);
	return SOTTO_OK;
}

enum sotto_status sotto_limit_init(struct sotto_limit *l, const char *analyst,
				   const struct sotto_ledger_budget *budget,
				   const struct sotto_limit *alike, struct sotto_error *err)
{
	*l = (struct sotto_limit){0};
	if (budget->window > INT64_MAX / 2)
		return sotto_fail(err, SOTTO_EINVAL, "a budget's renewal window is too long");
	if (analyst && !(l->analyst = strdup(analyst)))
		return sotto_fail(err, SOTTO_ENOMEM, "out of memory");
	if (init_filter(&l->filter, budget, alike, err) != SOTTO_OK) {
		free(l->analyst);
		return SOTTO_EINVAL;
	}
	sotto_ledger_budget_init(&l->budget);
	sotto_cost_init(&l->spent);
	sotto_filter_left_init(&l->left);
	sotto_rational_set(&l->budget.epsilon, &budget->epsilon);
	sotto_rational_set(&l->budget.delta, &budget->delta);
	l->budget.window = budget->window;
	return SOTTO_OK;
}

void sotto_limit_release(struct sotto_limit *l)
{
	free(l->analyst);
	sotto_filter_release(&l->filter);
	sotto_cost_release(&l->spent);
	sotto_filter_left_release(&l->left);
	sotto_ledger_budget_release(&l->budget);
}

void sotto_limit_turn(struct sotto_limit *l, int64_t window)
{
	l->window = window;
	sotto_filter_reset(&l->filter);
	sotto_cost_release(&l->spent);
	sotto_cost_init(&l->spent);
	l->entries = 0;
	l->overspent = false;
	l->left_is_known = false;
}

bool sotto_limit_concerns(const struct sotto_limit *l, const char *analyst)
{
	return !l->is_shown && !l->is_tally &&
	       (!l->analyst || strcmp(l->analyst, analyst) == 0);
}

bool sotto_limit_counts(const struct sotto_limit *l, enum sotto_ledger_kind kind,
			const char *analyst)
{
	switch (kind) {
	case SOTTO_LEDGER_RELEASE:
	case SOTTO_LEDGER_PARTLY_SHARED:
		return !l->analyst || strcmp(l->analyst, analyst) == 0;
	case SOTTO_LEDGER_SHARED:
		return l->is_shown || (l->analyst && strcmp(l->analyst, analyst) == 0);
	default:
		return false;
	}
}

int64_t sotto_limit_window(const struct sotto_limit *l, int64_t time)
{
	return l->budget.window ? time / (int64_t)l->budget.window : 0;
}

int64_t sotto_limit_start(const struct sotto_limit *l, int64_t window)
{
	return window * (int64_t)l->budget.window;
}

enum sotto_status sotto_limit_count(struct sotto_limit *l, const struct sotto_cost *cost)
{
	enum sotto_status st;

	l->entries++;
	l->left_is_known = false;
	sotto_cost_add(&l->spent, cost);
	st = sotto_filter_admit(&l->filter, cost, NULL);
	if (st == SOTTO_EBUDGET) {
		l->overspent = true;
		return SOTTO_OK;
	}
	return st;
}

enum sotto_status sotto_limit_check(const struct sotto_limit *l, const struct sotto_cost *cost,
				    struct sotto_error *err)
{
	struct sotto_error why = {""};
	enum sotto_status st;

	if (l->overspent)
		return sotto_fail(
			err, SOTTO_EBUDGET,
			"more is spent already than %s%s now allows; raise it in the policy",
			l->analyst ? "the share of " : "the budget",
			l->analyst ? l->analyst : "");
	st = sotto_filter_would_admit(&l->filter, cost, &why);
	if (st != SOTTO_EBUDGET)
		return st;
	if (!l->analyst)
		return sotto_fail(err, st, "%s", why.text);
	return sotto_fail(err, st, "the share of %.60s: %.400s", l->analyst, why.text);
}

/* ---- what would be --------------------------------------------------------------------------- */

static bool is_nothing(const struct sotto_cost *cost)
{
	return (!cost->bounded || sotto_rational_sign(&cost->epsilon) == 0) &&
	       sotto_rational_sign(&cost->delta) == 0 && sotto_rational_sign(&cost->rho) == 0;
}

static void left_after(const struct sotto_limit *l, const struct sotto_cost *cost,
		       struct sotto_filter_left *out)
{
	struct sotto_filter after = l->filter; /* borrows all but the sum */

	sotto_cost_init(&after.spent);
	sotto_cost_set(&after.spent, &l->filter.spent);
	sotto_cost_add(&after.spent, cost);
	sotto_filter_left(&after, out);
	sotto_cost_release(&after.spent);
}

void sotto_limit_left(struct sotto_limit *l, const struct sotto_cost *cost,
		      struct sotto_filter_left *out)
{
	sotto_filter_left_release(out);
	sotto_filter_left_init(out);
	if (l->overspent)
		return;
	if (cost && !(cost->bounded && is_nothing(cost))) {
		left_after(l, cost, out);
		return;
	}
	if (!l->left_is_known)
		sotto_filter_left(&l->filter, &l->left);
	l->left_is_known = true;
	sotto_rational_set(&out->epsilon, &l->left.epsilon);
	sotto_rational_set(&out->rho, &l->left.rho);
	sotto_rational_set(&out->delta, &l->left.delta);
	out->basic = l->left.basic;
}

/* n of them, after `first` if it is not NULL. */
static bool fit(const struct sotto_limit *l, const struct sotto_cost *first,
		const struct sotto_cost *cost, uint64_t n)
{
	struct sotto_cost all;
	bool yes;

	sotto_cost_init(&all);
	sotto_cost_set(&all, cost);
	sotto_cost_repeat(&all, n);
	if (first)
		sotto_cost_add(&all, first);
	yes = sotto_filter_would_admit(&l->filter, &all, NULL) == SOTTO_OK;
	sotto_cost_release(&all);
	return yes;
}

/* If n fit together, fewer do: the rule only looks at sums.  So halving finds the most. */
uint64_t sotto_limit_fits(const struct sotto_limit *l, const struct sotto_cost *first,
			  const struct sotto_cost *cost)
{
	uint64_t low = 0, high = 1;

	if (l->overspent)
		return 0;
	if (is_nothing(cost))
		return UINT64_MAX;
	while (high < UINT64_MAX / 2 && fit(l, first, cost, high)) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (fit(l, first, cost, middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}
