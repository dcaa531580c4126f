/*
 * work_share.h - limits the memory that one address or one user may hold
 *
 * Threads:  all functions but _init and _release may be called from any number of threads.
 */
#ifndef SOTTO_WORK_SHARE_H
#define SOTTO_WORK_SHARE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { SOTTO_SHARE_BUCKETS = 1024 };

struct sotto_share; /* one address or user that holds some memory */

struct sotto_shares {
	pthread_mutex_t lock;
	struct sotto_share *buckets[SOTTO_SHARE_BUCKETS];
	size_t all, all_max, each_max; /* bytes */
};

void sotto_shares_init(struct sotto_shares *s, size_t all_max, size_t each_max);
void sotto_shares_release(struct sotto_shares *s);

/* Takes n bytes.  Returns false, and takes nothing, if that exceeds a limit or memory is short. */
bool sotto_share_hold(struct sotto_shares *s, const char *who, size_t n);

/*
 * The same for an answer that exists and is paid for: it is refused only if a limit was already
 * reached, so that a single answer may have any size.
 */
bool sotto_share_hold_made(struct sotto_shares *s, const char *who, size_t n);

/* Gives n bytes back. */
void sotto_share_drop(struct sotto_shares *s, const char *who, size_t n);

#endif
