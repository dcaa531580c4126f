/* Lists the subcommands of sotto local in the order in which its help shows them. */
#include "local/local_command.h"

static const struct command *const list[] = {
	&command_local_plan,   &command_local_presets, &command_local_privacy,
	&command_local_params, &command_local_encode,  &command_local_collect,
	&command_local_merge,  &command_local_decode,  &command_local_associate,
	&command_local_ngrams, &command_local_em,      &command_local_simulate,
	&command_local_attack, &command_local_audit,   NULL};

const struct command command_local = {
	.name = "local",
	.summary = "collect data from devices that add the noise themselves",
	.usage = "COMMAND [OPTION]... [OPERAND]...",
	.details =
		"Each device randomizes its value before anything leaves it, so that nobody "
		"has\n"
		"to trust the collector.  plan chooses a protocol, encode does what a device\n"
		"does, collect stores batches of reports, merge adds aggregates, and decode\n"
		"estimates.  associate and ngrams use reports of several variables.  "
		"simulate,\n"
		"attack and audit test a design.",
	.subcommands = list,
};
