/*
 * local_command.h - what the commands of `sotto local` share
 */
#ifndef SOTTO_LOCAL_COMMAND_H
#define SOTTO_LOCAL_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include "frame/command.h"
#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/discover.h"
#include "sotto/local.h"

/* Reads a whole file ("-" is standard input), NUL-terminated; the caller frees it. */
enum outcome local_read_file(const char *path, char **text, size_t *n, struct sotto_error *err);

/* Reads the parameters of a collection from their text file. */
enum outcome
local_read_params(const char *path, struct sotto_client_params *out, struct sotto_error *err);

/* Reads a params.csv. */
enum outcome
local_read_google(const char *path, struct sotto_local_google *out, struct sotto_error *err);

/* Returns the outcome for a status of the library; keeps err's text if there is one. */
enum outcome local_failed(enum sotto_status status, struct sotto_error *err);

/* Lines of text: values to encode, candidates.  The caller releases them. */
struct local_lines {
	char *text;
	const void **strings;
	size_t *lengths;
	size_t count;
};

enum outcome
local_read_lines(const char *path, struct local_lines *out, struct sotto_error *err);
/* Reads a candidate from each line; repeated lines count once. */
enum outcome
local_read_candidates(const char *path, struct local_lines *out, struct sotto_error *err);
void local_lines_release(struct local_lines *lines);

/* Reads decimal digits as a number; false for anything else. */
bool local_number(const char *text, size_t length, uint64_t *out);

/* Rows of option tables that several commands share. */
#define LOCAL_PARAMS_OPTION(settings)                                                          \
	{                                                                                      \
		.name = "params", .argument = "FILE", .kind = OPTION_TEXT, .required = true,   \
		.help = "the collection's parameters", .offset = offsetof(settings, params)    \
	}
#define LOCAL_REPORTS_OPTION(settings)                                                         \
	{                                                                                      \
		.name = "reports", .argument = "T", .kind = OPTION_COUNT,                      \
		.range = RANGE_POSITIVE, .fallback = "1",                                      \
		.help = "number of reports that a device sends of one value",                  \
		.offset = offsetof(settings, reports)                                          \
	}

/* The rows of an option table for alpha, correction, post, target and method. */
struct local_decoding {
	struct option_rational alpha;
	struct option_count iterations;
	size_t correction, post, target, method;
	bool simultaneous, selected;
};

extern const char *const local_corrections[],
	*const local_posts[], *const local_targets[], *const local_methods[];

#define LOCAL_DECODING_OPTIONS(settings)                                                       \
	{.name = "alpha",                                                                      \
	 .argument = "A",                                                                      \
	 .kind = OPTION_RATIONAL,                                                              \
	 .range = RANGE_INSIDE_UNIT,                                                           \
	 .fallback = "0.05",                                                                   \
	 .help = "error rate of tests and intervals",                                          \
	 .offset = offsetof(settings, decoding.alpha)},                                        \
		{.name = "correction",                                                         \
		 .argument = "C",                                                              \
		 .kind = OPTION_CHOICE,                                                        \
		 .choices = local_corrections,                                                 \
		 .help = "correction for many tests",                                          \
		 .offset = offsetof(settings, decoding.correction)},                           \
		{.name = "post",                                                               \
		 .argument = "P",                                                              \
		 .kind = OPTION_CHOICE,                                                        \
		 .choices = local_posts,                                                       \
		 .help = "how the consistent values are made",                                 \
		 .offset = offsetof(settings, decoding.post)},                                 \
		{.name = "iterations",                                                         \
		 .argument = "N",                                                              \
		 .kind = OPTION_COUNT,                                                         \
		 .range = RANGE_POSITIVE,                                                      \
		 .fallback = "10000",                                                          \
		 .help = "with --post ibu: at most N iterations",                              \
		 .offset = offsetof(settings, decoding.iterations)},                           \
		{.name = "target",                                                             \
		 .argument = "T",                                                              \
		 .kind = OPTION_CHOICE,                                                        \
		 .choices = local_targets,                                                     \
		 .help = "whose frequency is meant",                                           \
		 .offset = offsetof(settings, decoding.target)},                               \
		{.name = "method",                                                             \
		 .argument = "M",                                                              \
		 .kind = OPTION_CHOICE,                                                        \
		 .choices = local_methods,                                                     \
		 .help = "how rappor reports of strings are decoded",                          \
		 .offset = offsetof(settings, decoding.method)},                               \
		{.name = "simultaneous",                                                       \
		 .kind = OPTION_FLAG,                                                          \
		 .help = "make intervals that hold for all values together",                   \
		 .offset = offsetof(settings, decoding.simultaneous)},                         \
	{                                                                                      \
		.name = "selected", .kind = OPTION_FLAG,                                       \
		.help = "make intervals that hold among the significant values",               \
		.offset = offsetof(settings, decoding.selected)                                \
	}

struct sotto_local_options local_decoding_options(const struct local_decoding *d);

/* Estimates and their names. */
struct local_result {
	struct sotto_local_estimate *estimates;
	char **names;
	size_t count;
	uint64_t reports;
	bool over_hashes; /* the intervals hold over the choice of hash functions */
	bool capped; /* not all combinations of fragments were tried */
	bool has_fit;
	struct sotto_local_fit fit;
	double *bootstrap; /* one for each candidate, or NULL */
	uint64_t bootstrap_runs;
};

/* Makes `count` estimates without names; _release frees them. */
void local_result_init(struct local_result *r, size_t count, uint64_t reports);
void local_result_release(struct local_result *r);

/*
 * What an aggregate is asked about: candidates, or a map of them for RAPPOR over strings; all
 * values of a collection over numbers if both are NULL.  names goes with the map; bootstrap is a
 * number of runs or 0.
 */
struct local_question {
	const struct local_lines *candidates;
	const struct sotto_local_map *map;
	const struct sotto_local_names *names;
	const struct sotto_local_options *options;
	uint64_t bootstrap;
	bool dictionary; /* the candidates of CMS are all possible values */
};

/* Decodes an aggregate of every protocol that has candidates, including RAPPOR over strings. */
enum outcome local_decode_aggregate(struct sotto_local_aggregate *a,
				    const struct local_question *question,
				    struct local_result *out, struct sotto_error *err);

/* Decodes RAPPOR counts with a map; the estimates and names of out are in the map's order. */
enum sotto_status local_decode_cohorts(const struct sotto_local_cohorts *data,
				       const struct sotto_local_map *map,
				       const struct local_question *question,
				       struct local_result *out, struct sotto_error *err);

/* Whether a collection finds the strings itself. */
bool local_finds_strings(const struct sotto_client_params *params);

/* The significant strings of such a collection. */
enum outcome local_discover(struct sotto_local_aggregate *a,
			    const struct sotto_local_search *search, struct local_result *out,
			    struct sotto_error *err);
void local_result_print(const struct local_result *r, const struct sotto_local_options *options,
			const struct invocation *call);

/*
 * Draws the estimates as bars with their intervals, and the truth as marks if it is not NULL, for
 * the first of `runs` runs.
 */
bool local_chart_write(const char *path, const struct local_result *r, const uint64_t *truth,
		       double alpha, uint64_t runs);

/* Draws three panels: least frequency over users, epsilon over reports, bytes. */
bool local_plan_draw(const char *path, const struct sotto_local_question *question,
		     const struct sotto_local_choice *choices, size_t count);

extern const struct command command_local_encode, command_local_collect, command_local_merge,
	command_local_decode, command_local_plan, command_local_simulate, command_local_attack,
	command_local_privacy, command_local_params, command_local_associate,
	command_local_ngrams, command_local_em, command_local_presets, command_local_audit;

#endif
