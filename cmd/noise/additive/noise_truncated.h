/*
 * noise_truncated.h - a run of "sotto noise truncated-geometric" or truncated-laplace
 */
#ifndef SOTTO_NOISE_TRUNCATED_H
#define SOTTO_NOISE_TRUNCATED_H

#include "frame/command.h"
#include "frame/option.h"
#include "read/numbers.h"
#include "sotto/noise.h"

struct truncated_settings {
	struct option_rational epsilon;
	struct option_rational sensitivity;
	struct option_rational step;
	struct option_rational value;
	struct option_rational confidence;
	struct option_interval range;
	const char *csv;
	const char *column;
	bool probabilities;
	bool quiet;
};

struct truncation {
	const char *name;
	struct sotto_grid grid;
	struct numbers exact;
	struct sotto_range range; /* in steps */
	int64_t sensitivity; /* in steps */
	struct sotto_truncated *m;
	struct sotto_cost cost;
	int64_t error; /* of the noise alone, in steps, at the requested confidence */
};

/* Returns this many steps of the grid as a value; the caller frees it. */
char *truncation_text(const struct truncation *t, int64_t steps);

/* Prints the exact distribution for --value: noise_truncated_law.c. */
enum outcome truncation_print_law(const struct truncation *t, const struct invocation *call,
				  struct sotto_error *err);

#endif
