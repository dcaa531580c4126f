/* sotto user: who may use the server */
#include <stdlib.h>
#include <string.h>

#include "frame/commands.h"
#include "frame/complaint.h"
#include "query/ask.h"
#include "show/table.h"
#include "sotto/server.h"

struct user_settings {
	const char *policy, *share, *collection;
	int role;
};

static const char *const role_names[] = {"owner", "analyst", "device", NULL};

#define OPTION(field, name_, argument_, kind_, help_)                                          \
	.name = name_, .argument = argument_, .kind = kind_, .help = help_,                    \
	.offset = offsetof(struct user_settings, field)
#define POLICY                                                                                 \
	{                                                                                      \
		OPTION(policy, "policy", "FILE", OPTION_TEXT, "the policy"),                   \
			.letter = 'p', .fallback = "sotto.yaml"                                \
	}

static const struct option policy_option[] = {POLICY, OPTIONS_END};
static const struct option add_options[] = {
	POLICY,
	{OPTION(role, "role", "ROLE", OPTION_CHOICE, "what the user may do"),
	 .choices = role_names, .fallback = "analyst"},
	{OPTION(share, "share", "PART", OPTION_TEXT,
		"the analyst's share of the budget, like 1/4 (default: the whole budget)")},
	{OPTION(collection, "collection", "NAME", OPTION_TEXT,
		"with --role device: the collection that its reports go to")},
	OPTIONS_END};

static enum sotto_status open_people(const struct user_settings *settings,
				     struct sotto_people **out, struct sotto_error *err)
{
	char *path = NULL;
	enum sotto_status st = sotto_server_people_path(settings->policy, &path, err);

	if (st == SOTTO_OK)
		st = sotto_people_open(path, out, err);
	free(path);
	return st;
}

static void print_key(const struct invocation *call, const char *name, const char *key)
{
	fprintf(call->out, "%s\n", key);
	fprintf(command_notes(call), "This is the key of %s. It is not shown again.\n", name);
}

/* ---- add -------------------------------------------------------------------------------------- */

static bool copy(const char *text, char out[SOTTO_PERSON_NAME_MAX + 1])
{
	return !text ||
	       snprintf(out, SOTTO_PERSON_NAME_MAX + 1, "%s", text) <= SOTTO_PERSON_NAME_MAX;
}

static enum outcome run_add(const struct invocation *call, struct sotto_error *err)
{
	const struct user_settings *settings = call->settings;
	struct sotto_person person = {.role = (enum sotto_role)settings->role};
	struct sotto_people *people = NULL;
	char key[SOTTO_KEY_TEXT_SIZE];
	enum sotto_status st;

	if (!copy(call->operands.items[0], person.name) ||
	    !copy(settings->share, person.share) ||
	    !copy(settings->collection, person.collection))
		return complaint_usage(err, "names and shares have at most %d letters",
				       SOTTO_PERSON_NAME_MAX);
	st = open_people(settings, &people, err);
	if (st == SOTTO_OK)
		st = sotto_people_add(people, &person, key, err);
	if (st == SOTTO_OK)
		print_key(call, person.name, key);
	sotto_people_close(people);
	return ask_outcome(st, err);
}

static const struct command command_add = {
	.name = "add",
	.summary = "add a user and print the key, once",
	.usage = "[--role ROLE] [--share PART] [--policy FILE] NAME",
	.options = add_options,
	.settings_size = sizeof(struct user_settings),
	.operands_min = 1,
	.operands_max = 1,
	.run = run_add,
};

/* ---- rotate, revoke ----------------------------------------------------------------------------- */

static enum outcome run_rotate(const struct invocation *call, struct sotto_error *err)
{
	struct sotto_people *people = NULL;
	char key[SOTTO_KEY_TEXT_SIZE];
	enum sotto_status st = open_people(call->settings, &people, err);

	if (st == SOTTO_OK)
		st = sotto_people_rotate(people, call->operands.items[0], key, err);
	if (st == SOTTO_OK)
		print_key(call, call->operands.items[0], key);
	sotto_people_close(people);
	return ask_outcome(st, err);
}

static const struct command command_rotate = {
	.name = "rotate",
	.summary = "give a user a new key; the old one stops working",
	.usage = "[--policy FILE] NAME",
	.options = policy_option,
	.settings_size = sizeof(struct user_settings),
	.operands_min = 1,
	.operands_max = 1,
	.run = run_rotate,
};

static enum outcome run_revoke(const struct invocation *call, struct sotto_error *err)
{
	struct sotto_people *people = NULL;
	enum sotto_status st = open_people(call->settings, &people, err);

	if (st == SOTTO_OK)
		st = sotto_people_revoke(people, call->operands.items[0], err);
	if (st == SOTTO_OK)
		fprintf(call->out, "the key of %s is no longer valid\n",
			(const char *)call->operands.items[0]);
	sotto_people_close(people);
	return ask_outcome(st, err);
}

static const struct command command_revoke = {
	.name = "revoke",
	.summary = "make a user's key invalid, until rotate gives a new one",
	.usage = "[--policy FILE] NAME",
	.options = policy_option,
	.settings_size = sizeof(struct user_settings),
	.operands_min = 1,
	.operands_max = 1,
	.run = run_revoke,
};

/* ---- list ---------------------------------------------------------------------------------------- */

static enum sotto_status add_row(void *context, const struct sotto_person *p)
{
	struct table *t = context;

	table_add_text(t, p->name);
	table_add_text(t, sotto_role_name(p->role));
	if (p->share[0])
		table_add_text(t, p->share);
	else
		table_add_nothing(t);
	if (p->collection[0])
		table_add_text(t, p->collection);
	else
		table_add_nothing(t);
	table_add_text(t, p->revoked ? "revoked" : "valid");
	return SOTTO_OK;
}

static enum outcome run_list(const struct invocation *call, struct sotto_error *err)
{
	static const struct column columns[] = {
		{"name", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"role", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"share", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"collection", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"key", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct sotto_people *people = NULL;
	enum sotto_status st = open_people(call->settings, &people, err);
	struct table t;

	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	if (st == SOTTO_OK)
		st = sotto_people_each(people, add_row, &t, err);
	if (st == SOTTO_OK)
		table_print(&t, call->format, call->out);
	table_release(&t);
	sotto_people_close(people);
	return ask_outcome(st, err);
}

static const struct command command_list = {
	.name = "list",
	.summary = "list everybody",
	.usage = "[--policy FILE]",
	.options = policy_option,
	.settings_size = sizeof(struct user_settings),
	.operands_max = 0,
	.prints_results = true,
	.run = run_list,
};

static const struct command *const subcommands[] = {&command_add, &command_list,
						    &command_rotate, &command_revoke, NULL};

const struct command command_user = {
	.name = "user",
	.summary = "manage the users of the server and their keys",
	.usage = "add|list|rotate|revoke",
	.subcommands = subcommands,
};
