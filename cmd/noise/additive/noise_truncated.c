/* sotto noise truncated-geometric, sotto noise truncated-laplace */
#include "noise/noise_command.h"

#include <stdlib.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "noise/additive/noise_truncated.h"
#include "read/numbers.h"
#include "show/cost_text.h"
#include "show/number_text.h"
#include "show/table.h"
#include "show/terminal.h"
#include "sotto/noise.h"

#define OPTION(option_name, letter_, argument_, kind_, help_)                                  \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct truncated_settings, option_name)

static const struct option options[] = {
	{OPTION(epsilon, 'e', "E", OPTION_RATIONAL,
		"privacy parameter of one release of all values"),
	 .range = RANGE_POSITIVE, .required = true},
	{OPTION(sensitivity, 's', "S", OPTION_RATIONAL,
		"how much one unit can change the values in total (L1)"),
	 .range = RANGE_POSITIVE, .fallback = "1"},
	{OPTION(range, 0, "A B", OPTION_INTERVAL,
		"the public range; results outside it become A or B"),
	 .required = true},
	{OPTION(step, 'g', "G", OPTION_RATIONAL,
		"work on multiples of G instead of whole numbers"),
	 .range = RANGE_POSITIVE},
	{OPTION(value, 0, "Y", OPTION_RATIONAL, "the value, instead of an operand")},
	{OPTION(probabilities, 'p', NULL, OPTION_FLAG,
		"print the exact distribution for --value instead of drawing; this is not "
		"private")},
	{OPTION(confidence, 0, "C", OPTION_RATIONAL, "confidence of the accuracy statement"),
	 .range = RANGE_INSIDE_UNIT, .fallback = "0.95"},
	NUMBERS_OPTIONS(struct truncated_settings),
	{OPTION(quiet, 'q', NULL, OPTION_FLAG,
		"do not print cost and accuracy on standard error")},
	OPTIONS_END};

static enum outcome to_steps(const struct sotto_grid *grid, const struct sotto_rational *x,
			     const char *what, int64_t *steps, struct sotto_error *err)
{
	if (!sotto_grid_holds(grid, x))
		return complaint_refuse(err, "%s must be on the grid; --step gives a finer one",
					what);
	if (sotto_grid_round(grid, x, steps) != SOTTO_OK)
		return complaint_refuse(
			err, "%s is beyond 2^63 steps; a larger --step is needed", what);
	return OUTCOME_DONE;
}

static enum outcome
read_values(struct truncation *t, const struct invocation *call, struct sotto_error *err)
{
	const struct truncated_settings *s = call->settings;
	const struct operands one = {.items = (const char *[]){s->value.text}, .count = 1};
	const struct number_source source = {s->csv, s->column,
					     s->value.given ? &one : &call->operands, call->in};

	if (s->value.given && call->operands.count)
		return complaint_usage(err, "give --value or operands, not both");
	if (s->probabilities && !s->value.given)
		return complaint_usage(err, "--probabilities needs --value Y");
	return numbers_read(&t->exact, &source, &t->grid, s->step.given, err);
}

static enum outcome set_sensitivity(struct truncation *t, const struct truncated_settings *s,
				    struct sotto_error *err)
{
	if (!s->step.given)
		return to_steps(&t->grid, &s->sensitivity.value, "--sensitivity",
				&t->sensitivity, err);
	if (sotto_grid_sensitivity_l1_up(&t->grid, &s->sensitivity.value, t->exact.count,
					 &t->sensitivity) != SOTTO_OK)
		return complaint_refuse(
			err, "--sensitivity is beyond 2^63 steps; a larger --step is needed");
	return OUTCOME_DONE;
}

/* Holding within the range brings no value further from a true one that is inside. */
static enum sotto_status set_error(struct truncation *t, const struct truncated_settings *s)
{
	struct sotto_laplace *untruncated = NULL;
	struct sotto_rational beta;
	enum sotto_status st =
		sotto_laplace_new(&s->epsilon.value, t->sensitivity, &untruncated);

	if (st != SOTTO_OK)
		return st;
	sotto_rational_init(&beta);
	numbers_complement(&beta, &s->confidence.value);
	st = sotto_laplace_error_up(untruncated, t->exact.count, &beta, &t->error);
	sotto_rational_release(&beta);
	sotto_laplace_free(untruncated);
	return st;
}

static enum outcome
make(struct truncation *t, const struct truncated_settings *s, struct sotto_error *err)
{
	struct sotto_error why = {""};
	enum sotto_status st =
		sotto_truncated_new(&s->epsilon.value, t->sensitivity, t->range, &t->m, &why);

	if (st == SOTTO_OK)
		st = sotto_truncated_cost(t->m, &t->cost);
	if (st == SOTTO_OK)
		st = set_error(t, s);
	return st == SOTTO_OK
		       ? OUTCOME_DONE
		       : complaint_refuse(err, "%s",
					  why.text[0] ? why.text : sotto_status_text(st));
}

static enum outcome
truncation_init(struct truncation *t, const struct invocation *call, struct sotto_error *err)
{
	const struct truncated_settings *s = call->settings;
	enum outcome outcome;

	sotto_grid_init(&t->grid);
	sotto_cost_init(&t->cost);
	if (s->step.given && sotto_grid_set_step(&t->grid, &s->step.value) != SOTTO_OK)
		return complaint_refuse(err, "--step must be greater than 0");
	outcome = to_steps(&t->grid, &s->range.low, "the lower end of --range", &t->range.low,
			   err);
	if (outcome == OUTCOME_DONE)
		outcome = to_steps(&t->grid, &s->range.high, "the upper end of --range",
				   &t->range.high, err);
	if (outcome == OUTCOME_DONE)
		outcome = read_values(t, call, err);
	if (outcome == OUTCOME_DONE)
		outcome = set_sensitivity(t, s, err);
	return outcome == OUTCOME_DONE ? make(t, s, err) : outcome;
}

static void truncation_release(struct truncation *t)
{
	sotto_truncated_free(t->m);
	numbers_release(&t->exact);
	sotto_grid_release(&t->grid);
	sotto_cost_release(&t->cost);
}

char *truncation_text(const struct truncation *t, int64_t steps)
{
	struct sotto_rational value;
	char *text;

	sotto_rational_init(&value);
	sotto_grid_value(&t->grid, steps, &value);
	text = number_text_rational(&value);
	sotto_rational_release(&value);
	return text;
}

static enum sotto_status draw_all(const struct truncation *t, struct sotto_noisy *out)
{
	struct sotto_rng *rng = NULL;
	enum sotto_status st = sotto_rng_open(&rng);

	for (size_t i = 0; i < t->exact.count && st == SOTTO_OK; i++)
		st = sotto_truncated_publish(t->m, rng, t->exact.items[i], &out[i]);
	sotto_rng_close(rng);
	return st;
}

/* The error of noise and rounding together. */
static char *error_text(const struct truncation *t, const struct truncated_settings *s)
{
	struct sotto_rational error;
	char *text;

	sotto_rational_init(&error);
	numbers_error(&t->grid, s->step.given, t->error, &error);
	text = number_text_rational(&error);
	sotto_rational_release(&error);
	return text;
}

static void write_values(const struct truncation *t, const struct sotto_noisy *out,
			 const struct invocation *call)
{
	const struct truncated_settings *s = call->settings;
	struct json_writer json;
	char *error;

	json_begin(&json, call->out);
	json_open_object(&json);
	json_member_text(&json, "mechanism", t->name);
	json_key(&json, "values");
	json_open_row(&json);
	for (size_t i = 0; i < t->exact.count; i++) {
		char *text = truncation_text(t, out[i].value);

		json_write_number_text(&json, text);
		free(text);
	}
	json_close_array(&json);
	json_member_integer(&json, "sensitivity_steps", t->sensitivity);
	cost_text_write(&json, &t->cost);
	json_key(&json, "accuracy");
	json_open_object(&json);
	json_key(&json, "confidence");
	json_write_rational(&json, &s->confidence.value);
	json_key(&json, "error");
	error = error_text(t, s);
	json_write_number_text(&json, error);
	free(error);
	json_close_object(&json);
	json_close_object(&json);
	json_end(&json);
}

static void print_statement(const struct truncation *t, const struct invocation *call)
{
	const struct truncated_settings *s = call->settings;
	char *error = error_text(t, s);
	FILE *out = command_notes(call);

	fputs(terminal_dim(out), out);
	fputs("cost: ", out);
	cost_text_print(out, &t->cost);
	fprintf(out,
		"\naccuracy: with confidence %s a value that is within the range is off by at "
		"most %s\n",
		s->confidence.text, error);
	fputs(terminal_plain(out), out);
	free(error);
}

static void print_values(const struct truncation *t, const struct sotto_noisy *out,
			 const struct invocation *call)
{
	const struct truncated_settings *s = call->settings;

	if (call->format == FORMAT_CSV)
		fputs("value\n", call->out);
	for (size_t i = 0; i < t->exact.count; i++) {
		char *text = truncation_text(t, out[i].value);

		fprintf(call->out, "%s\n", text);
		free(text);
	}
	if (!s->quiet)
		print_statement(t, call);
}

static enum outcome
draw(const struct truncation *t, const struct invocation *call, struct sotto_error *err)
{
	struct sotto_noisy *out = memory_new(t->exact.count, sizeof *out);
	enum sotto_status st = draw_all(t, out);

	if (st == SOTTO_OK && call->format == FORMAT_JSON)
		write_values(t, out, call);
	else if (st == SOTTO_OK)
		print_values(t, out, call);
	free(out);
	return st == SOTTO_OK ? OUTCOME_DONE
			      : complaint_refuse(err, "%s", sotto_status_text(st));
}

static enum outcome
run_as(const char *name, const struct invocation *call, struct sotto_error *err)
{
	const struct truncated_settings *s = call->settings;
	struct truncation t = {.name = name};
	enum outcome outcome = truncation_init(&t, call, err);

	if (outcome == OUTCOME_DONE)
		outcome = s->probabilities ? truncation_print_law(&t, call, err)
					   : draw(&t, call, err);
	truncation_release(&t);
	return outcome;
}

static enum outcome run_geometric(const struct invocation *call, struct sotto_error *err)
{
	return run_as("truncated-geometric", call, err);
}

static enum outcome run_laplace(const struct invocation *call, struct sotto_error *err)
{
	return run_as("truncated-laplace", call, err);
}

#define TRUNCATED_USAGE                                                                        \
	"--epsilon E --range A B [OPTION]... [VALUE]...\n"                                     \
	"--epsilon E --range A B --value Y --probabilities"

const struct command noise_truncated_geometric = {
	.name = "truncated-geometric",
	.summary = "add geometric noise and keep the result within a public range",
	.usage = TRUNCATED_USAGE,
	.details =
		"Results outside the range are moved to its nearest end.  This costs nothing,\n"
		"because it happens after the noise.  --probabilities prints the probability "
		"of\n"
		"every result for one value.",
	NOISE_STATES("E-differential privacy if one unit changes the values by at most S in "
		     "total (L1); the range is public.",
		     "With the stated confidence a value within the range is off by at most "
		     "the stated error."),
	.options = options,
	.settings_size = sizeof(struct truncated_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run_geometric,
};

const struct command noise_truncated_laplace = {
	.name = "truncated-laplace",
	.summary = "add Laplace noise on a grid and keep the result within a public range",
	.usage = TRUNCATED_USAGE,
	.details = "Works like truncated-geometric.  --step gives the grid; both ends of the "
		   "range\n"
		   "must be on it.",
	NOISE_STATES("E-differential privacy if one unit changes the values by at most S in "
		     "total (L1); the range is public.",
		     "With the stated confidence a value within the range is off by at most "
		     "the stated error."),
	.options = options,
	.settings_size = sizeof(struct truncated_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run_laplace,
};
