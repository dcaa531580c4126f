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

static enum sotto_status
push(struct sotto_terms *t, const struct sotto_event *simple, uint64_t count)
{
	struct sotto_event *event;
	struct sotto_term *grown;

	if (t->n == t->capacity) {
		t->capacity = t->capacity ? 2 * t->capacity : 16;
		grown = realloc(t->list, t->capacity * sizeof *grown);
		if (!grown)
			return SOTTO_ENOMEM;
		t->list = grown;
	}
	SOTTO_TRY(sotto_event_copy(simple, &event));
	event->count = 1;
	t->list[t->n++] = (struct sotto_term){event, count};
	return SOTTO_OK;
}

/* Adds an event with its own count, times count. */
static enum sotto_status
add_times(struct sotto_terms *t, const struct sotto_event *e, uint64_t count)
{
	struct sotto_event *one;
	enum sotto_status st;

	if (__builtin_mul_overflow(e->count, count, &count) || count > COUNT_MAX)
		return SOTTO_ERANGE;
	SOTTO_TRY(sotto_event_copy(e, &one));
	one->count = 1;
	st = sotto_terms_add(t, one, count);
	sotto_event_free(one);
	return st;
}

/* Adds a group of k people in a cell. */
static enum sotto_status
add_group(struct sotto_terms *t, const struct sotto_event *cell, uint64_t k, uint64_t count)
{
	struct sotto_event *group, *inside;
	enum sotto_status st;

	SOTTO_TRY(sotto_event_new(SOTTO_EVENT_GROUP, &group));
	group->size = k;
	st = sotto_event_copy(cell, &inside);
	if (st == SOTTO_OK) {
		st = sotto_event_adopt(group, inside);
		if (st != SOTTO_OK)
			sotto_event_free(inside);
	}
	if (st == SOTTO_OK)
		st = sotto_terms_add(t, group, count);
	sotto_event_free(group);
	return st;
}

/* Goes into groups as far as disjoint cells; false if there are none, or numbers grow too large. */
static bool enter_groups(const struct sotto_event **e, uint64_t *k, uint64_t *count)
{
	bool fits = true;

	for (*k = 1; (*e)->kind == SOTTO_EVENT_GROUP; *e = (*e)->children[0]) {
		fits &= !__builtin_mul_overflow(*k, (*e)->size, k) && *k <= COUNT_MAX;
		fits &= !__builtin_mul_overflow(*count, (*e)->count, count);
	}
	fits &= !__builtin_mul_overflow(*count, (*e)->count, count) && *count <= COUNT_MAX;
	return fits && (*e)->kind == SOTTO_EVENT_PARALLEL;
}

/*
 * A group in two disjoint cells, under replace neighbours, is a group in each of them: when k people are replaced, each
 * cell loses or gains at most k records, whoever moves where, and noise in one cell is independent of noise in the other.
 * So both are composed, and what is known of groups in each mechanism counts.  A black box around both cells would know less of them.
 * Of three cells two may change by k records and the third by some of them besides: they stay a black box.
 */
static enum sotto_status add_group_in_two_cells(struct sotto_terms *t,
						const struct sotto_event *e, uint64_t count,
						bool *done)
{
	uint64_t k;

	*done = false;
	if (t->neighbours != SOTTO_REPLACE || e->kind != SOTTO_EVENT_GROUP ||
	    !enter_groups(&e, &k, &count) || e->n_children != 2 ||
	    e->children[0]->kind == SOTTO_EVENT_PARALLEL ||
	    e->children[1]->kind == SOTTO_EVENT_PARALLEL)
		return SOTTO_OK;
	*done = true;
	SOTTO_TRY(add_group(t, e->children[0], k, count));
	return add_group(t, e->children[1], k, count);
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

/* Adds an event in its simplest form.  Under replace neighbours a unit may move: its two worst cells are composed. */
static enum sotto_status
add_simple(struct sotto_terms *t, struct sotto_event *simple, uint64_t count)
{
	bool done;

	SOTTO_TRY(add_group_in_two_cells(t, simple, count, &done));
	if (done)
		return SOTTO_OK;
	if (simple->kind == SOTTO_EVENT_PARALLEL && t->neighbours == SOTTO_REPLACE &&
	    two_worst_are_first(simple)) {
		SOTTO_TRY(add_times(t, simple->children[0], count));
		return add_times(t, simple->children[1], count);
	}
	return push(t, simple, count);
}

enum sotto_status
sotto_terms_add(struct sotto_terms *t, const struct sotto_event *e, uint64_t count)
{
	struct sotto_event *simple;
	enum sotto_status st;
	bool done;

	SOTTO_TRY(add_group_in_two_cells(t, e, count, &done));
	if (done)
		return SOTTO_OK;
	SOTTO_TRY(sotto_event_simplify(e, t->neighbours, &simple));
	st = SOTTO_OK;
	if (__builtin_mul_overflow(simple->count, count, &count) || count > COUNT_MAX)
		st = SOTTO_ERANGE;
	simple->count = 1;
	if (st == SOTTO_OK && count > 0)
		st = add_simple(t, simple, count);
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

/* Whether it says that events are about disjoint parts of the data.  One that dominates the others is alone in the terms. */
static bool has_cells(const struct sotto_event *e)
{
	for (size_t i = 0; i < e->n_children; i++)
		if (has_cells(e->children[i]))
			return true;
	return e->kind == SOTTO_EVENT_PARALLEL && e->n_children > 1;
}

static enum sotto_status add_all(struct sotto_terms *t, const struct sotto_workload *w)
{
	for (size_t i = 0; i < w->n; i++) {
		t->exact_pair &= has_own_pair(w->items[i].event);
		t->has_cells |= has_cells(w->items[i].event);
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
