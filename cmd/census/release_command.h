/*
 * release_command.h - the parts of sotto release
 */
#ifndef SOTTO_CMD_RELEASE_H
#define SOTTO_CMD_RELEASE_H

#include <jansson.h>

#include "frame/command.h"
#include "sotto/census.h"

struct release_settings {
	const char *estimate, *variance, *round; /* files of small inputs */
	bool exact;
	size_t rounding;
	struct option_rational convert, convert_epsilon, delta;
	bool check;
	const char *explain, *memory_limit;
	size_t scale, variant;
	const char *policy, *analyst, *resume, *generate;
	struct option_count counties, seed;
	struct option_rational sparsity;
	struct option_count threads, test_seed;
};

/* Returns the exit status for a status of the library: 2 input, 3 infeasible, 4 budget, else 1. */
enum outcome release_outcome(enum sotto_status status, struct sotto_error *err);

/* Runs --estimate, --variance or --round (release_small.c). */
enum outcome release_small(const struct invocation *call, struct sotto_error *err);

/* Runs --convert or --convert-epsilon (release_convert.c). */
enum outcome release_convert(const struct invocation *call, struct sotto_error *err);

/* Runs --check of a plan (release_check.c). */
enum outcome release_check(const struct invocation *call, struct sotto_error *err);

/* Prints an account as a table of the levels. */
void release_print_account(const struct invocation *call, json_t *account);

/* Runs --check of several plans, and prints what they cost together (release_together.c). */
enum outcome release_together(const struct invocation *call, struct sotto_error *err);

/* Runs --explain of a node (release_explain.c). */
enum outcome release_explain(const struct invocation *call, struct sotto_error *err);

/* Runs the release of a plan (release_plan.c). */
enum outcome release_plan(const struct invocation *call, struct sotto_error *err);

#endif
