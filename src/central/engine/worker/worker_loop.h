/*
 * worker_loop.h - the worker's side of the socket: requests in, replies out
 */
#ifndef SOTTO_WORKER_LOOP_H
#define SOTTO_WORKER_LOOP_H

#include "sotto/status.h"

/*
 * Serves the other end of descriptor SOTTO_WORKER_SOCKET until it is closed; then this
 * process ends, also in the middle of a query, and the function does not return.
 *
 * Fails:    SOTTO_EIO if no thread could be started.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_worker_loop(struct sotto_error *err);

#endif
