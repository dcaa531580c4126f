/*
 * service.h - signals and limits of a command that serves many, or runs until a signal ends it
 */
#ifndef SOTTO_SERVICE_H
#define SOTTO_SERVICE_H

#include <stdbool.h>

/* The process may open as many files as the system lets it: each worker of a cluster is one. */
void service_open_files(void);

/*
 * Call before any thread starts: SIGINT and SIGTERM wait for service_ended, a peer that is
 * gone raises no signal, the process may open as many files as the system lets it, and keeps
 * memory of up to 16 MiB that it will need again.
 */
void service_prepare(void);

/* Waits for SIGINT or SIGTERM at most the given number of milliseconds; true if one came. */
bool service_ended(long milliseconds);

#endif
