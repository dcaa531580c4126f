/*
 * local_simulate.h - measures how well a design counts made-up people
 */
#ifndef SOTTO_LOCAL_SIMULATE_H
#define SOTTO_LOCAL_SIMULATE_H

#include "local/decode/local_mean.h"

struct local_counts {
	struct local_people people;
	uint64_t extra; /* candidates that nobody has */
	bool missing; /* strings that end in 9 are not candidates */
	bool same_hashes; /* in all runs; else each has its own, where the salt chooses them */
	bool fast; /* draw counters, not reports */
	const char *svg; /* where to draw the first run, or NULL */
	const struct local_decoding *decoding;
};

/* Makes people up, collects from them, decodes, and prints how far the result is from the truth. */
enum outcome local_simulate_counts(const struct sotto_client_params *params,
				   const struct local_counts *counts,
				   const struct invocation *call, struct sotto_error *err);

#endif
