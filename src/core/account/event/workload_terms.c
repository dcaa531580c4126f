/*
 * Simplifies each event, sorts the list and adds up the counts of equal neighbours; under
 * replace-one, parallel cells become their two worst.
 */
#include "core/account/event/event.h"
#include "core/account/event/workload_terms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "core/number/thread_cache.h"

#define COUNT_MAX (UINT64_C(1) << 53)

void sotto_terms_init(struct sotto_terms *t, enum sotto_neighbours neighbours)
{
	sotto_thread_cache_care();
	*t = (struct sotto_terms){
		.neighbours = neighbours, .exact_pair = true, .ceiling = INFINITY};
}

void sotto_terms_release(struct sotto_terms *t)
{
	for (size_t i = 0; i < t->n; i++)
		sotto_event_free(t->list[i].event);
	free(t->list);
	free(t->laplace);
	free(t->laplace_count);
	*t = (struct sotto_terms){0};
}

static int compare_terms(const void *a, const void *b)
{
	return sotto_event_compare(((const struct sotto_term *)a)->event,
				   ((const struct sotto_term *)b)->event);
}

void sotto_terms_sort(struct sotto_terms *t)
{
	size_t kept = 0;

	if (t->n == 0)
		return;
	qsort(t->list, t->n, sizeof *t->list, compare_terms);
	for (size_t i = 1; i < t->n; i++) {
		if (compare_terms(&t->list[kept], &t->list[i]) == 0) {
			t->list[kept].count += t->list[i].count;
			sotto_event_free(t->list[i].event);
		} else {
			t->list[++kept] = t->list[i];
		}
	}
	t->n = kept + 1;
}

/* Takes event on success. */
static enum sotto_status push(struct sotto_terms *t, struct sotto_event *event, uint64_t count)
{
	struct sotto_term *grown;

	if (t->n == t->capacity) {
		t->capacity = t->capacity ? 2 * t->capacity : 16;
		grown = realloc(t->list, t->capacity * sizeof *grown);
		if (!grown)
			return SOTTO_ENOMEM;
		t->list = grown;
	}
	event->count = 1;
	t->list[t->n++] = (struct sotto_term){event, count};
	return SOTTO_OK;
}

/* Under replace neighbours a unit may move: its two worst cells are composed. */
static enum sotto_status
push_two_cells(struct sotto_terms *t, const struct sotto_event *e, uint64_t count)
{
	for (int i = 0; i < 2; i++) {
		struct sotto_event *cell;
		uint64_t times = e->children[i]->count;
		enum sotto_status st;

		if (__builtin_mul_overflow(times, count, &times) || times > COUNT_MAX)
			return SOTTO_ERANGE;
		SOTTO_TRY(sotto_event_copy(e->children[i], &cell));
		st = push(t, cell, times);
		if (st != SOTTO_OK) {
			sotto_event_free(cell);
			return st;
		}
	}
	return SOTTO_OK;
}

/*
 * Simplifying puts dominating cells first.  The two worst are known from the form if there are no others, or
 * if the first dominates all others and the second all but the first.
 */
static bool two_worst_are_first(const struct sotto_event *e)
{
	for (size_t i = 1; e->n_children > 2 && i < e->n_children; i++)
		if (!sotto_event_dominates(e->children[0], e->children[i]) ||
		    (i > 1 && !sotto_event_dominates(e->children[1], e->children[i])))
			return false;
	return true;
}

enum sotto_status
sotto_terms_add(struct sotto_terms *t, const struct sotto_event *e, uint64_t count)
{
	struct sotto_event *simple;
	enum sotto_status st;

	SOTTO_TRY(sotto_event_simplify(e, t->neighbours, &simple));
	if (__builtin_mul_overflow(simple->count, count, &count) || count > COUNT_MAX) {
		sotto_event_free(simple);
		return SOTTO_ERANGE;
	}
	if (count == 0) {
		sotto_event_free(simple);
		return SOTTO_OK;
	}
	if (simple->kind == SOTTO_EVENT_PARALLEL && t->neighbours == SOTTO_REPLACE &&
	    two_worst_are_first(simple)) {
		st = push_two_cells(t, simple, count);
		sotto_event_free(simple);
		return st;
	}
	st = push(t, simple, count);
	if (st != SOTTO_OK)
		sotto_event_free(simple);
	return st;
}

static enum sotto_status
add_sum(struct sotto_terms *t, enum sotto_event_kind kind, const struct sotto_exactsum *sum)
{
	struct sotto_event *e;
	enum sotto_status st;

	if (!sum)
		return SOTTO_OK;
	SOTTO_TRY(sotto_event_new(kind, &e));
	sotto_exactsum_total(sum, e->first.q);
	st = sotto_terms_add(t, e, 1);
	sotto_event_free(e);
	return st;
}

/* Kinds whose loss distribution is only a bound, or a bound for some inputs. */
static bool has_own_pair(const struct sotto_event *e)
{
	switch (e->kind) {
	case SOTTO_EVENT_EXPONENTIAL:
	case SOTTO_EVENT_PERMUTE_AND_FLIP:
	case SOTTO_EVENT_SHUFFLE:
	case SOTTO_EVENT_PARALLEL:
	case SOTTO_EVENT_GROUP:
		return false;
	default:
		return e->n_children == 0 || has_own_pair(e->children[0]);
	}
}

static enum sotto_status add_all(struct sotto_terms *t, const struct sotto_workload *w)
{
	for (size_t i = 0; i < w->n; i++) {
		t->exact_pair &= has_own_pair(w->items[i].event);
		SOTTO_TRY(sotto_terms_add(t, w->items[i].event, w->items[i].count));
	}
	SOTTO_TRY(add_sum(t, SOTTO_EVENT_GAUSSIAN, w->mu2));
	SOTTO_TRY(add_sum(t, SOTTO_EVENT_ZCDP, w->rho));
	return sotto_terms_add_laplaces(t, w->laplace.epsilon, w->laplace.n);
}

enum sotto_status sotto_terms_of(struct sotto_terms *t, const struct sotto_workload *w)
{
	enum sotto_status st;

	sotto_terms_init(t, w->neighbours);
	st = add_all(t, w);
	if (st != SOTTO_OK) {
		sotto_terms_release(t);
		return st;
	}
	sotto_terms_sort(t);
	return SOTTO_OK;
}

static bool is_one_sided(const struct sotto_event *e)
{
	if (e->kind == SOTTO_EVENT_SAMPLED)
		return true;
	for (size_t i = 0; i < e->n_children; i++)
		if (is_one_sided(e->children[i]))
			return true;
	return false;
}

bool sotto_terms_are_one_sided(const struct sotto_terms *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (is_one_sided(t->list[i].event))
			return true;
	return false;
}
