/* sotto local params: prints the parameters of a collection for the program on the device. */
#include <stddef.h>

#include "local/design/local_emit.h"
#include "local/local_command.h"

struct params_settings {
	size_t to;
};

static const char *const forms[] = {"c", "js", "bytes", NULL};

static const struct option options[] = {
	{.name = "to",
	 .argument = "FORM",
	 .kind = OPTION_CHOICE,
	 .choices = forms,
	 .help = "a C header, a JavaScript module, or the canonical bytes",
	 .offset = offsetof(struct params_settings, to)},
	OPTIONS_END};

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct params_settings *s = call->settings;
	struct sotto_client_params params;
	enum outcome outcome = local_read_params(call->operands.items[0], &params, err);

	if (outcome == OUTCOME_DONE)
		local_emit(&params, (enum local_emission)s->to, call->out);
	return outcome;
}

const struct command command_local_params = {
	.name = "params",
	.summary = "print a collection's parameters for the program on the device",
	.usage = "[--to c|js|bytes] FILE",
	.details =
		"FILE has the parameters as plan --emit text prints them.  The device and the\n"
		"collector must use the same parameters: reports with others are refused.",
	.options = options,
	.settings_size = sizeof(struct params_settings),
	.operands_min = 1,
	.operands_max = 1,
	.run = run,
};
