/*
 * seal_command.h - seals tables and reports on it, for the commands that seal
 */
#ifndef SOTTO_SEAL_COMMAND_H
#define SOTTO_SEAL_COMMAND_H

#include "frame/command.h"
#include "sotto/owner.h"

struct seal_settings {
	const char *policy;
	bool drop_malformed;
	size_t line_breaks; /* index into seal_line_breaks */
	bool suggests; /* suggests a command to try next; not an option */
};

extern const char *const seal_line_breaks[];

#define SEAL_DROP_OPTION(type)                                                                 \
	{                                                                                      \
		.name = "drop-malformed", .kind = OPTION_FLAG,                                 \
		.help = "leave out malformed records instead of refusing the table",           \
		.offset = offsetof(type, drop_malformed)                                       \
	}
#define SEAL_BREAKS_OPTION(type)                                                               \
	{                                                                                      \
		.name = "line-breaks", .argument = "WORD", .kind = OPTION_CHOICE,              \
		.choices = seal_line_breaks,                                                   \
		.help = "whether values may contain line breaks; with ask, an unclear file "   \
			"is refused",                                                          \
		.offset = offsetof(type, line_breaks)                                          \
	}

/*
 * Seals, and prints the result for each table: the last lines of the output for people, or one
 * JSON object.  Refused if a table was.
 */
enum outcome seal_run(const struct seal_settings *settings, const char *const *tables,
		      size_t table_count, const struct invocation *call,
		      struct sotto_error *err);

#endif
