/*
 * ask.h - what the commands that ask a question share
 */
#ifndef SOTTO_ASK_H
#define SOTTO_ASK_H

#include "frame/command.h"
#include "frame/option.h"
#include "sotto/query.h"

struct ask_settings {
	const char *policy;
	const char *file; /* of the SQL */
	const char *analyst;
	struct option_rational epsilon, delta, error;
	const char *diagnostics; /* "5 %" or a fraction */
	struct sotto_rational diagnostics_share; /* the same as a number */
	struct option_list weight; /* COLUMN=W */
	struct sotto_column_weight *weights; /* the same, parsed */
	size_t mechanism; /* index into ask_mechanisms */
	struct option_count threads;
	struct option_count spread;
	bool fresh;
};

#define ASK_POLICY_OPTION                                                                      \
	{                                                                                      \
		.name = "policy", .letter = 'p', .argument = "FILE", .kind = OPTION_TEXT,      \
		.fallback = "sotto.yaml", .help = "the data owner's policy",                   \
		.offset = offsetof(struct ask_settings, policy)                                \
	}
#define ASK_ANALYST_OPTION                                                                     \
	{                                                                                      \
		.name = "analyst", .argument = "NAME", .kind = OPTION_TEXT,                    \
		.help = "name of the analyst who asks and pays (default analyst)",             \
		.offset = offsetof(struct ask_settings, analyst)                               \
	}
#define ASK_THREADS_OPTION                                                                     \
	{                                                                                      \
		.name = "threads", .argument = "N", .kind = OPTION_COUNT,                      \
		.help = "threads of the engine, at most 256 (default: one for each core)",     \
		.offset = offsetof(struct ask_settings, threads)                               \
	}
#define ASK_SPREAD_OPTION                                                                      \
	{                                                                                      \
		.name = "spread", .argument = "N", .kind = OPTION_COUNT,                       \
		.range = RANGE_POSITIVE,                                                       \
		.help = "run it on N worker processes, at most 1000 (default: the policy's)",  \
		.offset = offsetof(struct ask_settings, spread)                                \
	}
#define ASK_DIAGNOSTICS_OPTION                                                                 \
	{                                                                                      \
		.name = "diagnostics", .argument = "SHARE", .kind = OPTION_TEXT,               \
		.help = "share of epsilon spent on estimating what the limits lose; 0 for "    \
			"none (default: the policy's, or 5 %)",                                \
		.offset = offsetof(struct ask_settings, diagnostics)                           \
	}
extern const char *const ask_mechanisms[];
#define ASK_NOISE_OPTIONS                                                                      \
	{.name = "weight",                                                                     \
	 .argument = "COLUMN=W",                                                               \
	 .kind = OPTION_LIST,                                                                  \
	 .help = "how much a column matters, 1 to 1000",                                       \
	 .offset = offsetof(struct ask_settings, weight)},                                     \
	{                                                                                      \
		.name = "mechanism", .argument = "NOISE", .kind = OPTION_CHOICE,               \
		.choices = ask_mechanisms, .help = "which noise is added",                     \
		.offset = offsetof(struct ask_settings, mechanism)                             \
	}
#define ASK_PRICE_OPTIONS                                                                      \
	{.name = "epsilon",                                                                    \
	 .letter = 'e',                                                                        \
	 .argument = "E",                                                                      \
	 .kind = OPTION_RATIONAL,                                                              \
	 .range = RANGE_POSITIVE,                                                              \
	 .help = "how much of the budget the query may spend (default: the policy's)",         \
	 .offset = offsetof(struct ask_settings, epsilon)},                                    \
	{                                                                                      \
		.name = "delta", .letter = 'd', .argument = "D", .kind = OPTION_RATIONAL,      \
		.range = RANGE_BELOW_ONE,                                                      \
		.help = "delta, for private keys and Gaussian noise (default: the policy's)",  \
		.offset = offsetof(struct ask_settings, delta)                                 \
	}
#define ASK_ERROR_OPTION                                                                       \
	{                                                                                      \
		.name = "error", .argument = "E", .kind = OPTION_RATIONAL,                     \
		.range = RANGE_POSITIVE,                                                       \
		.help = "use the smallest epsilon whose 95 % error is at most E",              \
		.offset = offsetof(struct ask_settings, error)                                 \
	}
#define ASK_SQL_OPTIONS                                                                        \
	ASK_ERROR_OPTION,                                                                      \
	{                                                                                      \
		.name = "file", .letter = 'f', .argument = "FILE", .kind = OPTION_TEXT,        \
		.help = "read the SQL from a file (- for standard input)",                     \
		.offset = offsetof(struct ask_settings, file)                                  \
	}

/* "5 %" or 0.05, into a number that was made. */
enum outcome
ask_read_share(const char *text, struct sotto_rational *share, struct sotto_error *err);

/* Opens the session of the policy and fills a question, except for its SQL. */
enum outcome ask_open(const struct ask_settings *settings, struct sotto_session **session,
		      struct sotto_question *question, struct sotto_error *err);

/* Releases what ask_open made of the options, even if it failed. */
void ask_forget(const struct ask_settings *settings);

/* Reads the SQL: the operand, the file of -f, or standard input.  *text is malloc'd. */
enum outcome ask_read_sql(const struct invocation *call, const struct ask_settings *settings,
			  char **text, struct sotto_error *err);

/* Returns the exit status for a status of the library; writes a sentence to err if it has none. */
enum outcome ask_outcome(enum sotto_status status, struct sotto_error *err);

/* Of a command that charges: how to get an answer that could not be written. */
#define ASK_IF_UNWRITTEN                                                                       \
	"they may have been charged: asking the same again, without --fresh, is free then"

/* Forbids core files and other processes that look into this one, which holds private values. */
void ask_harden(void);

#endif
