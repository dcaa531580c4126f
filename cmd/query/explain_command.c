/*
 * sotto explain: opens a session, and asks it what the query would do, or for an answer over
 * made-up rows; nothing is charged.
 */
#include <stdlib.h>

#include "frame/commands.h"
#include "query/answer_print.h"
#include "query/ask.h"
#include "query/explain_print.h"

struct explain_settings {
	struct ask_settings ask;
	bool preview, sql;
};

static const struct option options[] = {
	ASK_POLICY_OPTION,
	ASK_PRICE_OPTIONS,
	ASK_DIAGNOSTICS_OPTION,
	ASK_NOISE_OPTIONS,
	ASK_SQL_OPTIONS,
	ASK_ANALYST_OPTION,
	ASK_SPREAD_OPTION,
	{.name = "preview",
	 .kind = OPTION_FLAG,
	 .help = "show what an answer could look like, from made-up rows",
	 .offset = offsetof(struct explain_settings, preview)},
	{.name = "sql",
	 .kind = OPTION_FLAG,
	 .help = "also show the SQL that the database would be given",
	 .offset = offsetof(struct explain_settings, sql)},
	OPTIONS_END};

static enum outcome explain(const struct invocation *call, struct sotto_session *session,
			    struct sotto_question *question, struct sotto_error *err)
{
	const struct explain_settings *settings = call->settings;
	struct sotto_explanation *e;
	enum outcome outcome =
		ask_outcome(sotto_session_explain(session, question, &e, err), err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	explain_print(e, call->format, settings->sql, call->out);
	sotto_explanation_free(e);
	return OUTCOME_DONE;
}

static enum outcome preview(const struct invocation *call, struct sotto_session *session,
			    struct sotto_question *question, struct sotto_error *err)
{
	struct sotto_answer *answer = NULL;
	enum outcome outcome =
		ask_outcome(sotto_session_preview(session, question, &answer, err), err);

	if (outcome == OUTCOME_DONE)
		answer_print(answer, call->format, false, call->out);
	if (outcome == OUTCOME_DONE && call->format == FORMAT_CSV)
		fputs("the rows behind these numbers are made up\n", command_notes(call));
	sotto_answer_free(answer);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct explain_settings *settings = call->settings;
	struct sotto_session *session = NULL;
	struct sotto_question question;
	char *sql = NULL;
	enum outcome outcome = ask_open(&settings->ask, &session, &question, err);

	if (outcome == OUTCOME_DONE)
		outcome = ask_read_sql(call, &settings->ask, &sql, err);
	question.sql = sql;
	if (outcome == OUTCOME_DONE)
		outcome = settings->preview ? preview(call, session, &question, err)
					    : explain(call, session, &question, err);
	free(sql);
	sotto_session_close(session);
	ask_forget(&settings->ask);
	return outcome;
}

const struct command command_explain = {
	.name = "explain",
	.summary = "say what a query would cost and how large its error would be",
	.usage = "[--epsilon E | --error E] [--policy FILE] [--preview | --sql] SQL",
	.details = "Reads no private rows and charges nothing.",
	.options = options,
	.settings_size = sizeof(struct explain_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
