/* sotto ledger: the owner's commands on a ledger */
#include "query/ledger/ledger_command.h"

#include <inttypes.h>
#include <stdlib.h>

#include "frame/commands.h"
#include "query/ask.h"
#include "sotto/owner.h"

struct ledger_settings {
	struct ask_settings ask;
};

static const struct option options[] = {ASK_POLICY_OPTION, OPTIONS_END};

typedef enum sotto_status (*act)(const struct invocation *call, struct sotto_ledger *ledger,
				 struct sotto_error *err);

static enum sotto_status act_on(act what, const struct invocation *call,
				struct sotto_session *s, struct sotto_error *err)
{
	struct sotto_ledger *ledger;
	enum sotto_status st = sotto_session_ledger(s, &ledger, err);

	return st == SOTTO_OK ? what(call, ledger, err) : st;
}

static enum outcome run(act what, const struct invocation *call, struct sotto_error *err)
{
	const struct ledger_settings *settings = call->settings;
	struct sotto_session *session = NULL;
	enum outcome outcome =
		ask_outcome(sotto_session_open(settings->ask.policy, &session, err), err);

	if (outcome == OUTCOME_DONE)
		outcome = ask_outcome(act_on(what, call, session, err), err);
	sotto_session_close(session);
	return outcome;
}

/* ---- verify ---------------------------------------------------------------------------------- */

static void print_verified(uint64_t entries, uint64_t answers, enum format format, FILE *out)
{
	struct json_writer w;

	if (format == FORMAT_CSV) {
		fprintf(out, "entries,answers,verified\n%" PRIu64 ",%" PRIu64 ",true\n",
			entries, answers);
		return;
	}
	if (format == FORMAT_TABLE) {
		fprintf(out,
			"%" PRIu64 " entries and %" PRIu64
			" stored answers: the chain of hashes holds\n",
			entries, answers);
		return;
	}
	json_begin(&w, out);
	json_open_object(&w);
	json_member_integer(&w, "entries", (int64_t)entries);
	json_member_integer(&w, "answers", (int64_t)answers);
	json_member_bool(&w, "verified", true);
	json_close_object(&w);
	json_end(&w);
}

enum sotto_status ledger_verify(struct sotto_ledger *ledger, enum format format, FILE *out,
				struct sotto_error *err)
{
	uint64_t entries = 0, answers = 0;
	enum sotto_status st = sotto_ledger_verify(ledger, &entries, &answers, err);

	if (st == SOTTO_OK)
		print_verified(entries, answers, format, out);
	return st;
}

static enum sotto_status
verify(const struct invocation *call, struct sotto_ledger *ledger, struct sotto_error *err)
{
	return ledger_verify(ledger, call->format, call->out, err);
}

static enum outcome run_verify(const struct invocation *call, struct sotto_error *err)
{
	return run(verify, call, err);
}

static const struct command command_ledger_verify = {
	.name = "verify",
	.summary = "check every entry and every stored answer",
	.usage = "[--policy FILE]",
	.options = options,
	.settings_size = sizeof(struct ledger_settings),
	.operands_max = 0,
	.waits = "checking",
	.prints_results = true,
	.run = run_verify,
};

/* ---- backup ---------------------------------------------------------------------------------- */

static enum sotto_status
backup(const struct invocation *call, struct sotto_ledger *ledger, struct sotto_error *err)
{
	const char *path = call->operands.items[0];
	enum sotto_status st = sotto_ledger_backup(ledger, path, err);

	if (st == SOTTO_OK)
		fprintf(call->out, "copied to %s, and checked\n", path);
	return st;
}

static enum outcome run_backup(const struct invocation *call, struct sotto_error *err)
{
	return run(backup, call, err);
}

static const struct command command_backup = {
	.name = "backup",
	.summary = "copy the ledger into a new file, even while it is in use",
	.usage = "[--policy FILE] FILE",
	.details =
		"The copy is consistent, and it is checked before it gets its name.  It does\n"
		"not contain what is charged later, so restore a copy only if the ledger is\n"
		"lost.",
	.options = options,
	.settings_size = sizeof(struct ledger_settings),
	.operands_min = 1,
	.operands_max = 1,
	.run = run_backup,
};

/* ---- repair-clock ---------------------------------------------------------------------------- */

static enum sotto_status repair_clock(const struct invocation *call,
				      struct sotto_ledger *ledger, struct sotto_error *err)
{
	char before[LEDGER_TIME_SIZE], after[LEDGER_TIME_SIZE];
	int64_t from = 0, to = 0;
	enum sotto_status st = sotto_ledger_repair_clock(ledger, "owner", &from, &to, err);

	if (st != SOTTO_OK)
		return st;
	ledger_time_text(from, before);
	ledger_time_text(to, after);
	fprintf(call->out,
		"the ledger's clock was moved back from %s to %s\n"
		"what was charged under the later time counts in the running period\n",
		before, after);
	return SOTTO_OK;
}

static enum outcome run_repair_clock(const struct invocation *call, struct sotto_error *err)
{
	return run(repair_clock, call, err);
}

static const struct command command_repair_clock = {
	.name = "repair-clock",
	.summary = "move the ledger's time back to this machine's clock",
	.usage = "[--policy FILE]",
	.details = "If the clock was wrong and in the future during a charge, the budget would "
		   "be\n"
		   "renewed only when that time has come.  Correct the machine's clock first.  "
		   "The\n"
		   "repair gives no budget back and is recorded in the ledger.",
	.options = options,
	.settings_size = sizeof(struct ledger_settings),
	.operands_max = 0,
	.run = run_repair_clock,
};

/* ---- create ---------------------------------------------------------------------------------- */

struct create_settings {
	const char *policy;
	size_t neighbours;
};

static const char *const neighbour_words[] = {
	[SOTTO_NEIGHBOURS_ADD_REMOVE] = "add-remove",
	[SOTTO_NEIGHBOURS_REPLACE_ONE] = "replace-one",
	NULL,
};

static const struct option create_options[] = {
	{.name = "policy",
	 .letter = 'p',
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .fallback = "sotto.yaml",
	 .help = "the data owner's policy",
	 .offset = offsetof(struct create_settings, policy)},
	{.name = "neighbours",
	 .argument = "WORD",
	 .kind = OPTION_CHOICE,
	 .choices = neighbour_words,
	 .help = "which datasets are neighbours",
	 .offset = offsetof(struct create_settings, neighbours)},
	OPTIONS_END};

static enum outcome run_create(const struct invocation *call, struct sotto_error *err)
{
	const struct create_settings *settings = call->settings;
	char *path = NULL;
	enum outcome outcome = ask_outcome(
		sotto_policy_create_ledger(settings->policy,
					   (enum sotto_ledger_neighbours)settings->neighbours,
					   &path, err),
		err);

	if (outcome == OUTCOME_DONE)
		fprintf(call->out, "created the ledger %s, for %s neighbours\n", path,
			neighbour_words[settings->neighbours]);
	free(path);
	return outcome;
}

static const struct command command_create = {
	.name = "create",
	.summary = "make the ledger that the policy names",
	.usage = "[--policy FILE] [--neighbours WORD]",
	.details =
		"A new ledger starts the budget again, so a question never creates one.  SQL\n"
		"needs a ledger with add-remove neighbours; \"sotto release\" needs the\n"
		"neighbours that its plan states.",
	.options = create_options,
	.settings_size = sizeof(struct create_settings),
	.operands_max = 0,
	.run = run_create,
};

static const struct command *const list[] = {&command_create, &command_ledger_verify,
					     &command_backup, &command_repair_clock, NULL};

const struct command command_ledger = {
	.name = "ledger",
	.summary = "make, check, copy or repair the ledger",
	.usage = "COMMAND [OPTION]... [OPERAND]...",
	.details = "For the owner of the data.  \"sotto budget\" shows what is in the ledger.",
	.subcommands = list,
};
