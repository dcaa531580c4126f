#include "local/local_command.h"

static const struct command *const list[] = {
	&command_local_plan,   &command_local_presets, &command_local_privacy,
	&command_local_params, &command_local_encode,  &command_local_collect,
	&command_local_merge,  &command_local_decode,  &command_local_associate,
	&command_local_ngrams, &command_local_em,      &command_local_simulate,
	&command_local_attack, &command_local_audit,   NULL};

const struct command command_local = {
	.name = "local",
	.summary = "collect from devices that protect themselves",
	.usage = "COMMAND [OPTION]... [OPERAND]...",
	.details =
		"Each device randomizes its own value before it leaves; the collector is not\n"
		"trusted.  plan chooses a protocol, encode is what a device does, collect "
		"stores\n"
		"batches of reports, merge adds aggregates, decode estimates.  associate and\n"
		"ngrams read reports of several variables; simulate, attack and audit try a "
		"design.",
	.subcommands = list,
};
