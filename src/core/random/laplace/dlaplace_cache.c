/*
 * Least-recently-used scales.  A kept scale is a slot with a count of borrowers;
 * a slot that somebody borrows is never reused, so a cache whose slots are all
 * borrowed grows by one until they come back.
 */
#include "core/random/laplace/dlaplace.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/base/failure.h"
#include "core/number/rational/rational_value.h"

struct slot {
	struct sotto_rational eps;
	struct sotto_dlaplace *scale;
	size_t borrowers;
	uint64_t used; /* the cache's clock when it was last asked for */
	struct slot *next;
};

struct sotto_dlaplace_cache {
	pthread_mutex_t lock;
	size_t capacity;
	size_t count;
	uint64_t clock;
	struct slot *slots;
};

enum sotto_status sotto_dlaplace_cache_new(size_t capacity, struct sotto_dlaplace_cache **out)
{
	struct sotto_dlaplace_cache *c;

	if (capacity == 0)
		return SOTTO_EINVAL;
	c = calloc(1, sizeof *c);
	if (!c)
		return SOTTO_ENOMEM;
	if (pthread_mutex_init(&c->lock, NULL) != 0) {
		free(c);
		return SOTTO_ENOMEM;
	}
	c->capacity = capacity;
	*out = c;
	return SOTTO_OK;
}

static void slot_free(struct slot *s)
{
	sotto_rational_release(&s->eps);
	sotto_dlaplace_free(s->scale);
	free(s);
}

void sotto_dlaplace_cache_free(struct sotto_dlaplace_cache *c)
{
	if (!c)
		return;
	while (c->slots) {
		struct slot *s = c->slots;

		c->slots = s->next;
		slot_free(s);
	}
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static struct slot *find(const struct sotto_dlaplace_cache *c, const struct sotto_rational *eps)
{
	struct slot *s = c->slots;

	while (s && sotto_rational_compare(&s->eps, eps) != 0)
		s = s->next;
	return s;
}

/* Drops the scale that nobody borrows and nobody asked for the longest. */
static void drop_oldest(struct sotto_dlaplace_cache *c)
{
	struct slot **oldest = NULL, *s;

	for (struct slot **at = &c->slots; *at; at = &(*at)->next)
		if ((*at)->borrowers == 0 && (!oldest || (*at)->used < (*oldest)->used))
			oldest = at;
	if (!oldest)
		return;
	s = *oldest;
	*oldest = s->next;
	c->count--;
	slot_free(s);
}

static enum sotto_status
add(struct sotto_dlaplace_cache *c, const struct sotto_rational *eps, struct slot **out)
{
	struct slot *s = calloc(1, sizeof *s);
	enum sotto_status st;

	if (!s)
		return SOTTO_ENOMEM;
	st = sotto_dlaplace_new(eps, &s->scale);
	if (st != SOTTO_OK) {
		free(s);
		return st;
	}
	sotto_rational_init(&s->eps);
	sotto_rational_set(&s->eps, eps);
	while (c->count >= c->capacity) {
		size_t before = c->count;

		drop_oldest(c);
		if (c->count == before)
			break;
	}
	s->next = c->slots;
	c->slots = s;
	c->count++;
	*out = s;
	return SOTTO_OK;
}

enum sotto_status sotto_dlaplace_cache_get(struct sotto_dlaplace_cache *c,
					   const struct sotto_rational *eps,
					   const struct sotto_dlaplace **out)
{
	if (!c || !eps || !out)
		return SOTTO_EINVAL;
	eps = sotto_rational_settled(eps);

	enum sotto_status st = SOTTO_OK;
	struct slot *s;

	pthread_mutex_lock(&c->lock);
	s = find(c, eps);
	if (!s)
		st = add(c, eps, &s);
	if (st == SOTTO_OK) {
		s->borrowers++;
		s->used = ++c->clock;
		*out = s->scale;
	}
	pthread_mutex_unlock(&c->lock);
	return st;
}

void sotto_dlaplace_cache_put(struct sotto_dlaplace_cache *c, const struct sotto_dlaplace *d)
{
	struct slot *s;

	pthread_mutex_lock(&c->lock);
	for (s = c->slots; s && s->scale != d; s = s->next)
		;
	if (s && s->borrowers)
		s->borrowers--;
	pthread_mutex_unlock(&c->lock);
}
