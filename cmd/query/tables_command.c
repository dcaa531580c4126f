/*
 * sotto tables: prints what the policy makes public about its tables, or about those that are
 * named.
 */
#include "frame/commands.h"
#include "query/ask.h"
#include "query/tables_print.h"

static const struct option options[] = {ASK_POLICY_OPTION, OPTIONS_END};

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct ask_settings *settings = call->settings;
	struct sotto_session *session = NULL;
	struct sotto_tables *tables = NULL;
	enum outcome outcome =
		ask_outcome(sotto_session_open(settings->policy, &session, err), err);

	if (outcome == OUTCOME_DONE)
		outcome = ask_outcome(sotto_session_tables(session, &tables, err), err);
	if (outcome == OUTCOME_DONE)
		outcome = tables_print_some(tables, call->operands.items, call->operands.count,
					    call->format, call->out, err);
	sotto_tables_free(tables);
	sotto_session_close(session);
	return outcome;
}

const struct command command_tables = {
	.name = "tables",
	.summary = "list the tables and columns that can be asked about",
	.usage = "[--policy FILE] [TABLE]...",
	.details =
		"Shows the tables of the policy with their columns, types, bounds and public\n"
		"keys, and who is protected in each.  Reads no rows and charges nothing.",
	.options = options,
	.settings_size = sizeof(struct ask_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
