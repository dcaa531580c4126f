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

#endif
