/*
 * Expands the list of commands into pointers, and defines the program itself as a command that
 * has all of them as subcommands.
 */
#include "frame/commands.h"

#include "frame/complaint.h"

static const struct command *const list[] = {
#define COMMAND_POINTER(name) &command_##name,
	COMMANDS(COMMAND_POINTER)
#undef COMMAND_POINTER
		NULL};

struct root_settings {
	bool version;
};

static const struct option options[] = {{.name = "version",
					 .kind = OPTION_FLAG,
					 .help = "print the version and exit",
					 .offset = offsetof(struct root_settings, version)},
					OPTIONS_END};

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct root_settings *settings = call->settings;

	if (!settings->version)
		return complaint_usage(err, "a command is needed; --help lists them");
	fprintf(call->out, "sotto %s\n", SOTTO_VERSION);
	return OUTCOME_DONE;
}

const struct command command_root = {
	.name = "sotto",
	.summary = "answers questions about people and protects every one of them",
	.usage = "COMMAND [OPTION]... [OPERAND]...\n--version",
	.details = "\"sotto COMMAND --help\" explains one command, \"man sotto\" all of them.\n"
		   "Exit status: 0 success, 1 refused or failed, 2 command not understood.",
	.options = options,
	.settings_size = sizeof(struct root_settings),
	.run = run,
	.subcommands = list,
};
