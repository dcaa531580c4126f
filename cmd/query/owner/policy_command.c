/* sotto policy: the owner's commands on a policy */
#include <stdlib.h>
#include <string.h>

#include "frame/commands.h"
#include "query/ask.h"
#include "sotto/owner.h"
#include "sotto/query.h"

struct accept_settings {
	const char *policy;
};

static const struct option options[] = {{.name = "policy",
					 .letter = 'p',
					 .argument = "FILE",
					 .kind = OPTION_TEXT,
					 .fallback = "sotto.yaml",
					 .help = "the policy to accept",
					 .offset = offsetof(struct accept_settings, policy)},
					OPTIONS_END};

/* A line for each change; the text is cut in place. */
static void print_accepted(char *difference, FILE *out)
{
	for (char *save = NULL, *line = strtok_r(difference, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		fprintf(out, "accepted: %s\n", line);
}

static enum outcome run_accept(const struct invocation *call, struct sotto_error *err)
{
	const struct accept_settings *settings = call->settings;
	char *difference = NULL;
	enum outcome outcome = ask_outcome(
		sotto_policy_accept(settings->policy, "owner", &difference, err), err);

	if (outcome == OUTCOME_DONE && *difference)
		print_accepted(difference, call->out);
	else if (outcome == OUTCOME_DONE)
		fputs("nothing to accept: the ledger has this policy already\n", call->out);
	free(difference);
	return outcome;
}

static const struct command command_accept = {
	.name = "accept",
	.summary = "accept what has changed in the policy since the ledger recorded it",
	.usage = "[--policy FILE]",
	.details =
		"These changes need no acceptance: bounds, keys, steps, max_groups, max_rows,\n"
		"max_text, rows, and new private tables of a known unit.  All others do.  "
		"What\n"
		"was spent stays spent.  The change is recorded in the ledger: see \"sotto\n"
		"budget --history\".",
	.options = options,
	.settings_size = sizeof(struct accept_settings),
	.operands_max = 0,
	.run = run_accept,
};

static const struct command *const list[] = {&command_accept, NULL};

const struct command command_policy = {
	.name = "policy",
	.summary = "accept a changed policy for its ledger",
	.usage = "COMMAND [OPTION]...",
	.details = "For the owner of the data.",
	.subcommands = list,
};
