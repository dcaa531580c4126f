/*
 * problem_options.h - the options that describe a problem: graph, epsilon, user
 */
#ifndef SOTTO_PROBLEM_OPTIONS_H
#define SOTTO_PROBLEM_OPTIONS_H

#include "frame/command.h"
#include "frame/option.h"
#include "sotto/utility.h"

struct problem_settings {
	struct option_count answers;
	const char *graph, *epsilon, *prior, *gain;
	bool normalize;
};

/* The rows of an option table whose settings have a struct problem_settings named `problem`. */
#define PROBLEM_OPTION(settings, field, name_, argument_, kind_, help_)                        \
	.name = name_, .argument = argument_, .kind = kind_, .help = help_,                    \
	.offset = offsetof(settings, problem) + offsetof(struct problem_settings, field)

#define PROBLEM_OPTIONS(settings)                                                              \
	{PROBLEM_OPTION(settings, answers, "n", "N", OPTION_COUNT,                             \
			"number of answers, 0 to N-1"),                                        \
	 .letter = 'n', .range = RANGE_POSITIVE},                                              \
		{PROBLEM_OPTION(settings, epsilon, "epsilon", "E", OPTION_TEXT,                \
				"0.5, ln2, ln(3/2) or alpha=1/2"),                             \
		 .letter = 'e'},                                                               \
		{PROBLEM_OPTION(settings, graph, "graph", "G", OPTION_TEXT,                    \
				"which answers are neighbours: path, cycle, ..., a CSV file, " \
				"or the query: count, "                                        \
				"sum 2, category, counts 3x4, bits 3; default path")},         \
		{PROBLEM_OPTION(                                                               \
			settings, prior, "prior", "P", OPTION_TEXT,                            \
			"uniform, triangular, bimodal, geometric, binomial(0.3) or a CSV "     \
			"file; default uniform")},                                             \
		{PROBLEM_OPTION(                                                               \
			settings, gain, "gain", "W", OPTION_TEXT,                              \
			"identity, distance, squared, weighted, window(1), threshold(3), "     \
			"parity or a CSV file; default distance")},                            \
	{                                                                                      \
		PROBLEM_OPTION(settings, normalize, "normalize", NULL, OPTION_FLAG,            \
			       "divide the prior by its sum")                                  \
	}

/*
 * Reads a problem from the options and, if there is an operand, the YAML file that it names;
 * mechanism may be NULL.  One of them must give epsilon.
 */
enum outcome channel_problem_read(const struct invocation *call,
				  const struct problem_settings *settings,
				  const char *mechanism, struct sotto_user_case *out,
				  struct sotto_error *err);

/* True if there is no file and the options ask for a path of more than `most` answers. */
bool channel_is_long_path(const struct problem_settings *settings, size_t most,
			  const struct invocation *call);

/* Reads the prior of the options, by name or from a file, for such a path. */
enum sotto_status channel_prior_read(const struct problem_settings *settings,
				     struct sotto_matrix **out, struct sotto_error *why);

/* True for the graph of a count: 0 - 1 - ... - N-1. */
bool channel_is_path(const struct sotto_user_case *problem);

bool channel_is_uniform_identity(const struct sotto_user_case *problem);

/* False if a fraction in it approximates an irrational e^-epsilon. */
bool channel_is_exact(const struct sotto_user_case *problem, const char *name);

/* Makes the channel of a mechanism by name, or from a matrix in a file. */
enum sotto_status channel_of_mechanism(const struct sotto_user_case *problem, const char *name,
				       struct sotto_matrix **out, struct sotto_error *why);

#endif
