/*
 * worker_find.h - finds the program that a worker runs
 */
#ifndef SOTTO_WORKER_FIND_H
#define SOTTO_WORKER_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "sotto/status.h"

/* As engine.h tells.  Fails: SOTTO_EMISSING; err says what to do. */
SOTTO_MUST_CHECK enum sotto_status
sotto_worker_find(char *out, size_t size, struct sotto_error *err);

/* The same for a bucket of a spread question, which sotto-worker knows nothing of. */
SOTTO_MUST_CHECK enum sotto_status
sotto_worker_find_for_buckets(char *out, size_t size, struct sotto_error *err);

/*
 * The program sotto-worker beside that one, or in lib/sotto beside its folder: it does the same
 * and starts sooner.  False: there is none, or others could have put it there.
 */
bool sotto_worker_find_small(const char *program, char *out, size_t size);

#endif
