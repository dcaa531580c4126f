/*
 * process_limits.h - what this machine has, and how much of it a worker may use
 */
#ifndef SOTTO_PROCESS_LIMITS_H
#define SOTTO_PROCESS_LIMITS_H

#include "central/engine/engine.h"

/* Returns how many cores this machine has, from 1 to 4096. */
unsigned sotto_machine_cores(void);

/*
 * Fills in the defaults, and lowers threads to four for each core.
 *
 * Fails:    SOTTO_ERANGE for more than SOTTO_ENGINE_THREADS_MAX threads or less than
 *           SOTTO_ENGINE_MEMORY_MIN bytes.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_machine_limit(struct sotto_engine_limits *limits, struct sotto_error *err);

/* What of a process's memory the engine may plan with: the rest is for what it does not count. */
uint64_t sotto_machine_share(const struct sotto_engine_limits *limits);

/*
 * Confines this process for good: memory, no core file, no other process that looks into
 * it.  Fails: SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_machine_confine(const struct sotto_engine_limits *limits);

/* From here on no file can be written.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status sotto_machine_forbid_writing(void);

#endif
