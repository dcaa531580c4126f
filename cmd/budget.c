/* sotto budget */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "answer.h"
#include "ask.h"
#include "commands.h"
#include "complaint.h"
#include "json.h"
#include "table.h"

struct budget_settings {
	struct ask_settings ask;
	bool history, verify;
};

static const struct option options[] = {ASK_POLICY_OPTION,
					{.name = "history",
					 .kind = OPTION_FLAG,
					 .help = "list every release",
					 .offset = offsetof(struct budget_settings, history)},
					{.name = "verify",
					 .kind = OPTION_FLAG,
					 .help = "check every entry and every stored answer",
					 .offset = offsetof(struct budget_settings, verify)},
					OPTIONS_END};

static void format_time(int64_t seconds, char *text, size_t size)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		text[0] = '\0';
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_totals(struct json_writer *w, const struct sotto_ledger_totals *t)
{
	answer_write_pair(w, "budget", &t->budget.epsilon, &t->budget.delta);
	answer_write_pair(w, "spent", &t->spent.epsilon, &t->spent.delta);
	answer_write_pair(w, "remaining", &t->left.epsilon, &t->left.delta);
	json_key(w, "releases");
	json_write_integer(w, (int64_t)t->entries);
}

static enum sotto_status write_entry(void *context, const struct sotto_ledger_entry *e)
{
	struct json_writer *w = context;
	char when[32];

	format_time(e->time, when, sizeof when);
	json_open_record(w);
	json_key(w, "number");
	json_write_integer(w, (int64_t)e->number);
	json_key(w, "time");
	json_write_text(w, when);
	json_key(w, "analyst");
	json_write_text(w, e->analyst);
	json_key(w, "query");
	json_write_text(w, e->query);
	json_key(w, "epsilon");
	json_write_rational(w, &e->cost->epsilon);
	json_key(w, "delta");
	json_write_rational(w, &e->cost->delta);
	json_key(w, "answered");
	json_write_bool(w, e->answered);
	json_close_object(w);
	return SOTTO_OK;
}

static enum sotto_status write_analysts(struct json_writer *w, struct sotto_session *session,
					struct sotto_ledger *ledger, struct sotto_error *err)
{
	struct sotto_ledger_totals t;
	enum sotto_status st = SOTTO_OK;
	const char *name;

	json_key(w, "analysts");
	json_open_array(w);
	for (size_t i = 0; st == SOTTO_OK && sotto_session_analyst(session, i, &name); i++) {
		sotto_ledger_totals_init(&t);
		st = sotto_ledger_totals(ledger, name, &t, err);
		json_open_object(w);
		json_key(w, "analyst");
		json_write_text(w, name);
		write_totals(w, &t);
		json_close_object(w);
		sotto_ledger_totals_release(&t);
	}
	json_close_array(w);
	return st;
}

static enum sotto_status print_json(const struct sotto_ledger_totals *t,
				    struct sotto_session *session, struct sotto_ledger *ledger,
				    FILE *out, struct sotto_error *err)
{
	struct json_writer w;
	enum sotto_status st;

	json_begin(&w, out);
	json_open_object(&w);
	write_totals(&w, t);
	json_key(&w, "renew");
	if (t->budget.window)
		json_write_integer(&w, (int64_t)t->budget.window);
	else
		json_write_null(&w);
	st = write_analysts(&w, session, ledger, err);
	json_key(&w, "history");
	json_open_array(&w);
	if (st == SOTTO_OK)
		st = sotto_ledger_each(ledger, write_entry, &w, err);
	json_close_array(&w);
	json_close_object(&w);
	json_end(&w);
	return st;
}

/* ---- tables ------------------------------------------------------------------------------------ */

static enum sotto_status add_entry(void *context, const struct sotto_ledger_entry *e)
{
	struct table *t = context;
	char when[32];

	format_time(e->time, when, sizeof when);
	table_add_integer(t, (int64_t)e->number);
	table_add_text(t, when);
	table_add_text(t, e->analyst);
	table_add_rational(t, &e->cost->epsilon);
	table_add_rational(t, &e->cost->delta);
	table_add_text(t, e->query);
	return SOTTO_OK;
}

static enum sotto_status print_history(struct sotto_ledger *ledger, enum format format,
				       FILE *out, struct sotto_error *err)
{
	static const struct column columns[] = {{"number", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
						{"time", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"analyst", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
						{"delta", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
						{"query", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	enum sotto_status st;
	struct table t;

	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	st = sotto_ledger_each(ledger, add_entry, &t, err);
	if (st == SOTTO_OK)
		table_print(&t, format, out);
	table_release(&t);
	return st;
}

static void add_totals(struct table *t, const char *name, const struct sotto_ledger_totals *x)
{
	table_add_text(t, name);
	table_add_rational(t, &x->budget.epsilon);
	table_add_rational(t, &x->spent.epsilon);
	table_add_rational(t, &x->left.epsilon);
	table_add_rational(t, &x->budget.delta);
	table_add_rational(t, &x->spent.delta);
	table_add_rational(t, &x->left.delta);
	table_add_integer(t, (int64_t)x->entries);
}

static enum sotto_status print_totals(const struct sotto_ledger_totals *total,
				      struct sotto_session *session,
				      struct sotto_ledger *ledger, enum format format,
				      FILE *out, struct sotto_error *err)
{
	static const struct column columns[] = {
		{"who", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"epsilon_spent", "spent", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"epsilon_left", "left", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"delta", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"delta_spent", "spent", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"delta_left", "left for releases", COLUMN_NUMBER, ALIGN_BY_KIND},
		{"releases", NULL, COLUMN_INTEGER, ALIGN_BY_KIND}};
	struct sotto_ledger_totals one;
	enum sotto_status st = SOTTO_OK;
	const char *name;
	struct table t;

	table_init(&t, columns, sizeof columns / sizeof columns[0]);
	add_totals(&t, "all", total);
	for (size_t i = 0; st == SOTTO_OK && sotto_session_analyst(session, i, &name); i++) {
		sotto_ledger_totals_init(&one);
		st = sotto_ledger_totals(ledger, name, &one, err);
		add_totals(&t, name, &one);
		sotto_ledger_totals_release(&one);
	}
	if (st == SOTTO_OK)
		table_print(&t, format, out);
	table_release(&t);
	return st;
}

static void print_verified(uint64_t entries, uint64_t answers, enum format format, FILE *out)
{
	struct json_writer w;

	if (format == FORMAT_CSV) {
		fprintf(out, "entries,answers,verified\n%" PRIu64 ",%" PRIu64 ",true\n",
			entries, answers);
		return;
	}
	if (format == FORMAT_TABLE) {
		fprintf(out,
			"%" PRIu64 " releases and %" PRIu64
			" stored answers: the chain of hashes holds\n",
			entries, answers);
		return;
	}
	json_begin(&w, out);
	json_open_object(&w);
	json_key(&w, "entries");
	json_write_integer(&w, (int64_t)entries);
	json_key(&w, "answers");
	json_write_integer(&w, (int64_t)answers);
	json_key(&w, "verified");
	json_write_bool(&w, true);
	json_close_object(&w);
	json_end(&w);
}

static enum sotto_status
verify(struct sotto_ledger *ledger, enum format format, FILE *out, struct sotto_error *err)
{
	uint64_t entries = 0, answers = 0;
	enum sotto_status st = sotto_ledger_verify(ledger, &entries, &answers, err);

	if (st == SOTTO_OK)
		print_verified(entries, answers, format, out);
	return st;
}

static enum sotto_status
show(const struct invocation *call, struct sotto_session *session, struct sotto_error *err)
{
	const struct budget_settings *settings = call->settings;
	struct sotto_ledger_totals total;
	struct sotto_ledger *ledger;
	enum sotto_status st = sotto_session_ledger(session, &ledger, err);

	if (st != SOTTO_OK)
		return st;
	if (settings->verify)
		return verify(ledger, call->format, call->out, err);
	sotto_ledger_totals_init(&total);
	st = sotto_ledger_totals(ledger, NULL, &total, err);
	if (st == SOTTO_OK && call->format == FORMAT_JSON)
		st = print_json(&total, session, ledger, call->out, err);
	else if (st == SOTTO_OK && settings->history)
		st = print_history(ledger, call->format, call->out, err);
	else if (st == SOTTO_OK)
		st = print_totals(&total, session, ledger, call->format, call->out, err);
	sotto_ledger_totals_release(&total);
	return st;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct budget_settings *settings = call->settings;
	struct sotto_session *session = NULL;
	enum outcome outcome =
		ask_outcome(sotto_session_open(settings->ask.policy, &session, err), err);

	if (outcome == OUTCOME_DONE)
		outcome = ask_outcome(show(call, session, err), err);
	sotto_session_close(session);
	return outcome;
}

const struct command command_budget = {
	.name = "budget",
	.summary = "show what was spent and what is left",
	.usage = "[--history | --verify] [--policy FILE]",
	.options = options,
	.settings_size = sizeof(struct budget_settings),
	.operands_max = 0,
	.prints_results = true,
	.run = run,
};
