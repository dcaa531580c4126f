/*
 * service.h - signals and limits of a command that serves many clients or runs until a signal
 */
#ifndef SOTTO_SERVICE_H
#define SOTTO_SERVICE_H

#include <stdbool.h>

/* Lets the process open as many files as the system allows: each worker of a cluster needs one. */
void service_open_files(void);

/*
 * Called before any thread starts: SIGINT and SIGTERM wait for service_ended, a closed connection
 * raises no signal, the process may open as many files as the system allows, and it keeps memory
 * of up to 16 MiB that it will need again.
 */
void service_prepare(void);

/* Waits up to this many milliseconds for SIGINT or SIGTERM; true if one came. */
bool service_ended(long milliseconds);

#endif
