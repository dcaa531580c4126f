/* sotto noise accuracy */
#include "noise/noise_command.h"

#include <inttypes.h>
#include <stdlib.h>

#include "frame/complaint.h"
#include "read/numbers.h"
#include "show/json.h"
#include "show/table.h"
#include "sotto/accuracy.h"

struct accuracy_settings {
	struct option_rational epsilon;
	struct option_rational delta;
	struct option_rational l1;
	struct option_rational l2;
	struct option_rational error;
	struct option_rational tail;
	struct option_rational confidence;
	struct option_count dimension;
};

#define OPTION(option_name, letter_, argument_, kind_, help_)                                  \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct accuracy_settings, option_name)

static const struct option options[] = {
	{OPTION(epsilon, 'e', "E", OPTION_RATIONAL, "privacy parameter"),
	 .range = RANGE_POSITIVE},
	{OPTION(delta, 'd', "D", OPTION_RATIONAL,
		"delta for Gaussian noise, which is then compared with Laplace noise"),
	 .range = RANGE_INSIDE_UNIT},
	{OPTION(dimension, 'k', "K", OPTION_COUNT, "number of values"), .range = RANGE_POSITIVE,
	 .fallback = "1"},
	{OPTION(l1, 0, "S", OPTION_RATIONAL,
		"how much one unit can change the values in total"),
	 .range = RANGE_POSITIVE, .fallback = "1"},
	{OPTION(l2, 0, "S", OPTION_RATIONAL,
		"how much one unit can change the values, as a Euclidean distance; default as "
		"--l1"),
	 .range = RANGE_POSITIVE},
	{OPTION(error, 0, "T", OPTION_RATIONAL,
		"find the smallest epsilon at which Laplace noise is off by at most T"),
	 .range = RANGE_POSITIVE},
	{OPTION(tail, 0, "T", OPTION_RATIONAL,
		"also print the probability that one value is off by more than T"),
	 .range = RANGE_POSITIVE},
	{OPTION(confidence, 0, "C", OPTION_RATIONAL, "confidence of the error"),
	 .range = RANGE_INSIDE_UNIT, .fallback = "0.95"},
	OPTIONS_END};

/* What is printed: one mechanism a row. */
struct row {
	const char *name;
	struct sotto_accuracy a;
	double tail;
	bool best;
};

static double beta_of(const struct accuracy_settings *s)
{
	return numbers_complement_down(&s->confidence.value);
}

static enum outcome set_epsilon(const struct accuracy_settings *s,
				struct sotto_rational *epsilon, struct sotto_error *err)
{
	if (s->epsilon.given == s->error.given)
		return complaint_usage(err, s->error.given
						    ? "give --epsilon or --error, not both"
						    : "--epsilon E is needed (or --error T)");
	if (s->epsilon.given)
		sotto_rational_set(epsilon, &s->epsilon.value);
	else if (sotto_accuracy_laplace_epsilon_up(&s->error.value, &s->l1.value,
						   s->dimension.value, beta_of(s),
						   epsilon) != SOTTO_OK)
		return complaint_refuse(err, "no epsilon gives this --error");
	return OUTCOME_DONE;
}

/* Fills one row, or two if there is a delta; *count says how many. */
static enum outcome set_rows(const struct accuracy_settings *s,
			     const struct sotto_rational *epsilon, struct row rows[2],
			     size_t *count, struct sotto_error *err)
{
	const struct sotto_rational *l2 = s->l2.given ? &s->l2.value : &s->l1.value;
	struct sotto_accuracy_choice choice = {.gaussian_wins = false};
	double tail = sotto_rational_double_up(&s->tail.value);
	enum sotto_status st;

	*count = s->delta.given ? 2 : 1;
	if (s->delta.given)
		st = sotto_accuracy_choose(epsilon, &s->delta.value, &s->l1.value, l2,
					   s->dimension.value, beta_of(s), &choice);
	else
		st = sotto_accuracy_laplace(epsilon, &s->l1.value, s->dimension.value,
					    beta_of(s), &choice.laplace);
	if (st != SOTTO_OK)
		return complaint_refuse(err,
					"--epsilon, --delta or --confidence is out of range");
	rows[0] = (struct row){"laplace", choice.laplace,
			       sotto_accuracy_laplace_tail(choice.laplace.scale, tail),
			       !choice.gaussian_wins};
	rows[1] = (struct row){"gaussian", choice.gaussian,
			       sotto_accuracy_gaussian_tail(choice.gaussian.scale, tail),
			       choice.gaussian_wins};
	return OUTCOME_DONE;
}

static void write_row(struct json_writer *json, const struct row *r, bool with_tail)
{
	json_open_object(json);
	json_member_text(json, "mechanism", r->name);
	json_member_double(json, "scale", r->a.scale);
	json_member_double(json, "standard_deviation", r->a.deviation);
	json_member_double(json, "mean_error", r->a.mean_error);
	json_member_double(json, "error", r->a.error);
	if (with_tail) {
		json_member_double(json, "tail", r->tail);
	}
	json_close_object(json);
}

static void write_json(const struct row *rows, size_t count,
		       const struct sotto_rational *epsilon, const struct invocation *call)
{
	const struct accuracy_settings *s = call->settings;
	struct json_writer json;

	json_begin(&json, call->out);
	json_open_object(&json);
	json_member_double(&json, "epsilon", sotto_rational_double_up(epsilon));
	json_key(&json, "confidence");
	json_write_rational(&json, &s->confidence.value);
	json_member_text(&json, "best", rows[count > 1 && rows[1].best].name);
	json_key(&json, "mechanisms");
	json_open_array(&json);
	for (size_t i = 0; i < count; i++)
		write_row(&json, &rows[i], s->tail.given);
	json_close_array(&json);
	json_close_object(&json);
	json_end(&json);
}

static const struct column columns[] = {
	{"mechanism", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
	{"epsilon", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"scale", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
	{"standard_deviation", "standard deviation", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"mean_error", "mean error", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"error", "error at confidence", COLUMN_NUMBER, ALIGN_BY_KIND},
	{"tail", "P[beyond T]", COLUMN_NUMBER, ALIGN_BY_KIND}};

static void print_table(const struct row *rows, size_t count,
			const struct sotto_rational *epsilon, const struct invocation *call)
{
	const struct accuracy_settings *s = call->settings;
	struct table t;

	table_init(&t, columns, s->tail.given ? 7 : 6);
	for (size_t i = 0; i < count; i++) {
		table_add_text(&t, rows[i].name);
		table_add_double(&t, sotto_rational_double_up(epsilon), 6);
		table_add_double(&t, rows[i].a.scale, 6);
		table_add_double(&t, rows[i].a.deviation, 6);
		table_add_double(&t, rows[i].a.mean_error, 6);
		table_add_double(&t, rows[i].a.error, 6);
		if (s->tail.given)
			table_add_double(&t, rows[i].tail, 4);
	}
	table_print(&t, call->format, call->out);
	table_release(&t);
	if (count > 1 && call->format == FORMAT_TABLE)
		fprintf(call->out, "%s has the smaller error\n", rows[rows[1].best].name);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct accuracy_settings *s = call->settings;
	struct sotto_rational epsilon;
	struct row rows[2];
	size_t count = 0;
	enum outcome outcome;

	sotto_rational_init(&epsilon);
	outcome = set_epsilon(s, &epsilon, err);
	if (outcome == OUTCOME_DONE)
		outcome = set_rows(s, &epsilon, rows, &count, err);
	if (outcome == OUTCOME_DONE && call->format == FORMAT_JSON)
		write_json(rows, count, &epsilon, call);
	else if (outcome == OUTCOME_DONE)
		print_table(rows, count, &epsilon, call);
	sotto_rational_release(&epsilon);
	return outcome;
}

const struct command noise_accuracy = {
	.name = "accuracy",
	.summary = "say how large the error will be, or which epsilon keeps it small enough",
	.usage = "--epsilon E [--delta D] [OPTION]...\n--error T [OPTION]...",
	.details =
		"Reads no data and costs nothing.  With --delta, Gaussian noise is compared\n"
		"with Laplace noise; it is better for long vectors in which one unit changes\n"
		"many values.  The figures ignore rounding to a grid; each release states its\n"
		"own error.",
	NOISE_STATES(
		"It reads no data, so there is nothing to protect.",
		"The figures ignore rounding to a grid; each release states its own error."),
	.options = options,
	.settings_size = sizeof(struct accuracy_settings),
	.prints_results = true,
	.run = run,
};
