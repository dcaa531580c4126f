/* sotto tables */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frame/allocation.h"
#include "frame/commands.h"
#include "frame/complaint.h"
#include "query/ask.h"
#include "query/tables_print.h"

static const struct option options[] = {ASK_POLICY_OPTION, OPTIONS_END};

static const struct sotto_table *find(const struct sotto_tables *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcasecmp(all->list[i].name, name) == 0)
			return &all->list[i];
	return NULL;
}

/* Only the tables that are named, in the order in which they are. */
static enum outcome choose(const struct operands *names, const struct sotto_tables *all,
			   struct sotto_tables *chosen, struct sotto_error *err)
{
	for (size_t i = 0; i < names->count; i++) {
		const struct sotto_table *t = find(all, names->items[i]);

		if (!t)
			return complaint_refuse(err,
						"there is no table %.60s in the policy; sotto "
						"tables lists them",
						names->items[i]);
		chosen->list[chosen->count++] = *t;
	}
	return OUTCOME_DONE;
}

static enum outcome
print(const struct invocation *call, const struct sotto_tables *all, struct sotto_error *err)
{
	struct sotto_tables chosen = {0};
	enum outcome outcome;

	if (call->operands.count == 0) {
		tables_print(all, call->format, call->out);
		return OUTCOME_DONE;
	}
	chosen.list = memory_new(call->operands.count, sizeof *chosen.list);
	outcome = choose(&call->operands, all, &chosen, err);
	if (outcome == OUTCOME_DONE)
		tables_print(&chosen, call->format, call->out);
	free(chosen.list);
	return outcome;
}

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
		outcome = print(call, tables, err);
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
