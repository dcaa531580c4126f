/*
 * spread_process.h - a process that is a worker, or starts some
 */
#ifndef SOTTO_SPREAD_PROCESS_H
#define SOTTO_SPREAD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sotto/status.h"

struct sotto_spread_process {
	pid_t pid; /* of the process and of its group; 0: none */
	int pidfd; /* readable once it has ended; or -1 */
	int socket; /* its standard input, and output if it talks; or -1 */
	int words; /* its standard error; or -1 */
	char last[1500]; /* what it said last, for the owner's log */
};

/*
 * Starts a command.  Its standard output is the socket too if it talks, else nothing.
 *
 * Fails:    SOTTO_EIO, SOTTO_ENOMEM; nothing is left behind.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_process_open(struct sotto_spread_process *p, const char *const *words, bool talks,
			  bool keeps_environment);

/* Reads some of what it has said; a process whose words nobody reads would stop. */
void sotto_spread_process_hear(struct sotto_spread_process *p);

/* Waits for its end, at most so many milliseconds, and hears it; its status, or -1. */
int sotto_spread_process_wait(struct sotto_spread_process *p, int patience);

/*
 * Asks its group to end, kills it if it does not within the given number of milliseconds,
 * and waits.
 */
void sotto_spread_process_close(struct sotto_spread_process *p, int patience);

#endif
