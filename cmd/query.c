/* sotto query */
#include <stdlib.h>

#include "answer.h"
#include "ask.h"
#include "commands.h"

static const struct option options[] = {
	ASK_POLICY_OPTION,
	ASK_PRICE_OPTIONS,
	ASK_SQL_OPTIONS,
	ASK_ANALYST_OPTION,
	{.name = "fresh",
	 .kind = OPTION_FLAG,
	 .help = "pay again instead of repeating an earlier answer",
	 .offset = offsetof(struct ask_settings, fresh)},
	{.name = "threads",
	 .argument = "N",
	 .kind = OPTION_COUNT,
	 .help = "threads of the engine (all cores)",
	 .offset = offsetof(struct ask_settings, threads)},
	OPTIONS_END};

static enum outcome ask(const struct invocation *call, struct sotto_session *session,
			struct sotto_question *question, struct sotto_error *err)
{
	const struct ask_settings *settings = call->settings;
	struct sotto_answer *answer;
	enum outcome outcome;
	char *sql = NULL;

	outcome = ask_read_sql(call, settings, &sql, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	question->sql = sql;
	outcome = ask_outcome(sotto_session_query(session, question, &answer, err), err);
	if (outcome == OUTCOME_DONE) {
		answer_print(answer, call->format, call->out);
		sotto_answer_free(answer);
	}
	free(sql);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	struct sotto_session *session = NULL;
	struct sotto_question question;
	enum outcome outcome = ask_open(call->settings, &session, &question, err);

	if (outcome == OUTCOME_DONE)
		outcome = ask(call, session, &question, err);
	sotto_session_close(session);
	return outcome;
}

const struct command command_query = {
	.name = "query",
	.summary = "answer SQL privately and charge the ledger",
	.usage = "[--epsilon E] [--policy FILE] SQL\n[--epsilon E] [--policy FILE] --file FILE",
	.details = "The SQL is that of PostgreSQL.  It is charged before data are touched; "
		   "asking\n"
		   "the same again gives the same answer, free.  \"sotto explain\" tells first "
		   "what\n"
		   "it will cost and how wrong it will be.",
	.options = options,
	.settings_size = sizeof(struct ask_settings),
	.operands_max = 1,
	.prints_results = true,
	.run = run,
};
