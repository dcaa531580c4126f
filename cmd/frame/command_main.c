/* From the words of the command line to the command that runs, and its exit status. */
#include "frame/command.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "frame/help.h"
#include "frame/suggest.h"

struct standard_settings {
	bool help;
	size_t format;
};

#define HELP_OPTION                                                                            \
	{                                                                                      \
		.name = "help", .letter = 'h', .kind = OPTION_FLAG,                            \
		.help = "print this help and leave",                                           \
		.offset = offsetof(struct standard_settings, help)                             \
	}

static const struct option without_results[] = {HELP_OPTION, OPTIONS_END};

static const struct option with_results[] = {
	{.name = "format",
	 .argument = "FORMAT",
	 .kind = OPTION_CHOICE,
	 .choices = format_names,
	 .help = "how results are printed",
	 .fallback = "table",
	 .offset = offsetof(struct standard_settings, format)},
	HELP_OPTION,
	OPTIONS_END};

const struct option *command_standard_options(const struct command *command)
{
	return command->prints_results ? with_results : without_results;
}

/* A command on the way to being run. */
struct call {
	const struct command *command;
	char *path; /* "sotto noise laplace" */
	const char *const *arguments;
	size_t count;
};

FILE *command_notes(const struct invocation *call)
{
	fflush(call->out);
	return call->err;
}

const struct command *command_find(const struct command *command, const char *name)
{
	for (size_t i = 0; command->subcommands && command->subcommands[i]; i++)
		if (strcmp(command->subcommands[i]->name, name) == 0)
			return command->subcommands[i];
	return NULL;
}

static void descend(struct call *c, const struct command *to)
{
	char *path = memory_text("%s %s", c->path, to->name);

	free(c->path);
	c->path = path;
	c->command = to;
}

/* Follows the leading words of the arguments down the tree. */
static void find_command(struct call *c)
{
	while (c->count > 0) {
		const struct command *below = command_find(c->command, c->arguments[0]);

		if (!below)
			return;
		descend(c, below);
		c->arguments++;
		c->count--;
	}
}

static enum outcome
unknown_command(const struct command *command, const char *name, struct sotto_error *err)
{
	struct suggestion s = {.typed = name};

	for (size_t i = 0; command->subcommands[i]; i++)
		suggest_offer(&s, command->subcommands[i]->name);
	if (s.word)
		return complaint_usage(err, "there is no command %.40s; did you mean %s?", name,
				       s.word);
	return complaint_usage(err, "there is no command %.40s; --help lists them", name);
}

static enum outcome check_operands(const struct command *command,
				   const struct operands *operands, struct sotto_error *err)
{
	if (operands->count < command->operands_min)
		return complaint_usage(err, "something is missing: %s", command->usage);
	if (operands->count > command->operands_max && command->operands_max == 0)
		return complaint_usage(err, "no operands are expected; --help shows the usage");
	if (operands->count > command->operands_max)
		return complaint_usage(err,
				       "at most %zu operands are expected; --help shows "
				       "the usage",
				       command->operands_max);
	return OUTCOME_DONE;
}

static enum outcome run_parsed(const struct call *c, struct invocation *invocation,
			       const struct option_group *own, struct sotto_error *err)
{
	enum outcome outcome;

	if (!c->command->run)
		return complaint_usage(err, "a command is needed; --help lists them");
	outcome = option_check(own, err);
	if (outcome == OUTCOME_DONE)
		outcome = check_operands(c->command, &invocation->operands, err);
	if (outcome == OUTCOME_DONE)
		outcome = c->command->run(invocation, err);
	return outcome;
}

static enum outcome run_call(const struct call *c, struct sotto_error *err)
{
	struct standard_settings standard = {0};
	struct option_group groups[] = {
		{c->command->options, memory_new(1, c->command->settings_size)},
		{command_standard_options(c->command), &standard}};
	struct invocation invocation = {
		.settings = groups[0].settings, .in = stdin, .out = stdout, .err = stderr};
	enum outcome outcome;

	option_group_init(&groups[0]);
	option_group_init(&groups[1]);
	outcome = option_parse(groups, 2, c->arguments, c->count, &invocation.operands, err);
	invocation.format = (enum format)standard.format;
	if (standard.help) {
		help_print(stdout, c->command, c->path);
		outcome = OUTCOME_DONE;
	} else if (outcome == OUTCOME_DONE) {
		outcome = run_parsed(c, &invocation, &groups[0], err);
	}
	option_group_release(&groups[0]);
	option_group_release(&groups[1]);
	free(invocation.operands.items);
	free(groups[0].settings);
	return outcome;
}

/* A full disk or a closed pipe must not look like success. */
static enum outcome finish_output(enum outcome outcome, struct sotto_error *err)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return outcome;
	return complaint_refuse(err, "the results could not be written");
}

int command_main(const struct command *root, const char *const *arguments, size_t count)
{
	struct call c = {.command = root, .path = memory_copy_text(root->name)};
	struct sotto_error err = {""};
	enum outcome outcome;

	if (count > 0) {
		c.arguments = arguments + 1;
		c.count = count - 1;
	}
	find_command(&c);
	if (c.command->subcommands && c.count > 0 && c.arguments[0][0] != '-')
		outcome = unknown_command(c.command, c.arguments[0], &err);
	else
		outcome = run_call(&c, &err);
	outcome = finish_output(outcome, &err);
	if (outcome != OUTCOME_DONE)
		fprintf(stderr, "%s: %s\n", c.path, err.text);
	free(c.path);
	return (int)outcome;
}
