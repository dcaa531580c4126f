/* sotto noise: lists its mechanisms, each of which is a command of its own. */
#include "noise/noise_command.h"

#include "frame/commands.h"

static const struct command *const list[] = {
#define NOISE_POINTER(name) &noise_##name,
	NOISE_MECHANISMS(NOISE_POINTER)
#undef NOISE_POINTER
		NULL};

const struct command command_noise = {
	.name = "noise",
	.summary = "apply one mechanism to numbers",
	.usage = "MECHANISM [OPTION]... [VALUE]...",
	.details =
		"The noise is drawn exactly, from the system's random generator; it cannot be\n"
		"seeded.",
	.subcommands = list,
};
