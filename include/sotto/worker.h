/*
 * sotto/worker.h - the process in which the engine runs
 *
 * Private rows are read by a process of its own, `sotto worker`, under limits of memory
 * and time: what goes wrong there ends that process alone.  A program that uses
 * sotto/query.h need not know of it: the installed sotto is found and started, as a child
 * process.  A program that waits for all of its children does no harm by meeting it.
 */
#ifndef SOTTO_WORKER_H
#define SOTTO_WORKER_H

#include "sotto/api.h"
#include "sotto/error.h"
#include "sotto/status.h"

/*
 * Serves the process at the other end of a socket, the descriptor 3, until it closes
 * it; then this process ends and the function does not return.
 *
 * Fails:    SOTTO_EREFUSED if descriptor 3 is no socket: nobody started this process to
 *           be a worker.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status sotto_worker_serve(struct sotto_error *err);

#endif
