/* From the words of the command line to the command that runs, and its exit status. */
#include "frame/command.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "frame/help.h"
#include "frame/suggest.h"
#include "show/printable.h"
#include "show/terminal.h"
#include "show/waiting.h"

struct standard_settings {
	bool help;
	size_t format;
};

#define HELP_OPTION                                                                            \
	{                                                                                      \
		.name = "help", .letter = 'h', .kind = OPTION_FLAG,                            \
		.help = "print this help and exit",                                            \
		.offset = offsetof(struct standard_settings, help)                             \
	}

static const struct option without_results[] = {HELP_OPTION, OPTIONS_END};

static const struct option with_results[] = {
	{.name = "format",
	 .argument = "FORMAT",
	 .kind = OPTION_CHOICE,
	 .choices = format_names,
	 .help = "output format",
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
		return complaint_usage(err, "an operand is missing; the usage is: %s",
				       command->usage);
	if (operands->count > command->operands_max && command->operands_max == 0)
		return complaint_usage(err, "no operands are expected; --help shows the usage");
	if (operands->count > command->operands_max)
		return complaint_usage(err,
				       "at most %zu operand%s expected; --help shows the "
				       "usage",
				       command->operands_max,
				       command->operands_max == 1 ? " is" : "s are");
	return OUTCOME_DONE;
}

/* Copies what was held back, and frees it. */
static void give_out(FILE *held, char **text, const size_t *size, FILE *to)
{
	(void)fclose(held);
	fwrite(*text, 1, *size, to);
	(void)fflush(to);
	free(*text);
}

/* Results and notes would be drawn over: they come when the waiting is over. */
static enum outcome run_waiting(const struct command *command, struct invocation *invocation,
				struct sotto_error *err)
{
	FILE *out = invocation->out, *notes = invocation->err;
	char *out_text = NULL, *note_text = NULL;
	size_t out_size = 0, note_size = 0;
	struct waiting waiting;
	enum outcome outcome;

	invocation->out = open_memstream(&out_text, &out_size);
	invocation->err = open_memstream(&note_text, &note_size);
	if (!invocation->out || !invocation->err)
		memory_fail();
	waiting_begin(&waiting, command->waits);
	outcome = command->run(invocation, err);
	waiting_end(&waiting);
	give_out(invocation->out, &out_text, &out_size, out);
	give_out(invocation->err, &note_text, &note_size, notes);
	invocation->out = out;
	invocation->err = notes;
	return outcome;
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
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (c->command->waits && terminal_is(stderr))
		return run_waiting(c->command, invocation, err);
	return c->command->run(invocation, err);
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
	if (outcome == OUTCOME_REFUSED && c->command->one_is_failure)
		outcome = OUTCOME_USAGE;
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
static enum outcome
finish_output(const struct command *command, enum outcome outcome, struct sotto_error *err)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return outcome;
	return complaint_refuse(err, "the results could not be written%s%s",
				command->if_unwritten ? "; " : "",
				command->if_unwritten ? command->if_unwritten : "");
}

/* A file that may not grow is a disk that is full: not a death without a word after a charge. */
int command_main(const struct command *root, const char *const *arguments, size_t count)
{
	struct call c = {.command = root, .path = memory_copy_text(root->name)};
	struct sotto_error err = {""};
	enum outcome outcome;

	(void)signal(SIGXFSZ, SIG_IGN);
	if (count > 0) {
		c.arguments = arguments + 1;
		c.count = count - 1;
	}
	find_command(&c);
	if (c.command->subcommands && c.count > 0 && c.arguments[0][0] != '-')
		outcome = unknown_command(c.command, c.arguments[0], &err);
	else
		outcome = run_call(&c, &err);
	outcome = finish_output(c.command, outcome, &err);
	if (outcome != OUTCOME_DONE) {
		fprintf(stderr, "%s: ", c.path);
		printable_print(err.text, stderr);
		fputc('\n', stderr);
	}
	free(c.path);
	return (int)outcome;
}
