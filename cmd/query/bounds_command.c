/* sotto bounds */
#include "frame/commands.h"
#include "query/answer_print.h"
#include "query/ask.h"
#include "show/json.h"
#include "show/table.h"

struct bounds_settings {
	struct ask_settings ask;
	bool write;
};

static const struct option options[] = {ASK_POLICY_OPTION,
					ASK_PRICE_OPTIONS,
					ASK_ANALYST_OPTION,
					{.name = "write",
					 .kind = OPTION_FLAG,
					 .help = "write the bounds into the policy",
					 .offset = offsetof(struct bounds_settings, write)},
					OPTIONS_END};

static void
print_json(const struct sotto_found_bounds *b, const char *column, bool written, FILE *out)
{
	struct json_writer w;

	json_begin(&w, out);
	json_open_object(&w);
	json_key(&w, "column");
	json_write_text(&w, column);
	json_key(&w, "found");
	json_write_bool(&w, b->found);
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
	json_key(&w, "repeated");
	json_write_bool(&w, b->repeated);
	json_key(&w, "written");
	json_write_bool(&w, written);
	json_close_object(&w);
	json_end(&w);
}

static void print_text(const struct sotto_found_bounds *b, const char *column, FILE *out)
{
	if (b->found)
		fprintf(out, "%s: { bounds: [%.15g, %.15g] }\n", column, b->lo, b->hi);
	else
		fprintf(out,
			"no magnitude of %s stands out of the noise; try a larger epsilon\n",
			column);
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

static void print(const struct invocation *call, const struct sotto_found_bounds *found)
{
	const struct bounds_settings *settings = call->settings;
	const char *column = call->operands.items[0];
	bool written = settings->write && found->found;

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

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct bounds_settings *settings = call->settings;
	const char *column = call->operands.items[0];
	struct sotto_session *session = NULL;
	struct sotto_question question;
	struct sotto_found_bounds found;
	enum outcome outcome = ask_open(&settings->ask, &session, &question, err);

	if (outcome != OUTCOME_DONE)
		return outcome;
	sotto_found_bounds_init(&found);
	outcome =
		ask_outcome(sotto_session_bounds(session, column, &question, &found, err), err);
	if (outcome == OUTCOME_DONE && settings->write && found.found)
		outcome = ask_outcome(sotto_session_write_bounds(session, column, &found, err),
				      err);
	if (outcome == OUTCOME_DONE)
		print(call, &found);
	sotto_found_bounds_release(&found);
	sotto_session_close(session);
	return outcome;
}

const struct command command_bounds = {
	.name = "bounds",
	.summary = "find a column's bounds privately",
	.usage = "--epsilon E [--policy FILE] [TABLE.]COLUMN",
	.details = "Counts values by magnitude with noise, charged like any query, and prints "
		   "the\n"
		   "line for the policy; with --write it writes it there, comments stay as "
		   "they are.\nPowers of two: look at it before you adopt it.",
	.options = options,
	.settings_size = sizeof(struct bounds_settings),
	.operands_min = 1,
	.operands_max = 1,
	.waits = "looking for bounds",
	.prints_results = true,
	.run = run,
};
