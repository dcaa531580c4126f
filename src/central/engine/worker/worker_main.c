/*
 * sotto-worker: what `sotto worker` does, in a program that holds nothing else.  It starts in a
 * third of the time, and the process that reads private rows has no part of the ledger, of the
 * policy or of the network in it.
 */
#include <stdio.h>

#include "central/engine/worker/worker_loop.h"

int main(void)
{
	struct sotto_error err = {""};

	if (sotto_worker_loop(&err) == SOTTO_OK)
		return 0;
	fprintf(stderr, "sotto-worker: %s\n", err.text);
	return 1;
}
