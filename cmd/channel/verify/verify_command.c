/* sotto verify: the exact epsilon of a mechanism that is given as a matrix */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/channel_show.h"
#include "channel/verify/verify_show.h"
#include "frame/commands.h"
#include "frame/complaint.h"
#include "show/chart/chart.h"

#define OPTION(field, name_, argument_, kind_, help_)                                          \
	.name = name_, .argument = argument_, .kind = kind_, .help = help_,                    \
	.offset = offsetof(struct verify_settings, field)

static const struct option options[] = {
	{OPTION(graph, "graph", "G", OPTION_TEXT,
		"which answers are neighbours: path, cycle, complete, star, tree, 'grid 3x4', "
		"'hypercube 3', 'power 2', 'line 0 2 5' or a CSV file"),
	 .fallback = "path"},
	{OPTION(epsilon, "epsilon", "E", OPTION_TEXT,
		"also say whether it is private at E: 0.5, ln2, ln(3/2) or alpha=1/2"),
	 .letter = 'e'},
	{OPTION(delta, "delta", "D", OPTION_RATIONAL,
		"allow delta D, and print the smallest epsilon for it"),
	 .letter = 'd', .range = RANGE_BELOW_ONE},
	{OPTION(derivable, "derivable-from", "FROM", OPTION_TEXT,
		"say whether it can be made from the output of the geometric mechanism at "
		"FROM, or of the mechanism in a CSV file")},
	{OPTION(bits, "table", "BITS", OPTION_COUNT,
		"check the probabilities that a sampler with tables of 2^BITS entries would "
		"use"),
	 .range = RANGE_POSITIVE},
	{OPTION(svg, "svg", "FILE", OPTION_TEXT, "draw delta against epsilon")},
	{OPTION(svg, "curve", "FILE", OPTION_TEXT, "the same as --svg"), .hidden = true},
	{OPTION(map, "map", "FILE", OPTION_TEXT, "draw the matrix as a heat map")},
	OPTIONS_END};

static void finding_init(struct finding *f)
{
	*f = (struct finding){0};
	sotto_rational_init(&f->defect);
	sotto_verdict_init(&f->verdict);
	sotto_verdict_init(&f->verdict_normalized);
}

static void finding_release(struct finding *f)
{
	sotto_matrix_free(f->channel);
	sotto_matrix_free(f->normalized);
	sotto_graph_free(f->graph);
	sotto_eps_free(f->eps);
	sotto_eps_free(f->source);
	sotto_rational_release(&f->defect);
	sotto_verdict_release(&f->verdict);
	sotto_verdict_release(&f->verdict_normalized);
	sotto_derivation_release(&f->derivation);
	sotto_matrix_free(f->other);
	sotto_refinement_release(&f->refinement);
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* The first row that does not sum to one, and the matrix with rows that do. */
static enum sotto_status
check_rows(struct finding *f, const char *path, struct sotto_error *why)
{
	size_t rows = sotto_matrix_rows(f->channel), columns = sotto_matrix_columns(f->channel);
	struct sotto_rational cell;
	enum sotto_status st = SOTTO_OK;

	sotto_rational_init(&cell);
	for (size_t i = 0; i < rows * columns && st == SOTTO_OK; i++) {
		st = sotto_matrix_get(f->channel, i / columns, i % columns, &cell);
		if (st == SOTTO_OK && sotto_rational_sign(&cell) < 0) {
			(void)complaint_usage(why, "%.200s: row %zu, column %zu is negative",
					      path, i / columns + 1, i % columns + 1);
			st = SOTTO_EINVAL;
		}
	}
	sotto_rational_release(&cell);
	for (f->bad_row = 0; st == SOTTO_OK && f->bad_row < rows; f->bad_row++) {
		st = sotto_matrix_defect(f->channel, f->bad_row, &f->defect);
		if (sotto_rational_sign(&f->defect) != 0)
			break;
	}
	if (st != SOTTO_OK || f->bad_row == rows)
		return st;
	st = sotto_matrix_read(path, &f->normalized, why);
	if (st == SOTTO_OK && sotto_matrix_normalize(f->normalized) != SOTTO_OK) {
		(void)complaint_usage(why, "%.200s: a row sums to 0", path);
		st = SOTTO_EINVAL;
	}
	return st;
}

/* alpha=1/2 and ln(3/2) have a slash too */
static bool names_file(const char *text)
{
	size_t n = strlen(text);

	return n > 4 && strcmp(text + n - 4, ".csv") == 0;
}

static enum sotto_status load(struct finding *f, const struct verify_settings *s,
			      const char *path, struct sotto_error *why)
{
	enum sotto_status st = sotto_matrix_read(path, &f->channel, why);

	if (st == SOTTO_OK && s->bits.given) {
		struct sotto_matrix *table = NULL;

		st = s->bits.value <= 1000
			     ? sotto_channel_table(f->channel, (unsigned)s->bits.value, &table)
			     : SOTTO_ERANGE;
		sotto_matrix_free(f->channel);
		f->channel = table;
	}
	if (st == SOTTO_OK)
		st = check_rows(f, path, why);
	if (st == SOTTO_OK)
		st = sotto_graph_read(s->graph, sotto_matrix_rows(f->channel), &f->graph, why);
	if (st == SOTTO_OK && s->epsilon)
		st = sotto_eps_new(s->epsilon, &f->eps, why);
	if (st == SOTTO_OK && s->derivable && names_file(s->derivable))
		st = sotto_matrix_read(s->derivable, &f->other, why);
	else if (st == SOTTO_OK && s->derivable)
		st = sotto_eps_new(s->derivable, &f->source, why);
	return st;
}

/* ---- finding out --------------------------------------------------------------------------------- */

static enum sotto_status
find_verdict(const struct sotto_matrix *m, const struct sotto_graph *graph,
	     const struct verify_settings *s, struct sotto_verdict *out)
{
	return s->delta.given ? sotto_verify_epsilon_at(m, graph, &s->delta.value, out)
			      : sotto_verify_epsilon(m, graph, out);
}

static enum sotto_status
find_derivation(struct finding *f, const struct sotto_matrix *m, struct sotto_error *why)
{
	struct sotto_rational alpha;
	enum sotto_status st = SOTTO_EINVAL;

	sotto_rational_init(&alpha);
	if (!sotto_eps_alpha(f->source, &alpha))
		(void)complaint_usage(why,
				      "--derivable-from takes ln2, ln(3/2) or alpha=1/2: an "
				      "alpha that is a fraction");
	else if ((st = sotto_derive(m, &alpha, &f->derivation)) == SOTTO_EINVAL)
		(void)complaint_usage(why,
				      "--derivable-from takes an alpha between 0 and 1, and "
				      "the matrix at least two rows");
	sotto_rational_release(&alpha);
	return st;
}

static enum sotto_status
find_refinement(struct finding *f, const struct sotto_matrix *m, struct sotto_error *why)
{
	enum sotto_status st = sotto_refine(f->other, m, &f->refinement, why);

	if (st == SOTTO_EINVAL)
		(void)complaint_usage(
			why, "--derivable-from takes a matrix with as many rows, each of "
			     "which sums to exactly 1");
	return st;
}

static enum sotto_status
look(struct finding *f, const struct verify_settings *s, struct sotto_error *why)
{
	const struct sotto_matrix *m = f->normalized ? f->normalized : f->channel;
	enum sotto_status st = find_verdict(f->channel, f->graph, s, &f->verdict);

	if (st == SOTTO_OK && f->normalized)
		st = find_verdict(f->normalized, f->graph, s, &f->verdict_normalized);
	if (st == SOTTO_OK && f->eps)
		st = sotto_verify_private(f->channel, f->graph, f->eps,
					  s->delta.given ? &s->delta.value : NULL, &f->private);
	if (st == SOTTO_OK && f->source)
		st = find_derivation(f, m, why);
	if (st == SOTTO_OK && f->other)
		st = find_refinement(f, m, why);
	return st;
}

/* ---- pictures -------------------------------------------------------------------------------------------- */

enum { CURVE_POINTS = 121 };

static enum outcome
draw_curve(const struct finding *f, const char *path, struct sotto_error *err)
{
	double x[CURVE_POINTS], y[CURVE_POINTS];
	double most = f->verdict.infinite ? 3 : fmax(1.05 * f->verdict.epsilon_up, 0.1);
	const struct chart_line line = {
		.name = "delta", .x = x, .y = y, .count = CURVE_POINTS, .bold = true};
	const struct chart chart = {.title = "delta against epsilon, exact",
				    .x_name = "epsilon",
				    .y_name = "delta",
				    .lines = &line,
				    .line_count = 1};
	struct sotto_rational factor, delta;
	FILE *out;

	sotto_rational_init(&factor);
	sotto_rational_init(&delta);
	for (size_t i = 0; i < CURVE_POINTS; i++) {
		x[i] = most * (double)i / (CURVE_POINTS - 1);
		y[i] = NAN;
		if (sotto_rational_set_double(&factor, exp(x[i])) == SOTTO_OK &&
		    sotto_verify_delta(f->channel, f->graph, &factor, &delta) == SOTTO_OK)
			y[i] = channel_near(&delta);
	}
	sotto_rational_release(&factor);
	sotto_rational_release(&delta);
	out = channel_create(path, err);
	if (!out)
		return OUTCOME_REFUSED;
	(void)chart_write(&chart, out);
	return channel_finish(out, path, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

static enum outcome draw_map(const struct finding *f, const char *path, struct sotto_error *err)
{
	FILE *out = channel_create(path, err);

	if (!out)
		return OUTCOME_REFUSED;
	channel_draw(f->channel, "probability of each output", out);
	return channel_finish(out, path, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static enum outcome
report(const struct finding *f, const struct invocation *call, struct sotto_error *err)
{
	const struct verify_settings *s = call->settings;
	const char *curve = s->svg;

	if (call->format == FORMAT_JSON)
		verify_write(f, call->out);
	else if (call->format == FORMAT_CSV)
		verify_print_csv(f, call->out);
	else
		verify_print(f, s, call->out);
	if (curve && draw_curve(f, curve, err) != OUTCOME_DONE)
		return OUTCOME_REFUSED;
	if (s->map && draw_map(f, s->map, err) != OUTCOME_DONE)
		return OUTCOME_REFUSED;
	if (f->eps && !f->private)
		return complaint_refuse(err, "not private at epsilon %s", s->epsilon);
	if (f->source && !f->derivation.derivable)
		return complaint_refuse(err, "not derivable from the geometric mechanism at %s",
					s->derivable);
	if (f->other && !f->refinement.derivable)
		return complaint_refuse(err, "not derivable from %.200s", s->derivable);
	return OUTCOME_DONE;
}

static enum outcome run(const struct invocation *call, struct sotto_error *err)
{
	struct sotto_error why = {""};
	struct finding f;
	enum sotto_status st;
	enum outcome outcome;

	finding_init(&f);
	st = load(&f, call->settings, call->operands.items[0], &why);
	if (st == SOTTO_OK)
		st = look(&f, call->settings, &why);
	outcome = st == SOTTO_OK ? report(&f, call, err) : channel_complain(st, &why, err);
	finding_release(&f);
	return outcome;
}

const struct command command_verify = {
	.name = "verify",
	.summary = "say exactly how private a mechanism given as a matrix is",
	.usage = "MATRIX.csv [OPTION]...",
	.details =
		"MATRIX.csv has a row for each exact answer and a column for each output.  A\n"
		"cell is a probability, written as 3/16, 0.25, 1e-3 or 0x1.8p-3.  Epsilon is\n"
		"the logarithm of the largest ratio between neighbouring rows, computed\n"
		"exactly.  The exit status is 1 if the mechanism is not private at --epsilon,\n"
		"or not derivable.",
	.options = options,
	.settings_size = sizeof(struct verify_settings),
	.operands_min = 1,
	.operands_max = 1,
	.waits = "verifying",
	.prints_results = true,
	.run = run,
};
