/* Pictures of local privacy, through chart.h. */
#include <math.h>
#include <stdlib.h>

#include "frame/allocation.h"
#include "local/local_command.h"
#include "show/chart.h"

static bool write_chart(const char *path, const struct chart *chart)
{
	FILE *out = fopen(path, "w");
	bool ok = out && chart_write(chart, out);

	return out && fclose(out) == 0 && ok;
}

/* Truth and the three lines of the estimates, by rank of the truth. */
bool local_chart_write(const char *path, const struct local_result *r, const uint64_t *truth)
{
	enum { TRUTH, ESTIMATE, LOW, HIGH, LINES };
	double *x = memory_new((LINES + 1) * r->count + 1, sizeof *x);
	struct chart_line lines[LINES] = {{.name = "truth"},
					  {.name = "estimate"},
					  {.name = "low", .dashed = true},
					  {.name = "high", .dashed = true}};
	struct chart chart = {.title = "users of each value",
			      .x_name = "value, in the order of the list",
			      .y_name = "users",
			      .lines = lines,
			      .line_count = LINES};
	bool ok;

	for (size_t i = 0; i < r->count; i++) {
		const struct sotto_local_estimate *e = &r->estimates[i];
		const double y[LINES] = {(double)truth[i], isfinite(e->sd) ? e->count : NAN,
					 e->low, e->high};

		x[i] = (double)i + 1;
		for (size_t k = 0; k < LINES; k++)
			x[(k + 1) * r->count + i] = y[k];
	}
	for (size_t k = 0; k < LINES; k++) {
		lines[k].x = x;
		lines[k].y = x + (k + 1) * r->count;
		lines[k].count = r->count;
	}
	ok = write_chart(path, &chart);
	free(x);
	return ok;
}

enum { POINTS = 25 };

/* A tenth to ten times of the users asked about. */
static uint64_t users_at(uint64_t asked, int point)
{
	double n = (double)asked * pow(10, 2.0 * point / (POINTS - 1) - 1);

	return n > 1 ? (uint64_t)n : 1;
}

bool local_plan_draw(const char *path, const struct sotto_local_question *question,
		     const struct sotto_local_choice *choices, size_t count)
{
	double x[POINTS], y[SOTTO_LOCAL_CHOICES][POINTS];
	struct chart_line lines[SOTTO_LOCAL_CHOICES];
	struct chart chart = {.title = "least frequency that is found",
			      .x_name = "users",
			      .y_name = "frequency",
			      .x_log = true,
			      .y_log = true,
			      .lines = lines,
			      .line_count = count};

	for (int i = 0; i < POINTS; i++) {
		struct sotto_local_question q = *question;
		struct sotto_local_choice c[SOTTO_LOCAL_CHOICES];
		size_t found = 0;

		q.users = users_at(question->users, i);
		x[i] = (double)q.users;
		if (sotto_local_plan(&q, c, &found, NULL) != SOTTO_OK || found != count)
			return false;
		for (size_t k = 0; k < count; k++)
			y[k][i] = c[k].detects;
	}
	for (size_t k = 0; k < count; k++)
		lines[k] = (struct chart_line){
			.name = sotto_local_protocol_name(choices[k].params.protocol),
			.x = x,
			.y = y[k],
			.count = POINTS,
			.dashed = k >= 8};
	return write_chart(path, &chart);
}
