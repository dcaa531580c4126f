/*
 * Rewriting an event into its simplest equivalent form.  Each rule is an equality
 * of loss distributions, except a group of a mechanism with delta, which is the
 * black-box bound, and permute-and-flip, which becomes the Laplace law that
 * dominates it.
 */
#include <stdlib.h>

#include "core/account/event/event.h"
#include "core/account/integral/real.h"
#include "core/base/failure.h"

#define COUNT_MAX (UINT64_C(1) << 53)

static bool multiply_into(uint64_t *n, uint64_t by)
{
	return !__builtin_mul_overflow(*n, by, n) && *n <= COUNT_MAX;
}

static bool costs_nothing(const struct sotto_event *e)
{
	switch (e->kind) {
	case SOTTO_EVENT_APPROX:
		return mpq_sgn(e->epsilon.q) == 0 && mpq_sgn(e->delta.q) == 0;
	case SOTTO_EVENT_GEOMETRIC:
		return mpq_sgn(e->step_epsilon.q) == 0 || e->sensitivity == 0;
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		return e->sensitivity == 0;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		return e->has_truth ? mpq_cmp_ui(e->truth.q, 1, e->answers) == 0
				    : mpq_sgn(e->epsilon.q) == 0;
	default:
		return mpq_sgn(e->first.q) == 0;
	}
}

static void become(struct sotto_event *e, enum sotto_event_kind kind)
{
	e->kind = kind;
	e->whole = 0;
	e->option = false;
}

/* q becomes 1 - q. */
static void complement(mpq_t q)
{
	mpz_sub(mpq_numref(q), mpq_denref(q), mpq_numref(q));
	mpq_canonicalize(q);
}

/* Binary randomized response by probability: p and 1 - p are the same; 1 adds no noise. */
static void simplify_response(struct sotto_event *e)
{
	if (e->answers == 2 && !e->has_truth) {
		become(e, SOTTO_EVENT_PURE);
		return;
	}
	if (!e->has_truth)
		return;
	if (e->answers == 2 && mpq_cmp_ui(e->truth.q, 1, 2) < 0) {
		complement(e->truth.q);
	}
	if (mpq_cmp_ui(e->truth.q, 1, 1) == 0) {
		become(e, SOTTO_EVENT_APPROX);
		mpq_set_ui(e->epsilon.q, 0, 1);
		mpq_set_ui(e->delta.q, 1, 1);
	}
}

static void simplify_leaf(struct sotto_event *e)
{
	if (costs_nothing(e)) {
		e->count = 0;
		return;
	}
	switch (e->kind) {
	case SOTTO_EVENT_GEOMETRIC:
		if (e->sensitivity == 1)
			become(e, SOTTO_EVENT_PURE);
		return;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		simplify_response(e);
		return;
	case SOTTO_EVENT_APPROX:
		if (mpq_sgn(e->delta.q) == 0)
			become(e, SOTTO_EVENT_PURE);
		return;
	case SOTTO_EVENT_PERMUTE_AND_FLIP:
		become(e, SOTTO_EVENT_LAPLACE);
		return;
	default:
		return;
	}
}

/* Replaces *e by its only child. */
static void unwrap(struct sotto_event **e)
{
	struct sotto_event *child = (*e)->children[0];

	(*e)->n_children = 0;
	sotto_event_free(*e);
	*e = child;
}

/* Gaussian noise that is repeated is Gaussian noise. */
static void unite_gaussians(struct sotto_event *e)
{
	if (e->kind != SOTTO_EVENT_GAUSSIAN)
		return;
	mpz_mul_ui(mpq_numref(e->mu_squared.q), mpq_numref(e->mu_squared.q), e->count);
	mpq_canonicalize(e->mu_squared.q);
	e->count = 1;
}

static enum sotto_status simplify_sampled(struct sotto_event **event);
static enum sotto_status
simplify_parallel(struct sotto_event **event, enum sotto_neighbours neighbours);

/* *e becomes a sample of it. */
static enum sotto_status
wrap_in_sample(const struct sotto_rational *rate, struct sotto_event **e)
{
	struct sotto_event *sampled;
	enum sotto_status st;

	SOTTO_TRY(sotto_event_new(SOTTO_EVENT_SAMPLED, &sampled));
	sotto_rational_set(&sampled->rate, rate);
	st = sotto_event_adopt(sampled, *e);
	if (st == SOTTO_OK)
		*e = sampled;
	else
		sotto_event_free(sampled);
	return st;
}

/* Whoever is sampled is in one cell: the cells of a sample are samples of the cells. */
static enum sotto_status sample_cells(struct sotto_event **event)
{
	struct sotto_event *cells = (*event)->children[0];

	for (size_t i = 0; i < cells->n_children; i++) {
		SOTTO_TRY(wrap_in_sample(&(*event)->rate, &cells->children[i]));
		SOTTO_TRY(simplify_sampled(&cells->children[i]));
	}
	cells->count = (*event)->count;
	unwrap(event);
	return simplify_parallel(event, SOTTO_ADD_REMOVE);
}

static enum sotto_status simplify_sampled(struct sotto_event **event)
{
	struct sotto_event *e = *event, *child = e->children[0];
	uint64_t count = e->count;

	if (mpq_sgn(e->rate.q) == 0 || child->count == 0) {
		e->count = 0;
		return SOTTO_OK;
	}
	if (mpq_cmp_ui(e->rate.q, 1, 1) == 0) {
		unwrap(event);
		return multiply_into(&(*event)->count, count) ? SOTTO_OK : SOTTO_ERANGE;
	}
	unite_gaussians(child);
	if (child->kind == SOTTO_EVENT_PARALLEL && child->count == 1 && child->n_children > 0)
		return sample_cells(event);
	if (child->kind == SOTTO_EVENT_SAMPLED && child->count == 1) {
		mpq_mul(child->rate.q, child->rate.q, e->rate.q);
		child->count = count;
		unwrap(event);
	}
	return SOTTO_OK;
}

/* delta (e^(k epsilon) - 1)/(e^epsilon - 1) as a rational, rounded up, at most 1 */
static void group_approx(struct sotto_event *e, uint64_t k)
{
	mpfr_t x, y;

	mpfr_inits2(REAL_BITS, x, y, (mpfr_ptr)0);
	mpfr_set_q(x, e->epsilon.q, MPFR_RNDN);
	mpfr_mul_ui(y, x, k, MPFR_RNDN);
	mpfr_expm1(y, y, MPFR_RNDU);
	mpfr_expm1(x, x, MPFR_RNDD);
	if (mpfr_zero_p(x))
		mpfr_set_ui(y, k, MPFR_RNDU);
	else
		mpfr_div(y, y, x, MPFR_RNDU);
	mpfr_mul_q(y, y, e->delta.q, MPFR_RNDU);
	sotto_real_widen_up(y, y);
	if (mpfr_cmp_ui(y, 1) >= 0)
		mpq_set_ui(e->delta.q, 1, 1);
	else
		mpfr_get_q(e->delta.q, y);
	mpfr_clears(x, y, (mpfr_ptr)0);
}

static void scale(mpq_t q, uint64_t k)
{
	mpz_mul_ui(mpq_numref(q), mpq_numref(q), k);
	mpq_canonicalize(q);
}

/* Carries a group of k into a mechanism; false if only the black box is known. */
static bool push_group(struct sotto_event *e, uint64_t k, bool *fits)
{
	*fits = true;
	switch (e->kind) {
	case SOTTO_EVENT_APPROX:
		group_approx(e, k);
		scale(e->epsilon.q, k);
		return true;
	case SOTTO_EVENT_PURE:
	case SOTTO_EVENT_LAPLACE:
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_PERMUTE_AND_FLIP:
		scale(e->epsilon.q, k);
		return true;
	case SOTTO_EVENT_ZCDP:
	case SOTTO_EVENT_GAUSSIAN:
		scale(e->first.q, k);
		scale(e->first.q, k);
		return true;
	case SOTTO_EVENT_GEOMETRIC:
	case SOTTO_EVENT_DISCRETE_GAUSSIAN:
		*fits = multiply_into(&e->sensitivity, k);
		return true;
	case SOTTO_EVENT_RANDOMIZED_RESPONSE:
		*fits = multiply_into(&e->count, k); /* k people, one report each */
		return true;
	case SOTTO_EVENT_SHUFFLE:
	case SOTTO_EVENT_SAMPLED:
	case SOTTO_EVENT_GROUP:
	case SOTTO_EVENT_PARALLEL:
		return false;
	}
	return false;
}

static enum sotto_status simplify_group(struct sotto_event **event)
{
	struct sotto_event *e = *event, *child = e->children[0];
	uint64_t count = e->count;
	bool fits;

	if (!multiply_into(&count, child->count))
		return SOTTO_ERANGE;
	child->count = e->count = 1;
	if (count == 0 || e->size == 1) {
		unwrap(event);
	} else if (child->kind == SOTTO_EVENT_GROUP) {
		if (!multiply_into(&child->size, e->size))
			return SOTTO_ERANGE;
		unwrap(event);
	} else if (push_group(child, e->size, &fits)) {
		if (!fits)
			return SOTTO_ERANGE;
		unwrap(event);
	}
	return multiply_into(&(*event)->count, count) ? SOTTO_OK : SOTTO_ERANGE;
}

static int compare_cells(const void *a, const void *b)
{
	const struct sotto_event *x = *(struct sotto_event *const *)a;
	const struct sotto_event *y = *(struct sotto_event *const *)b;

	return -sotto_event_compare(x, y);
}

static void drop_child(struct sotto_event *e, size_t i)
{
	sotto_event_free(e->children[i]);
	e->children[i] = e->children[--e->n_children];
}

/* Cells of a cell are cells. */
static enum sotto_status flatten(struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children;) {
		struct sotto_event *child = e->children[i];

		if (child->kind != SOTTO_EVENT_PARALLEL || child->count != 1) {
			i++;
			continue;
		}
		e->children[i] = e->children[--e->n_children];
		while (child->n_children > 0) {
			SOTTO_TRY(sotto_event_adopt(e, child->children[child->n_children - 1]));
			child->n_children--;
		}
		sotto_event_free(child);
	}
	return SOTTO_OK;
}

/* Each cell is compared with so many others: of longer lists some that are dominated may stay. */
enum { COMPARED = 32 };

/* Keeps the cell, unless one of the last that were kept dominates it, and drops those of them that it dominates. */
static void keep_cell(struct sotto_event *e, size_t *kept, struct sotto_event *cell)
{
	size_t first = *kept > COMPARED ? *kept - COMPARED : 0, n = first;

	for (size_t i = first; i < *kept; i++)
		if (sotto_event_dominates(e->children[i], cell)) {
			sotto_event_free(cell);
			return;
		}
	for (size_t i = first; i < *kept; i++) {
		if (sotto_event_dominates(cell, e->children[i]))
			sotto_event_free(e->children[i]);
		else
			e->children[n++] = e->children[i];
	}
	e->children[n++] = cell;
	*kept = n;
}

/* Large parameters first: then few are kept that are dropped later. */
static void drop_dominated(struct sotto_event *e)
{
	size_t kept = 0;

	qsort(e->children, e->n_children, sizeof *e->children, compare_cells);
	for (size_t i = 0; i < e->n_children; i++)
		keep_cell(e, &kept, e->children[i]);
	e->n_children = kept;
}

/* Puts the cells in an order in which a dominating one, of the first, stands before what it dominates. */
static void order_by_dominance(struct sotto_event *e)
{
	qsort(e->children, e->n_children, sizeof *e->children, compare_cells);
	for (size_t i = 0; i + 1 < e->n_children && i < COMPARED; i++)
		for (size_t j = i + 1; j < e->n_children; j++)
			if (sotto_event_dominates(e->children[j], e->children[i]) &&
			    !sotto_event_dominates(e->children[i], e->children[j])) {
				struct sotto_event *swap = e->children[i];

				e->children[i] = e->children[j];
				e->children[j] = swap;
			}
}

static enum sotto_status
simplify_parallel(struct sotto_event **event, enum sotto_neighbours neighbours)
{
	struct sotto_event *e = *event;
	uint64_t count = e->count;

	for (size_t i = 0; i < e->n_children;) {
		if (e->children[i]->count == 0)
			drop_child(e, i);
		else
			i++;
	}
	SOTTO_TRY(flatten(e));
	for (size_t i = 0; i < e->n_children; i++)
		unite_gaussians(e->children[i]);
	if (neighbours != SOTTO_REPLACE)
		drop_dominated(e);
	order_by_dominance(e);
	if (e->n_children == 0)
		e->count = 0;
	if (e->n_children != 1)
		return SOTTO_OK;
	unwrap(event);
	return multiply_into(&(*event)->count, count) ? SOTTO_OK : SOTTO_ERANGE;
}

static enum sotto_status simplify_here(struct sotto_event **e, enum sotto_neighbours neighbours)
{
	switch ((*e)->kind) {
	case SOTTO_EVENT_SAMPLED:
		return simplify_sampled(e);
	case SOTTO_EVENT_GROUP:
		return simplify_group(e);
	case SOTTO_EVENT_PARALLEL:
		return simplify_parallel(e, neighbours);
	default:
		simplify_leaf(*e);
		return SOTTO_OK;
	}
}

static bool is_leaf(const struct sotto_event *e)
{
	return e->n_children == 0 && e->kind != SOTTO_EVENT_PARALLEL;
}

/*
 * Inner events first; but a mechanism inside a group stays what it is until the group has been carried
 * into it: k people move a geometric answer k times as far, and make k reports, while of a pure
 * event only k epsilon is known.
 */
static enum sotto_status
simplify_tree(struct sotto_event **e, enum sotto_neighbours neighbours, bool grouped)
{
	bool is_group = (*e)->kind == SOTTO_EVENT_GROUP;

	for (size_t i = 0; i < (*e)->n_children; i++)
		SOTTO_TRY(simplify_tree(&(*e)->children[i], neighbours, is_group));
	if ((*e)->count == 0 || (grouped && is_leaf(*e)))
		return SOTTO_OK;
	SOTTO_TRY(simplify_here(e, neighbours));
	if (is_group && !grouped && is_leaf(*e) && (*e)->count > 0)
		simplify_leaf(*e);
	return SOTTO_OK;
}

enum sotto_status sotto_event_simplify(const struct sotto_event *e,
				       enum sotto_neighbours neighbours,
				       struct sotto_event **out)
{
	struct sotto_event *copy;
	enum sotto_status st;

	SOTTO_TRY(sotto_event_copy(e, &copy));
	st = simplify_tree(&copy, neighbours, false);
	if (st != SOTTO_OK) {
		sotto_event_free(copy);
		return st;
	}
	*out = copy;
	return SOTTO_OK;
}
