/*
 * commands.h - the list of all commands
 *
 * To add a command, add one line, at its place in --help, and define `const struct command
 * command_<name>` in cmd/<family>/<name>_command.c.
 */
#ifndef SOTTO_COMMANDS_H
#define SOTTO_COMMANDS_H

#include "frame/command.h"

/* clang-format off */
#define COMMANDS(X) \
	X(init) \
	X(seal) \
	X(layout) \
	X(tables) \
	X(query) \
	X(explain) \
	X(shell) \
	X(budget) \
	X(ledger) \
	X(policy) \
	X(bounds) \
	X(release) \
	X(noise) \
	X(sensitivity) \
	X(verify) \
	X(utility) \
	X(optimal) \
	X(account) \
	X(audit) \
	X(local) \
	X(serve) \
	X(user) \
	X(worker) \
	X(completion) \
	X(help)
/* clang-format on */

#define COMMAND_DECLARE(name) extern const struct command command_##name;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* The program itself: the command whose subcommands are the list. */
extern const struct command command_root;

#endif
