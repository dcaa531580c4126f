/*
 * command.h - what a command is, and how the program finds and runs it
 *
 * A command is one static const record: how it is called, what it says about
 * itself, its option table and a function.  A command with subcommands has a
 * list of such records, to any depth.  The frame parses the
 * options, checks ranges and the number of operands, answers --help and
 * --format, and prints what the function complains about.
 *
 * To add one: write cmd/<family>/<name>_command.c with `const struct command command_<name>`, add
 * one line to commands.h and a manual page man/sotto-<name>.1 (docs/adding-a-command.md).
 */
#ifndef SOTTO_COMMAND_H
#define SOTTO_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "frame/option.h"
#include "show/output_format.h"
#include "sotto/status.h"

/* What the function of a command is given. */
struct invocation {
	const void *settings; /* the command's own struct, filled from its option table */
	struct operands operands;
	enum format format; /* of --format; FORMAT_TABLE if the command has none */
	FILE *in;
	FILE *out; /* results */
	FILE *err; /* notes for people; complaints go through the struct sotto_error */
};

/*
 * Does the work.  For anything but OUTCOME_DONE, err holds one sentence that says
 * what is wrong and what to change (complaint_refuse, complaint_usage); the
 * frame prints it as "sotto noise laplace: <sentence>".  Values from private
 * data never appear in it.
 */
typedef enum outcome (*command_function)(const struct invocation *call,
					 struct sotto_error *err);

/* A sentence that a command states about itself; the manual has the same words. */
struct command_statement {
	const char *about; /* one word, lower case */
	const char *text;
};

struct command {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	const char *usage; /* what follows the name; several forms are separated by "\n" */
	const char *details; /* paragraphs for --help, lines up to 80 columns; or NULL */
	const struct command_statement *statements; /* ends with {NULL}; or NULL */
	const struct option *options;
	size_t settings_size; /* of the struct that the options' offsets point into */
	size_t operands_min;
	size_t operands_max; /* SIZE_MAX for any number */
	bool prints_results; /* the command has --format */
	/*
	 * Status 1 means that reading or writing failed, so a value out of range ends with 2,
	 * like all input that is not understood.
	 */
	bool one_is_failure;
	bool hidden; /* not in the list of commands: for programs, not for people */
	/*
	 * What a person may wait for longer than a second: shown with the seconds on a terminal;
	 * results and notes follow together.  NULL: it is quick, or shows its own progress.
	 */
	const char *waits;
	/* Where results are paid for: how to get those that could not be written; or NULL. */
	const char *if_unwritten;
	command_function run; /* NULL for a command that only has subcommands */
	const struct command *const *subcommands; /* ends with NULL; or NULL */
};

/* Returns call->err, after flushing the results so far: values come first, then what they cost. */
FILE *command_notes(const struct invocation *call);

/* Returns the subcommand of this name, or NULL. */
const struct command *command_find(const struct command *command, const char *name);

/* Returns the options that the frame adds to this command. */
const struct option *command_standard_options(const struct command *command);

/*
 * Runs the program with these arguments (arguments[0] is its name): finds the command below root,
 * parses, runs.  Returns the exit status.
 */
int command_main(const struct command *root, const char *const *arguments, size_t count);

#endif
