/*
 * sotto help: walks from the root to the command that the operands name, and prints its help;
 * --dump prints all commands for tools.
 */
#include <stdint.h>
#include <stdlib.h>

#include "frame/allocation.h"
#include "frame/commands.h"
#include "frame/complaint.h"
#include "frame/help.h"

struct help_settings {
	bool dump;
};

static const struct option options[] = {{.name = "dump",
					 .hidden = true,
					 .kind = OPTION_FLAG,
					 .help = "every command and option, for tools",
					 .offset = offsetof(struct help_settings, dump)},
					OPTIONS_END};

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct help_settings *settings = call->settings;
	const struct command *command = &command_root;
	char *path = memory_copy_text(command->name);

	if (settings->dump) {
		help_dump(call->out, &command_root);
		free(path);
		return OUTCOME_DONE;
	}
	for (size_t i = 0; command && i < call->operands.count; i++) {
		char *longer = memory_text("%s %s", path, call->operands.items[i]);

		free(path);
		path = longer;
		command = command_find(command, call->operands.items[i]);
	}
	if (command)
		help_print(call->out, command, path);
	else
		(void)complaint_usage(err, "there is no command %.80s; sotto help lists them",
				      path);
	free(path);
	return command ? OUTCOME_DONE : OUTCOME_USAGE;
}

const struct command command_help = {
	.name = "help",
	.summary = "explain a command",
	.usage = "[COMMAND]...",
	.options = options,
	.settings_size = sizeof(struct help_settings),
	.operands_max = SIZE_MAX,
	.run = run,
};
