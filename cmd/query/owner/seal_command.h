/*
 * seal_command.h - sealing and what is said about it, for the commands that seal
 */
#ifndef SOTTO_SEAL_COMMAND_H
#define SOTTO_SEAL_COMMAND_H

#include "frame/command.h"
#include "sotto/owner.h"

struct seal_settings {
	const char *policy;
	bool drop_malformed;
	size_t line_breaks; /* of seal_line_breaks */
	bool suggests; /* ends with a command to try next; no option */
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
 * Seals, and prints what became of each table: the last lines of a human's output, or
 * one JSON object.  Refused if a table was.
 */
enum outcome seal_run(const struct seal_settings *settings, const char *const *tables,
		      size_t table_count, const struct invocation *call,
		      struct sotto_error *err);

#endif
