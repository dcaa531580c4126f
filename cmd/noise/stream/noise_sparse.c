/* sotto noise above-threshold, sotto noise sparse, sotto noise numeric-sparse */
#include "noise/stream/noise_sparse.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frame/complaint.h"
#include "noise/noise_command.h"
#include "read/numbers.h"
#include "show/number_text.h"

enum { LINE_MAX_BYTES = 4096 };

#define OPTION(option_name, letter_, argument_, kind_, help_)                                  \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct sparse_settings, option_name)

#define SPARSE_OPTIONS                                                                         \
	{OPTION(epsilon, 'e', "E", OPTION_RATIONAL, "privacy parameter of the whole stream"),  \
	 .range = RANGE_POSITIVE, .required = true},                                           \
		{OPTION(threshold, 't', "T", OPTION_RATIONAL,                                  \
			"the value to compare with, which is public"),                         \
		 .required = true},                                                            \
		{OPTION(sensitivity, 's', "S", OPTION_RATIONAL,                                \
			"how much one unit can change any one value"),                         \
		 .range = RANGE_POSITIVE, .fallback = "1"},                                    \
		{OPTION(step, 'g', "G", OPTION_RATIONAL,                                       \
			"work on multiples of G instead of whole numbers"),                    \
		 .range = RANGE_POSITIVE},                                                     \
		{OPTION(monotone, 'm', NULL, OPTION_FLAG,                                      \
			"one unit changes all values in the same direction; halves their "     \
			"noise")},                                                             \
		{OPTION(optimized, 'o', NULL, OPTION_FLAG,                                     \
			"divide epsilon between threshold and values as Lyu, Su and Li do, "   \
			"for less noise")},                                                    \
		{OPTION(queries, 0, "K", OPTION_COUNT,                                         \
			"number of values that the accuracy statement covers"),                \
		 .range = RANGE_POSITIVE, .fallback = "1000"},                                 \
		{OPTION(confidence, 0, "C", OPTION_RATIONAL,                                   \
			"confidence of the accuracy statement"),                               \
		 .range = RANGE_INSIDE_UNIT, .fallback = "0.95"},                              \
		NUMBERS_OPTIONS(struct sparse_settings),                                       \
	{                                                                                      \
		OPTION(quiet, 'q', NULL, OPTION_FLAG,                                          \
		       "do not print cost and accuracy on standard error")                     \
	}

#define SPARSE_POSITIVES                                                                       \
	{OPTION(positives, 'c', "C", OPTION_COUNT, "stop after C values above the threshold"), \
	 .range = RANGE_POSITIVE, .fallback = "1"},                                            \
	{                                                                                      \
		OPTION(delta, 'd', "D", OPTION_RATIONAL,                                       \
		       "allow this delta, for less noise with more than 8 ln(1/D) positives"), \
			.range = RANGE_BELOW_ONE                                               \
	}

static const struct option one_options[] = {SPARSE_OPTIONS, OPTIONS_END};
static const struct option many_options[] = {SPARSE_OPTIONS, SPARSE_POSITIVES, OPTIONS_END};

/* ---- parameters ---- */

static enum outcome set_steps(const struct sparse_stream *s,
			      const struct sparse_settings *settings,
			      struct sotto_sparse_vector_options *o, struct sotto_error *err)
{
	enum sotto_status st;

	if (!sotto_grid_holds(&s->grid, &settings->threshold.value))
		return complaint_refuse(
			err, "--threshold must be on the grid; --step gives a finer one");
	if (sotto_grid_round(&s->grid, &settings->threshold.value, &o->threshold) != SOTTO_OK)
		return complaint_refuse(err, "--threshold is beyond 2^63 steps");
	if (settings->step.given)
		st = sotto_grid_sensitivity_l1_up(&s->grid, &settings->sensitivity.value, 1,
						  &o->sensitivity);
	else if (sotto_grid_holds(&s->grid, &settings->sensitivity.value))
		st = sotto_grid_round(&s->grid, &settings->sensitivity.value, &o->sensitivity);
	else
		return complaint_refuse(err, "--sensitivity must be a whole number for whole "
					     "values; --step gives a finer grid");
	return st == SOTTO_OK ? OUTCOME_DONE
			      : complaint_refuse(err, "--sensitivity is beyond 2^63 steps");
}

static enum outcome open_sparse(struct sparse_stream *s, const struct sparse_settings *settings,
				struct sotto_error *err)
{
	struct sotto_sparse_vector_options o = {
		.epsilon = &settings->epsilon.value,
		.delta = settings->delta.given ? &settings->delta.value : NULL,
		.positives = settings->positives.value ? settings->positives.value : 1,
		.numeric = s->numeric,
		.monotone = settings->monotone,
		.optimized = settings->optimized};
	struct sotto_error why = {""};
	enum outcome outcome = set_steps(s, settings, &o, err);
	enum sotto_status st;

	if (outcome != OUTCOME_DONE)
		return outcome;
	st = sotto_sparse_vector_new(&o, &s->sparse, &why);
	if (st == SOTTO_OK)
		st = sotto_rng_open(&s->rng);
	return st == SOTTO_OK
		       ? OUTCOME_DONE
		       : complaint_refuse(err, "%s",
					  why.text[0] ? why.text : sotto_status_text(st));
}

/* ---- answering ---- */

/* A fraction is not a JSON number. */
static const char *quote_for(const char *number)
{
	return number_text_survives_double(number) ? "" : "\"";
}

static void print_answer(struct sparse_stream *s, const struct sotto_sparse_answer *a,
			 const struct invocation *call)
{
	const char *above = a->above ? "true" : "false";
	char *value = NULL;

	if (s->numeric && a->above) {
		sotto_grid_value(&s->grid, a->value.value, &s->value);
		value = number_text_rational(&s->value);
	}
	if (call->format == FORMAT_JSON) {
		fprintf(call->out, "%s\n    {\"query\": %" PRIu64 ", \"above\": %s",
			s->asked > 1 ? "," : "", s->asked, above);
		if (value)
			fprintf(call->out, ", \"value\": %s%s%s", quote_for(value), value,
				quote_for(value));
		fputs("}", call->out);
	} else if (call->format == FORMAT_CSV) {
		fprintf(call->out, "%" PRIu64 ",%s%s%s\n", s->asked, above,
			s->numeric ? "," : "", value ? value : "");
	} else {
		fprintf(call->out, "%s%s%s\n", a->above ? "above" : "below", value ? " " : "",
			value ? value : "");
	}
	fflush(call->out);
	free(value);
}

static enum outcome ask_exact(struct sparse_stream *s, struct sotto_exact query,
			      const struct invocation *call, struct sotto_error *err)
{
	struct sotto_sparse_answer answer;

	if (sotto_sparse_vector_ask(s->sparse, s->rng, query, &answer) != SOTTO_OK)
		return complaint_refuse(err, "the system's random source failed");
	print_answer(s, &answer, call);
	return OUTCOME_DONE;
}

static enum outcome ask(struct sparse_stream *s, const char *text,
			const struct invocation *call, struct sotto_error *err)
{
	const struct sparse_settings *settings = call->settings;
	int64_t steps;

	s->asked++;
	if (sotto_rational_parse(&s->value, text, NULL) != SOTTO_OK)
		return complaint_refuse(
			err, "value %" PRIu64 ": expected a number like 12, -0.5 or 1e6",
			s->asked);
	if (!settings->step.given && !sotto_grid_holds(&s->grid, &s->value))
		return complaint_refuse(err,
					"value %" PRIu64
					": expected a whole number; --step gives a finer grid",
					s->asked);
	if (sotto_grid_round(&s->grid, &s->value, &steps) != SOTTO_OK)
		return complaint_refuse(err, "value %" PRIu64 " is beyond 2^63 steps",
					s->asked);
	return ask_exact(s, sotto_exact_of(steps), call, err);
}

/* The line without the space around it. */
static char *trim(char *line)
{
	size_t length;

	while (isspace((unsigned char)*line))
		line++;
	length = strlen(line);
	while (length && isspace((unsigned char)line[length - 1]))
		line[--length] = '\0';
	return line;
}

static enum outcome
ask_lines(struct sparse_stream *s, const struct invocation *call, struct sotto_error *err)
{
	enum outcome outcome = OUTCOME_DONE;
	char line[LINE_MAX_BYTES];

	while (outcome == OUTCOME_DONE && sotto_sparse_vector_left(s->sparse) &&
	       fgets(line, sizeof line, call->in)) {
		char *text = trim(line);

		if (*text)
			outcome = ask(s, text, call, err);
	}
	explicit_bzero(line, sizeof line);
	if (outcome == OUTCOME_DONE && ferror(call->in))
		return complaint_refuse(err, "standard input could not be read");
	return outcome;
}

static enum outcome
ask_operands(struct sparse_stream *s, const struct invocation *call, struct sotto_error *err)
{
	enum outcome outcome = OUTCOME_DONE;

	for (size_t i = 0; i < call->operands.count && outcome == OUTCOME_DONE &&
			   sotto_sparse_vector_left(s->sparse);
	     i++)
		outcome = ask(s, call->operands.items[i], call, err);
	return outcome;
}

/* A column is read to its end before the first answer: a broken file answers nothing. */
static enum outcome ask_column(struct sparse_stream *s, const struct numbers *column,
			       const struct invocation *call, struct sotto_error *err)
{
	enum outcome outcome = OUTCOME_DONE;

	for (size_t i = 0; i < column->count && outcome == OUTCOME_DONE &&
			   sotto_sparse_vector_left(s->sparse);
	     i++) {
		s->asked++;
		outcome = ask_exact(s, column->items[i], call, err);
	}
	return outcome;
}

static enum outcome ask_all(struct sparse_stream *s, const struct numbers *column,
			    const struct invocation *call, struct sotto_error *err)
{
	const struct sparse_settings *settings = call->settings;

	if (settings->csv)
		return ask_column(s, column, call, err);
	return call->operands.count ? ask_operands(s, call, err) : ask_lines(s, call, err);
}

/* Only if there is --csv (or --column without it, which is refused). */
static enum outcome read_column(const struct sparse_stream *s, const struct invocation *call,
				struct numbers *column, struct sotto_error *err)
{
	const struct sparse_settings *settings = call->settings;
	const struct number_source source = {settings->csv, settings->column, &call->operands,
					     call->in};

	if (!settings->csv && !settings->column)
		return OUTCOME_DONE;
	return numbers_read(column, &source, &s->grid, settings->step.given, err);
}

static enum outcome
answer_all(struct sparse_stream *s, const struct invocation *call, struct sotto_error *err)
{
	const struct sparse_settings *settings = call->settings;
	struct numbers column = {0};
	enum outcome outcome = read_column(s, call, &column, err);

	if (outcome == OUTCOME_DONE)
		outcome = sparse_statement(s, call, err);
	if (outcome != OUTCOME_DONE) {
		numbers_release(&column);
		return outcome;
	}
	outcome = ask_all(s, &column, call, err);
	numbers_release(&column);
	if (call->format == FORMAT_JSON)
		fputs("\n  ]\n}\n", call->out);
	else if (sotto_sparse_vector_left(s->sparse) == 0 && !settings->quiet)
		fputs("stopped: that was the last value above the threshold that was paid "
		      "for\n",
		      call->err);
	return outcome;
}

static enum outcome
run_as(const char *name, bool numeric, const struct invocation *call, struct sotto_error *err)
{
	const struct sparse_settings *settings = call->settings;
	struct sparse_stream s = {.name = name, .numeric = numeric};
	enum outcome outcome = OUTCOME_DONE;

	sotto_grid_init(&s.grid);
	sotto_rational_init(&s.value);
	if (settings->step.given &&
	    sotto_grid_set_step(&s.grid, &settings->step.value) != SOTTO_OK)
		outcome = complaint_refuse(err, "--step must be greater than 0");
	if (outcome == OUTCOME_DONE)
		outcome = open_sparse(&s, settings, err);
	if (outcome == OUTCOME_DONE)
		outcome = answer_all(&s, call, err);
	sotto_rng_close(s.rng);
	sotto_sparse_vector_free(s.sparse);
	sotto_rational_release(&s.value);
	sotto_grid_release(&s.grid);
	return outcome;
}

static enum outcome run_above_threshold(const struct invocation *call, struct sotto_error *err)
{
	return run_as("above-threshold", false, call, err);
}

static enum outcome run_sparse(const struct invocation *call, struct sotto_error *err)
{
	return run_as("sparse", false, call, err);
}

static enum outcome run_numeric_sparse(const struct invocation *call, struct sotto_error *err)
{
	return run_as("numeric-sparse", true, call, err);
}

#define SPARSE_RECORD(name_, summary_, details_, options_, run_)                               \
	{                                                                                      \
		.name = name_, .summary = summary_,                                            \
		.usage = "--epsilon E --threshold T [OPTION]... [VALUE]...",                   \
		.details = details_,                                                           \
		NOISE_STATES("(E, D)-differential privacy of all answers together if one "     \
			     "unit changes any one value by at most S.",                       \
			     "With the stated confidence every value that is further from "    \
			     "the threshold than the stated distance is answered correctly."), \
		.options = options_, .settings_size = sizeof(struct sparse_settings),          \
		.operands_max = SIZE_MAX, .prints_results = true, .run = run_                  \
	}

const struct command noise_above_threshold = SPARSE_RECORD(
	"above-threshold", "say which value of a stream is the first above a threshold",
	"Reads values line by line and answers each at once, below or above, until the\n"
	"first that is above.  All answers together cost epsilon, however many there are.",
	one_options, run_above_threshold);

const struct command noise_sparse =
	SPARSE_RECORD("sparse", "the same for several values above the threshold",
		      "Works like above-threshold, but continues until C values were above.",
		      many_options, run_sparse);

const struct command noise_numeric_sparse = SPARSE_RECORD(
	"numeric-sparse", "the same, and print each value above the threshold with noise",
	"As sparse; an answer above comes with a value, whose noise is fresh: that of the\n"
	"comparison is never shown.",
	many_options, run_numeric_sparse);
