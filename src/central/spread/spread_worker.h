/*
 * spread_worker.h - a worker that answers for one bucket
 */
#ifndef SOTTO_SPREAD_WORKER_H
#define SOTTO_SPREAD_WORKER_H

#include "sotto/status.h"

/*
 * Reads a ticket from standard input, goes to the coordinator that it names, runs the job
 * that it gets there, and sends what it found.
 *
 * Fails:    SOTTO_EREFUSED if there is no ticket; SOTTO_EIO if the coordinator is not there
 *           or goes away, or if there is no partial: the coordinator knows why.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_spread_serve(struct sotto_error *err);

#endif
