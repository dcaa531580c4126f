/*
 * worker_launch.h - a worker process: starting it, ending it
 */
#ifndef SOTTO_WORKER_LAUNCH_H
#define SOTTO_WORKER_LAUNCH_H

#include <spawn.h>
#include <stddef.h>
#include <sys/types.h>

#include "sotto/status.h"

/* The worker's end of the socket, in the worker; standard error is the only other open one. */
enum { SOTTO_WORKER_SOCKET = 3, SOTTO_WORKER_PATH = 4096 };

struct sotto_worker {
	pid_t pid; /* 0: none */
	int pidfd; /* the same process, whatever becomes of its number; or -1 */
	int socket; /* or -1 */
	int words; /* what it writes to its standard error; or -1 */
	char program[SOTTO_WORKER_PATH]; /* for messages */
};

/*
 * Starts `program worker` with one end of a socket, an environment of what it needs, and no
 * other descriptor of this process.
 *
 * Fails:    SOTTO_EIO, SOTTO_ENOMEM; nothing is left behind.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_worker_start(struct sotto_worker *w, const char *program, struct sotto_error *err);

/* What of this process's environment a worker gets; malloc'd, texts borrowed; NULL: no memory. */
char **sotto_worker_environment(void);

/* As in a new process, in a group of its own: an errno, or 0. */
int sotto_worker_set_signals(posix_spawnattr_t *a);

/* Kills it, waits for it, and says how it had ended and with which last words. */
void sotto_worker_end(struct sotto_worker *w, char *how, size_t size);

#endif
