/* Stores of reports, each with a thread that takes batches in groups. */
#include "server/collections/collections.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/failure.h"
#include "core/base/steady.h"
#include "local/collect/collector.h"
#include "sotto/decode.h"

enum {
	WAITING_MAX = 1024,
	PARAMS_MAX = 1 << 20,
	AGAIN_SECONDS = 5, /* before a store that failed is tried again */
};

struct waiting {
	struct waiting *next;
	const uint8_t *bytes;
	size_t n;
	sotto_collection_done done;
	void *context;
	enum sotto_local_verdict verdict;
	enum sotto_local_reason reason;
};

struct sotto_collection {
	char *name;
	struct sotto_local_collector *store;
	pthread_mutex_t lock; /* of the line and the failure */
	pthread_mutex_t store_lock; /* of the store; taken after the other, or alone */
	pthread_cond_t more;
	struct waiting *first, **last;
	size_t length;
	enum sotto_status failure; /* of the store, and in words */
	struct sotto_error failed;
	uint64_t tried; /* when it failed, or was last opened again */
	pthread_t thread;
	bool has_thread, stopping, is_store_ours;
};

struct sotto_collections {
	struct sotto_collection *list;
	size_t count;
};

/* ---- the thread of a collection ------------------------------------------------------------------ */

/* All that waits; NULL when it stops and nothing does. */
static struct waiting *take_line(struct sotto_collection *c)
{
	struct waiting *all;

	pthread_mutex_lock(&c->lock);
	while (!c->first && !c->stopping)
		pthread_cond_wait(&c->more, &c->lock);
	all = c->first;
	c->first = NULL;
	c->last = &c->first;
	c->length = 0;
	pthread_mutex_unlock(&c->lock);
	return all;
}

/*
 * Store lock held.  A store that failed takes nothing more until it is opened again: the disk may
 * have room by now.  A store of somebody else's stays as it is, and its owner is told.
 */
static void heal(struct sotto_collection *c)
{
	uint64_t now = sotto_steady_now();

	if (c->failure == SOTTO_OK || !c->is_store_ours ||
	    now - c->tried < AGAIN_SECONDS * SOTTO_STEADY_SECOND)
		return;
	c->tried = now;
	(void)!sotto_collector_reopen(&c->store, NULL);
}

/* The first failure says what went wrong; those that follow from it do not. */
static void
note(struct sotto_collection *c, enum sotto_status st, const struct sotto_error *err)
{
	pthread_mutex_lock(&c->lock);
	if (st != SOTTO_OK && c->failure == SOTTO_OK) {
		c->failed = *err;
		c->tried = sotto_steady_now();
	}
	c->failure = st;
	pthread_mutex_unlock(&c->lock);
}

/* One sync for all of them. */
static enum sotto_status count_all(struct sotto_collection *c, struct waiting *all)
{
	struct sotto_error err = {""};
	enum sotto_status st = SOTTO_OK;

	pthread_mutex_lock(&c->store_lock);
	heal(c);
	for (struct waiting *w = all; st == SOTTO_OK && w; w = w->next)
		st = sotto_local_collector_take(c->store, w->bytes, w->n, &w->verdict,
						&w->reason);
	if (st == SOTTO_OK || st == SOTTO_EIO) /* after a failure it says what went wrong */
		st = sotto_local_collector_commit(c->store, &err);
	pthread_mutex_unlock(&c->store_lock);
	note(c, st, &err);
	return st;
}

enum sotto_status sotto_collection_health(struct sotto_collection *c, struct sotto_error *err)
{
	enum sotto_status st;

	pthread_mutex_lock(&c->lock);
	st = c->failure;
	if (st != SOTTO_OK && err)
		*err = c->failed;
	pthread_mutex_unlock(&c->lock);
	return st;
}

static void *serve_collection(void *context)
{
	struct sotto_collection *c = context;
	struct waiting *all;

	while ((all = take_line(c))) {
		enum sotto_status st = count_all(c, all);

		while (all) {
			struct waiting *w = all;

			all = w->next;
			w->done(w->context, st, w->verdict, w->reason);
			free(w);
		}
	}
	return NULL;
}

enum sotto_status sotto_collection_add(struct sotto_collection *c, const uint8_t *bytes,
				       size_t n, sotto_collection_done done, void *context)
{
	struct waiting *w = calloc(1, sizeof *w);
	bool fits;

	if (!w)
		return SOTTO_ENOMEM;
	*w = (struct waiting){.bytes = bytes, .n = n, .done = done, .context = context};
	pthread_mutex_lock(&c->lock);
	fits = !c->stopping && c->length < WAITING_MAX;
	if (fits) {
		*c->last = w;
		c->last = &w->next;
		c->length++;
		pthread_cond_signal(&c->more);
	}
	pthread_mutex_unlock(&c->lock);
	if (!fits)
		free(w);
	return fits ? SOTTO_OK : SOTTO_ESTATE;
}

enum sotto_status sotto_collection_counted(struct sotto_collection *c,
					   struct sotto_local_aggregate **out,
					   struct sotto_local_collector_counts *counts)
{
	struct sotto_local_aggregate *copy = NULL;
	enum sotto_status st;

	pthread_mutex_lock(&c->store_lock);
	st = sotto_local_aggregate_new(sotto_local_collector_params(c->store), &copy);
	if (st == SOTTO_OK)
		st = sotto_local_aggregate_merge(
			copy, sotto_local_collector_aggregate(c->store), NULL);
	*counts = sotto_local_collector_counts(c->store);
	pthread_mutex_unlock(&c->store_lock);
	if (st != SOTTO_OK) {
		sotto_local_aggregate_free(copy);
		return st;
	}
	*out = copy;
	return SOTTO_OK;
}

/* ---- opening and closing ------------------------------------------------------------------------- */

static enum sotto_status
read_params(const char *path, struct sotto_client_params *out, struct sotto_error *err)
{
	struct sotto_buffer text;
	enum sotto_status st;

	sotto_buffer_init(&text, PARAMS_MAX);
	st = sotto_buffer_append_regular_file(&text, path);
	if (st == SOTTO_OK)
		st = sotto_local_params_parse(sotto_buffer_text(&text), text.length, out, err);
	else
		st = sotto_fail(err, st,
				"the parameters %.200s of a collection could not be read",
				path);
	sotto_buffer_release(&text);
	return st;
}

static enum sotto_status prepare_one(struct sotto_collection *c, const char *name)
{
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->store_lock, NULL);
	pthread_cond_init(&c->more, NULL);
	c->last = &c->first;
	c->name = strdup(name);
	return c->name ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status start_one(struct sotto_collection *c)
{
	c->has_thread = pthread_create(&c->thread, NULL, serve_collection, c) == 0;
	return c->has_thread ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status open_one(struct sotto_collection *c,
				  const struct sotto_policy_collection *from,
				  struct sotto_error *err)
{
	struct sotto_client_params params;

	SOTTO_TRY(prepare_one(c, from->name));
	SOTTO_TRY(read_params(from->params, &params, err));
	SOTTO_TRY(sotto_local_collector_open(from->store, &params, &c->store, err));
	c->is_store_ours = true;
	SOTTO_TRY(sotto_local_collector_limit(c->store, (uint64_t)from->max_reports));
	return start_one(c);
}

static void stop_one(struct sotto_collection *c)
{
	pthread_mutex_lock(&c->lock);
	c->stopping = true;
	pthread_cond_signal(&c->more);
	pthread_mutex_unlock(&c->lock);
	if (c->has_thread)
		(void)pthread_join(c->thread, NULL);
	c->has_thread = false;
}

static void close_one(struct sotto_collection *c)
{
	stop_one(c);
	if (c->is_store_ours)
		sotto_local_collector_close(c->store);
	pthread_cond_destroy(&c->more);
	pthread_mutex_destroy(&c->store_lock);
	pthread_mutex_destroy(&c->lock);
	free(c->name);
}

static struct sotto_collections *new_list(size_t count)
{
	struct sotto_collections *c = calloc(1, sizeof *c);

	if (c)
		c->list = calloc(count + 1, sizeof *c->list);
	if (c && !c->list) {
		free(c);
		return NULL;
	}
	return c;
}

enum sotto_status sotto_collections_over(struct sotto_local_collector *store, const char *name,
					 struct sotto_collections **out)
{
	struct sotto_collections *c = new_list(1);
	enum sotto_status st;

	if (!c)
		return SOTTO_ENOMEM;
	c->count = 1;
	c->list[0].store = store;
	st = prepare_one(&c->list[0], name);
	if (st == SOTTO_OK)
		st = start_one(&c->list[0]);
	if (st != SOTTO_OK) {
		sotto_collections_close(c);
		return st;
	}
	*out = c;
	return SOTTO_OK;
}

enum sotto_status sotto_collections_open(const struct sotto_policy_collection *list,
					 size_t count, struct sotto_collections **out,
					 struct sotto_error *err)
{
	struct sotto_collections *c = new_list(count);
	enum sotto_status st = SOTTO_OK;

	if (!c)
		return SOTTO_ENOMEM;
	for (size_t i = 0; st == SOTTO_OK && i < count; i++) {
		c->count++;
		st = open_one(&c->list[i], &list[i], err);
	}
	if (st != SOTTO_OK) {
		sotto_collections_close(c);
		return st;
	}
	*out = c;
	return SOTTO_OK;
}

void sotto_collections_stop(struct sotto_collections *c)
{
	for (size_t i = 0; c && i < c->count; i++)
		stop_one(&c->list[i]);
}

void sotto_collections_close(struct sotto_collections *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		close_one(&c->list[i]);
	free(c->list);
	free(c);
}

struct sotto_collection *sotto_collections_at(struct sotto_collections *c, size_t i)
{
	return i < c->count ? &c->list[i] : NULL;
}

const char *sotto_collection_name(const struct sotto_collection *c)
{
	return c->name;
}

struct sotto_collection *sotto_collections_find(struct sotto_collections *c, const char *name)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->list[i].name, name) == 0)
			return &c->list[i];
	return NULL;
}
