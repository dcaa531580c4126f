/*
 * What `sotto worker` runs: an engine for the process that started it, or one bucket of a
 * question that is spread.
 */
#include <sys/socket.h>

#include "central/engine/worker/worker_launch.h"
#include "central/engine/worker/worker_loop.h"
#include "central/spread/spread_worker.h"
#include "sotto/query.h"

enum sotto_status sotto_worker_serve(struct sotto_error *err)
{
	socklen_t length = sizeof(int);
	int type;

	if (getsockopt(SOTTO_WORKER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &length) == 0)
		return sotto_worker_loop(err);
	return sotto_spread_serve(err);
}
