/*
 * waiting.h - shows that a call of the library still runs, after a second, on a terminal
 *
 * A thread draws: the call itself does not return before it is done.  Only the seconds are
 * shown; how far a query has come depends on private rows.
 */
#ifndef SOTTO_WAITING_H
#define SOTTO_WAITING_H

#include <pthread.h>
#include <stdbool.h>

#include "show/progress.h"

enum { WAITING_LABEL = 80 };

struct waiting {
	char label[WAITING_LABEL];
	struct progress progress;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool ends; /* under the lock */
	bool runs; /* there is a thread */
};

void waiting_begin(struct waiting *w, const char *label);

/* Another label from now on; copied. */
void waiting_say(struct waiting *w, const char *label);
void waiting_end(struct waiting *w); /* removes what was drawn */

#endif
