/* From groups to cells, attribute by attribute (rounding.md). */
#include <stdlib.h>
#include <string.h>

#include "census/whole/census_split.h"
#include "core/base/failure.h"

/* The category of a cell on the attribute number i of the schema's order. */
static size_t digit(const struct sotto_census_schema *s, size_t cell, size_t i)
{
	for (size_t j = s->plan->attribute_count; j-- > i + 1;)
		cell /= s->plan->attributes[s->order[j]].n;
	return cell % s->plan->attributes[s->order[i]].n;
}

struct part {
	size_t first, end; /* columns of x */
	size_t attribute; /* the next to split by */
};

static void give(const struct sotto_census_fractions *f, size_t k, const int64_t *rows)
{
	for (size_t c = 0; c < f->children; c++)
		f->out[c * f->cells + k] = rows[c];
}

/* Where the columns of a part change their category; ends[] of each run.  Returns how many. */
static size_t runs(const struct sotto_census_fractions *f, const struct part *p, size_t *ends)
{
	size_t n = 0;

	for (size_t k = p->first; k < p->end; k++)
		if (k + 1 == p->end || digit(f->schema, f->cell[k], p->attribute) !=
					       digit(f->schema, f->cell[k + 1], p->attribute))
			ends[n++] = k + 1;
	return n;
}

static void fill_table(const struct sotto_census_fractions *f, const struct part *p,
		       const size_t *ends, const int64_t *rows, struct sotto_whole_table *b,
		       const uint32_t *who)
{
	for (size_t r = 0; r < b->t.rows; r++)
		b->rows[r] = rows[who[r]];
	for (size_t j = 0, k = p->first; j < b->t.columns; j++)
		for (; k < ends[j]; k++) {
			for (size_t r = 0; r < b->t.rows; r++)
				b->want[r * b->t.columns + j] += sotto_whole_scaled(
					f->x[who[r] * f->cells + k], b->t.unit);
			b->columns[j] += f->parent[k];
		}
	for (size_t r = 0; r < b->t.rows; r++)
		for (size_t j = 0; j < b->t.columns; j++)
			b->high[r * b->t.columns + j] =
				b->rows[r] < b->columns[j] ? b->rows[r] : b->columns[j];
}

static enum sotto_status split(const struct sotto_census_fractions *f, struct part p,
			       const int64_t *rows, struct sotto_transport_work *work);

/* Hands each column of the table down, with its own row sums. */
static enum sotto_status hand_down(const struct sotto_census_fractions *f, const struct part *p,
				   const size_t *ends, const struct sotto_whole_table *b,
				   const uint32_t *who, struct sotto_transport_work *work)
{
	int64_t *rows = calloc(f->children, sizeof *rows);
	enum sotto_status st = rows ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t j = 0, first = p->first; st == SOTTO_OK && j < b->t.columns; j++) {
		for (size_t r = 0; r < b->t.rows; r++)
			rows[who[r]] = b->x[r * b->t.columns + j];
		st = split(f, (struct part){first, ends[j], p->attribute + 1}, rows, work);
		first = ends[j];
	}
	free(rows);
	return st;
}

static enum sotto_status split_table(const struct sotto_census_fractions *f, struct part p,
				     const size_t *ends, size_t columns, const int64_t *rows,
				     struct sotto_transport_work *work)
{
	uint32_t *who = malloc(f->children * sizeof *who);
	struct sotto_whole_table b = {.memory = NULL};
	enum sotto_status st;
	size_t n = 0;

	if (!who)
		return SOTTO_ENOMEM;
	for (size_t c = 0; c < f->children; c++)
		if (rows[c] > 0)
			who[n++] = (uint32_t)c;
	st = sotto_whole_table_init(&b, f, n, columns);
	if (st == SOTTO_OK) {
		fill_table(f, &p, ends, rows, &b, who);
		if (n > 0)
			st = sotto_whole_table_round(&b, f, work);
	}
	if (st == SOTTO_OK)
		st = hand_down(f, &p, ends, &b, who, work);
	free(b.memory);
	free(who);
	return st;
}

/* The columns of a part share the row sums given. */
static enum sotto_status split(const struct sotto_census_fractions *f, struct part p,
			       const int64_t *rows, struct sotto_transport_work *work)
{
	size_t *ends, columns;
	enum sotto_status st;

	if (p.end - p.first == 1) {
		give(f, p.first, rows);
		return SOTTO_OK;
	}
	ends = malloc((p.end - p.first) * sizeof *ends);
	if (!ends)
		return SOTTO_ENOMEM;
	while ((columns = runs(f, &p, ends)) == 1)
		p.attribute++;
	st = split_table(f, p, ends, columns, rows, work);
	free(ends);
	return st;
}

enum sotto_status sotto_whole_split_groups(const struct sotto_census_fractions *f,
					   const struct sotto_whole_table *b,
					   struct sotto_transport_work *work)
{
	int64_t *rows = malloc((f->children + 1) * sizeof *rows);
	enum sotto_status st = rows ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t first = 0, end; st == SOTTO_OK && first < f->cells; first = end) {
		size_t g = sotto_whole_group(f, first);

		for (end = first; end < f->cells && sotto_whole_group(f, end) == g;)
			end++;
		for (size_t c = 0; c < f->children; c++)
			rows[c] = b->x[c * b->t.columns + g];
		st = split(f, (struct part){first, end, 0}, rows, work);
	}
	free(rows);
	return st;
}
