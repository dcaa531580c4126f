/*
 * Prints the tables that the option parser reads, in columns for people or, for tools and
 * tests, as lines with tabs.
 */
#include "frame/help.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"

enum { COLUMN_MAX = 30, WIDTH = 80 };

/* "    --epsilon E" or "-q, --quiet" */
static char *option_heading(const struct option *o)
{
	char letter[5] = "    ";

	if (o->letter)
		(void)snprintf(letter, sizeof letter, "-%c, ", o->letter);
	return memory_text("%s--%s%s%s", letter, o->name, o->argument ? " " : "",
			   o->argument ? o->argument : "");
}

static size_t heading_width(const struct option *options, size_t least)
{
	for (const struct option *o = options; o && o->name; o++) {
		char *heading = option_heading(o);
		size_t length = strlen(heading);

		if (length > least && length <= COLUMN_MAX)
			least = length;
		free(heading);
	}
	return least;
}

static void print_choices(FILE *out, const struct option *o)
{
	fputs(": ", out);
	for (size_t i = 0; o->choices[i]; i++) {
		const char *before = i == 0 ? "" : o->choices[i + 1] ? ", " : " or ";

		fprintf(out, "%s%s", before, o->choices[i]);
	}
}

/* What holds if the option is not given; NULL: nothing does.  A choice is then the first one. */
static const char *default_of(const struct option *o)
{
	if (o->fallback)
		return o->fallback[0] ? o->fallback : NULL;
	return o->kind == OPTION_CHOICE && !o->required ? o->choices[0] : NULL;
}

static void print_option(FILE *out, const struct option *o, size_t width)
{
	char *heading = option_heading(o);

	fprintf(out, "  %-*s", (int)width, heading);
	if (strlen(heading) > width)
		fprintf(out, "\n  %-*s", (int)width, "");
	fprintf(out, "  %s", o->help);
	if (o->choices)
		print_choices(out, o);
	if (o->kind == OPTION_LIST)
		fputs("; may be repeated", out);
	if (default_of(o))
		fprintf(out, " (default %s)", default_of(o));
	fputc('\n', out);
	free(heading);
}

static void print_options(FILE *out, const struct option *options, size_t width)
{
	for (const struct option *o = options; o && o->name; o++)
		if (!o->hidden)
			print_option(out, o, width);
}

static void print_subcommands(FILE *out, const struct command *const *list)
{
	int width = 0;

	for (size_t i = 0; list[i]; i++)
		if (!list[i]->hidden && (int)strlen(list[i]->name) > width)
			width = (int)strlen(list[i]->name);
	fputs("\ncommands:\n", out);
	for (size_t i = 0; list[i]; i++)
		if (!list[i]->hidden)
			fprintf(out, "  %-*s  %s\n", width, list[i]->name, list[i]->summary);
}

static void print_usage(FILE *out, const char *usage, const char *path)
{
	const char *lead = "usage: ";

	while (*usage) {
		size_t length = strcspn(usage, "\n");

		fprintf(out, "%s%s %.*s\n", lead, path, (int)length, usage);
		usage += length + (usage[length] == '\n');
		lead = "       ";
	}
}

/* "about: text", folded between words. */
static void print_statement(FILE *out, const struct command_statement *s)
{
	size_t at = (size_t)fprintf(out, "%s:", s->about);

	for (const char *word = s->text; *word;) {
		size_t n = strcspn(word, " ");

		if (at + 1 + n > WIDTH)
			at = (size_t)fprintf(out, "\n ") - 1;
		at += (size_t)fprintf(out, " %.*s", (int)n, word);
		word += n + strspn(word + n, " ");
	}
	fputs("\n", out);
}

static void print_statements(FILE *out, const struct command_statement *statements)
{
	fputs("\n", out);
	for (const struct command_statement *s = statements; s->about; s++)
		print_statement(out, s);
}

void help_print(FILE *out, const struct command *command, const char *path)
{
	const struct option *standard = command_standard_options(command);
	size_t width = heading_width(command->options, heading_width(standard, 0));

	fprintf(out, "%s - %s\n\n", path, command->summary);
	print_usage(out, command->usage, path);
	if (command->details)
		fprintf(out, "\n%s\n", command->details);
	if (command->statements)
		print_statements(out, command->statements);
	if (command->subcommands)
		print_subcommands(out, command->subcommands);
	fputs("\noptions:\n", out);
	print_options(out, command->options, width);
	print_options(out, standard, width);
}

static void dump_options(FILE *out, const struct option *options, const char *path)
{
	for (const struct option *o = options; o && o->name; o++) {
		char letter[2] = {o->letter ? o->letter : '-', '\0'};

		if (o->hidden)
			continue;
		fprintf(out, "option\t%s\t--%s\t%s%s\t%s\t%s\n", path, o->name,
			o->letter ? "-" : "", letter, o->argument ? o->argument : "-", o->help);
	}
}

static void dump_command(FILE *out, const struct command *command, const char *path)
{
	fprintf(out, "command\t%s\t%s\n", path, command->summary);
	for (const struct command_statement *s = command->statements; s && s->about; s++)
		fprintf(out, "statement\t%s\t%s\t%s\n", path, s->about, s->text);
	dump_options(out, command->options, path);
	dump_options(out, command_standard_options(command), path);
	for (size_t i = 0; command->subcommands && command->subcommands[i]; i++) {
		char *below = memory_text("%s %s", path, command->subcommands[i]->name);

		dump_command(out, command->subcommands[i], below);
		free(below);
	}
}

void help_dump(FILE *out, const struct command *root)
{
	dump_command(out, root, root->name);
}
