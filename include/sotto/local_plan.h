/*
 * sotto/local_plan.h - which protocol for which question
 */
#ifndef SOTTO_LOCAL_PLAN_H
#define SOTTO_LOCAL_PLAN_H

#include <stdbool.h>

#include "sotto/client.h"
#include "sotto/error.h"
#include "sotto/rational.h"

struct sotto_local_question {
	uint64_t users; /* n */
	uint64_t values; /* d, at least 2 */
	const struct sotto_rational *epsilon; /* of one report */
	uint64_t reports; /* of one value by one device, for the cost over time */
	bool memoize; /* each device answers one value once and for all */
	double alpha; /* of the tests, Bonferroni over the values */
};

struct sotto_local_choice {
	struct sotto_client_params params;
	size_t report_bytes;
	double sd; /* of the count of a rare value */
	double detects; /* least frequency that is found half of the time */
	double epsilon, after, permanent; /* as sotto_local_privacy has them */
	size_t client_bytes; /* what a device must keep between reports */
	double server_bytes; /* counters, or kept reports */
	double decode_steps; /* additions to estimate every value */
	bool best;
};

#define SOTTO_LOCAL_CHOICES 10

/*
 * All protocols that answer the question; one is marked best: the most accurate,
 * and the smallest report among those within 5 % of it.
 *
 * Fails: SOTTO_EINVAL for a question that makes no sense, SOTTO_ERANGE.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_local_plan(const struct sotto_local_question *question,
		 struct sotto_local_choice out[SOTTO_LOCAL_CHOICES], size_t *count,
		 struct sotto_error *err);

#endif
