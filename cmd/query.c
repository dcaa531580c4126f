/* sotto query */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "answer.h"
#include "ask.h"
#include "commands.h"

struct query_settings {
	struct ask_settings ask;
	struct option_rational pad_time;
};

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
	{.name = "pad-time",
	 .argument = "S",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_POSITIVE,
	 .help = "answer only after a whole multiple of S seconds",
	 .offset = offsetof(struct query_settings, pad_time)},
	OPTIONS_END};

static enum outcome ask(const struct invocation *call, struct sotto_session *session,
			struct sotto_question *question, struct sotto_answer **answer,
			struct sotto_error *err)
{
	const struct query_settings *settings = call->settings;
	enum outcome outcome;
	char *sql = NULL;

	outcome = ask_read_sql(call, &settings->ask, &sql, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	question->sql = sql;
	outcome = ask_outcome(sotto_session_query(session, question, answer, err), err);
	free(sql);
	return outcome;
}

/* From when on an answer, or a failure, may be seen: so much later that it tells little. */
static void pad(const struct timespec *start, const struct option_rational *bucket)
{
	double size = bucket->given ? mpq_get_d(bucket->value.q) : 0, whole, passed;
	struct timespec now, end = *start;

	if (size <= 0 || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return;
	passed = (double)(now.tv_sec - start->tv_sec) +
		 (double)(now.tv_nsec - start->tv_nsec) / 1e9;
	passed = size * ceil(passed / size);
	end.tv_nsec += (long)(modf(passed, &whole) * 1e9);
	end.tv_sec += (time_t)whole + end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		continue;
}

/* The session is closed first: how long the engine takes to stop may depend on rows. */
static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct query_settings *settings = call->settings;
	struct sotto_session *session = NULL;
	struct sotto_answer *answer = NULL;
	struct sotto_question question;
	struct timespec start = {0};
	enum outcome outcome;

	(void)clock_gettime(CLOCK_MONOTONIC, &start);
	outcome = ask_open(&settings->ask, &session, &question, err);
	if (outcome == OUTCOME_DONE)
		outcome = ask(call, session, &question, &answer, err);
	sotto_session_close(session);
	pad(&start, &settings->pad_time);
	if (outcome == OUTCOME_DONE)
		answer_print(answer, call->format, call->out);
	sotto_answer_free(answer);
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
	.settings_size = sizeof(struct query_settings),
	.operands_max = 1,
	.prints_results = true,
	.run = run,
};
