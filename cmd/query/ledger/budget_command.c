/*
 * sotto budget: prints the totals of the ledger and of each analyst, and how many more
 * questions like the last one fit; spent amounts are rounded up, the rest down.
 */
#include <stdlib.h>

#include "frame/commands.h"
#include "frame/complaint.h"
#include "query/answer_print.h"
#include "query/ask.h"
#include "query/ledger/budget_print.h"
#include "query/ledger/ledger_command.h"
#include "show/json.h"
#include "show/number_text.h"
#include "show/table.h"
#include "sotto/census.h"

struct budget_settings {
	struct ask_settings ask;
	bool history, verify;
};

static const struct option options[] = {ASK_POLICY_OPTION,
					{.name = "history",
					 .kind = OPTION_FLAG,
					 .help = "list every entry of the ledger",
					 .offset = offsetof(struct budget_settings, history)},
					{.name = "verify",
					 .kind = OPTION_FLAG,
					 .help = "check every entry and every stored answer",
					 .offset = offsetof(struct budget_settings, verify)},
					OPTIONS_END};

/* ---- how much that is -------------------------------------------------------------------------- */

struct last {
	struct sotto_cost cost;
	bool found;
};

static enum sotto_status keep_last(void *context, const struct sotto_ledger_entry *e)
{
	struct last *last = context;

	if (e->kind != SOTTO_LEDGER_RELEASE && e->kind != SOTTO_LEDGER_PARTLY_SHARED)
		return SOTTO_OK;
	sotto_cost_set(&last->cost, e->cost);
	last->found = true;
	return SOTTO_OK;
}

/* A budget says little; what was asked last is something that the owner knows. */
static bool count_more(struct sotto_ledger *ledger, uint64_t *fits)
{
	struct sotto_ledger_forecast f;
	struct last last = {.found = false};
	bool known;

	sotto_cost_init(&last.cost);
	sotto_ledger_forecast_init(&f);
	known = sotto_ledger_each(ledger, keep_last, &last, NULL) == SOTTO_OK && last.found &&
		sotto_ledger_forecast(ledger, NULL, &last.cost, &f, NULL) == SOTTO_OK &&
		f.fits < UINT64_MAX;
	*fits = f.fits;
	sotto_ledger_forecast_release(&f);
	sotto_cost_release(&last.cost);
	return known;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_totals(struct json_writer *w, const struct sotto_ledger_totals *t)
{
	answer_write_left(w, "budget", &t->budget.epsilon, &t->budget.delta);
	json_key(w, "spent");
	json_open_record(w);
	ledger_write_cost(w, &t->spent);
	json_close_object(w);
	answer_write_left(w, "remaining", &t->left.epsilon, &t->left.delta);
	json_member_integer(w, "releases", (int64_t)t->entries);
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
		json_member_text(w, "analyst", name);
		write_totals(w, &t);
		json_close_object(w);
		sotto_ledger_totals_release(&t);
	}
	json_close_array(w);
	return st;
}

static void write_renewal(struct json_writer *w, const struct sotto_ledger_totals *t)
{
	char when[LEDGER_TIME_SIZE];

	json_key(w, "renew");
	if (t->budget.window)
		json_write_integer(w, (int64_t)t->budget.window);
	else
		json_write_null(w);
	json_key(w, "renews");
	ledger_time_text(t->renews, when);
	if (t->renews)
		json_write_text(w, when);
	else
		json_write_null(w);
	json_member_integer(w, "clock_ahead", t->ahead);
}

static enum sotto_status print_json(const struct sotto_ledger_totals *t,
				    struct sotto_session *session, struct sotto_ledger *ledger,
				    FILE *out, struct sotto_error *err)
{
	struct json_writer w;
	enum sotto_status st;
	uint64_t fits;

	json_begin(&w, out);
	json_open_object(&w);
	write_totals(&w, t);
	write_renewal(&w, t);
	answer_write_fits(&w, count_more(ledger, &fits) ? fits : UINT64_MAX);
	st = write_analysts(&w, session, ledger, err);
	json_key(&w, "history");
	if (st == SOTTO_OK)
		st = ledger_write_history(ledger, &w, err);
	else
		json_write_null(&w);
	json_close_object(&w);
	json_end(&w);
	return st;
}

/* ---- tables ------------------------------------------------------------------------------------ */

static void add_totals(struct table *t, const char *name, const struct sotto_ledger_totals *x)
{
	table_add_text(t, name);
	table_add_amount_down(t, &x->budget.epsilon);
	ledger_add_epsilon(t, &x->spent);
	table_add_amount_down(t, &x->left.epsilon);
	table_add_amount_down(t, &x->budget.delta);
	table_add_amount_up(t, &x->spent.delta);
	table_add_amount_down(t, &x->left.delta);
	table_add_integer(t, (int64_t)x->entries);
}

static void print_renewal(const struct sotto_ledger_totals *t, FILE *out)
{
	char next[LEDGER_TIME_SIZE], last[LEDGER_TIME_SIZE];

	ledger_time_text(t->renews, next);
	ledger_time_text(t->time, last);
	if (t->renews)
		fprintf(out, "\nrenewed at %s\n", next);
	if (t->ahead)
		fprintf(out,
			"\nThe last entry is dated %s, later than this machine's clock: the "
			"clock was wrong then,\nor is wrong now. %sIf it is right now, the "
			"owner can repair this with: sotto ledger repair-clock\n",
			last, t->renews ? "Until that time the budget is not renewed. " : "");
}

/* Some noise has no largest loss, so that only rho says what was spent. */
static void print_rho(const struct sotto_ledger_totals *t, FILE *out)
{
	struct sotto_census_conversion to;
	struct sotto_rational delta, two;
	char *rho, *epsilon, *at;

	if (t->spent.bounded)
		return;
	sotto_rational_init(&delta);
	sotto_rational_init(&two);
	sotto_rational_set_integer(&two, 2);
	/* Half of delta pays for rho (sotto/cost.h). */
	if (sotto_rational_divide(&delta, &t->budget.delta, &two) == SOTTO_OK &&
	    sotto_census_convert(&t->spent.rho, &delta, &to) == SOTTO_OK) {
		/* What thresholds spent comes on top. */
		sotto_rational_add(&delta, &delta, &t->spent.delta);
		rho = number_text_rounded_up(sotto_rational_double_up(&t->spent.rho), 6);
		epsilon = number_text_rounded_up(to.epsilon_up, 6);
		at = number_text_parameter(&delta);
		fprintf(out, "\nspent in all: rho %s, which is epsilon %s at delta %s\n", rho,
			epsilon, at);
		free(rho);
		free(epsilon);
		free(at);
	}
	sotto_rational_release(&delta);
	sotto_rational_release(&two);
}

static void print_more(struct sotto_ledger *ledger, FILE *out)
{
	uint64_t fits;

	if (count_more(ledger, &fits))
		fprintf(out, "\n%llu more question%s like the last one fit%s\n",
			(unsigned long long)fits, fits == 1 ? "" : "s", fits == 1 ? "s" : "");
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
	if (st == SOTTO_OK && format == FORMAT_TABLE) {
		print_rho(total, out);
		print_more(ledger, out);
		print_renewal(total, out);
	}
	table_release(&t);
	return st;
}

enum sotto_status budget_print(struct sotto_session *session, enum format format, FILE *out,
			       struct sotto_error *err)
{
	struct sotto_ledger_totals total;
	struct sotto_ledger *ledger;
	enum sotto_status st = sotto_session_ledger(session, &ledger, err);

	if (st != SOTTO_OK)
		return st;
	sotto_ledger_totals_init(&total);
	st = sotto_ledger_totals(ledger, NULL, &total, err);
	if (st == SOTTO_OK && format == FORMAT_JSON)
		st = print_json(&total, session, ledger, out, err);
	else if (st == SOTTO_OK)
		st = print_totals(&total, session, ledger, format, out, err);
	sotto_ledger_totals_release(&total);
	return st;
}

static enum sotto_status
show(const struct invocation *call, struct sotto_session *session, struct sotto_error *err)
{
	const struct budget_settings *settings = call->settings;
	struct sotto_ledger *ledger;
	enum sotto_status st = sotto_session_ledger(session, &ledger, err);

	if (st != SOTTO_OK)
		return st;
	if (settings->verify)
		return ledger_verify(ledger, call->format, call->out, err);
	if (settings->history && call->format != FORMAT_JSON)
		return ledger_print_history(ledger, call->format, call->out, err);
	return budget_print(session, call->format, call->out, err);
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
	.details = "Shows the whole budget and the share of each analyst who has one, and how "
		   "many\n"
		   "more questions like the last one fit.  Charges nothing.",
	.options = options,
	.settings_size = sizeof(struct budget_settings),
	.operands_max = 0,
	.prints_results = true,
	.run = run,
};
