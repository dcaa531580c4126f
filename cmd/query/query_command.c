/*
 * sotto query: tries the file of a picture before anything is charged, asks one question, and
 * prints the answer.
 */
#include <math.h>
#include <stdlib.h>

#include "frame/commands.h"
#include "query/answer_chart.h"
#include "query/answer_print.h"
#include "query/ask.h"
#include "show/chart/picture_file.h"
#include "show/waiting.h"

struct query_settings {
	struct ask_settings ask;
	struct option_rational pad_time;
	size_t header;
	const char *svg;
};

enum { HEADER_SHORT, HEADER_FULL };
static const char *const headers[] = {"short", "full", NULL};

static const struct option options[] = {
	ASK_POLICY_OPTION,
	ASK_PRICE_OPTIONS,
	ASK_DIAGNOSTICS_OPTION,
	ASK_NOISE_OPTIONS,
	ASK_SQL_OPTIONS,
	ASK_ANALYST_OPTION,
	{.name = "fresh",
	 .kind = OPTION_FLAG,
	 .help = "pay again instead of repeating an earlier answer",
	 .offset = offsetof(struct ask_settings, fresh)},
	ASK_THREADS_OPTION,
	ASK_SPREAD_OPTION,
	{.name = "pad-time",
	 .argument = "S",
	 .kind = OPTION_RATIONAL,
	 .range = RANGE_POSITIVE,
	 .help = "send the answer only after a multiple of S seconds (default: the "
		 "policy's)",
	 .offset = offsetof(struct query_settings, pad_time)},
	{.name = "header",
	 .argument = "HOW",
	 .kind = OPTION_CHOICE,
	 .choices = headers,
	 .help = "header of CSV; full adds comment lines about limits and losses",
	 .offset = offsetof(struct query_settings, header)},
	{.name = "svg",
	 .argument = "FILE",
	 .kind = OPTION_TEXT,
	 .help = "also draw the answer: bars with 95 % error bars, or a line for dates",
	 .offset = offsetof(struct query_settings, svg)},
	OPTIONS_END};

/* Rounded up; the library takes a day at most. */
static uint64_t nanoseconds(const struct option_rational *seconds)
{
	const double day = 86400;

	if (!seconds->given)
		return 0;
	return (uint64_t)ceil(fmin(sotto_rational_double_up(&seconds->value), day) * 1e9);
}

static void show_buckets(void *waiting, uint32_t done, uint32_t buckets)
{
	char text[WAITING_LABEL];

	(void)snprintf(text, sizeof text, "asking, %u of %u buckets done", done, buckets);
	waiting_say(waiting, text);
}

static enum outcome ask(const struct invocation *call, struct sotto_session *session,
			struct sotto_question *question, struct sotto_answer **answer,
			struct sotto_error *err)
{
	const struct query_settings *settings = call->settings;
	struct waiting waiting;
	enum outcome outcome;
	char *sql = NULL;

	outcome = ask_read_sql(call, &settings->ask, &sql, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	question->sql = sql;
	waiting_begin(&waiting, "asking");
	sotto_session_set_progress(session, show_buckets, &waiting);
	outcome = ask_outcome(sotto_session_query(session, question, answer, err), err);
	sotto_session_set_progress(session, NULL, NULL);
	waiting_end(&waiting);
	free(sql);
	return outcome;
}

static enum outcome draw(const struct sotto_answer *answer, const struct picture_file *picture,
			 struct sotto_error *err)
{
	FILE *out;

	if (!picture->path)
		return OUTCOME_DONE;
	out = picture_open(picture, err);
	if (!out)
		return OUTCOME_REFUSED;
	return picture_close(picture, out, answer_chart_write(answer, out), err);
}

/* The answer is printed before anything else can fail: it was paid for. */
static enum outcome show(const struct invocation *call, const struct sotto_answer *answer,
			 const struct picture_file *picture, struct sotto_error *err)
{
	answer_print(answer, call->format,
		     ((const struct query_settings *)call->settings)->header == HEADER_FULL,
		     call->out);
	fflush(call->out);
	return draw(answer, picture, err);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct query_settings *settings = call->settings;
	struct sotto_session *session = NULL;
	struct sotto_answer *answer = NULL;
	struct sotto_question question;
	struct picture_file picture;
	enum outcome outcome = picture_try(&picture, settings->svg, err);

	if (outcome == OUTCOME_DONE)
		outcome = ask_open(&settings->ask, &session, &question, err);
	if (outcome == OUTCOME_DONE) {
		question.pad = nanoseconds(&settings->pad_time);
		outcome = ask(call, session, &question, &answer, err);
	}
	if (outcome == OUTCOME_DONE)
		outcome = show(call, answer, &picture, err);
	else
		picture_forget(&picture);
	sotto_answer_free(answer);
	sotto_session_close(session);
	ask_forget(&settings->ask);
	return outcome;
}

const struct command command_query = {
	.name = "query",
	.summary = "answer SQL privately and charge the ledger",
	.usage = "[--epsilon E] [--policy FILE] SQL\n[--epsilon E] [--policy FILE] --file FILE",
	.details =
		"The SQL is PostgreSQL's dialect.  The query is charged before any data are\n"
		"read.  Asking the same query again gives the same answer and costs nothing.\n"
		"\"sotto explain\" says beforehand what a query costs and how large the error\n"
		"will be.",
	.options = options,
	.settings_size = sizeof(struct query_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.if_unwritten = ASK_IF_UNWRITTEN,
	.run = run,
};
