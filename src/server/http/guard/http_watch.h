/*
 * http_watch.h - closes connections that take too long to send a request
 */
#ifndef SOTTO_HTTP_WATCH_H
#define SOTTO_HTTP_WATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_watched; /* one connection */

struct sotto_watch {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct sotto_watched *first;
	size_t count;
	int seconds; /* within which a request must arrive */
	size_t all_max, each_max; /* connections, and those of one address; 0: any number */
	bool stopping, is_running;
	void (*each_second)(void *context); /* may be NULL */
	void *context;
};

void sotto_watch_init(struct sotto_watch *w, int seconds);
SOTTO_MUST_CHECK enum sotto_status sotto_watch_start(struct sotto_watch *w);
void sotto_watch_release(struct sotto_watch *w);

/*
 * Starts to watch a new connection; NULL if memory is short: it is then not watched.  Where there are as
 * many as may be, the one that has been without a request in work for longest is shut, so that there is
 * always a place for a newcomer.
 */
struct sotto_watched *sotto_watch_add(struct sotto_watch *w, int socket, const char *address);
void sotto_watch_remove(struct sotto_watch *w, struct sotto_watched *one);

/* The clock of a connection stops while a request is being answered, then starts from zero. */
void sotto_watch_set_busy(struct sotto_watch *w, struct sotto_watched *one, bool busy);

/* How many connections are open. */
size_t sotto_watch_count(struct sotto_watch *w);

#endif
