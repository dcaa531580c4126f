/* Backslash commands: one table, from which \? and completion are made. */
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "frame/suggest.h"
#include "query/ledger/budget_print.h"
#include "query/tables_print.h"
#include "shell/shell.h"

/* rest is what stands behind the name, without blanks around it; may be "". */
typedef enum outcome (*meta_function)(struct shell *s, const char *rest,
				      struct sotto_error *err);

/* ---- settings ---------------------------------------------------------------------------------- */

static enum outcome set_switch(bool *to, const char *name, const char *rest, struct shell *s,
			       struct sotto_error *err)
{
	if (strcmp(rest, "on") == 0)
		*to = true;
	else if (strcmp(rest, "off") == 0)
		*to = false;
	else if (*rest)
		return complaint_usage(err, "write \\%s on or \\%s off", name, name);
	fprintf(s->out, "%s is %s\n", name, *to ? "on" : "off");
	return OUTCOME_DONE;
}

static enum outcome set_price(struct shell *s, const char *rest, struct sotto_error *err)
{
	return set_switch(&s->settings.price, "price", rest, s, err);
}

static enum outcome set_chart(struct shell *s, const char *rest, struct sotto_error *err)
{
	return set_switch(&s->settings.chart, "chart", rest, s, err);
}

/* By the same rule as the option of that name, but a later one takes the place of an earlier. */
static enum outcome replace_amount(struct option_rational *to, const struct option *how,
				   const char *text, struct sotto_error *err)
{
	struct option_rational next = {.given = false}, before = *to;
	enum outcome outcome;

	sotto_rational_init(&next.value);
	outcome = option_store(how, &next, text, err);
	if (outcome == OUTCOME_DONE) {
		*to = next;
		next = before;
	}
	sotto_rational_release(&next.value);
	return outcome;
}

static enum outcome set_amount(struct shell *s, struct option_rational *to,
			       const struct option *how, const char *rest,
			       struct sotto_error *err)
{
	enum outcome outcome = OUTCOME_DONE;

	if (strcmp(rest, "default") == 0)
		to->given = false;
	else if (*rest)
		outcome = replace_amount(to, how, rest, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (to->given) {
		char *text = NULL;

		if (sotto_rational_format(&to->value, &text) != SOTTO_OK)
			memory_fail();
		fprintf(s->out, "%s is %s\n", how->name, text);
		free(text);
	} else {
		fprintf(s->out, "%s is the policy's default\n", how->name);
	}
	return OUTCOME_DONE;
}

static enum outcome set_epsilon(struct shell *s, const char *rest, struct sotto_error *err)
{
	static const struct option how = {.name = "epsilon",
					  .argument = "E",
					  .kind = OPTION_RATIONAL,
					  .range = RANGE_POSITIVE};

	return set_amount(s, &s->settings.ask.epsilon, &how, rest, err);
}

static enum outcome set_delta(struct shell *s, const char *rest, struct sotto_error *err)
{
	static const struct option how = {.name = "delta",
					  .argument = "D",
					  .kind = OPTION_RATIONAL,
					  .range = RANGE_BELOW_ONE};

	return set_amount(s, &s->settings.ask.delta, &how, rest, err);
}

static enum outcome set_diagnostics(struct shell *s, const char *rest, struct sotto_error *err)
{
	struct ask_settings *ask = &s->settings.ask;
	struct sotto_rational next;
	enum outcome outcome = OUTCOME_DONE;
	char *text = NULL;

	if (*rest) {
		sotto_rational_init(&next);
		if (strcmp(rest, "default") != 0)
			outcome = ask_read_share(rest, &next, err);
		if (outcome != OUTCOME_DONE) {
			sotto_rational_release(&next);
			return outcome;
		}
		if (ask->diagnostics)
			sotto_rational_release(&ask->diagnostics_share);
		ask->diagnostics = strcmp(rest, "default") != 0 ? "given" : NULL;
		if (ask->diagnostics)
			ask->diagnostics_share = next;
		else
			sotto_rational_release(&next);
	}
	if (!ask->diagnostics) {
		fputs("diagnostics is the policy's default\n", s->out);
		return OUTCOME_DONE;
	}
	if (sotto_rational_format(&ask->diagnostics_share, &text) != SOTTO_OK)
		memory_fail();
	fprintf(s->out, "diagnostics is %s of epsilon\n", text);
	free(text);
	return OUTCOME_DONE;
}

static enum outcome set_error(struct shell *s, const char *rest, struct sotto_error *err)
{
	struct option_rational *error = &s->settings.ask.error;
	static const struct option how = {.name = "error",
					  .argument = "E",
					  .kind = OPTION_RATIONAL,
					  .range = RANGE_POSITIVE};

	if (strcmp(rest, "off") == 0 || (!*rest && !error->given)) {
		error->given = false;
		fputs("no target error is set\n", s->out);
		return OUTCOME_DONE;
	}
	return set_amount(s, error, &how, rest, err);
}

static enum outcome set_fresh(struct shell *s, const char *rest, struct sotto_error *err)
{
	return set_switch(&s->settings.ask.fresh, "fresh", rest, s, err);
}

static enum outcome set_format(struct shell *s, const char *rest, struct sotto_error *err)
{
	for (size_t i = 0; *rest && format_names[i]; i++)
		if (strcmp(rest, format_names[i]) == 0)
			s->format = (enum format)i;
	if (*rest && strcmp(rest, format_names[s->format]) != 0)
		return complaint_usage(err, "\\format is table, csv or json");
	fprintf(s->out, "format is %s\n", format_names[s->format]);
	return OUTCOME_DONE;
}

static enum outcome set_svg(struct shell *s, const char *rest, struct sotto_error *err)
{
	if (!*rest)
		return complaint_usage(err, "\\svg needs a file, like \\svg wards.svg");
	free(s->svg);
	s->svg = memory_copy_text(rest);
	fprintf(s->out, "the next answer is drawn into %s\n", rest);
	return OUTCOME_DONE;
}

/* ---- questions --------------------------------------------------------------------------------- */

/* What was given, without its semicolon, or what was asked last; the caller frees it. */
static char *sql_of(const struct shell *s, const char *rest)
{
	size_t n = strlen(rest);

	while (n > 0 && strchr("; \t", rest[n - 1]))
		n--;
	if (n > 0)
		return memory_text("%.*s", (int)n, rest);
	return s->last ? memory_copy_text(s->last) : NULL;
}

static enum outcome with_sql(struct shell *s, const char *rest, const char *name,
			     void (*act)(struct shell *, const char *), struct sotto_error *err)
{
	char *sql = sql_of(s, rest);

	if (!sql)
		return complaint_usage(err, "nothing was asked yet; write \\%s and the SQL",
				       name);
	act(s, sql);
	free(sql);
	return OUTCOME_DONE;
}

static enum outcome explain(struct shell *s, const char *rest, struct sotto_error *err)
{
	return with_sql(s, rest, "explain", shell_explain, err);
}

static enum outcome preview(struct shell *s, const char *rest, struct sotto_error *err)
{
	return with_sql(s, rest, "preview", shell_preview, err);
}

/* ---- what there is ------------------------------------------------------------------------------ */

static enum outcome show_budget(struct shell *s, const char *rest, struct sotto_error *err)
{
	(void)rest;
	return ask_outcome(budget_print(s->session, s->format, s->out, err), err);
}

static enum outcome show_tables(struct shell *s, const char *rest, struct sotto_error *err)
{
	struct sotto_tables *tables = NULL;
	enum outcome outcome = ask_outcome(sotto_session_tables(s->session, &tables, err), err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	if (*rest) {
		outcome = tables_print_some(tables, &rest, 1, s->format, s->out, err);
	} else {
		tables_print(tables, s->format, s->out);
	}
	sotto_tables_free(s->tables);
	s->tables = tables;
	return outcome;
}

static enum outcome quit(struct shell *s, const char *rest, struct sotto_error *err)
{
	(void)rest;
	(void)err;
	s->done = true;
	return OUTCOME_DONE;
}

static enum outcome show_help(struct shell *s, const char *rest, struct sotto_error *err);

static const struct meta {
	const char *name, *arguments, *help;
	meta_function run;
} commands[] = {
	{"\\tables", "[TABLE]", "list tables and columns that can be asked about", show_tables},
	{"\\explain", "[SQL]",
	 "say what a question would cost and how large its error would be", explain},
	{"\\preview", "[SQL]", "show what an answer could look like, from made-up rows",
	 preview},
	{"\\budget", "", "show what was spent and what is left", show_budget},
	{"\\price", "on|off", "print the price of each question, and ask before paying",
	 set_price},
	{"\\epsilon", "E|default", "how much of the budget a question may spend", set_epsilon},
	{"\\delta", "D|default", "delta, for private keys and Gaussian noise", set_delta},
	{"\\error", "E|off", "choose epsilon for this 95 % error", set_error},
	{"\\diagnostics", "SHARE|default", "what estimating the limits' losses may take",
	 set_diagnostics},
	{"\\fresh", "on|off", "pay again for a question that was asked before", set_fresh},
	{"\\chart", "on|off", "draw answers below their tables", set_chart},
	{"\\svg", "FILE", "draw the next answer into a file", set_svg},
	{"\\format", "table|csv|json", "how answers are printed", set_format},
	{"\\help", "", "this list; also \\?", show_help},
	{"\\quit", "", "leave; also \\q, exit, quit and Ctrl-D", quit}};

enum { COMMANDS_COUNT = sizeof commands / sizeof commands[0] };

static enum outcome show_help(struct shell *s, const char *rest, struct sotto_error *err)
{
	(void)rest;
	(void)err;
	fputs("A question is SQL and ends with a semicolon; it may take several lines.\n",
	      s->out);
	for (size_t i = 0; i < COMMANDS_COUNT; i++) {
		char *usage = memory_text("%s %s", commands[i].name, commands[i].arguments);

		fprintf(s->out, "  %-28s %s\n", usage, commands[i].help);
		free(usage);
	}
	fputs("\\explain and \\preview without SQL are about the last question.\n", s->out);
	return OUTCOME_DONE;
}

const char *shell_command_name(size_t i)
{
	return i < COMMANDS_COUNT ? commands[i].name : NULL;
}

/* \q and \? are short for others. */
static const char *long_name(const char *name)
{
	return strcmp(name, "\\q") == 0   ? "\\quit"
	       : strcmp(name, "\\?") == 0 ? "\\help"
	       : strcmp(name, "\\d") == 0 ? "\\tables"
					  : name;
}

static enum outcome
obey(struct shell *s, const char *name, const char *rest, struct sotto_error *err)
{
	struct suggestion likely = {.typed = name};

	for (size_t i = 0; i < COMMANDS_COUNT; i++) {
		if (strcmp(commands[i].name, long_name(name)) == 0)
			return commands[i].run(s, rest, err);
		suggest_offer(&likely, commands[i].name);
	}
	if (likely.word)
		return complaint_usage(err, "there is no command %.40s; did you mean %s?", name,
				       likely.word);
	return complaint_usage(err, "there is no command %.40s; \\? lists them", name);
}

void shell_obey(struct shell *s, const char *line)
{
	size_t n = strcspn(line, " \t;"), end = strlen(line);
	const char *rest = line + n + strspn(line + n, " \t;");
	char *name = memory_text("%.*s", (int)n, line), *trimmed;
	struct sotto_error err = {""};

	while (end > n && strchr(" \t\r\n", line[end - 1]))
		end--;
	trimmed = rest < line + end ? memory_text("%.*s", (int)(line + end - rest), rest)
				    : memory_copy_text("");
	if (obey(s, name, trimmed, &err) != OUTCOME_DONE)
		shell_complain(s, &err);
	free(trimmed);
	free(name);
}
