/*
 * Maps by number, each there from its beginning: the engine forgets the states of a statement
 * that fails, and what they point to.
 */
#include "central/engine/sum/owner_list.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "central/engine/sum/owner_file.h"

/* A map that was made, or one of a file. */
struct kept {
	struct sotto_owner_map *map; /* NULL: that of the file */
	struct sotto_owner_file file;
	char *path; /* NULL: it was made */
};

struct sotto_owners {
	pthread_mutex_t lock;
	uint64_t seed;
	struct kept *list; /* by number, from 1 on */
	size_t count;
};

struct sotto_owners *sotto_owners_new(void)
{
	struct sotto_owners *o = calloc(1, sizeof *o);

	if (o && (getrandom(&o->seed, sizeof o->seed, 0) != (ssize_t)sizeof o->seed ||
		  pthread_mutex_init(&o->lock, NULL) != 0)) {
		free(o);
		return NULL;
	}
	return o;
}

void sotto_owners_clear(struct sotto_owners *o)
{
	while (o->count > 0) {
		struct kept *k = &o->list[--o->count];

		sotto_owner_map_free(k->map);
		sotto_owner_file_close(&k->file);
		free(k->path);
	}
	free(o->list);
	o->list = NULL;
}

void sotto_owners_free(struct sotto_owners *o)
{
	if (!o)
		return;
	sotto_owners_clear(o);
	(void)pthread_mutex_destroy(&o->lock);
	free(o);
}

uint64_t sotto_owners_seed(const struct sotto_owners *o)
{
	return o->seed;
}

/* Under the lock: its number; 0: without memory. */
static uint64_t add(struct sotto_owners *o, const struct kept *k)
{
	struct kept *more = realloc(o->list, (o->count + 1) * sizeof *more);

	if (!more)
		return 0;
	o->list = more;
	o->list[o->count] = *k;
	return ++o->count;
}

uint64_t sotto_owners_keep(struct sotto_owners *o, struct sotto_owner_map *m)
{
	uint64_t number;

	(void)pthread_mutex_lock(&o->lock);
	number = add(o, &(struct kept){.map = m});
	(void)pthread_mutex_unlock(&o->lock);
	return number;
}

static enum sotto_status
load(struct sotto_owners *o, const char *path, size_t length, uint64_t *number)
{
	struct kept k = {0};
	enum sotto_status st;

	for (size_t i = 0; i < o->count; i++)
		if (o->list[i].path && strlen(o->list[i].path) == length &&
		    memcmp(o->list[i].path, path, length) == 0) {
			*number = i + 1;
			return SOTTO_OK;
		}
	k.path = strndup(path, length);
	st = k.path ? sotto_owner_file_open(k.path, &k.file) : SOTTO_ENOMEM;
	if (st == SOTTO_OK && (*number = add(o, &k)) != 0)
		return SOTTO_OK;
	sotto_owner_file_close(&k.file);
	free(k.path);
	return st == SOTTO_OK ? SOTTO_ENOMEM : st;
}

enum sotto_status
sotto_owners_load(struct sotto_owners *o, const char *path, size_t length, uint64_t *number)
{
	enum sotto_status st;

	(void)pthread_mutex_lock(&o->lock);
	st = load(o, path, length, number);
	(void)pthread_mutex_unlock(&o->lock);
	return st;
}

const struct sotto_owner_map *sotto_owners_find(struct sotto_owners *o, uint64_t number)
{
	const struct sotto_owner_map *m = NULL;

	(void)pthread_mutex_lock(&o->lock);
	if (number >= 1 && number <= o->count)
		m = o->list[number - 1].path ? o->list[number - 1].file.map
					     : o->list[number - 1].map;
	(void)pthread_mutex_unlock(&o->lock);
	return m;
}
