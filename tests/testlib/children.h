/*
 * children.h - the worker processes that this test has started
 */
#ifndef SOTTO_TESTS_CHILDREN_H
#define SOTTO_TESTS_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Processes whose parent is this one; how many there are, at most `most` are written. */
size_t children_find(pid_t *out, size_t most);

/* The only one; 0 if there is none or there are several. */
pid_t children_only(void);

/* Sends all of them a signal; how many. */
size_t children_signal(int signal);

/* Whether a process still runs (one that has died and was not waited for does not). */
bool process_runs(pid_t pid);

/* The soft limit of a process as /proc tells it, like "Max file size"; -1 if it has none. */
long long process_limit(pid_t pid, const char *name);

/* Whether the system ends it before any other when memory is short. */
bool process_dies_first(pid_t pid);

/* How many threads it has; 0 if it is gone. */
size_t process_threads(pid_t pid);

#endif
