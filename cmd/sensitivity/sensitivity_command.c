/* sotto sensitivity */
#include "sotto/accuracy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/commands.h"
#include "frame/complaint.h"
#include "frame/suggest.h"
#include "sensitivity/sensitivity_brute.h"
#include "read/numbers.h"
#include "show/json.h"
#include "show/number_text.h"
#include "show/table.h"
#include "show/terminal.h"
#include "sotto/noise.h"

struct sensitivity_settings {
	struct option_interval range;
	struct option_count min;
	struct option_rational empty;
	struct option_count counts;
	struct option_count contributions;
	struct option_rational factor;
	struct option_rational step;
	struct option_rational epsilon;
	size_t adjacency;
	bool brute, explain;
};

#define OPTION(option_name, letter_, argument_, kind_, help_)                                  \
	.name = #option_name, .letter = letter_, .argument = argument_, .kind = kind_,         \
	.help = help_, .offset = offsetof(struct sensitivity_settings, option_name)

static const char *const adjacencies[] = {"both", "add-remove", "substitution", NULL};

static const struct option options[] = {
	{OPTION(range, 0, "A B", OPTION_INTERVAL, "declared bounds of a value")},
	{OPTION(min, 0, "M", OPTION_COUNT, "the data always have at least M records")},
	{OPTION(empty, 0, "X", OPTION_RATIONAL,
		"the answer if there are no records (default A)")},
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
	{OPTION(adjacency, 0, "WHICH", OPTION_CHOICE, "which neighbours"),
	 .choices = adjacencies},
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

/* The answer under one relation. */
struct finding {
	const char *neighbours;
	bool replace;
	struct sotto_sensitivity s;
	bool has_steps;
	int64_t steps;
	bool tried; /* all small datasets */
	struct sotto_rational largest; /* change among them */
};

/* A sum of rounded records has the bound itself; anything else may round apart. */
static enum sotto_status set_steps(struct finding *f, enum sotto_query query,
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

static enum outcome find(struct finding *f, const char *name, enum sotto_query query,
			 const struct sensitivity_settings *settings, struct sotto_error *err)
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

static double root(const struct sotto_rational *square)
{
	return sqrt(sotto_rational_double_up(square));
}

/* Exact if short, else so many digits. */
static char *brief(const struct sotto_rational *r)
{
	char *text = number_text_rational(r);

	if (strlen(text) <= 16)
		return text;
	free(text);
	return number_text_rounded(sotto_rational_double_up(r), 10);
}

static void set_scale(struct sotto_rational *scale, const struct finding *f,
		      const struct sensitivity_settings *settings)
{
	numbers_divide(scale, &f->s.l1, &settings->epsilon.value);
}

/* "|3| x (B - A) = 3.6", or only the number where the formula is one */
static void
print_formula(const struct finding *f, const struct sensitivity_settings *settings, FILE *out)
{
	char *l1 = brief(&f->s.l1);

	if (settings->factor.given)
		fprintf(out, "|%s| x (%s) = ", settings->factor.text, f->s.formula);
	else if (strcmp(f->s.formula, l1) != 0)
		fprintf(out, "%s = ", f->s.formula);
	fputs(l1, out);
	free(l1);
}

static bool has_one_norm(const struct finding *f)
{
	bool one;
	struct sotto_rational square;

	sotto_rational_init(&square);
	sotto_rational_multiply(&square, &f->s.l1, &f->s.l1);
	one = sotto_rational_compare(&square, &f->s.l2_squared) == 0;
	sotto_rational_release(&square);
	return one;
}

/*
 * From the sensitivity to the density: scale S/epsilon, so (epsilon/2S) e^(-epsilon |z -
 * y|/S), with the numbers in it.
 */
static void explain_finding(const struct finding *f, FILE *out)
{
	struct sotto_rational rate, half;
	char *s, *inverse, *front;

	if (sotto_rational_sign(&f->s.l1) == 0) {
		fputs("    step by step: nobody moves the answer, so no noise is needed\n",
		      out);
		return;
	}
	sotto_rational_init(&rate);
	sotto_rational_init(&half);
	sotto_rational_set_integer(&rate, 1);
	numbers_divide(&rate, &rate, &f->s.l1);
	sotto_rational_scale(&half, &rate, -1);
	s = brief(&f->s.l1);
	inverse = brief(&rate);
	front = brief(&half);
	fputs("    step by step:\n", out);
	fprintf(out,
		"      1. neighbours: %s; their answers f(x) and f(x') differ by at "
		"most S\n",
		f->neighbours);
	fprintf(out, "      2. the worst pair: %s; so S = %s = %s\n", f->s.reason, f->s.formula,
		s);
	fputs("      3. noise of scale S/epsilon: the output z has density\n"
	      "           (epsilon/2S) e^(-epsilon |z - y|/S)  around y = f(x)\n",
	      out);
	fprintf(out, "           = %s epsilon e^(-%s epsilon |z - y|)\n", front, inverse);
	fputs("      4. |z - f(x)| and |z - f(x')| differ by at most S, so two densities\n"
	      "         differ by a factor of at most e^epsilon: it is epsilon-private\n",
	      out);
	free(s);
	free(inverse);
	free(front);
	sotto_rational_release(&rate);
	sotto_rational_release(&half);
}

static void
print_finding(const struct finding *f, const struct sensitivity_settings *settings, FILE *out)
{
	struct sotto_rational scale;
	char *text = number_text_rounded(root(&f->s.l2_squared), 10);

	fprintf(out, "%s%s%s: ", terminal_bold(out), f->neighbours, terminal_plain(out));
	print_formula(f, settings, out);
	if (!has_one_norm(f))
		fprintf(out, " (L2: %s)", text);
	fprintf(out, "\n    because %s\n", f->s.reason);
	free(text);
	if (f->tried)
		fprintf(out,
			"    all datasets of %llu to %llu records with values A, (A+B)/2 "
			"and B: the same\n",
			(unsigned long long)settings->min.value,
			(unsigned long long)settings->min.value + BRUTE_MORE);
	if (settings->explain)
		explain_finding(f, out);
	if (f->has_steps)
		fprintf(out, "    on the grid: %lld steps\n", (long long)f->steps);
	if (!settings->epsilon.given)
		return;
	sotto_rational_init(&scale);
	set_scale(&scale, f, settings);
	text = brief(&scale);
	fprintf(out, "    Laplace noise at epsilon %s: scale %s\n", settings->epsilon.text,
		text);
	free(text);
	sotto_rational_release(&scale);
}

/* A number even where the exact one is a fraction. */
static void write_near(struct json_writer *json, const struct sotto_rational *r)
{
	char *text = number_text_rational(r);

	if (number_text_survives_double(text))
		json_write_number_text(json, text);
	else
		json_write_double(json, sotto_rational_double_up(r));
	free(text);
}

static void write_scale(struct json_writer *json, const struct finding *f,
			const struct sensitivity_settings *settings)
{
	struct sotto_rational scale;

	sotto_rational_init(&scale);
	set_scale(&scale, f, settings);
	json_key(json, "scale");
	write_near(json, &scale);
	sotto_rational_release(&scale);
}

static void write_finding(struct json_writer *json, const struct finding *f,
			  const struct sensitivity_settings *settings)
{
	char *exact;

	json_key(json, f->replace ? "replace" : "add_remove");
	json_open_object(json);
	json_key(json, "l1");
	write_near(json, &f->s.l1);
	json_key(json, "l2");
	if (has_one_norm(f))
		write_near(json, &f->s.l1);
	else
		json_write_double(json, root(&f->s.l2_squared));
	json_key(json, "exact");
	exact = number_text_rational(&f->s.l1);
	json_write_text(json, exact);
	free(exact);
	if (f->has_steps) {
		json_member_integer(json, "steps", f->steps);
	}
	if (settings->epsilon.given)
		write_scale(json, f, settings);
	if (f->tried) {
		json_member_bool(json, "tried", true);
	}
	json_member_text(json, "formula", f->s.formula);
	json_member_text(json, "reason", f->s.reason);
	json_close_object(json);
}

static void print_csv(const struct finding *list, size_t n, FILE *out)
{
	static const struct column columns[] = {
		{"neighbours", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"l1", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"l2", NULL, COLUMN_NUMBER, ALIGN_BY_KIND},
		{"formula", NULL, COLUMN_TEXT, ALIGN_BY_KIND},
		{"reason", NULL, COLUMN_TEXT, ALIGN_BY_KIND}};
	struct table t;

	table_init(&t, columns, 5);
	for (size_t i = 0; i < n; i++) {
		table_add_text(&t, list[i].replace ? "replace" : "add_remove");
		table_add_rational(&t, &list[i].s.l1);
		table_add_double(&t, root(&list[i].s.l2_squared), 10);
		table_add_text(&t, list[i].s.formula);
		table_add_text(&t, list[i].s.reason);
	}
	table_print(&t, FORMAT_CSV, out);
	table_release(&t);
}

static void print_findings(const char *name, const struct finding *list, size_t n,
			   const struct invocation *call)
{
	struct json_writer json;

	if (call->format == FORMAT_TABLE)
		for (size_t i = 0; i < n; i++)
			print_finding(&list[i], call->settings, call->out);
	if (call->format == FORMAT_CSV)
		print_csv(list, n, call->out);
	if (call->format != FORMAT_JSON)
		return;
	json_begin(&json, call->out);
	json_open_object(&json);
	json_member_text(&json, "query", name);
	for (size_t i = 0; i < n; i++)
		write_finding(&json, &list[i], call->settings);
	json_close_object(&json);
	json_end(&json);
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	const struct sensitivity_settings *settings = call->settings;
	struct finding list[] = {{.neighbours = "add or remove one unit"},
				 {.neighbours = "replace one unit", .replace = true}};
	size_t first = settings->adjacency == 2, last = settings->adjacency == 1 ? 1 : 2;
	enum sotto_query query = SOTTO_QUERY_COUNT;
	enum outcome outcome = find_query(call->operands.items[0], &query, err);

	for (size_t i = 0; i < 2; i++) {
		sotto_sensitivity_init(&list[i].s);
		sotto_rational_init(&list[i].largest);
	}
	for (size_t i = first; i < last && outcome == OUTCOME_DONE; i++)
		outcome = find(&list[i], call->operands.items[0], query, settings, err);
	if (outcome == OUTCOME_DONE)
		print_findings(call->operands.items[0], list + first, last - first, call);
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
