/*
 * account_command.h - what the files of `sotto account` share
 */
#ifndef SOTTO_ACCOUNT_COMMAND_H
#define SOTTO_ACCOUNT_COMMAND_H

#include <stdbool.h>

#include "frame/command.h"
#include "frame/option.h"
#include "sotto/account.h"

struct account_settings {
	struct option_rational delta;
	struct option_rational epsilon;
	struct option_rational target_epsilon;
	const char *solve;
	const char *workload;
	const char *svg;
	size_t neighbours; /* enum sotto_neighbours */
	bool explain;
};

/* The answers of all methods, and the question. */
struct account_result {
	bool of_delta; /* epsilon was given */
	struct sotto_account_answer answers[SOTTO_METHODS];
	enum sotto_method best; /* the method with the least upper value */
	bool has_range; /* all events are one exponential mechanism */
	struct sotto_bounded_range range;
	bool has_kov_closed; /* all events are pure or approx */
	double kov_closed;
	bool has_shuffle; /* the workload is one shuffle event */
	double shuffle_clone, shuffle_blanket; /* INFINITY if there is none */
};

/* Prints in the format that --format names. */
void account_print(const struct invocation *call, const struct account_result *result,
		   const struct sotto_workload *w);
void account_print_solution(const struct invocation *call,
			    const struct sotto_solution *solution);

/* Draws delta(epsilon), and epsilon against the number of repetitions. */
enum outcome account_draw(const char *path, const struct sotto_workload *w,
			  const struct sotto_rational *delta, struct sotto_error *err);

#endif
