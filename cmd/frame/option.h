/*
 * option.h - the one option parser; every command describes its options in a table
 *
 *	struct noise_settings {
 *		struct option_rational epsilon;
 *		bool quiet;
 *	};
 *
 *	static const struct option options[] = {
 *		{.name = "epsilon", .letter = 'e', .argument = "E", .kind = OPTION_RATIONAL,
 *		 .range = RANGE_POSITIVE, .help = "privacy parameter",
 *		 .offset = offsetof(struct noise_settings, epsilon)},
 *		{.name = "quiet", .letter = 'q', .kind = OPTION_FLAG, .help = "values only",
 *		 .offset = offsetof(struct noise_settings, quiet)},
 *		OPTIONS_END};
 *
 * The same table is what --help prints, what the manual page is checked
 * against and what "did you mean" searches.  --help, and --format where a
 * command prints results, are added by the frame (command.h).
 *
 * On the command line: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -ab for two
 * flags; "--" ends the options; -3 and -0.5 are operands, not options.
 */
#ifndef SOTTO_OPTION_H
#define SOTTO_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame/outcome.h"
#include "sotto/rational.h"
#include "sotto/status.h"

enum option_kind {
	OPTION_FLAG, /* bool */
	OPTION_TEXT, /* const char *, NULL if not given */
	OPTION_RATIONAL, /* struct option_rational: exact, never a double */
	OPTION_COUNT, /* struct option_count: a whole number below 2^63 */
	OPTION_INTERVAL, /* struct option_interval: A:B, or A and B as two arguments */
	OPTION_CHOICE, /* size_t: index into .choices */
	OPTION_LIST /* struct option_list: may be given several times */
};

/* Which numbers a rational or count option accepts; checked before the command runs. */
enum option_range {
	RANGE_ANY,
	RANGE_POSITIVE, /* > 0 */
	RANGE_NOT_NEGATIVE, /* >= 0 */
	RANGE_INSIDE_UNIT, /* 0 < x < 1 */
	RANGE_BELOW_ONE, /* 0 <= x < 1 */
	RANGE_UNIT /* 0 <= x <= 1 */
};

struct option {
	const char *name; /* long name, without the dashes */
	char letter; /* short name or 0 */
	bool required;
	bool hidden; /* not in --help: for tools, not for people */
	const char *argument; /* how help calls the value; NULL for a flag */
	const char *help; /* one line, lower case, no full stop */
	enum option_kind kind;
	enum option_range range;
	const char *const *choices; /* ends with NULL; the first is the default */
	const char *fallback; /* used if the option is not given; shown in help */
	size_t offset; /* of the value in the command's settings */
};

#define OPTIONS_END                                                                            \
	{                                                                                      \
		.name = NULL                                                                   \
	}

/* With a fallback, value is set even if given is false. */
struct option_rational {
	struct sotto_rational value;
	const char *text; /* as written */
	bool given;
};

struct option_count {
	uint64_t value;
	bool given;
};

struct option_interval {
	struct sotto_rational low; /* at most high */
	struct sotto_rational high;
	bool given;
};

struct option_list {
	const char **items; /* borrowed from the command line */
	size_t count;
};

/* A table and the settings that its offsets point into. */
struct option_group {
	const struct option *options; /* ends with OPTIONS_END; NULL for none */
	void *settings; /* zeroed by the caller */
};

struct operands {
	const char **items; /* borrowed from the command line, in order */
	size_t count;
};

/* Initializes the settings of a group with every fallback.  Pair with _release. */
void option_group_init(const struct option_group *group);
void option_group_release(const struct option_group *group);

/*
 * Reads arguments[0..count) into the settings of the groups and the operands (whose items the
 * caller frees).  Does not check for required options: see option_check.
 *
 * Fails:    OUTCOME_USAGE or OUTCOME_REFUSED, err holds the sentence.
 */
enum outcome option_parse(const struct option_group *groups, size_t group_count,
			  const char *const *arguments, size_t count, struct operands *operands,
			  struct sotto_error *err);

/* Checks for required options.  Fails: OUTCOME_USAGE if one was not given. */
enum outcome option_check(const struct option_group *group, struct sotto_error *err);

/*
 * Reads one value into its place (option_value.c).
 *
 * Fails: OUTCOME_USAGE if text is not of the kind, OUTCOME_REFUSED if it is a
 * number outside the range.
 */
enum outcome option_store(const struct option *option, void *settings, const char *text,
			  struct sotto_error *err);

#endif
