/*
 * Builds each mechanism anew at every epsilon of the range; NaN marks a point that does not
 * exist, and a curve without points is left out of the picture.
 */
#include "channel/utility/utility_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel/channel_show.h"
#include "channel/problem_options.h"
#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/chart/chart.h"
#include "show/number_text.h"
#include "show/progress.h"

/* The mechanisms by name, and the best one. */
enum { BEST = SOTTO_BUILD_COUNT, KINDS, POINTS_MAX = 1000, DRAWN_MAX = 32 };

/* What one kind comes to, a place for each epsilon; NAN where there is none. */
struct curve {
	double *utility, *raw, *leakage;
};

struct curves {
	size_t points;
	double *epsilon;
	struct curve kinds[KINDS];
	double *prior_value, *most; /* the same at every epsilon */
};

static double *new_line(size_t points)
{
	double *y = memory_new(points, sizeof *y);

	for (size_t i = 0; i < points; i++)
		y[i] = NAN;
	return y;
}

static void curves_init(struct curves *c, size_t points)
{
	c->points = points;
	c->epsilon = new_line(points);
	c->prior_value = new_line(points);
	c->most = new_line(points);
	for (size_t k = 0; k < KINDS; k++)
		c->kinds[k] =
			(struct curve){new_line(points), new_line(points), new_line(points)};
}

static void curves_release(struct curves *c)
{
	free(c->epsilon);
	free(c->prior_value);
	free(c->most);
	for (size_t k = 0; k < KINDS; k++) {
		free(c->kinds[k].utility);
		free(c->kinds[k].raw);
		free(c->kinds[k].leakage);
	}
}

static enum outcome
read_range(const struct utility_picture *picture, struct curves *c, struct sotto_error *err)
{
	double low, high;
	unsigned points;
	char rest;

	if (sscanf(picture->range, "%lf:%lf:%u%c", &low, &high, &points, &rest) != 3 ||
	    !(low >= 0) || !(high > low) || !(high <= 100) || points < 2 || points > POINTS_MAX)
		return complaint_usage(
			err,
			"--eps-range takes A:B:N with 0 <= A < B <= 100 and 2 to %d "
			"points, such as 0.1:3:30",
			POINTS_MAX);
	if (picture->log && low == 0)
		return complaint_usage(err,
				       "a log scale has no 0; let --eps-range begin above");
	curves_init(c, points);
	for (size_t i = 0; i < points; i++) {
		double share = (double)i / (points - 1);

		c->epsilon[i] = picture->log ? low * pow(high / low, share)
					     : low + (high - low) * share;
	}
	return OUTCOME_DONE;
}

/* ---- points --------------------------------------------------------------------------------- */

/* The channel is used up. */
static void find_point(const struct sotto_user_case *p, struct sotto_matrix *channel,
		       struct curves *c, size_t kind, size_t i)
{
	struct sotto_leakage leakage;
	struct sotto_use use;

	if (sotto_use_find(channel, p->prior, p->gain, &use) == SOTTO_OK) {
		c->kinds[kind].utility[i] = channel_near(&use.utility);
		if (use.has_raw && sotto_rational_compare(&use.raw, &use.utility) != 0)
			c->kinds[kind].raw[i] = channel_near(&use.raw);
		c->prior_value[i] = channel_near(&use.prior_value);
		sotto_use_release(&use);
	}
	if (sotto_leakage_find(channel, p->prior, &leakage) == SOTTO_OK)
		c->kinds[kind].leakage[i] = leakage.min_entropy;
	sotto_matrix_free(channel);
}

static void find_points(const struct sotto_user_case *p, struct curves *c, size_t i)
{
	struct sotto_optimal o;

	for (enum sotto_build b = 0; b < SOTTO_BUILD_COUNT; b++) {
		struct sotto_matrix *channel;

		if (b == SOTTO_BUILD_TIGHT && channel_is_path(p))
			continue; /* it is the geometric one */
		if (sotto_channel_build(b, p->graph, p->eps, &channel, NULL) == SOTTO_OK)
			find_point(p, channel, c, b, i);
	}
	if (sotto_optimal_find(p->graph, p->eps, p->prior, p->gain, SOTTO_WAYS_ALL, &o, NULL) !=
	    SOTTO_OK)
		return;
	find_point(p, o.channel, c, BEST, i);
	c->kinds[BEST].raw[i] = NAN; /* its outputs need not be answers */
	o.channel = NULL;
	sotto_optimal_release(&o);
}

/* What the answer itself would be worth: the best gain for each. */
static double find_most(const struct sotto_user_case *p)
{
	struct sotto_rational share, gain;
	double most = 0;

	sotto_rational_init(&share);
	sotto_rational_init(&gain);
	for (size_t y = 0; y < sotto_graph_answers(p->graph); y++) {
		double best = -INFINITY;

		for (size_t w = 0; w < sotto_matrix_rows(p->gain); w++)
			if (sotto_matrix_get(p->gain, w, y, &gain) == SOTTO_OK)
				best = fmax(best, channel_near(&gain));
		if (sotto_matrix_get(p->prior, 0, y, &share) == SOTTO_OK)
			most += channel_near(&share) * best;
	}
	sotto_rational_release(&share);
	sotto_rational_release(&gain);
	return most;
}

static void find_curves(const struct sotto_user_case *problem, struct curves *c)
{
	double most = find_most(problem);
	struct progress bar;

	progress_begin(&bar, "utility against epsilon", c->points);
	for (size_t i = 0; i < c->points; i++) {
		struct sotto_user_case p = *problem;
		char *text = number_text_double(c->epsilon[i]);

		p.eps = NULL;
		c->most[i] = most;
		if (sotto_eps_new(text, &p.eps, NULL) == SOTTO_OK)
			find_points(&p, c, i);
		sotto_eps_free(p.eps);
		free(text);
		progress_step(&bar, i + 1);
	}
	progress_end(&bar);
}

/* ---- pictures ------------------------------------------------------------------------------------ */

static bool has_points(const struct curves *c, const double *y)
{
	for (size_t i = 0; i < c->points; i++)
		if (isfinite(y[i]))
			return true;
	return false;
}

static const char *name_of(size_t kind)
{
	return kind == BEST ? "best" : sotto_build_name((enum sotto_build)kind);
}

/* Adds a line unless it has no points. */
static void add_line(struct chart_line *lines, size_t *count, const struct curves *c,
		     struct chart_line line)
{
	line.count = c->points;
	if (has_points(c, line.y))
		lines[(*count)++] = line;
}

static void draw_curve(const struct curves *c, bool log, FILE *out)
{
	struct chart_line lines[2 * KINDS + 2];
	struct chart chart = {.title = "utility against epsilon",
			      .subtitle = "dashed: without a remap",
			      .x_name = "epsilon",
			      .y_name = "utility",
			      .x_log = log,
			      .lines = lines};

	for (size_t k = 0; k < KINDS; k++) {
		add_line(lines, &chart.line_count, c,
			 (struct chart_line){.name = name_of(k),
					     .x = c->epsilon,
					     .y = c->kinds[k].utility,
					     .bold = k == BEST});
		add_line(lines, &chart.line_count, c,
			 (struct chart_line){.name = name_of(k),
					     .x = c->epsilon,
					     .y = c->kinds[k].raw,
					     .dashed = true,
					     .same = true});
	}
	add_line(lines, &chart.line_count, c,
		 (struct chart_line){
			 .name = "prior alone", .x = c->epsilon, .y = c->prior_value});
	add_line(lines, &chart.line_count, c,
		 (struct chart_line){.name = "the answer", .x = c->epsilon, .y = c->most});
	(void)chart_write(&chart, out);
}

/* Higher is more useful, further to the left more private: each line is one mechanism. */
static void draw_pareto(const struct curves *c, FILE *out)
{
	struct chart_line lines[KINDS];
	struct chart chart = {.title = "utility against leakage",
			      .subtitle =
				      "each line from small to large epsilon; upper left is "
				      "better",
			      .x_name = "min-entropy leakage (bits)",
			      .y_name = "utility",
			      .lines = lines};

	for (size_t k = 0; k < KINDS; k++)
		add_line(lines, &chart.line_count, c,
			 (struct chart_line){.name = name_of(k),
					     .x = c->kinds[k].leakage,
					     .y = c->kinds[k].utility,
					     .bold = k == BEST});
	(void)chart_write(&chart, out);
}

static enum outcome write_picture(const struct curves *c, const struct utility_picture *picture,
				  bool pareto, struct sotto_error *err)
{
	const char *path = pareto ? picture->pareto : picture->curve;
	FILE *out = path ? channel_create(path, err) : NULL;

	if (!path)
		return OUTCOME_DONE;
	if (!out)
		return OUTCOME_REFUSED;
	if (pareto)
		draw_pareto(c, out);
	else
		draw_curve(c, picture->log, out);
	return channel_finish(out, path, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
}

enum outcome utility_draw(const struct sotto_user_case *problem,
			  const struct utility_picture *picture, struct sotto_error *err)
{
	struct curves c = {0};
	enum outcome outcome;

	if (sotto_graph_answers(problem->graph) > DRAWN_MAX)
		return complaint_usage(err, "--svg and --pareto are for at most %d answers",
				       DRAWN_MAX);
	outcome = read_range(picture, &c, err);
	if (outcome != OUTCOME_DONE)
		return outcome;
	find_curves(problem, &c);
	outcome = write_picture(&c, picture, false, err);
	if (outcome == OUTCOME_DONE)
		outcome = write_picture(&c, picture, true, err);
	curves_release(&c);
	return outcome;
}
