/* release.json, and report.html for people: the budget and the error to expect, with pictures. */
#include "census/publish/census_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "census/exact/census_json_text.h"
#include "census/account/census_account.h"
#include "census/account/census_predict.h"
#include "core/base/failure.h"

enum { CHART_WIDTH = 560, BAR_HEIGHT = 22 };

static void put_html(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", f);
		else if (*text == '&')
			fputs("&amp;", f);
		else
			fputc(*text, f);
	}
}

/* A bar chart; values are shown as they are. */
static void
put_bars(FILE *f, const char *title, const char *const *names, const double *values, size_t n)
{
	double largest = 0;

	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, isfinite(values[i]) ? values[i] : 0);
	fprintf(f, "<figure><figcaption>");
	put_html(f, title);
	fprintf(f,
		"</figcaption><svg role=\"img\" width=\"%d\" height=\"%zu\" "
		"xmlns=\"http://www.w3.org/2000/svg\">",
		CHART_WIDTH, n * BAR_HEIGHT + 6);
	for (size_t i = 0; i < n; i++) {
		size_t y = i * BAR_HEIGHT;
		double width =
			largest > 0 && isfinite(values[i]) ? 260 * values[i] / largest : 0;

		fprintf(f, "<text x=\"0\" y=\"%zu\">", y + 15);
		put_html(f, names[i]);
		fprintf(f,
			"</text><rect x=\"190\" y=\"%zu\" width=\"%.1f\" height=\"16\"/><text "
			"x=\"%.1f\" y=\"%zu\">%.4g</text>",
			y + 3, width, 196 + width, y + 15, values[i]);
	}
	fputs("</svg></figure>\n", f);
}

static void put_budget(FILE *f, const struct sotto_census_plan *p)
{
	const char *names[SOTTO_CENSUS_LEVELS_MAX];
	double values[SOTTO_CENSUS_LEVELS_MAX];

	for (size_t l = 0; l < p->level_count; l++) {
		names[l] = p->levels[l].name;
		values[l] = sotto_rational_nearest(p->levels[l].fraction->q);
	}
	put_bars(f, "Share of the budget by level", names, values, p->level_count);
	for (size_t l = 0; l < p->level_count; l++) {
		const char **queries = calloc(p->levels[l].measure_count + 1, sizeof *queries);
		double *shares = calloc(p->levels[l].measure_count + 1, sizeof *shares);
		char title[160];

		(void)snprintf(title, sizeof title, "Share of the budget of %.80s by query",
			       p->levels[l].name);
		for (size_t i = 0; queries && shares && i < p->levels[l].measure_count; i++) {
			queries[i] = p->queries[p->levels[l].measures[i].query].name;
			shares[i] =
				sotto_rational_nearest(p->levels[l].measures[i].fraction->q);
		}
		if (queries && shares && p->levels[l].measure_count > 0)
			put_bars(f, title, queries, shares, p->levels[l].measure_count);
		free(queries);
		free(shares);
	}
}

static void put_error(FILE *f, const struct sotto_census_world *w,
		      const struct sotto_census_predictions *predictions)
{
	static const char *const titles[] = {
		"Expected error of a total by level, independent noise (naive)",
		"Expected error of a total by level, top-down",
		"Expected error of a total by level, least squares (gls)"};
	const char *names[SOTTO_CENSUS_LEVELS_MAX];
	double values[SOTTO_CENSUS_LEVELS_MAX];

	for (size_t mode = 0; predictions->known && mode < 3; mode++) {
		for (size_t l = 0; l < w->plan.level_count; l++) {
			names[l] = w->plan.levels[l].name;
			values[l] = predictions->levels[l][mode].mae;
		}
		put_bars(f, titles[mode], names, values, w->plan.level_count);
	}
}

static void put_page(FILE *f, const struct sotto_census_world *w, bool not_private,
		     const struct sotto_census_predictions *predictions)
{
	const struct sotto_census_plan *p = &w->plan;
	struct sotto_census_conversion to = {0};
	char *total = mpq_get_str(NULL, 10, p->total->q);

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>sotto "
	      "release</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:46em;"
	      "margin:2em auto;padding:0 1em}svg text{font:12px system-ui,sans-serif}svg "
	      "rect{fill:#36c}figure{margin:1.5em "
	      "0}figcaption{font-weight:600}.warn{background:"
	      "#fdd;padding:.5em}</style></head><body>\n<h1>Release</h1>\n",
	      f);
	if (not_private)
		fputs("<p class=\"warn\">NOT PRIVATE: the noise came from a seed.</p>\n", f);
	if (p->model == SOTTO_CENSUS_ZCDP &&
	    sotto_census_convert(p->total, p->delta, &to) == SOTTO_OK)
		fprintf(f,
			"<p>Every person is protected by rho = %s of zero-concentrated "
			"differential "
			"privacy, that is epsilon %.6g at delta %.3g (rounded up), between "
			"tables "
			"that differ by %s one person.</p>\n",
			total, to.epsilon_up, sotto_rational_nearest(p->delta->q),
			p->replace_one ? "replacing" : "adding or removing");
	else
		fprintf(f,
			"<p>Every person is protected by epsilon = %s of pure differential "
			"privacy, "
			"between tables that differ by %s one person.</p>\n",
			total, p->replace_one ? "replacing" : "adding or removing");
	if (p->invariant_count > 0)
		fputs("<p>Some totals are published exactly; they lie outside this "
		      "guarantee.</p>\n",
		      f);
	fputs("<p>All figures are in <code>release.json</code>.</p>\n<h2>Budget</h2>\n", f);
	put_budget(f, p);
	if (predictions->known)
		fputs("<h2>Error to expect, in people</h2>\n", f);
	put_error(f, w, predictions);
	fputs("</body></html>\n", f);
	free(total);
}

static enum sotto_status
finish(FILE *f, const char *part, const char *name, struct sotto_error *err)
{
	bool failed = ferror(f) != 0;

	failed |= fclose(f) != 0;
	if (!failed && rename(part, name) == 0)
		return SOTTO_OK;
	(void)unlink(part);
	return sotto_fail(err, SOTTO_EIO, "%.300s could not be written", name);
}

static enum sotto_status open_part(const char *folder, const char *name, char **part,
				   char **final, FILE **f, struct sotto_error *err)
{
	if (asprintf(final, "%s/%s", folder, name) < 0 || asprintf(part, "%s.part", *final) < 0)
		return SOTTO_ENOMEM;
	*f = fopen(*part, "we");
	return *f ? SOTTO_OK : sotto_fail(err, SOTTO_EIO, "%.300s could not be written", *part);
}

static enum sotto_status write_html(const struct sotto_census_world *w, const char *folder,
				    bool not_private, struct sotto_error *err)
{
	struct sotto_census_predictions predictions;
	char *part = NULL, *name = NULL;
	FILE *f = NULL;
	enum sotto_status st = sotto_census_predict(w, &predictions);

	if (st == SOTTO_OK)
		st = open_part(folder, "report.html", &part, &name, &f, err);
	if (st == SOTTO_OK) {
		put_page(f, w, not_private, &predictions);
		st = finish(f, part, name, err);
	}
	free(part);
	free(name);
	return st;
}

enum sotto_status sotto_census_report_write(const struct sotto_census_world *w,
					    const char *folder, bool not_private,
					    struct sotto_error *err)
{
	char *part = NULL, *name = NULL;
	struct sotto_buffer b;
	FILE *f = NULL;
	enum sotto_status st;

	SOTTO_TRY(write_html(w, folder, not_private, err));
	sotto_buffer_init(&b, 1 << 26);
	st = sotto_census_account(w, not_private, &b);
	if (st == SOTTO_OK)
		st = open_part(folder, "release.json", &part, &name, &f, err);
	if (st == SOTTO_OK) {
		fputs(sotto_buffer_text(&b), f);
		st = finish(f, part, name, err);
	}
	sotto_buffer_release(&b);
	free(part);
	free(name);
	return st;
}
