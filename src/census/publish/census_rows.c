/*
 * Finds once for each table which public bounds limit its cells, to cut intervals by them; then
 * writes rows node by node.
 */
#include "census/publish/census_rows.h"
#include "census/plan/census_query.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/information/census_quantile.h"
#include "core/base/failure.h"

/* Which public bounds hold for one cell of a table. */
struct sotto_census_limit {
	bool is_total; /* it counts everybody */
	bool is_empty; /* nobody can be in it */
	bool has_group; /* it lies in one group of the frame... */
	bool is_group; /* ...and is all of it */
	uint8_t group;
};

/* ---- public bounds of cells --------------------------------------------------------------------------------- */

static struct sotto_census_limit *
find_limits(const struct sotto_census_schema *s, size_t query, size_t cells)
{
	struct sotto_census_limit *limits = calloc(cells, sizeof *limits);
	bool mixed[SOTTO_CENSUS_GROUPS_MAX] = {false};
	size_t last[SOTTO_CENSUS_GROUPS_MAX];

	if (!limits)
		return NULL;
	memset(last, 0xff, sizeof last);
	for (size_t i = 0; i < cells; i++)
		limits[i] = (struct sotto_census_limit){.is_total = cells == 1,
							.is_empty = true,
							.has_group = true,
							.group = 255};
	for (size_t cell = 0; cell < s->cells; cell++) {
		size_t at = s->maps[query][cell];
		uint8_t group = s->group_of_place[cell / s->regular];

		limits[at].is_empty &= s->zero[cell] != 0;
		limits[at].has_group &= limits[at].group == 255 || limits[at].group == group;
		limits[at].group = group;
		mixed[group] |= last[group] != SIZE_MAX && last[group] != at;
		last[group] = at;
	}
	for (size_t i = 0; i < cells; i++) {
		limits[i].has_group &= s->frame != SIZE_MAX;
		limits[i].is_group = limits[i].has_group && !mixed[limits[i].group];
	}
	return limits;
}

static void bounds_of(const struct sotto_census_shape *s,
		      const struct sotto_census_limit *limit, size_t node, double *low,
		      double *high)
{
	int64_t group_high;

	*low = limit->is_total ? (double)s->total_low[node] : 0;
	*high = limit->is_empty                                ? 0
		: s->total_high[node] < sotto_census_unlimited ? (double)s->total_high[node]
							       : INFINITY;
	if (!limit->has_group || !s->has_groups)
		return;
	group_high = sotto_census_group_high(s, node)[limit->group];
	if (limit->is_group)
		*low = fmax(*low, (double)sotto_census_group_low(s, node)[limit->group]);
	if (group_high < sotto_census_unlimited)
		*high = fmin(*high, (double)group_high);
}

enum sotto_status sotto_census_rows_init(struct sotto_census_rows *r,
					 const struct sotto_census_world *w,
					 enum sotto_census_beside beside, bool not_private)
{
	const struct sotto_census_plan *p = &w->plan;

	*r = (struct sotto_census_rows){.w = w, .beside = beside, .not_private = not_private};
	r->limits = calloc(p->table_count + 1, sizeof *r->limits);
	if (!r->limits)
		return SOTTO_ENOMEM;
	for (size_t t = 0; t < p->table_count; t++) {
		r->limits[t] =
			find_limits(&w->schema, p->tables[t], p->queries[p->tables[t]].cells);
		if (!r->limits[t])
			return SOTTO_ENOMEM;
	}
	return SOTTO_OK;
}

void sotto_census_rows_release(struct sotto_census_rows *r)
{
	for (size_t t = 0; r->limits && t < r->w->plan.table_count; t++)
		free(r->limits[t]);
	free(r->limits);
}

/* ---- texts ---------------------------------------------------------------------------------------------------- */

static bool needs_quotes(const char *text)
{
	return strpbrk(text, ",\"\r\n") != NULL;
}

static void put_escaped(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
}

static void put_text(FILE *f, const char *text)
{
	const char *quote = needs_quotes(text) ? "\"" : "";

	fputs(quote, f);
	if (*quote)
		put_escaped(f, text);
	else
		fputs(text, f);
	fputs(quote, f);
}

/* The categories of a group, joined by |. */
static void
put_group(FILE *f, const struct sotto_census_attribute *a, const uint32_t *groups, size_t group)
{
	const char *between = "", *quote = "";

	for (size_t i = 0; i < a->n; i++)
		if (groups[i] == group && needs_quotes(a->categories[i]))
			quote = "\"";
	fputs(quote, f);
	for (size_t i = 0; i < a->n; i++)
		if (groups[i] == group) {
			fputs(between, f);
			put_escaped(f, a->categories[i]);
			between = "|";
		}
	fputs(quote, f);
}

static void put_levels_header(FILE *f, const struct sotto_census_plan *p, size_t last)
{
	for (size_t l = 1; l <= last; l++) {
		put_text(f, p->levels[l].name);
		fputc(',', f);
	}
}

void sotto_census_rows_header(const struct sotto_census_rows *r, FILE *f, size_t plan_level,
			      size_t table)
{
	static const char *const beside[] = {"value", "value,estimate,sd",
					     "value,estimate,sd,lo,hi"};
	const struct sotto_census_plan *p = &r->w->plan;
	const struct sotto_census_query *q = &p->queries[p->tables[table]];

	put_levels_header(f, p, plan_level);
	for (size_t i = 0; i < p->attribute_count; i++)
		if (sotto_census_query_uses(q, i)) {
			put_text(f, p->attributes[i].name);
			fputc(',', f);
		}
	fputs(beside[r->beside], f);
	fputs(r->not_private ? ",NOT_PRIVATE\n" : "\n", f);
}

size_t sotto_census_rows_numbers(const struct sotto_census_rows *r, size_t table)
{
	static const size_t beside[] = {1, 3, 5};

	return table == SIZE_MAX ? 0 : beside[r->beside];
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* "st,county," of a node */
static void put_path(FILE *f, const struct sotto_census_shape *s, size_t node)
{
	if (node == 0)
		return;
	put_path(f, s, s->parent[node]);
	if (!s->labels[node])
		return;
	put_text(f, s->labels[node]);
	fputc(',', f);
}

static void put_cell(FILE *f, const struct sotto_census_plan *p,
		     const struct sotto_census_query *q, size_t cell)
{
	size_t parts[SOTTO_CENSUS_ATTRIBUTES_MAX];

	for (size_t i = p->attribute_count; i-- > 0;)
		if (sotto_census_query_uses(q, i)) {
			parts[i] = cell % q->group_count[i];
			cell /= q->group_count[i];
		}
	for (size_t i = 0; i < p->attribute_count; i++) {
		if (!sotto_census_query_uses(q, i))
			continue;
		if (q->parts[i] == SOTTO_CENSUS_KEPT)
			put_text(f, p->attributes[i].categories[parts[i]]);
		else
			put_group(f, &p->attributes[i], q->groups[i], parts[i]);
		fputc(',', f);
	}
}

static void put_estimate(const struct sotto_census_rows *r, FILE *f, size_t node,
			 const struct sotto_census_limit *limit, double estimate, double sd,
			 double half)
{
	double low, high;

	if (!isfinite(sd)) {
		fputs(r->beside == SOTTO_CENSUS_WITH_INTERVALS ? ",,,," : ",,", f);
		return;
	}
	fprintf(f, ",%.10g,%.6g", estimate, sd);
	if (r->beside != SOTTO_CENSUS_WITH_INTERVALS)
		return;
	bounds_of(&r->w->shape, limit, node, &low, &high);
	fprintf(f, ",%.10g,%.10g", fmin(fmax(estimate - half, low), high),
		fmax(fmin(estimate + half, high), low));
}

void sotto_census_rows_put(const struct sotto_census_rows *r, FILE *f, size_t node,
			   size_t table, const int64_t *values,
			   const struct sotto_census_estimates *estimates)
{
	const struct sotto_census_plan *p = &r->w->plan;
	const struct sotto_census_query *q = &p->queries[p->tables[table]];

	for (size_t cell = 0; cell < q->cells; cell++) {
		put_path(f, &r->w->shape, node);
		put_cell(f, p, q, cell);
		if (values)
			fprintf(f, "%lld", (long long)values[cell]);
		if (r->beside != SOTTO_CENSUS_ALONE)
			put_estimate(r, f, node, &r->limits[table][cell],
				     estimates->values[cell], estimates->deviations[cell],
				     sotto_census_half_width(estimates->quantile,
							     estimates->deviations[cell],
							     estimates->whole));
		fputs(r->not_private ? ",1\n" : "\n", f);
	}
}

/* ---- people ---------------------------------------------------------------------------------------------------- */

void sotto_census_people_header(const struct sotto_census_rows *r, FILE *f)
{
	const struct sotto_census_plan *p = &r->w->plan;

	put_levels_header(f, p, p->level_count - 1);
	for (size_t i = 0; i < p->attribute_count; i++) {
		if (i > 0)
			fputc(',', f);
		put_text(f, p->attributes[i].name);
	}
	fputs(r->not_private ? ",NOT_PRIVATE\n" : "\n", f);
}

void sotto_census_people_put(const struct sotto_census_rows *r, FILE *f, size_t node,
			     const uint32_t *cells, const int64_t *counts, size_t n)
{
	const struct sotto_census_plan *p = &r->w->plan;
	uint32_t categories[SOTTO_CENSUS_ATTRIBUTES_MAX];

	for (size_t k = 0; k < n; k++) {
		sotto_census_cell_categories(&r->w->schema, cells[k], categories);
		for (int64_t i = 0; i < counts[k]; i++) {
			put_path(f, &r->w->shape, node);
			for (size_t a = 0; a < p->attribute_count; a++) {
				if (a > 0)
					fputc(',', f);
				put_text(f, p->attributes[a].categories[categories[a]]);
			}
			fputs(r->not_private ? ",1\n" : "\n", f);
		}
	}
}
