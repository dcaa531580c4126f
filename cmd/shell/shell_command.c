/*
 * sotto shell: reads statements and backslash commands from a prompt or a pipe; a pipe with a
 * refused statement ends with a failure.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "frame/allocation.h"
#include "frame/commands.h"
#include "frame/complaint.h"
#include "frame/service.h"
#include "shell/shell.h"
#include "shell/statement.h"
#include "show/printable.h"

static const struct option options[] = {
	ASK_POLICY_OPTION,
	ASK_PRICE_OPTIONS,
	ASK_ERROR_OPTION,
	ASK_DIAGNOSTICS_OPTION,
	ASK_ANALYST_OPTION,
	ASK_THREADS_OPTION,
	{.name = "price",
	 .kind = OPTION_FLAG,
	 .help = "print the price of each question before it is asked",
	 .offset = offsetof(struct shell_settings, price)},
	{.name = "chart",
	 .kind = OPTION_FLAG,
	 .help = "draw answers below their tables",
	 .offset = offsetof(struct shell_settings, chart)},
	OPTIONS_END};

void shell_print_words(const char *text, FILE *out)
{
	while (*text) {
		const char *option = strstr(text, "--"), *name = NULL;
		size_t n = option ? strcspn(option + 2, " ,;:.") : 0;

		for (size_t i = 0; n && (name = shell_command_name(i)); i++)
			if (strlen(name) == n + 1 && strncmp(name + 1, option + 2, n) == 0)
				break;
		if (!name) {
			n = option ? (size_t)(option + 2 - text) : strlen(text);
			fprintf(out, "%.*s", (int)n, text);
			text += n;
			continue;
		}
		fprintf(out, "%.*s%s", (int)(option - text), text, name);
		text = option + 2 + n;
	}
}

void shell_complain(struct shell *s, const struct sotto_error *err)
{
	char *text = printable_text(err->text);

	s->failed = true;
	fflush(s->out);
	fputs(line_editor_is_terminal(s->editor) ? "" : "sotto shell: ", s->err);
	shell_print_words(text, s->err);
	fputc('\n', s->err);
	free(text);
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* As one entry of the history, on one line; a comment to the end of a line keeps it apart. */
static void remember(struct shell *s, const char *sql)
{
	char *entry = memory_text("%s;", sql + strspn(sql, " \t\r\n"));

	for (char *c = entry; *c; c++)
		if (*c == '\n' && !strstr(entry, "--"))
			*c = ' ';
	line_editor_remember(s->editor, entry);
	free(entry);
}

static void ask_all(struct shell *s, struct statement *text)
{
	char *sql;

	while (!s->done && (sql = statement_take(text))) {
		remember(s, sql);
		shell_query(s, sql);
		free(sql);
	}
}

/* What people type who want to leave, alone on its line. */
static bool is_farewell(const char *line)
{
	static const char *const words[] = {"exit", "quit"};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		size_t n = strlen(words[i]);

		if (strncasecmp(line, words[i], n) == 0 &&
		    line[n + strspn(line + n, " \t\r\n;")] == '\0')
			return true;
	}
	return false;
}

/* No SQL begins a line with a backslash, so a command may stand within a question. */
static void take_line(struct shell *s, struct statement *text, const char *line)
{
	const char *first = line + strspn(line, " \t");
	struct sotto_error err = {""};

	if (*first == '\\' && !statement_is_quoting(text)) {
		line_editor_remember(s->editor, first);
		shell_obey(s, first);
		return;
	}
	if (statement_is_blank(text) && is_farewell(first)) {
		s->done = true;
		return;
	}
	if (!statement_add(text, line)) {
		(void)complaint_refuse(&err, "the SQL is too long");
		shell_complain(s, &err);
		statement_release(text);
		return;
	}
	ask_all(s, text);
}

/* What stands without a semicolon at the end of a file is asked; a person has left it. */
static void take_rest(struct shell *s, struct statement *text)
{
	char *sql = statement_take_rest(text);

	if (sql && !line_editor_is_terminal(s->editor))
		shell_query(s, sql);
	free(sql);
}

static void converse(struct shell *s)
{
	struct statement text;
	const char *line = NULL;

	statement_init(&text);
	while (!s->done && !ferror(s->out)) {
		enum line_result result = line_editor_read(
			s->editor, statement_is_blank(&text) ? "sotto> " : "  ...> ", &line);

		if (result == LINE_END)
			break;
		if (result == LINE_STOPPED)
			statement_release(&text);
		else
			take_line(s, &text, line);
	}
	if (!s->done && !ferror(s->out)) {
		take_rest(s, &text);
		if (line_editor_is_terminal(s->editor))
			fputc('\n', s->out);
	}
	statement_release(&text);
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void greet(const struct shell *s)
{
	if (line_editor_is_terminal(s->editor))
		fprintf(s->out,
			"sotto %s.  End a question with a semicolon; \\? lists the commands.\n",
			SOTTO_VERSION);
}

/* Settings of its own, from what was written: those of the command line stay as they are. */
static enum outcome take_settings(struct shell *s, const struct option_group *own,
				  const struct shell_settings *given, struct sotto_error *err)
{
	struct ask_settings *to = &s->settings.ask;

	option_group_init(own);
	to->policy = given->ask.policy;
	to->analyst = given->ask.analyst;
	to->threads = given->ask.threads;
	s->settings.price = given->price;
	s->settings.chart = given->chart;
	if (given->ask.epsilon.given) {
		sotto_rational_set(&to->epsilon.value, &given->ask.epsilon.value);
		to->epsilon.given = true;
	}
	if (given->ask.error.given) {
		sotto_rational_set(&to->error.value, &given->ask.error.value);
		to->error.given = true;
	}
	if (given->ask.delta.given) {
		sotto_rational_set(&to->delta.value, &given->ask.delta.value);
		to->delta.given = true;
	}
	if (given->ask.diagnostics) {
		to->diagnostics = given->ask.diagnostics;
		sotto_rational_init(&to->diagnostics_share);
		if (ask_read_share(to->diagnostics, &to->diagnostics_share, err) !=
		    OUTCOME_DONE)
			return OUTCOME_USAGE;
	}
	ask_harden();
	service_open_files();
	return ask_outcome(sotto_session_open(to->policy, &s->session, err), err);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	struct shell s = {
		.format = call->format, .in = call->in, .out = call->out, .err = call->err};
	const struct option_group own = {options, &s.settings};
	enum outcome outcome = take_settings(&s, &own, call->settings, err);

	if (outcome == OUTCOME_DONE) {
		sotto_session_set_threads(s.session, (unsigned)s.settings.ask.threads.value);
		s.editor = line_editor_new(s.in, s.out, shell_complete, &s);
		if (sotto_session_tables(s.session, &s.tables, NULL) != SOTTO_OK)
			s.tables = NULL;
		greet(&s);
		converse(&s);
		if (s.failed && !line_editor_is_terminal(s.editor))
			outcome = complaint_refuse(
				err, "at least one question or command was refused");
	}
	line_editor_free(s.editor);
	sotto_tables_free(s.tables);
	sotto_session_close(s.session);
	ask_forget(&s.settings.ask);
	option_group_release(&own);
	free(s.last);
	free(s.svg);
	return outcome;
}

const struct command command_shell = {
	.name = "shell",
	.summary = "ask questions at a prompt with history, completion and prices",
	.usage = "[--epsilon E] [--policy FILE] [--price] [--chart]",
	.details =
		"Reads SQL that ends with a semicolon, and commands that begin with a\n"
		"backslash; \\? lists them.  Each question is charged as by \"sotto query\".\n"
		"Questions can also come from a file or a pipe.",
	.options = options,
	.settings_size = sizeof(struct shell_settings),
	.operands_max = 0,
	.prints_results = true,
	.if_unwritten = ASK_IF_UNWRITTEN,
	.run = run,
};
