/*
 * service.h - signals and limits of a command that runs until a signal ends it
 */
#ifndef SOTTO_SERVICE_H
#define SOTTO_SERVICE_H

#include <stdbool.h>

/*
 * Call before any thread starts: SIGINT and SIGTERM wait for service_ended, a peer that is
 * gone raises no signal, and the process may open as many files as the system lets it.
 */
void service_prepare(void);

/* Waits for SIGINT or SIGTERM at most the given number of milliseconds; true if one came. */
bool service_ended(long milliseconds);

#endif
