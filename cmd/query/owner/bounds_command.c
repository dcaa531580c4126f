/*
 * sotto bounds: finds the bounds of a column, or the limits of a table, as a charged question,
 * and writes them into the policy if that is asked for.
 */
#include <stdlib.h>

#include "frame/allocation.h"
#include "frame/commands.h"
#include "frame/complaint.h"
#include "query/answer_print.h"
#include "query/ask.h"
#include "show/json.h"
#include "show/table.h"

struct bounds_settings {
	struct ask_settings ask;
	bool write;
	const char *contributions; /* a table */
	struct option_list by;
};

static const struct option options[] = {
	ASK_POLICY_OPTION,
	ASK_PRICE_OPTIONS,
	ASK_ANALYST_OPTION,
	{.name = "write",
	 .kind = OPTION_FLAG,
	 .help = "write the bounds into the policy",
	 .offset = offsetof(struct bounds_settings, write)},
	{.name = "contributions",
	 .argument = "TABLE",
	 .kind = OPTION_TEXT,
	 .help = "find max_groups and max_rows of a table",
	 .offset = offsetof(struct bounds_settings, contributions)},
	{.name = "by",
	 .argument = "EXPR",
	 .kind = OPTION_LIST,
	 .help = "expression that groups are formed by",
	 .offset = offsetof(struct bounds_settings, by)},
	OPTIONS_END};

static void
print_json(const struct sotto_found_bounds *b, const char *column, bool written, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	json_member_text(&w, "column", column);
	json_member_bool(&w, "found", b->found);
	json_key(&w, "bounds");
	if (b->found) {
		json_open_row(&w);
		json_write_double(&w, b->lo);
		json_write_double(&w, b->hi);
		json_close_array(&w);
	} else {
		json_write_null(&w);
	}
	json_write_amount_up(&w, "epsilon", &b->epsilon);
	json_write_amount_down(&w, "remaining", &b->epsilon_left);
	json_member_bool(&w, "repeated", b->repeated);
	json_member_bool(&w, "written", written);
	json_close_object(&w);
	json_end(&w);
}

static void print_text(const struct sotto_found_bounds *b, const char *column, FILE *out)
{
	if (b->found)
		fprintf(out, "%s: { bounds: [%.15g, %.15g] }\n", column, b->lo, b->hi);
	else
		fprintf(out,
			"no bounds found: at this epsilon about %.0f values of %s between two "
			"powers of two are needed, with twice the epsilon half as many; texts "
			"like 1,63 and dates do not count\n",
			b->needed, column);
	fprintf(out, "cost ");
	answer_print_spent(out, &b->epsilon, NULL);
	fprintf(out, "; left ");
	answer_print_left(out, &b->epsilon_left, NULL);
	fprintf(out, "%s\n", b->repeated ? " (the same answer as before)" : "");
}

static void print_csv(const struct sotto_found_bounds *b, const char *column, FILE *out)
{
	static const struct column columns[] = {{"column", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"low", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
						{"high", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, 3);
	table_add_text(&t, column);
	if (b->found) {
		table_add_double(&t, b->lo, 15);
		table_add_double(&t, b->hi, 15);
	} else {
		table_add_nothing(&t);
		table_add_nothing(&t);
	}
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
}

static void
print(const struct invocation *call, const struct sotto_found_bounds *found, bool written)
{
	const struct bounds_settings *settings = call->settings;
	const char *column = call->operands.items[0];

	if (call->format == FORMAT_JSON) {
		print_json(found, column, written, call->out);
	} else if (call->format == FORMAT_CSV) {
		print_csv(found, column, call->out);
	} else {
		print_text(found, column, call->out);
		if (written)
			fprintf(call->out, "written into %s\n", settings->ask.policy);
	}
}

/* ---- contributions ------------------------------------------------------------------------- */

static void print_contributions_json(const struct sotto_found_contributions *f,
				     const struct bounds_settings *settings, bool written,
				     FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	json_member_text(&w, "table", settings->contributions);
	json_key(&w, "by");
	json_open_row(&w);
	for (size_t i = 0; i < settings->by.count; i++)
		json_write_text(&w, settings->by.items[i]);
	json_close_array(&w);
	json_key(&w, "max_groups");
	if (f->max_groups)
		json_write_integer(&w, f->max_groups);
	else
		json_write_null(&w);
	json_member_double(&w, "groups_beyond", f->groups_beyond);
	json_member_integer(&w, "max_rows", f->max_rows);
	json_member_double(&w, "rows_beyond", f->rows_beyond);
	json_member_bool(&w, "reliable", f->needs_epsilon == 0);
	json_write_amount_up(&w, "epsilon", &f->epsilon);
	json_write_amount_down(&w, "remaining", &f->epsilon_left);
	json_member_bool(&w, "repeated", f->repeated);
	json_member_bool(&w, "written", written);
	json_close_object(&w);
	json_end(&w);
}

static void print_contributions_csv(const struct sotto_found_contributions *f, FILE *out)
{
	static const struct column columns[] = {{"limit", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
						{"value", NULL, COLUMN_INTEGER, ALIGN_BY_KIND},
						{"beyond", NULL, COLUMN_NUMBER, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, 3);
	if (f->max_groups) {
		table_add_text(&t, "max_groups");
		table_add_integer(&t, f->max_groups);
		table_add_double(&t, f->groups_beyond, 6);
	}
	table_add_text(&t, "max_rows");
	table_add_integer(&t, f->max_rows);
	table_add_double(&t, f->rows_beyond, 6);
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
}

static void print_contributions_text(const struct sotto_found_contributions *f,
				     const struct bounds_settings *settings, bool written,
				     FILE *out)
{
	if (f->max_groups)
		fprintf(out, "max_groups: %lld    # about %.0f %% of the units are in more\n",
			(long long)f->max_groups, 100 * f->groups_beyond);
	fprintf(out, "max_rows: %lld    # about %.0f %% have more in a group\n",
		(long long)f->max_rows, 100 * f->rows_beyond);
	fprintf(out, "cost ");
	answer_print_spent(out, &f->epsilon, NULL);
	fprintf(out, "; left ");
	answer_print_left(out, &f->epsilon_left, NULL);
	fprintf(out, "%s\n", f->repeated ? " (the same answer as before)" : "");
	if (f->needs_epsilon > 0 && !settings->write)
		fprintf(out, "%s\n",
			"these limits are mostly noise: ask with a larger epsilon before you "
			"use them");
	if (written)
		fprintf(out, "written into %s\n", settings->ask.policy);
}

static void print_contributions(const struct invocation *call,
				const struct sotto_found_contributions *f, bool written)
{
	if (call->format == FORMAT_JSON)
		print_contributions_json(f, call->settings, written, call->out);
	else if (call->format == FORMAT_CSV)
		print_contributions_csv(f, call->out);
	else
		print_contributions_text(f, call->settings, written, call->out);
}

/* "a, b" of a list; NULL if it is empty. */
static char *join(const struct option_list *list)
{
	char *text = NULL;

	for (size_t i = 0; i < list->count; i++) {
		char *longer =
			memory_text("%s%s%s", text ? text : "", i ? ", " : "", list->items[i]);

		free(text);
		text = longer;
	}
	return text;
}

static enum outcome run_contributions(const struct invocation *call, struct sotto_error *err)
{
	const struct bounds_settings *settings = call->settings;
	struct sotto_found_contributions found;
	struct sotto_session *session = NULL;
	struct sotto_question question;
	bool written = false;
	enum outcome outcome = ask_open(&settings->ask, &session, &question, err);
	char *by = join(&settings->by);

	sotto_found_contributions_init(&found);
	if (outcome == OUTCOME_DONE)
		outcome = ask_outcome(sotto_session_contributions(session,
								  settings->contributions, by,
								  &question, &found, err),
				      err);
	if (outcome == OUTCOME_DONE && settings->write) {
		outcome = ask_outcome(sotto_session_write_contributions(
					      session, settings->contributions, &found, err),
				      err);
		written = outcome == OUTCOME_DONE;
	}
	/* What was paid for is shown, also where it is not fit to be written. */
	if (outcome == OUTCOME_DONE || found.max_rows > 0)
		print_contributions(call, &found, written);
	free(by);
	sotto_found_contributions_release(&found);
	sotto_session_close(session);
	ask_forget(&settings->ask);
	return outcome;
}

static enum outcome check_operands(const struct invocation *call, struct sotto_error *err)
{
	const struct bounds_settings *settings = call->settings;

	if (settings->contributions && call->operands.count)
		return complaint_usage(err, "give a column, or --contributions and a table");
	if (!settings->contributions && settings->by.count)
		return complaint_usage(err, "--by goes with --contributions");
	if (!settings->contributions && call->operands.count != 1)
		return complaint_usage(err, "name one column, or a table with --contributions");
	return OUTCOME_DONE;
}

static enum outcome run_column(const struct invocation *call, struct sotto_error *err)
{
	const struct bounds_settings *settings = call->settings;
	const char *column = call->operands.items[0];
	struct sotto_session *session = NULL;
	struct sotto_question question;
	struct sotto_found_bounds found;
	bool is_found, written = false;
	enum outcome outcome = ask_open(&settings->ask, &session, &question, err);

	sotto_found_bounds_init(&found);
	if (outcome != OUTCOME_DONE) {
		ask_forget(&settings->ask);
		return outcome;
	}
	outcome =
		ask_outcome(sotto_session_bounds(session, column, &question, &found, err), err);
	is_found = outcome == OUTCOME_DONE;
	if (is_found && settings->write && found.found) {
		outcome = ask_outcome(sotto_session_write_bounds(session, column, &found, err),
				      err);
		written = outcome == OUTCOME_DONE;
	}
	/* What was paid for is shown, also where it could not be written. */
	if (is_found)
		print(call, &found, written);
	sotto_found_bounds_release(&found);
	sotto_session_close(session);
	ask_forget(&settings->ask);
	return outcome;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct bounds_settings *settings = call->settings;
	enum outcome outcome = check_operands(call, err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	return settings->contributions ? run_contributions(call, err) : run_column(call, err);
}

const struct command command_bounds = {
	.name = "bounds",
	.summary = "find a column's bounds, or a table's limits, privately",
	.usage = "--epsilon E [--policy FILE] [TABLE.]COLUMN\n"
		 "--contributions TABLE [--by EXPR]... [--epsilon E] [--policy FILE]",
	.details =
		"Counts the values by magnitude, with noise, and prints bounds as a line for\n"
		"the policy.  This is charged like any query.  The bounds are powers of two;\n"
		"check whether they make sense before you use them.  With --contributions it\n"
		"finds how many groups, and rows in each, one unit may count with.",
	.options = options,
	.settings_size = sizeof(struct bounds_settings),
	.operands_max = 1,
	.waits = "looking for bounds",
	.prints_results = true,
	.if_unwritten = ASK_IF_UNWRITTEN,
	.run = run,
};
