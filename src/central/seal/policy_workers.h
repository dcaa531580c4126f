/*
 * policy_workers.h - the workers that a policy names
 */
#ifndef SOTTO_POLICY_WORKERS_H
#define SOTTO_POLICY_WORKERS_H

#include "central/spread/launcher/launcher.h"
#include "central/policy/policy.h"

/* Fails: SOTTO_EPARSE for what the policy says of workers and cannot be. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_workers_check(const struct sotto_policy *p, struct sotto_error *err);

/*
 * How so many buckets are run: by the given number of processes of this machine, or, if
 * that is 0, as the policy says.  A policy that says nothing has processes of this machine.
 */
struct sotto_spread_settings
sotto_policy_workers(const struct sotto_policy *p, uint32_t buckets, uint32_t processes);

/* Cores of this machine. */
unsigned sotto_machine_cores(void);

/*
 * What one worker may use: those of this machine share its cores and the memory (bytes, or 0).
 * threads: of all, or 0.
 */
void sotto_workers_share(const struct sotto_spread_settings *settings, unsigned threads,
			 uint64_t memory, uint32_t *threads_of_one, uint64_t *memory_of_one);

#endif
