/*
 * One thread looks once a second for connections that take too long.  A newcomer looks for the oldest idle one
 * itself if there are too many: first among those of its own address.
 */
#include "server/http/guard/http_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/base/steady.h"
#include "core/base/steady_wait.h"

/* A connection that a request has not come through yet, or again, since a moment. */
struct sotto_watched {
	struct sotto_watched *next, **back;
	int socket;
	int64_t since;
	bool busy; /* a request is in work: the clock stands */
	bool is_shut;
	char address[64];
};

static int64_t now(void)
{
	return (int64_t)(sotto_steady_now() / SOTTO_STEADY_SECOND);
}

static void *look(void *context)
{
	struct sotto_watch *w = context;

	pthread_mutex_lock(&w->lock);
	while (!w->stopping) {
		for (struct sotto_watched *l = w->first; l; l = l->next)
			if (!l->busy && now() - l->since > w->seconds)
				(void)shutdown(l->socket, SHUT_RDWR);
		sotto_steady_wait(&w->change, &w->lock, SOTTO_STEADY_SECOND);
		pthread_mutex_unlock(&w->lock);
		if (w->each_second)
			w->each_second(w->context);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

void sotto_watch_init(struct sotto_watch *w, int seconds)
{
	*w = (struct sotto_watch){.seconds = seconds};
	pthread_mutex_init(&w->lock, NULL);
	sotto_steady_condition(&w->change);
}

enum sotto_status sotto_watch_start(struct sotto_watch *w)
{
	w->is_running = pthread_create(&w->thread, NULL, look, w) == 0;
	return w->is_running ? SOTTO_OK : SOTTO_ENOMEM;
}

static void watch_stop(struct sotto_watch *w)
{
	pthread_mutex_lock(&w->lock);
	w->stopping = true;
	pthread_cond_broadcast(&w->change);
	pthread_mutex_unlock(&w->lock);
	if (w->is_running)
		(void)pthread_join(w->thread, NULL);
	w->is_running = false;
}

void sotto_watch_release(struct sotto_watch *w)
{
	watch_stop(w);
	pthread_cond_destroy(&w->change);
	pthread_mutex_destroy(&w->lock);
}

/*
 * Lock held: the connection that has waited longest, of that address or (NULL) of all; of those that have waited
 * equally long the one that came first.  *count of them are open.
 */
static struct sotto_watched *
longest(const struct sotto_watch *w, const char *address, size_t *count)
{
	struct sotto_watched *found = NULL;

	*count = 0;
	for (struct sotto_watched *l = w->first; l; l = l->next) {
		if (l->is_shut || (address && strcmp(l->address, address) != 0))
			continue;
		++*count;
		if (!l->busy && (!found || l->since <= found->since))
			found = l;
	}
	return found;
}

/* Lock held. */
static void make_room(struct sotto_watch *w, const char *address)
{
	struct sotto_watched *one = NULL;
	size_t count = 0;

	if (w->each_max > 0 && w->count >= w->each_max)
		one = longest(w, address, &count);
	if (count < w->each_max)
		one = NULL;
	if (!one && w->all_max > 0 && w->count >= w->all_max) {
		one = longest(w, NULL, &count);
		if (count < w->all_max)
			one = NULL;
	}
	if (!one)
		return;
	one->is_shut = true;
	(void)shutdown(one->socket, SHUT_RDWR);
}

struct sotto_watched *sotto_watch_add(struct sotto_watch *w, int socket, const char *address)
{
	struct sotto_watched *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->socket = socket;
	l->since = now();
	(void)snprintf(l->address, sizeof l->address, "%s", address);
	pthread_mutex_lock(&w->lock);
	make_room(w, l->address);
	l->next = w->first;
	l->back = &w->first;
	if (l->next)
		l->next->back = &l->next;
	w->first = l;
	w->count++;
	pthread_mutex_unlock(&w->lock);
	return l;
}

void sotto_watch_remove(struct sotto_watch *w, struct sotto_watched *one)
{
	if (!one)
		return;
	pthread_mutex_lock(&w->lock);
	*one->back = one->next;
	if (one->next)
		one->next->back = one->back;
	w->count--;
	pthread_mutex_unlock(&w->lock);
	free(one);
}

void sotto_watch_set_busy(struct sotto_watch *w, struct sotto_watched *one, bool busy)
{
	if (!one)
		return;
	pthread_mutex_lock(&w->lock);
	one->busy = busy;
	one->since = now();
	pthread_mutex_unlock(&w->lock);
}

size_t sotto_watch_count(struct sotto_watch *w)
{
	size_t n;

	pthread_mutex_lock(&w->lock);
	n = w->count;
	pthread_mutex_unlock(&w->lock);
	return n;
}
