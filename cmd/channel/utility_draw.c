#include "channel/utility_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel/channel_show.h"
#include "channel/problem_options.h"
#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/chart.h"
#include "show/number_text.h"
#include "show/progress.h"

enum { POINTS_MAX = 1000, LINES = 2 * SOTTO_BUILD_COUNT + 2, DRAWN_MAX = 32 };

/* All curves over the same epsilons. */
struct curves {
	size_t points;
	double *x;
	double *y
		[LINES]; /* per mechanism with a remap and without; the best; the prior's value */
};

static void curves_release(struct curves *c)
{
	free(c->x);
	for (size_t i = 0; i < LINES; i++)
		free(c->y[i]);
}

static enum outcome read_range(const char *text, struct curves *c, struct sotto_error *err)
{
	double low, high;
	unsigned points;
	char rest;

	if (sscanf(text, "%lf:%lf:%u%c", &low, &high, &points, &rest) != 3 || !(low >= 0) ||
	    !(high > low) || !(high <= 100) || points < 2 || points > POINTS_MAX)
		return complaint_usage(
			err,
			"--eps-range takes A:B:N with 0 <= A < B <= 100 and 2 to %d "
			"points, such as 0.1:3:30",
			POINTS_MAX);
	c->points = points;
	c->x = memory_new(points, sizeof *c->x);
	for (size_t i = 0; i < LINES; i++)
		c->y[i] = memory_new(points, sizeof *c->y[i]);
	for (size_t i = 0; i < points; i++)
		c->x[i] = low + (high - low) * (double)i / (points - 1);
	return OUTCOME_DONE;
}

static void find_point(const struct sotto_user_case *p, struct curves *c, size_t i)
{
	for (enum sotto_build b = 0; b < SOTTO_BUILD_COUNT; b++) {
		struct sotto_matrix *channel;
		struct sotto_use use;

		c->y[2 * b][i] = c->y[2 * b + 1][i] = NAN;
		if (b == SOTTO_BUILD_TIGHT && channel_is_path(p))
			continue; /* it is the geometric one */
		if (sotto_channel_build(b, p->graph, p->eps, &channel, NULL) != SOTTO_OK)
			continue;
		if (sotto_use_find(channel, p->prior, p->gain, &use) == SOTTO_OK) {
			c->y[2 * b][i] = channel_near(&use.utility);
			if (use.has_raw && sotto_rational_compare(&use.raw, &use.utility) != 0)
				c->y[2 * b + 1][i] = channel_near(&use.raw);
			c->y[LINES - 1][i] = channel_near(&use.prior_value);
			sotto_use_release(&use);
		}
		sotto_matrix_free(channel);
	}
}

static double find_best(const struct sotto_user_case *p)
{
	struct sotto_optimal o;
	double best = NAN;

	if (sotto_optimal_find(p->graph, p->eps, p->prior, p->gain, SOTTO_WAYS_ALL, &o, NULL) ==
	    SOTTO_OK) {
		best = channel_near(&o.lower);
		sotto_optimal_release(&o);
	}
	return best;
}

static void find_curves(const struct sotto_user_case *problem, struct curves *c)
{
	struct progress bar;

	progress_begin(&bar, "utility against epsilon", c->points);
	for (size_t i = 0; i < c->points; i++) {
		struct sotto_user_case p = *problem;
		char *text = number_text_double(c->x[i]);

		p.eps = NULL;
		c->y[LINES - 2][i] = NAN;
		if (sotto_eps_new(text, &p.eps, NULL) == SOTTO_OK) {
			find_point(&p, c, i);
			c->y[LINES - 2][i] = find_best(&p);
		}
		sotto_eps_free(p.eps);
		free(text);
		progress_step(&bar, i + 1);
	}
	progress_end(&bar);
}

static bool has_points(const struct curves *c, size_t line)
{
	for (size_t i = 0; i < c->points; i++)
		if (isfinite(c->y[line][i]))
			return true;
	return false;
}

static void draw(const struct curves *c, FILE *out)
{
	struct chart_line lines[LINES];
	const char *names[LINES];
	size_t count = 0;
	struct chart chart = {.title = "utility against epsilon",
			      .subtitle = "dashed: without a remap",
			      .x_name = "epsilon",
			      .y_name = "utility",
			      .lines = lines};

	for (size_t i = 0; i < LINES; i++) {
		bool raw = i < LINES - 2 && i % 2;

		if (!has_points(c, i))
			continue;
		names[count] = i == LINES - 1   ? "prior alone"
			       : i == LINES - 2 ? "best"
						: sotto_build_name((enum sotto_build)(i / 2));
		lines[count] = (struct chart_line){.name = names[count],
						   .x = c->x,
						   .y = c->y[i],
						   .count = c->points,
						   .dashed = raw,
						   .same = raw,
						   .bold = i == LINES - 2};
		count++;
	}
	chart.line_count = count;
	(void)chart_write(&chart, out);
}

enum outcome utility_draw(const struct sotto_user_case *problem, const char *range,
			  const char *path, struct sotto_error *err)
{
	struct curves c = {0};
	enum outcome outcome;
	FILE *out;

	if (sotto_graph_answers(problem->graph) > DRAWN_MAX)
		return complaint_usage(err, "--svg is for at most %d answers", DRAWN_MAX);
	outcome = read_range(range, &c, err);
	out = outcome == OUTCOME_DONE ? channel_create(path, err) : NULL;
	if (out) {
		find_curves(problem, &c);
		draw(&c, out);
		outcome = channel_finish(out, path, err) ? OUTCOME_DONE : OUTCOME_REFUSED;
	} else if (outcome == OUTCOME_DONE) {
		outcome = OUTCOME_REFUSED;
	}
	curves_release(&c);
	return outcome;
}
