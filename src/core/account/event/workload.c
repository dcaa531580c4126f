/*
 * (1) Each distinct event is kept once, with its count.
 * (2) Add/remove and replace never mix.
 * (3) A failing call leaves the workload as it was.
 */
#include "core/account/event/event.h"
#include "core/account/event/workload_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

enum { SLOTS_MIN = 64 };
#define COUNT_MAX (UINT64_C(1) << 53)

const char *sotto_neighbours_name(enum sotto_neighbours neighbours)
{
	static const char *const names[] = {"any", "add-remove", "replace-one"};

	return names[neighbours];
}

enum sotto_status sotto_workload_new(struct sotto_workload **out)
{
	if (!out)
		return SOTTO_EINVAL;

	struct sotto_workload *w = calloc(1, sizeof *w);

	if (!w)
		return SOTTO_ENOMEM;
	*out = w;
	return SOTTO_OK;
}

void sotto_workload_free(struct sotto_workload *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++) {
		sotto_event_free(w->items[i].event);
		free(w->items[i].key);
	}
	free(w->items);
	free(w->slots);
	free(w->mu2);
	free(w->rho);
	free(w->laplace.epsilon);
	free(w);
}

/* The relation that an event needs, or SOTTO_ANY_NEIGHBOURS; false if it needs both. */
static bool needs(const struct sotto_event *e, enum sotto_neighbours *relation)
{
	enum sotto_neighbours own = e->kind == SOTTO_EVENT_SAMPLED   ? SOTTO_ADD_REMOVE
				    : e->kind == SOTTO_EVENT_SHUFFLE ? SOTTO_REPLACE
								     : SOTTO_ANY_NEIGHBOURS;

	if (own != SOTTO_ANY_NEIGHBOURS) {
		if (*relation != SOTTO_ANY_NEIGHBOURS && *relation != own)
			return false;
		*relation = own;
	}
	for (size_t i = 0; i < e->n_children; i++)
		if (!needs(e->children[i], relation))
			return false;
	return true;
}

static enum sotto_status refuse_mixing(struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_EINVAL,
			  "Poisson sampling protects against adding or removing a unit and "
			  "shuffling against replacing one; the two cannot be mixed");
}

enum sotto_status sotto_workload_set_neighbours(struct sotto_workload *w,
						enum sotto_neighbours neighbours,
						struct sotto_error *err)
{
	if (!w)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");
	if (w->neighbours != SOTTO_ANY_NEIGHBOURS && neighbours != w->neighbours)
		return sotto_fail(err, SOTTO_EINVAL,
				  "these events are about %s neighbours, not %s",
				  sotto_neighbours_name(w->neighbours),
				  sotto_neighbours_name(neighbours));
	w->neighbours = neighbours;
	return SOTTO_OK;
}

enum sotto_neighbours sotto_workload_neighbours(const struct sotto_workload *w)
{
	return w->neighbours;
}

static uint64_t hash_of(const char *key)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * UINT64_C(1099511628211);
	return h ^ h >> 29;
}

/* The slot of key: its item, or the empty one where it belongs. */
static size_t *slot_of(const struct sotto_workload *w, const char *key)
{
	size_t i = hash_of(key) & (w->n_slots - 1);

	while (w->slots[i] && strcmp(w->items[w->slots[i] - 1].key, key) != 0)
		i = (i + 1) & (w->n_slots - 1);
	return &w->slots[i];
}

static enum sotto_status grow_slots(struct sotto_workload *w)
{
	size_t n = w->n_slots ? 2 * w->n_slots : SLOTS_MIN;
	size_t *slots;

	if (w->n_slots && 2 * (w->n + 1) <= w->n_slots)
		return SOTTO_OK;
	slots = calloc(n, sizeof *slots);
	if (!slots)
		return SOTTO_ENOMEM;
	free(w->slots);
	w->slots = slots;
	w->n_slots = n;
	for (size_t i = 0; i < w->n; i++)
		*slot_of(w, w->items[i].key) = i + 1;
	return SOTTO_OK;
}

static enum sotto_status grow_items(struct sotto_workload *w)
{
	size_t capacity = w->capacity ? 2 * w->capacity : 16;
	struct sotto_item *items;

	if (w->n < w->capacity)
		return SOTTO_OK;
	items = realloc(w->items, capacity * sizeof *items);
	if (!items)
		return SOTTO_ENOMEM;
	w->items = items;
	w->capacity = capacity;
	return SOTTO_OK;
}

/* Takes event and key on success. */
static enum sotto_status
intern(struct sotto_workload *w, struct sotto_event *event, char *key, uint64_t count)
{
	size_t *slot;
	struct sotto_item *item;

	SOTTO_TRY(grow_slots(w));
	slot = slot_of(w, key);
	if (*slot) {
		item = &w->items[*slot - 1];
		if (count > COUNT_MAX - item->count)
			return SOTTO_ERANGE;
		item->count += count;
		sotto_event_free(event);
		free(key);
		return SOTTO_OK;
	}
	SOTTO_TRY(grow_items(w));
	w->items[w->n] = (struct sotto_item){event, key, count};
	*slot = ++w->n;
	return SOTTO_OK;
}

/* Counts and group sizes inside an event multiply. */
static enum sotto_status check_product(const struct sotto_event *e,
				       enum sotto_neighbours neighbours, uint64_t count,
				       struct sotto_error *err)
{
	struct sotto_event *simple;
	enum sotto_status st = sotto_event_simplify(e, neighbours, &simple);
	uint64_t total;

	if (st == SOTTO_OK) {
		if (__builtin_mul_overflow(simple->count, count, &total) || total > COUNT_MAX)
			st = SOTTO_ERANGE;
		sotto_event_free(simple);
	}
	if (st == SOTTO_ERANGE)
		return sotto_fail(
			err, st,
			"counts, group sizes and sensitivities inside the event multiply "
			"to more than 2^53: make them smaller");
	return st;
}

enum sotto_status sotto_workload_add(struct sotto_workload *w, const struct sotto_event *e,
				     uint64_t count, struct sotto_error *err)
{
	if (!w || !e)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	enum sotto_neighbours relation = w->neighbours;
	struct sotto_event *copy;
	enum sotto_status st;
	uint64_t total;
	char *key = NULL;

	SOTTO_TRY(sotto_event_check(e, err));
	if (!needs(e, &relation))
		return refuse_mixing(err);
	if (__builtin_mul_overflow(e->count, count, &total) || total > COUNT_MAX)
		return sotto_fail(err, SOTTO_ERANGE, "an event may happen at most 2^53 times");
	SOTTO_TRY(check_product(e, relation, count, err));
	SOTTO_TRY(sotto_event_copy(e, &copy));
	copy->count = 1;
	st = sotto_event_format(copy, &key);
	if (st == SOTTO_OK)
		st = intern(w, copy, key, total);
	if (st != SOTTO_OK) {
		sotto_event_free(copy);
		free(key);
		return st == SOTTO_ERANGE
			       ? sotto_fail(
					 err, st,
					 "the same event may happen at most 2^53 times in all")
			       : sotto_fail(err, st, "%s", sotto_status_text(st));
	}
	w->neighbours = relation;
	return SOTTO_OK;
}

enum sotto_status
sotto_workload_add_text(struct sotto_workload *w, const char *text, struct sotto_error *err)
{
	if (!w || !text)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_event *e;
	enum sotto_status st;

	SOTTO_TRY(sotto_event_parse(text, NULL, NULL, &e, err));
	st = sotto_workload_add(w, e, 1, err);
	sotto_event_free(e);
	return st;
}

size_t sotto_workload_size(const struct sotto_workload *w)
{
	return w->n;
}

const struct sotto_event *
sotto_workload_at(const struct sotto_workload *w, size_t i, uint64_t *count)
{
	*count = w->items[i].count;
	return w->items[i].event;
}
