/*
 * Draws two charts, one above the other: delta against epsilon, and epsilon at one delta
 * against the number of repetitions of the whole workload; each has a line for each method.
 */
#include "account/account_command.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "frame/complaint.h"
#include "show/chart/chart.h"
#include "show/number_text.h"
#include "show/progress.h"

enum { POINTS = 160, REPETITIONS = 13, SUBTITLE = 90, LABEL = 80 };

/* Deltas below this are not drawn. */
#define LEAST 1e-16
#define LEAST_LOG (-36.8)

/* One line for each method; NAN where it has no answer. */
struct lines {
	double *x, *y[SOTTO_METHODS];
	size_t count;
};

static void init_lines(struct lines *l, size_t count)
{
	l->count = count;
	l->x = memory_new(count, sizeof *l->x);
	for (int m = 0; m < SOTTO_METHODS; m++)
		l->y[m] = memory_new(count, sizeof *l->y[m]);
}

static void release_lines(struct lines *l)
{
	free(l->x);
	for (int m = 0; m < SOTTO_METHODS; m++)
		free(l->y[m]);
}

/* The epsilon up to which to draw: where the best method reaches 1e-12, within reason. */
static double last_epsilon(const struct sotto_workload *w)
{
	struct sotto_rational tiny;
	struct sotto_account_answer best;
	double last = 10;

	sotto_rational_init(&tiny);
	if (sotto_rational_parse(&tiny, "1e-12", NULL) == SOTTO_OK &&
	    sotto_account_best_epsilon(w, &tiny, &best) == SOTTO_OK && best.finite &&
	    best.upper > 0)
		last = best.upper;
	sotto_rational_release(&tiny);
	return last;
}

/* Cheap methods at every point; those that search at every eighth.  pld has its own way. */
static bool is_drawn(enum sotto_method method, size_t i)
{
	return method == SOTTO_ZCDP || method == SOTTO_RDP || i % 8 == 0;
}

/* The whole pld curve at once, which takes little longer than one point. */
static void fill_pld(const struct sotto_workload *w, struct lines *l)
{
	double *low = memory_new(2 * l->count, sizeof *low), *high = low + l->count;
	bool known = sotto_account_curve(w, l->x, l->count, low, high) == SOTTO_OK;

	for (size_t i = 0; i < l->count; i++)
		l->y[SOTTO_PLD][i] = known && high[i] > LEAST_LOG ? exp(high[i]) : NAN;
	free(low);
}

static void fill_deltas(const struct sotto_workload *w, struct lines *l)
{
	struct sotto_rational epsilon;
	struct sotto_account_answer a;
	struct progress bar;
	double last = last_epsilon(w);

	sotto_rational_init(&epsilon);
	progress_begin(&bar, "delta(epsilon)", l->count);
	for (size_t i = 0; i < l->count; i++) {
		l->x[i] = last * (double)i / (double)(l->count - 1);
		(void)!sotto_rational_set_double(&epsilon, l->x[i]);
		for (int m = 0; m < SOTTO_PLD; m++) {
			l->y[m][i] = NAN;
			if (is_drawn((enum sotto_method)m, i) &&
			    sotto_account_delta(w, &epsilon, (enum sotto_method)m, &a) ==
				    SOTTO_OK &&
			    a.finite && a.upper > LEAST)
				l->y[m][i] = a.upper;
		}
		progress_step(&bar, i);
	}
	progress_end(&bar);
	sotto_rational_release(&epsilon);
	fill_pld(w, l);
}

/* The workload n times over. */
static struct sotto_workload *repeat(const struct sotto_workload *w, uint64_t n)
{
	struct sotto_workload *many = NULL;
	bool ok = sotto_workload_new(&many) == SOTTO_OK;

	if (ok && sotto_workload_neighbours(w) != SOTTO_ANY_NEIGHBOURS)
		ok = sotto_workload_set_neighbours(many, sotto_workload_neighbours(w), NULL) ==
		     SOTTO_OK;
	for (size_t i = 0; ok && i < sotto_workload_size(w); i++) {
		uint64_t count, total;
		const struct sotto_event *e = sotto_workload_at(w, i, &count);

		ok = !__builtin_mul_overflow(count, n, &total) &&
		     sotto_workload_add(many, e, total, NULL) == SOTTO_OK;
	}
	if (ok)
		return many;
	sotto_workload_free(many);
	return NULL;
}

static void
fill_growth(const struct sotto_workload *w, const struct sotto_rational *delta, struct lines *l)
{
	struct sotto_account_answer a;
	struct progress bar;

	progress_begin(&bar, "epsilon by repetitions", l->count);
	for (size_t i = 0; i < l->count; i++) {
		/* 1, 2, 4, 8, ... */
		uint64_t n = UINT64_C(1) << i;
		struct sotto_workload *many = repeat(w, n);

		l->x[i] = (double)n;
		for (int m = 0; m < SOTTO_METHODS; m++) {
			l->y[m][i] = NAN;
			if (many &&
			    sotto_account_epsilon(many, delta, (enum sotto_method)m, &a) ==
				    SOTTO_OK &&
			    a.finite)
				l->y[m][i] = a.upper;
		}
		sotto_workload_free(many);
		progress_step(&bar, i);
	}
	progress_end(&bar);
}

/* Points without a value are left out, so that sparse lines are still lines. */
static size_t make_lines(struct lines *l, struct chart_line *out)
{
	size_t used = 0;

	for (int m = 0; m < SOTTO_METHODS; m++) {
		double *x = memory_new(2 * l->count, sizeof *x), *y = x + l->count;
		size_t n = 0;

		for (size_t i = 0; i < l->count; i++)
			if (isfinite(l->y[m][i])) {
				x[n] = l->x[i];
				y[n++] = l->y[m][i];
			}
		out[m] = (struct chart_line){.name = sotto_method_name((enum sotto_method)m),
					     .x = x,
					     .y = y,
					     .count = n,
					     .dashed = m == SOTTO_BASIC || m == SOTTO_ADVANCED,
					     .bold = m == SOTTO_PLD};
		used += n;
	}
	return used;
}

static void release_chart_lines(struct chart_line *lines)
{
	for (int m = 0; m < SOTTO_METHODS; m++)
		free((double *)lines[m].x);
}

/* The events, as far as they fit on a line. */
static void describe(const struct sotto_workload *w, char text[SUBTITLE + 8])
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sotto_workload_size(w); i++) {
		uint64_t count;
		char *event, one[2 * SUBTITLE];
		int length;

		if (sotto_event_format(sotto_workload_at(w, i, &count), &event) != SOTTO_OK)
			return;
		length = snprintf(one, sizeof one, count > 1 ? "%s%s*%" PRIu64 : "%s%s",
				  i ? " + " : "", event, count);
		free(event);
		if (length < 0 || at + (size_t)length > SUBTITLE) {
			(void)snprintf(text + at, 8, "%s...", i ? " + " : "");
			return;
		}
		memcpy(text + at, one, (size_t)length + 1);
		at += (size_t)length;
	}
}

/* The best epsilon at the delta that was asked for. */
static struct chart_mark
mark_best(const struct sotto_workload *w, const struct sotto_rational *delta, char label[LABEL])
{
	struct chart_mark none = {.label = NULL};
	struct sotto_account_answer best;
	char *epsilon;
	double at;

	if (!delta || sotto_account_best_epsilon(w, delta, &best) != SOTTO_OK || !best.finite)
		return none;
	at = sotto_rational_double_up(delta);
	epsilon = number_text_rounded_up(best.upper, 4);
	(void)snprintf(label, LABEL, "%s: epsilon %s at delta %.3g",
		       sotto_method_name(best.method), epsilon, at);
	free(epsilon);
	return (struct chart_mark){best.upper, at, label};
}

enum outcome account_draw(const char *path, const struct sotto_workload *w,
			  const struct sotto_rational *delta, struct sotto_error *err)
{
	struct chart_line first[SOTTO_METHODS], second[SOTTO_METHODS];
	char subtitle[SUBTITLE + 8], label[LABEL];
	struct chart charts[2] = {{.title = "delta for each epsilon",
				   .subtitle = subtitle,
				   .x_name = "epsilon",
				   .y_name = "delta",
				   .y_log = true,
				   .lines = first,
				   .line_count = SOTTO_METHODS},
				  {.title = "epsilon as the workload is repeated",
				   .subtitle = "at the same delta; 1 is the workload as it is",
				   .x_name = "repetitions",
				   .y_name = "epsilon",
				   .x_log = true,
				   .y_log = true,
				   .lines = second,
				   .line_count = SOTTO_METHODS}};
	struct lines deltas, growth;
	enum outcome outcome = OUTCOME_DONE;
	FILE *out;

	describe(w, subtitle);
	charts[0].mark = mark_best(w, delta, label);
	init_lines(&deltas, POINTS);
	init_lines(&growth, delta ? REPETITIONS : 0);
	fill_deltas(w, &deltas);
	if (delta)
		fill_growth(w, delta, &growth);
	(void)make_lines(&deltas, first);
	(void)make_lines(&growth, second);
	out = fopen(path, "w");
	if (!out || !chart_write_all(charts, delta ? 2 : 1, out))
		outcome = complaint_refuse(err, "%s cannot be drawn", path);
	if (out && fclose(out) != 0 && outcome == OUTCOME_DONE)
		outcome = complaint_refuse(err, "%s cannot be written", path);
	release_chart_lines(first);
	release_chart_lines(second);
	release_lines(&deltas);
	release_lines(&growth);
	return outcome;
}
