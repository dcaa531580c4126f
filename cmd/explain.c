/* sotto explain */
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "ask.h"
#include "commands.h"
#include "json.h"
#include "terminal.h"

static const struct option options[] = {ASK_POLICY_OPTION, ASK_PRICE_OPTIONS, ASK_SQL_OPTIONS,
					ASK_ANALYST_OPTION, OPTIONS_END};

static bool starts_section(const struct sotto_explanation *e, size_t i)
{
	return i == 0 || strcmp(e->lines[i].section, e->lines[i - 1].section) != 0;
}

static void print_text(const struct sotto_explanation *e, FILE *out)
{
	for (size_t i = 0; i < e->count; i++) {
		const struct sotto_explanation_line *line = &e->lines[i];

		if (starts_section(e, i))
			fprintf(out, "%s%s%s%s\n", i ? "\n" : "", terminal_bold(out),
				line->section, terminal_plain(out));
		fprintf(out, "  %-16s %s\n", line->name, line->text);
	}
}

static void print_csv(const struct sotto_explanation *e, FILE *out)
{
	fprintf(out, "section,name,text\n");
	for (size_t i = 0; i < e->count; i++) {
		fprintf(out, "%s,\"%s\",\"", e->lines[i].section, e->lines[i].name);
		for (const char *s = e->lines[i].text; *s; s++) {
			if (*s == '"')
				fputc('"', out);
			fputc(*s, out);
		}
		fprintf(out, "\"\n");
	}
}

static void print_json(const struct sotto_explanation *e, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	for (size_t i = 0; i < e->count; i++) {
		if (starts_section(e, i)) {
			if (i)
				json_close_array(&w);
			json_key(&w, e->lines[i].section);
			json_open_array(&w);
		}
		json_open_record(&w);
		json_key(&w, "name");
		json_write_text(&w, e->lines[i].name);
		json_key(&w, "text");
		json_write_text(&w, e->lines[i].text);
		json_close_object(&w);
	}
	if (e->count)
		json_close_array(&w);
	json_key(&w, "epsilon");
	json_write_rational(&w, &e->epsilon);
	json_key(&w, "delta");
	json_write_rational(&w, &e->delta);
	json_key(&w, "affordable");
	json_write_bool(&w, e->affordable);
	json_close_object(&w);
	json_end(&w);
}

static enum outcome explain(const struct invocation *call, struct sotto_session *session,
			    struct sotto_question *question, struct sotto_error *err)
{
	struct sotto_explanation *e;
	enum outcome outcome;
	char *sql = NULL;

	outcome = ask_read_sql(call, call->settings, &sql, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	question->sql = sql;
	outcome = ask_outcome(sotto_session_explain(session, question, &e, err), err);
	free(sql);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (call->format == FORMAT_JSON)
		print_json(e, call->out);
	else if (call->format == FORMAT_CSV)
		print_csv(e, call->out);
	else
		print_text(e, call->out);
	sotto_explanation_free(e);
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	struct sotto_session *session = NULL;
	struct sotto_question question;
	enum outcome outcome = ask_open(call->settings, &session, &question, err);

	if (outcome == OUTCOME_DONE)
		outcome = explain(call, session, &question, err);
	sotto_session_close(session);
	return outcome;
}

const struct command command_explain = {
	.name = "explain",
	.summary = "say what a query would cost and how wrong it would be",
	.usage = "[--epsilon E | --error E] [--policy FILE] SQL",
	.details = "Touches no data and charges nothing.",
	.options = options,
	.settings_size = sizeof(struct ask_settings),
	.operands_max = 1,
	.prints_results = true,
	.run = run,
};
