/*
 * sotto worker: runs the engine for the process that started it; not meant to be called by
 * hand.
 */
#include "sotto/query.h"

#include "frame/commands.h"
#include "query/ask.h"

static const struct option options[] = {OPTIONS_END};

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	(void)call;
	return ask_outcome(sotto_worker_serve(err), err);
}

const struct command command_worker = {
	.name = "worker",
	.summary = "run the engine for another sotto, in a separate process",
	.usage = "",
	.details =
		"sotto starts this command itself when a query needs the engine, with a "
		"socket\n"
		"as descriptor 3.  It reads the data within the policy's limits of memory and\n"
		"time, and ends when the process that started it ends.",
	.options = options,
	.hidden = true,
	.run = run,
};
