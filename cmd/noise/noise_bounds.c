/* sotto noise bounds */
#include "noise/noise_command.h"

#include <inttypes.h>
#include <stdlib.h>

#include "frame/complaint.h"
#include "read/numbers.h"
#include "show/cost_text.h"
#include "show/number_text.h"
#include "show/terminal.h"
#include "sotto/stream.h"

struct bounds_settings {
	struct option_rational epsilon;
	struct option_rational step;
	struct option_rational confidence;
	struct option_count contributions;
	bool replace;
	const char *csv;
	const char *column;
	bool quiet;
};

#define OPTION(option_name, letter_, argument_, kind_, help_)                                  \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct bounds_settings, option_name)

static const struct option options[] = {
	{OPTION(epsilon, 'e', "E", OPTION_RATIONAL, "privacy parameter"),
	 .range = RANGE_POSITIVE, .required = true},
	{OPTION(step, 'g', "G", OPTION_RATIONAL,
		"work on multiples of G instead of whole numbers"),
	 .range = RANGE_POSITIVE},
	{OPTION(contributions, 0, "N", OPTION_COUNT, "how many values one unit may have"),
	 .range = RANGE_POSITIVE, .fallback = "1"},
	{OPTION(replace, 0, NULL, OPTION_FLAG,
		"neighbours differ by replacing one unit, not by adding or removing one")},
	{OPTION(confidence, 0, "C", OPTION_RATIONAL, "confidence of the accuracy statement"),
	 .range = RANGE_INSIDE_UNIT, .fallback = "0.95"},
	NUMBERS_OPTIONS(struct bounds_settings),
	{OPTION(quiet, 'q', NULL, OPTION_FLAG,
		"do not print cost and accuracy on standard error")},
	OPTIONS_END};

static enum sotto_status search(const struct bounds_settings *s, const struct numbers *values,
				struct sotto_bounds *found, struct sotto_cost *cost,
				struct sotto_error *why)
{
	const struct sotto_bounds_options o = {
		.epsilon = &s->epsilon.value,
		.contributions = (int64_t)s->contributions.value,
		.replace = s->replace,
		.beta = numbers_complement_down(&s->confidence.value)};
	struct sotto_exact counts[SOTTO_BOUNDS_BINS];
	struct sotto_rng *rng = NULL;
	enum sotto_status st = sotto_rng_open(&rng);

	sotto_bounds_count(values->items, values->count, counts);
	if (st == SOTTO_OK)
		st = sotto_bounds_find(&o, rng, counts, found, why);
	if (st == SOTTO_OK)
		st = sotto_bounds_cost(&o, cost);
	explicit_bzero(counts, sizeof counts);
	sotto_rng_close(rng);
	return st;
}

/* The ends of the range as values. */
struct ends {
	char *low;
	char *high;
};

static char *end_text(const struct sotto_grid *grid, int64_t steps)
{
	struct sotto_rational value;
	char *text;

	sotto_rational_init(&value);
	sotto_grid_value(grid, steps, &value);
	text = number_text_rational(&value);
	sotto_rational_release(&value);
	return text;
}

static void write_json(const struct ends *ends, const struct sotto_bounds *found,
		       const struct sotto_cost *cost, const struct invocation *call)
{
	const struct bounds_settings *s = call->settings;
	struct json_writer json;

	json_begin(&json, call->out);
	json_open_object(&json);
	json_member_text(&json, "mechanism", "bounds");
	json_key(&json, "low");
	json_write_number_text(&json, ends->low);
	json_key(&json, "high");
	json_write_number_text(&json, ends->high);
	cost_text_write(&json, cost);
	json_key(&json, "accuracy");
	json_open_object(&json);
	json_key(&json, "confidence");
	json_write_rational(&json, &s->confidence.value);
	json_member_integer(&json, "outside", (int64_t)found->outside);
	json_close_object(&json);
	json_close_object(&json);
	json_end(&json);
}

static void print_text(const struct ends *ends, const struct sotto_bounds *found,
		       const struct sotto_cost *cost, const struct invocation *call)
{
	const struct bounds_settings *s = call->settings;

	if (call->format == FORMAT_CSV)
		fprintf(call->out, "low,high\n%s,%s\n", ends->low, ends->high);
	else
		fprintf(call->out, "%s %s\n", ends->low, ends->high);
	if (s->quiet)
		return;
	fputs(terminal_dim(call->err), call->err);
	fputs("cost: ", call->err);
	cost_text_print(call->err, cost);
	fprintf(call->err,
		"\naccuracy: with confidence %s at most %" PRIu64
		" values%s lie below and as many above; they will be clipped\n",
		s->confidence.text, found->outside,
		s->step.given ? ", rounded to the grid," : "");
	fputs(terminal_plain(call->err), call->err);
}

static enum outcome find_and_print(const struct numbers *values, const struct sotto_grid *grid,
				   const struct invocation *call, struct sotto_error *err)
{
	struct sotto_error why = {""};
	struct sotto_bounds found;
	struct sotto_cost cost;
	struct ends ends;
	enum sotto_status st;

	sotto_cost_init(&cost);
	st = search(call->settings, values, &found, &cost, &why);
	if (st == SOTTO_OK && found.found) {
		ends = (struct ends){end_text(grid, found.range.low),
				     end_text(grid, found.range.high)};
		if (call->format == FORMAT_JSON)
			write_json(&ends, &found, &cost, call);
		else
			print_text(&ends, &found, &cost, call);
		free(ends.low);
		free(ends.high);
	}
	sotto_cost_release(&cost);
	if (st != SOTTO_OK)
		return complaint_refuse(err, "%s",
					why.text[0] ? why.text : sotto_status_text(st));
	if (!found.found)
		return complaint_refuse(err,
					"no bounds were found: too few values for this "
					"epsilon (the attempt costs epsilon all the same)");
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct bounds_settings *s = call->settings;
	const struct number_source source = {s->csv, s->column, &call->operands, call->in};
	struct sotto_grid grid;
	struct numbers values;
	enum outcome outcome;

	sotto_grid_init(&grid);
	if (s->step.given && sotto_grid_set_step(&grid, &s->step.value) != SOTTO_OK) {
		sotto_grid_release(&grid);
		return complaint_refuse(err, "--step must be greater than 0");
	}
	outcome = numbers_read(&values, &source, &grid, s->step.given, err);
	if (outcome == OUTCOME_DONE)
		outcome = find_and_print(&values, &grid, call, err);
	numbers_release(&values);
	sotto_grid_release(&grid);
	return outcome;
}

const struct command noise_bounds = {
	.name = "bounds",
	.summary = "find bounds of a column privately, for clipping",
	.usage = "--epsilon E [OPTION]... [VALUE]...",
	.details =
		"Prints two numbers between which nearly all values lie.  Both are powers of\n"
		"two (or 0) times the step, so the possible bounds do not depend on the "
		"values.\n"
		"Tighter bounds mean less noise later, but more values are clipped.  If you\n"
		"know the range from other sources, use that instead.",
	NOISE_STATES("E-differential privacy if one unit has at most --contributions values.",
		     "With the stated confidence at most the stated number of values lie "
		     "outside the bounds."),
	.options = options,
	.settings_size = sizeof(struct bounds_settings),
	.operands_max = SIZE_MAX,
	.prints_results = true,
	.run = run,
};
