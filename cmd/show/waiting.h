/*
 * waiting.h - shows on a terminal, after a second, that a call of the library still runs
 *
 * A thread draws, since the call does not return before it is done.  It shows only the seconds:
 * how far a query has come depends on private rows.
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
	bool ends; /* guarded by the lock */
	bool runs; /* the thread runs */
};

void waiting_begin(struct waiting *w, const char *label);

/* Changes the label, which is copied. */
void waiting_say(struct waiting *w, const char *label);
void waiting_end(struct waiting *w); /* removes what was drawn */

#endif
