/*
 * policy_workers.h - the workers that a policy names
 */
#ifndef SOTTO_POLICY_WORKERS_H
#define SOTTO_POLICY_WORKERS_H

#include "central/spread/launcher/launcher.h"
#include "central/policy/policy.h"

/* Checks what the policy says about workers.  Fails: SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_workers_check(const struct sotto_policy *p, struct sotto_error *err);

/*
 * How to run these buckets: with the given number of processes on this machine, or, if that is 0, as
 * the policy says.  The default is processes on this machine.
 */
struct sotto_spread_settings
sotto_policy_workers(const struct sotto_policy *p, uint32_t buckets, uint32_t processes);

/*
 * What one worker may use: workers on this machine share its cores and the memory (bytes, or 0 for
 * the default).  threads is the total for all workers, or 0.
 */
void sotto_workers_share(const struct sotto_spread_settings *settings, unsigned threads,
			 uint64_t memory, uint32_t *threads_of_one, uint64_t *memory_of_one);

#endif
