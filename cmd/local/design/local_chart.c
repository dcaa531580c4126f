/* Pictures of local privacy, through chart.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"
#include "local/local_command.h"
#include "show/chart/chart.h"

enum { BARS_MAX = 40 };

static bool write_charts(const char *path, const struct chart *charts, size_t count)
{
	FILE *out = fopen(path, "w");
	bool ok = out && chart_write_all(charts, count, out);

	return out && fclose(out) == 0 && ok;
}

/* ---- users of each value ---- */

struct ranked {
	double count;
	size_t at;
};

static int largest_first(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count) +
	       ((x->count == y->count) ? (x->at > y->at) - (x->at < y->at) : 0);
}

static int as_listed(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* Which values are drawn: all of a few, the largest of many, in the order of the list. */
static struct ranked *choose(const struct local_result *r, size_t *count)
{
	struct ranked *all = memory_new(r->count + 1, sizeof *all);

	for (size_t i = 0; i < r->count; i++) {
		const struct sotto_local_estimate *e = &r->estimates[i];

		all[i] = (struct ranked){isfinite(e->sd) ? e->count : -INFINITY, i};
	}
	*count = r->count;
	if (r->count > BARS_MAX) {
		qsort(all, r->count, sizeof *all, largest_first);
		*count = BARS_MAX;
	}
	qsort(all, *count, sizeof *all, as_listed);
	return all;
}

/* "estimates and 95 % intervals in the first of 20 runs; the 40 largest of 50" */
static char *say_what_is_drawn(double alpha, uint64_t runs, size_t drawn, size_t all)
{
	char *which =
		runs > 1 ? memory_text(" in the first of %llu runs", (unsigned long long)runs)
			 : memory_copy_text("");
	char *part = drawn < all ? memory_text("; the %zu largest of %zu", drawn, all)
				 : memory_copy_text("");
	char *text = memory_text("estimates and %g %% intervals%s%s", 100 * (1 - alpha), which,
				 part);

	free(which);
	free(part);
	return text;
}

bool local_chart_write(const char *path, const struct local_result *r, const uint64_t *truth,
		       double alpha, uint64_t runs)
{
	enum { ESTIMATE, LOW, HIGH, TRUTH, COLUMNS };
	size_t count;
	struct ranked *shown = choose(r, &count);
	double *y = memory_new(COLUMNS * count + 1, sizeof *y);
	const char **names = memory_new(count + 1, sizeof *names);
	struct chart_line lines[2] = {
		{.y = y + ESTIMATE * count,
		 .low = y + LOW * count,
		 .high = y + HIGH * count,
		 .count = count},
		{.name = "truth", .y = y + TRUTH * count, .count = count}};
	char *subtitle = say_what_is_drawn(alpha, runs, count, r->count);
	struct chart chart = {.title = "users of each value",
			      .subtitle = subtitle,
			      .x_name = "users",
			      .names = names,
			      .lines = lines,
			      .line_count = truth ? 2 : 1};
	bool ok;

	for (size_t i = 0; i < count; i++) {
		const struct sotto_local_estimate *e = &r->estimates[shown[i].at];
		bool known = isfinite(e->sd);

		names[i] = r->names[shown[i].at];
		y[ESTIMATE * count + i] = known ? e->count : NAN;
		y[LOW * count + i] = known ? e->low : NAN;
		y[HIGH * count + i] = known ? e->high : NAN;
		y[TRUTH * count + i] = truth ? (double)truth[shown[i].at] : NAN;
	}
	ok = write_charts(path, &chart, 1);
	free(subtitle);
	free(names);
	free(y);
	free(shown);
	return ok;
}

/* ---- a plan ---- */

enum { POINTS = 25, NAME_MAX_LETTERS = 18 };

/* One line of a panel for each protocol, or for several whose lines are the same to the eye. */
struct panel {
	double x[POINTS], y[SOTTO_LOCAL_CHOICES][POINTS];
	bool same[SOTTO_LOCAL_CHOICES]; /* as one before */
	char *names[SOTTO_LOCAL_CHOICES];
	struct chart_line lines[SOTTO_LOCAL_CHOICES];
	size_t count;
};

static bool look_alike(const double *a, const double *b)
{
	for (int i = 0; i < POINTS; i++)
		if (!(fabs(a[i] - b[i]) <= .02 * fabs(a[i])))
			return false;
	return true;
}

/* "oue, olh, flh"; what does not fit is counted. */
static char *
name_line(const struct panel *p, size_t first, const struct sotto_local_choice *c, size_t count)
{
	char *name = memory_copy_text(sotto_local_protocol_name(c[first].params.protocol));
	size_t more = 0, alike = 1;

	for (size_t k = first + 1; k < count; k++) {
		char *longer;

		if (!look_alike(p->y[first], p->y[k]))
			continue;
		alike++;
		longer = memory_text("%s, %s", name,
				     sotto_local_protocol_name(c[k].params.protocol));
		if (strlen(longer) > NAME_MAX_LETTERS) {
			free(longer);
			more++;
			continue;
		}
		free(name);
		name = longer;
	}
	if (more > 0) {
		char *counted = alike == count ? memory_copy_text("all protocols")
					       : memory_text("%s + %zu", name, more);

		free(name);
		name = counted;
	}
	return name;
}

static void panel_finish(struct panel *p, const struct sotto_local_choice *c, size_t count)
{
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < k; i++)
			p->same[k] |= !p->same[i] && look_alike(p->y[i], p->y[k]);
	for (size_t k = 0; k < count; k++) {
		bool best = false;

		if (p->same[k])
			continue;
		for (size_t i = k; i < count; i++)
			best |= c[i].best && look_alike(p->y[k], p->y[i]);
		p->names[p->count] = name_line(p, k, c, count);
		p->lines[p->count] = (struct chart_line){.name = p->names[p->count],
							 .x = p->x,
							 .y = p->y[k],
							 .count = POINTS,
							 .dashed = p->count >= 8,
							 .bold = best};
		p->count++;
	}
}

static void panel_release(struct panel *p)
{
	for (size_t k = 0; k < p->count; k++)
		free(p->names[k]);
}

/* A tenth to ten times of the users asked about. */
static uint64_t users_at(uint64_t asked, int point)
{
	double n = (double)asked * pow(10, 2.0 * point / (POINTS - 1) - 1);

	return n > 1 ? (uint64_t)n : 1;
}

/* One report to so many as were asked about, thirty at least. */
static uint64_t reports_at(uint64_t asked, int point)
{
	double most = asked > 30 ? (double)asked : 30;

	return (uint64_t)lround(1 + (most - 1) * point / (POINTS - 1));
}

/* Asks again with other users or reports; one number of each choice at each point. */
static bool fill_panels(const struct sotto_local_question *question, size_t count,
			struct panel *finds, struct panel *costs)
{
	for (int i = 0; i < POINTS; i++) {
		struct sotto_local_question q = *question, t = *question;
		struct sotto_local_choice c[SOTTO_LOCAL_CHOICES];
		size_t found = 0;

		q.users = users_at(question->users, i);
		finds->x[i] = (double)q.users;
		if (sotto_local_plan(&q, c, &found, NULL) != SOTTO_OK || found != count)
			return false;
		for (size_t k = 0; k < count; k++)
			finds->y[k][i] = c[k].detects <= 1 ? c[k].detects : NAN;
		t.reports = reports_at(question->reports, i);
		costs->x[i] = (double)t.reports;
		if (sotto_local_plan(&t, c, &found, NULL) != SOTTO_OK || found != count)
			return false;
		for (size_t k = 0; k < count; k++)
			costs->y[k][i] = c[k].after;
	}
	return true;
}

bool local_plan_draw(const char *path, const struct sotto_local_question *question,
		     const struct sotto_local_choice *c, size_t count)
{
	struct panel finds = {.count = 0}, costs = {.count = 0};
	const char *names[SOTTO_LOCAL_CHOICES];
	double bytes[SOTTO_LOCAL_CHOICES];
	struct chart_line bars = {.y = bytes, .count = count};
	char *subtitle = memory_text("%llu values, epsilon %g; the best protocol is bold",
				     (unsigned long long)question->values,
				     sotto_rational_double_down(question->epsilon));
	struct chart charts[] = {{.title = "least frequency that is found",
				  .subtitle = subtitle,
				  .x_name = "users",
				  .y_name = "frequency",
				  .x_log = true,
				  .y_log = true,
				  .lines = finds.lines,
				  .ends_named = true},
				 {.title = "epsilon of all reports of one value",
				  .x_name = "reports of one device",
				  .y_name = "epsilon",
				  .lines = costs.lines,
				  .ends_named = true},
				 {.title = "size of a report",
				  .x_name = "bytes",
				  .names = names,
				  .lines = &bars,
				  .line_count = 1}};
	bool ok = fill_panels(question, count, &finds, &costs);

	for (size_t k = 0; k < count; k++) {
		names[k] = sotto_local_protocol_name(c[k].params.protocol);
		bytes[k] = (double)c[k].report_bytes;
	}
	if (ok) {
		panel_finish(&finds, c, count);
		panel_finish(&costs, c, count);
		charts[0].line_count = finds.count;
		charts[1].line_count = costs.count;
		ok = write_charts(path, charts, sizeof charts / sizeof charts[0]);
	}
	free(subtitle);
	panel_release(&finds);
	panel_release(&costs);
	return ok;
}
