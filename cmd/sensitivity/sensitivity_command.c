/*
 * sotto sensitivity: computes the exact sensitivity of a query under one or both meanings of
 * neighbours, and hands the argument to sensitivity_print.
 */
#include <string.h>

#include "frame/commands.h"
#include "frame/complaint.h"
#include "frame/suggest.h"
#include "sensitivity/sensitivity_brute.h"
#include "sensitivity/sensitivity_finding.h"
#include "sotto/noise.h"

#define OPTION(option_name, letter_, argument_, kind_, help_)                                  \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct sensitivity_settings, option_name)

static const char *const relations[] = {"both", "add-remove", "replace-one", NULL};

static const struct option options[] = {
	{OPTION(range, 0, "A B", OPTION_INTERVAL, "declared bounds of a value")},
	{OPTION(min, 0, "M", OPTION_COUNT, "the data always have at least M records")},
	{OPTION(empty, 0, "X", OPTION_RATIONAL,
		"the answer if there are no records (default A; 0 of a variance or "
		"percentage)")},
	{OPTION(counts, 'k', "K", OPTION_COUNT, "number of overlapping counts"),
	 .range = RANGE_POSITIVE},
	{OPTION(contributions, 0, "N", OPTION_COUNT, "records that one unit may have"),
	 .range = RANGE_POSITIVE, .fallback = "1"},
	{OPTION(factor, 0, "F", OPTION_RATIONAL, "the answer is multiplied by F"),
	 .fallback = "1"},
	{OPTION(step, 'g', "G", OPTION_RATIONAL,
		"also print the sensitivity in steps of a grid"),
	 .range = RANGE_POSITIVE},
	{OPTION(epsilon, 'e', "E", OPTION_RATIONAL, "also print the scale of Laplace noise"),
	 .range = RANGE_POSITIVE},
	{OPTION(neighbours, 0, "RELATION", OPTION_CHOICE, "which datasets are neighbours"),
	 .choices = relations},
	{OPTION(brute, 0, NULL, OPTION_FLAG,
		"also try all small datasets, and say whether the formula agrees")},
	{OPTION(explain, 0, NULL, OPTION_FLAG, "derive the result step by step")},
	OPTIONS_END};

static const struct {
	const char *name;
	enum sotto_query query;
} queries[] = {
	{"count", SOTTO_QUERY_COUNT},
	{"counts", SOTTO_QUERY_COUNTS},
	{"histogram", SOTTO_QUERY_HISTOGRAM},
	{"sum", SOTTO_QUERY_SUM},
	{"average", SOTTO_QUERY_AVERAGE},
	{"mean", SOTTO_QUERY_AVERAGE},
	{"percentage", SOTTO_QUERY_PERCENTAGE},
	{"max", SOTTO_QUERY_QUANTILE},
	{"min", SOTTO_QUERY_QUANTILE},
	{"median", SOTTO_QUERY_QUANTILE},
	{"quantile", SOTTO_QUERY_QUANTILE},
	{"variance", SOTTO_QUERY_VARIANCE},
	{"sample-variance", SOTTO_QUERY_SAMPLE_VARIANCE},
	{"linear", SOTTO_QUERY_COUNT},
};

enum { QUERIES = sizeof queries / sizeof queries[0] };

static enum outcome
find_query(const char *name, enum sotto_query *query, struct sotto_error *err)
{
	struct suggestion s = {.typed = name};

	for (size_t i = 0; i < QUERIES; i++) {
		if (strcmp(queries[i].name, name) == 0) {
			*query = queries[i].query;
			return OUTCOME_DONE;
		}
		suggest_offer(&s, queries[i].name);
	}
	return complaint_usage(err, "no query is called %.40s; %s%s", name,
			       s.word ? "did you mean " : "--help lists them",
			       s.word ? s.word : "");
}

/* A sum of rounded records has the bound itself; anything else may round apart. */
static enum sotto_status set_steps(struct sensitivity_finding *f, enum sotto_query query,
				   const struct sensitivity_settings *settings)
{
	struct sotto_grid grid;
	enum sotto_status st;

	if (query == SOTTO_QUERY_SUM && settings->contributions.value == 1 &&
	    !settings->factor.given)
		return sotto_sensitivity_sum_steps(&settings->range.low, &settings->range.high,
						   &settings->step.value, f->replace,
						   &f->steps);
	sotto_grid_init(&grid);
	st = sotto_grid_set_step(&grid, &settings->step.value);
	if (st == SOTTO_OK)
		st = sotto_grid_sensitivity_l1_up(
			&grid, &f->s.l1,
			query == SOTTO_QUERY_COUNTS ? settings->counts.value : 1, &f->steps);
	sotto_grid_release(&grid);
	return st;
}

static enum outcome find(struct sensitivity_finding *f, const char *name,
			 enum sotto_query query, const struct sensitivity_settings *settings,
			 struct sotto_error *err)
{
	const struct sotto_sensitivity_options o = {
		.query = query,
		.replace = f->replace,
		.low = settings->range.given ? &settings->range.low : NULL,
		.high = settings->range.given ? &settings->range.high : NULL,
		.minimum = settings->min.value,
		.empty = settings->empty.given ? &settings->empty.value : NULL,
		.counts = settings->counts.value,
		.contributions = settings->contributions.value,
		.factor = &settings->factor.value};
	struct sotto_error why = {""};

	if (sotto_sensitivity_set(&f->s, &o, &why) != SOTTO_OK)
		return complaint_refuse(err, "%s%s", why.text,
					settings->range.given ? "" : " (--range A B)");
	f->tried = settings->brute && sensitivity_brute(&o, name, &f->largest);
	if (settings->brute && !f->tried)
		return complaint_refuse(err,
					"--brute tries small datasets: give --min %d or less "
					"and leave --contributions out",
					BRUTE_MINIMUM_MAX);
	if (f->tried && sotto_rational_compare(&f->largest, &f->s.l1) != 0)
		return complaint_refuse(err, "the datasets that were tried do not agree with "
					     "the formula; please report this");
	if (!settings->step.given)
		return OUTCOME_DONE;
	if (query == SOTTO_QUERY_HISTOGRAM || query == SOTTO_QUERY_COUNT)
		return complaint_refuse(err, "counts are whole numbers: leave --step out");
	f->has_steps = true;
	if (set_steps(f, query, settings) != SOTTO_OK)
		return complaint_refuse(err, "the sensitivity is beyond 2^63 steps");
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct sensitivity_settings *settings = call->settings;
	struct sensitivity_finding list[] = {
		{.neighbours = "add or remove one unit"},
		{.neighbours = "replace one unit", .replace = true}};
	size_t first = settings->neighbours == 2, last = settings->neighbours == 1 ? 1 : 2;
	enum sotto_query query = SOTTO_QUERY_COUNT;
	enum outcome outcome = find_query(call->operands.items[0], &query, err);

	for (size_t i = 0; i < 2; i++) {
		sotto_sensitivity_init(&list[i].s);
		sotto_rational_init(&list[i].largest);
	}
	for (size_t i = first; i < last && outcome == OUTCOME_DONE; i++)
		outcome = find(&list[i], call->operands.items[0], query, settings, err);
	if (outcome == OUTCOME_DONE)
		sensitivity_print(call->operands.items[0], list + first, last - first, call);
	for (size_t i = 0; i < 2; i++) {
		sotto_sensitivity_release(&list[i].s);
		sotto_rational_release(&list[i].largest);
	}
	return outcome;
}

const struct command command_sensitivity = {
	.name = "sensitivity",
	.summary = "say how much one unit can change the answer to a query, and why",
	.usage = "QUERY [OPTION]...",
	.details =
		"QUERY is count, counts, histogram, sum, average (or mean), percentage, max,\n"
		"min, median, quantile, variance, sample-variance or linear (F times a number\n"
		"that one unit changes by at most 1).  Values are between A and B.  No data "
		"are\n"
		"read.",
	.options = options,
	.settings_size = sizeof(struct sensitivity_settings),
	.operands_min = 1,
	.operands_max = 1,
	.prints_results = true,
	.run = run,
};
