/*
 * work_share.h - how much memory each holds: requests of an address, statements of a user
 *
 * Threads:  all functions but _init and _release may be called from any number of threads.
 */
#ifndef SOTTO_WORK_SHARE_H
#define SOTTO_WORK_SHARE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { SOTTO_SHARE_BUCKETS = 1024 };

struct sotto_share; /* of one address or name that holds something */

struct sotto_shares {
	pthread_mutex_t lock;
	struct sotto_share *buckets[SOTTO_SHARE_BUCKETS];
	size_t all, all_max, each_max; /* bytes */
};

void sotto_shares_init(struct sotto_shares *s, size_t all_max, size_t each_max);
void sotto_shares_release(struct sotto_shares *s);

/* False, and nothing is held, if n more bytes are past a limit or there is no memory. */
bool sotto_share_hold(struct sotto_shares *s, const char *who, size_t n);

/*
 * For what has been made already, and paid for: it is refused only if a limit was reached
 * before, so that one of any size can be had.
 */
bool sotto_share_hold_made(struct sotto_shares *s, const char *who, size_t n);

/* Gives back what was held. */
void sotto_share_drop(struct sotto_shares *s, const char *who, size_t n);

#endif
