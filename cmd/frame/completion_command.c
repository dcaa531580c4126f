/*
 * sotto completion: scripts that complete commands and options in a shell, from the option
 * tables
 */
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/commands.h"
#include "frame/complaint.h"

struct completion_settings {
	char nothing; /* a command has settings */
};

static const struct option options[] = {OPTIONS_END};

/* What is written for one command; path is "" for the program, else " noise laplace". */
typedef void (*write_one)(FILE *out, const struct command *c, const char *path);

static void walk(FILE *out, const struct command *c, const char *path, write_one each)
{
	each(out, c, path);
	for (size_t i = 0; c->subcommands && c->subcommands[i]; i++) {
		char *longer = memory_text("%s %s", path, c->subcommands[i]->name);

		if (!c->subcommands[i]->hidden)
			walk(out, c->subcommands[i], longer, each);
		free(longer);
	}
}

typedef void (*write_option)(FILE *out, const char *path, const struct option *o);

static void each_option(FILE *out, const struct command *c, const char *path, write_option each)
{
	const struct option *lists[] = {c->options, command_standard_options(c)};

	for (size_t k = 0; k < 2; k++)
		for (const struct option *o = lists[k]; o && o->name; o++)
			if (!o->hidden)
				each(out, path, o);
}

/* ---- bash and zsh: a word list for each command ----------------------------------------------- */

static void write_pattern(FILE *out, const struct command *c, const char *path)
{
	(void)c;
	if (*path)
		fprintf(out, " | \"%s\"", path);
}

static void write_name(FILE *out, const char *path, const struct option *o)
{
	(void)path;
	fprintf(out, " --%s", o->name);
}

static void write_words(FILE *out, const struct command *c, const char *path)
{
	fprintf(out, "\t\"%s\") words=\"", path);
	for (size_t i = 0; c->subcommands && c->subcommands[i]; i++)
		if (!c->subcommands[i]->hidden)
			fprintf(out, "%s ", c->subcommands[i]->name);
	each_option(out, c, path, write_name);
	fputs("\" ;;\n", out);
}

static void write_choices_of(FILE *out, const char *path, const struct option *o)
{
	if (!o->choices)
		return;
	fprintf(out, "\t\"%s --%s\") words=\"", path, o->name);
	for (size_t i = 0; o->choices[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", o->choices[i]);
	fputs("\" ;;\n", out);
}

static void write_choices(FILE *out, const struct command *c, const char *path)
{
	each_option(out, c, path, write_choices_of);
}

/* `typed` is the list of words before the one that is completed, `last` the one before it. */
static void write_cases(FILE *out, const char *typed, const char *last)
{
	fprintf(out, "\tfor word in %s; do\n\t\tcase \"$at $word\" in\n\t\t\"\"", typed);
	walk(out, &command_root, "", write_pattern);
	fprintf(out, ") at=\"$at $word\" ;;\n\t\tesac\n\tdone\n\tcase \"$at\" in\n");
	walk(out, &command_root, "", write_words);
	fprintf(out, "\tesac\n\tcase \"$at %s\" in\n", last);
	walk(out, &command_root, "", write_choices);
	fputs("\tesac\n", out);
}

static void write_bash(FILE *out)
{
	fputs("# sotto(1) completion for bash\n_sotto() {\n\tlocal at= word words= "
	      "last=\"${COMP_WORDS[COMP_CWORD-1]}\"\n",
	      out);
	write_cases(out, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"", "$last");
	fputs("\tCOMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n"
	      "complete -o default -F _sotto sotto\n",
	      out);
}

static void write_zsh(FILE *out)
{
	fputs("#compdef sotto\n# sotto(1) completion for zsh\n_sotto() {\n\tlocal at= word "
	      "last=\"${words[CURRENT-1]}\"\n\tlocal -a typed\n"
	      "\ttyped=(\"${words[@]:1:$((CURRENT-2))}\")\n\tlocal words=\n",
	      out);
	write_cases(out, "\"${typed[@]}\"", "$last");
	fputs("\tcompadd -- ${=words}\n\t_files\n}\n_sotto \"$@\"\n", out);
}

/* ---- fish: a line for each word ----------------------------------------------------------------- */

/* Between single quotes; the tables hold few of them. */
static void write_quoted(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++)
		if (*text == '\'' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	fputc('\'', out);
}

static void write_fish_option(FILE *out, const char *path, const struct option *o)
{
	fprintf(out, "complete -c sotto -n '__sotto_at \"%s\"' -l %s", path, o->name);
	if (o->letter)
		fprintf(out, " -s %c", o->letter);
	if (o->argument)
		fputs(" -r", out);
	if (o->choices) {
		fputs(" -f -a '", out);
		for (size_t i = 0; o->choices[i]; i++)
			fprintf(out, "%s%s", i ? " " : "", o->choices[i]);
		fputc('\'', out);
	}
	fputs(" -d ", out);
	write_quoted(out, o->help);
	fputc('\n', out);
}

static void write_fish_command(FILE *out, const struct command *c, const char *path)
{
	for (size_t i = 0; c->subcommands && c->subcommands[i]; i++) {
		if (c->subcommands[i]->hidden)
			continue;
		fprintf(out, "complete -c sotto -n '__sotto_at \"%s\"' -f -a %s -d ", path,
			c->subcommands[i]->name);
		write_quoted(out, c->subcommands[i]->summary);
		fputc('\n', out);
	}
	each_option(out, c, path, write_fish_option);
}

static void write_path(FILE *out, const struct command *c, const char *path)
{
	(void)c;
	fprintf(out, " \"%s\"", path);
}

static void write_fish(FILE *out)
{
	fputs("# sotto(1) completion for fish\nfunction __sotto_at\n\tset -l at ''\n"
	      "\tfor word in (commandline -opc)[2..-1]\n\t\tcontains -- \"$at $word\"",
	      out);
	walk(out, &command_root, "", write_path);
	fputs("; and set at \"$at $word\"\n\tend\n\ttest \"$at\" = \"$argv[1]\"\nend\n", out);
	walk(out, &command_root, "", write_fish_command);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	static const struct {
		const char *name;
		void (*write)(FILE *out);
	} shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};

	for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
		if (strcmp(call->operands.items[0], shells[i].name) == 0) {
			shells[i].write(call->out);
			return OUTCOME_DONE;
		}
	return complaint_usage(err,
			       "there are completions for bash, zsh and fish, not for %.40s",
			       call->operands.items[0]);
}

const struct command command_completion = {
	.name = "completion",
	.summary = "print a script that completes commands and options in a shell",
	.usage = "bash|zsh|fish",
	.details = "\"make install\" puts these scripts where the shells look for them.\n"
		   "Without it, run eval \"$(sotto completion bash)\"",
	.options = options,
	.settings_size = sizeof(struct completion_settings),
	.operands_min = 1,
	.operands_max = 1,
	.run = run,
};
