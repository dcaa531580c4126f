/*
 * local_mean.h - estimates and simulates means of numbers
 */
#ifndef SOTTO_LOCAL_MEAN_H
#define SOTTO_LOCAL_MEAN_H

#include "local/local_command.h"

/* Prints the mean of an aggregate of numbers. */
enum outcome local_mean_print(struct sotto_local_aggregate *a, double alpha,
			      const struct invocation *call, struct sotto_error *err);

/* Made-up people with numbers up to the collection's greatest. */
struct local_people {
	const char *distribution; /* of one number for each person */
	uint64_t values, runs;
	const char *walk; /* or of numbers that change over time: ar1 or sticky */
	uint64_t rounds;
	uint64_t clients, seed;
	bool fast; /* draw the counters, not the reports */
	double alpha;
};

/* Prints the true mean and the estimated one, run by run. */
enum outcome local_simulate_mean(const struct sotto_client_params *params,
				 const struct local_people *people,
				 const struct invocation *call, struct sotto_error *err);

/* Asks the same people round after round, each with one key: memoized answers repeat. */
enum outcome local_simulate_rounds(const struct sotto_client_params *params,
				   const struct local_people *people,
				   const struct invocation *call, struct sotto_error *err);

#endif
