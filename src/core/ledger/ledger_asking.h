/*
 * ledger_asking.h - marks an entry whose answer is still being computed
 *
 * A charge whose answer is being computed is locked by its number, in a file beside the ledger,
 * from before others can see the charge until its answer is stored.  The lock ends with the
 * process: a process that waits for it then sees that there is no answer.  The last process to
 * close the ledger removes the file.
 */
#ifndef SOTTO_LEDGER_ASKING_H
#define SOTTO_LEDGER_ASKING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sotto/status.h"

struct sotto_asking {
	char *path; /* of the file of locks; NULL: not yet known */
	int fd; /* -1 until it is needed */
	pid_t process; /* that opened it: a child shares its locks and leaves the file alone */
};

void sotto_asking_init(struct sotto_asking *a);
void sotto_asking_release(struct sotto_asking *a);

/* Locks a number.  False if another process holds it or locking fails. */
bool sotto_asking_take(struct sotto_asking *a, const char *ledger, uint64_t number);
void sotto_asking_leave(struct sotto_asking *a, uint64_t number);

/* True if another process holds the number. */
bool sotto_asking_is_taken(struct sotto_asking *a, const char *ledger, uint64_t number);

#endif
