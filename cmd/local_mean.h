/*
 * local_mean.h - means of numbers
 */
#ifndef SOTTO_CMD_LOCAL_MEAN_H
#define SOTTO_CMD_LOCAL_MEAN_H

#include "local.h"

/* Prints the mean of an aggregate of numbers. */
enum outcome local_mean_print(struct sotto_local_aggregate *a, double alpha,
			      const struct invocation *call, struct sotto_error *err);

/* Made-up people with numbers: the true mean and the estimated one, run by run. */
enum outcome local_simulate_mean(const struct sotto_client_params *params,
				 const char *distribution, uint64_t values, uint64_t clients,
				 uint64_t runs, uint64_t seed, const struct invocation *call,
				 struct sotto_error *err);

#endif
