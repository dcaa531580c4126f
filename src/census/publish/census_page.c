/*
 * Writes the page from the plan and the predicted errors alone, without private counts; costs
 * are rounded up.
 */
#include "census/publish/census_page.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "census/account/census_semantics.h"
#include "census/exact/census_json_text.h"
#include "census/publish/census_chart.h"
#include "core/base/failure.h"
#include "core/base/shortest.h"
#include "sotto/census.h"

static const char *const modes[] = {"naive", "topdown", "gls"};

/* ---- words ------------------------------------------------------------------------------------------------------ */

static void put_style(FILE *f)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	      "<meta name=\"viewport\" content=\"width=device-width\"><title>Release</title>"
	      "<style>\n"
	      "body{font:16px/1.5 system-ui,sans-serif;max-width:46em;margin:2em auto;"
	      "padding:0 1em;color:#1b1e23;background:#fff}\n"
	      "h1{margin-bottom:.2em}h2{margin-top:2em;border-bottom:1px solid #d8dbe0}\n"
	      "svg{width:100%;max-width:600px;height:auto}svg text{font:13px "
	      "system-ui,sans-serif;"
	      "fill:currentColor}\n"
	      "figure{margin:1.5em 0}figcaption{font-weight:600;margin-bottom:.5em}\n"
	      "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
	      "th,td{padding:.25em .8em;border-bottom:1px solid #d8dbe0;text-align:right}"
	      "th:first-child,td:first-child{text-align:left}thead th{font-weight:600}\n"
	      "details{overflow-x:auto}"
	      ".warn{background:#fde8e8;border-left:4px solid #c81e1e;padding:.5em 1em;"
	      "font-weight:600}.big{font-size:1.25em}code{overflow-wrap:anywhere}\n"
	      "summary{cursor:pointer;font-weight:600;margin:1em 0}\n"
	      "@media(prefers-color-scheme:dark){body{color:#e3e6ea;background:#16181c}"
	      ".warn{background:#4a1818}h2,th,td{border-color:#3a3f47}}\n"
	      "</style></head><body>\n<h1>Release</h1>\n",
	      f);
}

static void put_exact(FILE *f, const mpq_t q)
{
	char *text = mpq_get_str(NULL, 10, q);

	fputs(text, f);
	free(text);
}

/* Costs are never shown smaller than they are. */
static void put_up(FILE *f, double cost, int digits)
{
	char text[40];
	mpfr_t x;

	mpfr_init2(x, 53);
	mpfr_set_d(x, cost, MPFR_RNDN);
	(void)mpfr_snprintf(text, sizeof text, "%.*RUg", digits, x);
	fputs(text, f);
	mpfr_clear(x);
}

/* An exact cost: the nearest number of so many digits, or the next if that is smaller. */
static void put_cost(FILE *f, const struct sotto_rational *cost, int digits)
{
	struct sotto_rational shown;
	char text[40];

	sotto_rational_init(&shown);
	(void)snprintf(text, sizeof text, "%.*g", digits, sotto_rational_nearest(cost->q));
	if (sotto_rational_parse(&shown, text, NULL) == SOTTO_OK &&
	    sotto_rational_compare(&shown, cost) >= 0)
		fputs(text, f);
	else
		put_up(f, sotto_rational_double_up(cost), digits);
	sotto_rational_release(&shown);
}

/* 1e-6, where the C library would write 1e-06 */
static void put_delta(FILE *f, const struct sotto_census_plan *p)
{
	char text[SOTTO_SHORTEST_SIZE], *e;

	sotto_shortest(sotto_rational_nearest(p->delta->q), text);
	e = strstr(text, "e-0");
	if (e)
		memmove(e + 2, e + 3, strlen(e + 3) + 1);
	fputs(text, f);
}

static void put_guarantee(FILE *f, const struct sotto_census_plan *p)
{
	struct sotto_census_conversion to = {0};

	fputs("<p class=\"big\">Every person is protected by ", f);
	if (p->model == SOTTO_CENSUS_ZCDP &&
	    sotto_census_convert(p->total, p->delta, &to) == SOTTO_OK) {
		fputs("rho&nbsp;=&nbsp;", f);
		put_exact(f, p->total->q);
		fputs(" of zero-concentrated differential privacy: epsilon&nbsp;", f);
		put_up(f, to.epsilon_up, 6);
		fputs(" at delta&nbsp;", f);
		put_delta(f, p);
		fputs(" (rounded up)", f);
	} else {
		fputs("epsilon&nbsp;=&nbsp;", f);
		put_exact(f, p->total->q);
		fputs(" of pure differential privacy", f);
	}
	fprintf(f, ", between tables that differ by %s one person.</p>\n",
		p->replace_one ? "replacing" : "adding or removing");
}

/* The invariants that are from the data, or those that a file gives; false if there is none. */
static bool
put_exact_ones(FILE *f, const struct sotto_census_plan *p, bool given, const char *before)
{
	bool any = false;

	for (size_t i = 0; i < p->invariant_count; i++) {
		const struct sotto_census_invariant *inv = &p->invariants[i];

		if (given != (inv->values != NULL))
			continue;
		fputs(any ? "; " : before, f);
		any = true;
		sotto_census_put_html(f, p->queries[inv->query].name);
		fputs(inv->nodes ? " of a union of nodes at level "
				 : " of every node of level ",
		      f);
		sotto_census_put_html(f, inv->level);
	}
	return any;
}

static void put_invariants(FILE *f, const struct sotto_census_plan *p)
{
	if (put_exact_ones(f, p, false,
			   "<p>Published exactly, and therefore outside this guarantee: "))
		fputs(p->replace_one
			      ? ". Neighbouring tables agree in it.</p>\n"
			      : ". It reveals whether a person is counted, which the plan "
				"acknowledges.</p>\n",
		      f);
	if (put_exact_ones(f, p, true, "<p>Held at values that were given: "))
		fputs(". Where they come from the same people, what they tell is outside this "
		      "guarantee.</p>\n",
		      f);
}

static void put_size(FILE *f, const struct sotto_census_world *w)
{
	const struct sotto_census_shape *s = &w->shape;
	size_t nodes = 0;

	for (size_t l = 0; l < s->level_count; l++)
		nodes += s->plan_level[l] == SIZE_MAX ? 0 : s->start[l + 1] - s->start[l];
	fprintf(f, "<p>%zu nodes on %zu levels, %zu cells in each node.</p>\n", nodes,
		w->plan.level_count, w->schema.cells);
}

/* ---- pictures ------------------------------------------------------------------------------------------------------ */

static void put_errors(FILE *f, const struct sotto_census_plan *p,
		       const struct sotto_census_predictions *predictions)
{
	static const char *const series[] = {"naive: independent noise", "topdown",
					     "gls: least squares on the tree"};
	const char *names[SOTTO_CENSUS_LEVELS_MAX];
	double values[SOTTO_CENSUS_LEVELS_MAX * 3];

	if (!predictions->known)
		return;
	for (size_t l = 0; l < p->level_count; l++) {
		names[l] = p->levels[l].name;
		for (size_t m = 0; m < 3; m++)
			values[3 * l + m] = predictions->levels[l][m].mae;
	}
	fprintf(f,
		"<h2>Error by level</h2>\n<p>The expected error of a total, computed before "
		"any noise is drawn. This release is of mode <b>%s</b>.</p>\n",
		modes[p->mode]);
	sotto_census_put_bars(
		f, &(struct sotto_census_bars){.title = "Expected error of a total, in people",
					       .unit = "",
					       .names = names,
					       .count = p->level_count,
					       .series = series,
					       .series_count = 3,
					       .values = values,
					       .marked = p->mode});
}

/* The place of a query in the legend, added if it is new. */
static size_t legend_place(const char **legend, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(legend[i], name) == 0)
			return i;
	legend[*n] = name;
	return (*n)++;
}

/* A segment for each query of each level; labels are the queries' names. */
static size_t fill_segments(const struct sotto_census_plan *p, const char **legend,
			    size_t *legend_count, struct sotto_census_segment *out)
{
	size_t n = 0;

	for (size_t l = 0; l < p->level_count; l++) {
		double level = sotto_rational_nearest(p->levels[l].fraction->q);

		for (size_t i = 0; i < p->levels[l].measure_count; i++) {
			const struct sotto_census_measure *m = &p->levels[l].measures[i];
			const char *name = p->queries[m->query].name;

			out[n++] = (struct sotto_census_segment){
				.row = l,
				.colour = legend_place(legend, legend_count, name),
				.share = level * sotto_rational_nearest(m->fraction->q),
				.label = name};
		}
	}
	return n;
}

static enum sotto_status put_budget(FILE *f, const struct sotto_census_plan *p)
{
	const char *names[SOTTO_CENSUS_LEVELS_MAX], **legend;
	double shares[SOTTO_CENSUS_LEVELS_MAX], largest = 0;
	struct sotto_census_segment *segments;
	size_t room = 1, legend_count = 0, n = 0;

	for (size_t l = 0; l < p->level_count; l++) {
		names[l] = p->levels[l].name;
		shares[l] = sotto_rational_nearest(p->levels[l].fraction->q);
		largest = fmax(largest, shares[l]);
		room += p->levels[l].measure_count;
	}
	legend = calloc(room, sizeof *legend);
	segments = calloc(room, sizeof *segments);
	if (legend && segments) {
		n = fill_segments(p, legend, &legend_count, segments);
		for (size_t i = 0; i < n; i++)
			segments[i].share /= largest;
		fputs("<h2>Budget by level and query</h2>\n", f);
		sotto_census_put_stack(
			f, &(struct sotto_census_stack){
				   .title = "Share of the budget that each level and query has",
				   .names = names,
				   .shares = shares,
				   .count = p->level_count,
				   .segments = segments,
				   .segment_count = n,
				   .legend = legend,
				   .legend_count = legend_count});
	}
	n = legend && segments;
	free(legend);
	free(segments);
	return n ? SOTTO_OK : SOTTO_ENOMEM;
}

/* ---- tables -------------------------------------------------------------------------------------------------------- */

static void put_queries(FILE *f, const struct sotto_census_plan *p)
{
	bool pure = p->model == SOTTO_CENSUS_PURE;

	fprintf(f,
		"<details><summary>Noise of every "
		"query</summary>\n<table><thead><tr><th>level</th>"
		"<th>query</th><th>cells</th><th>%s</th><th>%s</th><th>standard "
		"deviation</th></tr>"
		"</thead><tbody>\n",
		pure ? "epsilon" : "rho", pure ? "scale" : "sigma&sup2;");
	for (size_t l = 0; l < p->level_count; l++)
		for (size_t i = 0; i < p->levels[l].measure_count; i++) {
			const struct sotto_census_measure *m = &p->levels[l].measures[i];

			fputs("<tr><td>", f);
			sotto_census_put_html(f, p->levels[l].name);
			fputs("</td><td>", f);
			sotto_census_put_html(f, p->queries[m->query].name);
			fprintf(f, "</td><td>%zu</td><td>", p->queries[m->query].cells);
			put_cost(f, m->cost, 4);
			fprintf(f, "</td><td>%.4g</td><td>%.4g</td></tr>\n",
				sotto_rational_nearest(m->scale->q), sqrt(m->variance));
		}
	fputs("</tbody></table></details>\n", f);
}

static void put_meaning(FILE *f, const struct sotto_census_plan *p, const char *name,
			const struct sotto_rational *cost, bool published)
{
	struct sotto_census_conversion to = {.epsilon_up = INFINITY};

	fputs("<tr><td>", f);
	sotto_census_put_html(f, name);
	fputs("</td><td>", f);
	put_cost(f, cost, 4);
	fputs("</td><td>", f);
	if (p->model != SOTTO_CENSUS_ZCDP)
		put_cost(f, cost, 4);
	else if (sotto_census_convert(cost, p->delta, &to) == SOTTO_OK)
		put_up(f, to.epsilon_up, 4);
	else
		fputs("infinite", f);
	if (published)
		fputs(", without the invariants, which publish it exactly", f);
	fputs("</td></tr>\n", f);
}

static void put_semantics(FILE *f, const struct sotto_census_plan *p)
{
	const char *cost_name = p->model == SOTTO_CENSUS_PURE ? "epsilon spent" : "rho spent";
	struct sotto_rational cost;

	sotto_rational_init(&cost);
	fprintf(f,
		"<h2>What it reveals about one person</h2>\n<p>What somebody can learn who "
		"knows everything about a person except one "
		"attribute:</p>\n<table><thead><tr><th>attribute</th><th>%s</th>"
		"<th>epsilon</th></tr></thead><tbody>\n",
		cost_name);
	for (size_t i = 0; i < p->attribute_count; i++) {
		sotto_census_attribute_cost(p, i, &cost);
		put_meaning(f, p, p->attributes[i].name, &cost,
			    sotto_census_attribute_is_published(p, i));
	}
	fprintf(f,
		"</tbody></table>\n<p>What somebody can learn about the place of a person who "
		"already knows it down to a level:</p>\n<table><thead><tr><th>level "
		"known</th><th>%s</th>"
		"<th>epsilon</th></tr></thead><tbody>\n",
		cost_name);
	for (size_t l = 0; l < p->level_count; l++) {
		sotto_census_geography_cost(p, l, &cost);
		put_meaning(f, p, p->levels[l].name, &cost,
			    sotto_census_place_is_published(p, l));
	}
	fputs("</tbody></table>\n", f);
	sotto_rational_release(&cost);
}

enum sotto_status sotto_census_put_page(FILE *f, const struct sotto_census_world *w,
					bool not_private,
					const struct sotto_census_predictions *predictions)
{
	const struct sotto_census_plan *p = &w->plan;

	put_style(f);
	if (not_private)
		fputs("<p class=\"warn\">NOT PRIVATE: the noise came from a seed. For tests "
		      "only.</p>\n",
		      f);
	put_guarantee(f, p);
	put_invariants(f, p);
	put_size(f, w);
	fputs("<p>To combine releases, add their rhos and convert once; adding epsilons "
	      "overstates the cost. All figures are in <code>release.json</code>.</p>\n",
	      f);
	put_errors(f, p, predictions);
	SOTTO_TRY(put_budget(f, p));
	put_queries(f, p);
	put_semantics(f, p);
	fputs("</body></html>\n", f);
	return SOTTO_OK;
}
