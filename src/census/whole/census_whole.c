#include "census/whole/census_whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/census_feasible.h"
#include "core/base/failure.h"

static const int64_t unit = INT64_C(1) << 20;
static const int64_t total_weight = 64; /* what a wrong row total costs against a wrong group */
static const double most = 0x1p40; /* wanted cells are held at this, in people */
static const int64_t unlimited = INT64_C(1) << 40;

static int64_t scaled(double x)
{
	return llrint((x > 0 ? fmin(x, most) : 0) * (double)unit);
}

/* A table with room for its arrays. */
struct table {
	struct sotto_transport t;
	int64_t *memory, *want, *rows, *columns, *low, *high, *x, *weights;
};

static enum sotto_status table_init(struct table *b, size_t rows, size_t columns)
{
	size_t cells = rows * columns;
	int64_t *at = calloc(4 * cells + rows + 2 * columns + 1, sizeof *at);

	*b = (struct table){.memory = at};
	if (!at)
		return SOTTO_ENOMEM;
	b->want = at;
	b->low = at += cells;
	b->high = at += cells;
	b->x = at += cells;
	b->rows = at += cells;
	b->columns = at += rows;
	b->weights = at += columns;
	b->t = (struct sotto_transport){.rows = rows,
					.columns = columns,
					.unit = unit,
					.want = b->want,
					.row_sums = b->rows,
					.column_sums = b->columns,
					.low = b->low,
					.high = b->high,
					.weights = b->weights,
					.x = b->x};
	for (size_t k = 0; k < columns; k++)
		b->weights[k] = 1;
	return SOTTO_OK;
}

/*
 * Unbiased rounding needs fractions with the exact sums: the nearest ones are found by the
 * same flow, on a grid of 1/unit.
 */
static enum sotto_status fit(struct table *b, struct sotto_transport_work *work)
{
	struct sotto_transport fine = b->t;
	size_t cells = b->t.rows * b->t.columns;
	int64_t *copy = malloc((2 * cells + b->t.rows + b->t.columns + 1) * sizeof *copy);
	int64_t *low = copy, *high = copy + cells, *rows = high + cells;
	enum sotto_status st;

	if (!copy)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < cells; i++) {
		low[i] = b->low[i] * unit;
		high[i] = b->high[i] < INT64_MAX / 4 / unit ? b->high[i] * unit : INT64_MAX / 4;
	}
	for (size_t r = 0; r < b->t.rows; r++)
		rows[r] = b->rows[r] * unit;
	for (size_t k = 0; k < b->t.columns; k++)
		rows[b->t.rows + k] = b->columns[k] * unit;
	fine.unit = 1;
	fine.low = low;
	fine.high = high;
	fine.row_sums = rows;
	fine.column_sums = rows + b->t.rows;
	st = sotto_transport_round(&fine, SOTTO_ROUNDING_L1, NULL, work);
	if (st == SOTTO_OK)
		memcpy(b->want, b->x, cells * sizeof *b->want);
	free(copy);
	return st;
}

static enum sotto_status table_round(struct table *b, const struct sotto_census_fractions *f,
				     struct sotto_transport_work *work)
{
	if (f->rounding == SOTTO_ROUNDING_UNBIASED)
		SOTTO_TRY(fit(b, work));
	return sotto_transport_round(&b->t, f->rounding, f->rng, work);
}

/* ---- cells within groups --------------------------------------------------------------------------- */

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
		       const size_t *ends, const int64_t *rows, struct table *b,
		       const uint32_t *who)
{
	for (size_t r = 0; r < b->t.rows; r++)
		b->rows[r] = rows[who[r]];
	for (size_t j = 0, k = p->first; j < b->t.columns; j++)
		for (; k < ends[j]; k++) {
			for (size_t r = 0; r < b->t.rows; r++)
				b->want[r * b->t.columns + j] +=
					scaled(f->x[who[r] * f->cells + k]);
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
				   const size_t *ends, const struct table *b,
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
	struct table b = {.memory = NULL};
	enum sotto_status st;
	size_t n = 0;

	if (!who)
		return SOTTO_ENOMEM;
	for (size_t c = 0; c < f->children; c++)
		if (rows[c] > 0)
			who[n++] = (uint32_t)c;
	st = table_init(&b, n, columns);
	if (st == SOTTO_OK) {
		fill_table(f, &p, ends, rows, &b, who);
		if (n > 0)
			st = table_round(&b, f, work);
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

/* ---- totals and groups -------------------------------------------------------------------------------- */

static size_t group_of(const struct sotto_census_fractions *f, size_t k)
{
	return f->schema->group_of_place[f->cell[k] / f->schema->regular];
}

struct limits {
	int64_t *most; /* what each child may have in all */
	int64_t *least;
};

static int64_t cut(int64_t x)
{
	return x < unlimited ? x : unlimited;
}

static void
set_limits(const struct sotto_census_fractions *f, const struct table *b, struct limits *l)
{
	size_t g = f->schema->groups;

	for (size_t c = 0; c < f->children; c++) {
		int64_t low = 0, high = 0;

		for (size_t i = 0; i < g; i++) {
			int64_t all = b->columns[i], upper = f->high ? f->high[c * g + i] : all;

			low = cut(low + (f->low ? f->low[c * g + i] : 0));
			high = cut(high + (upper < all ? upper : all));
		}
		l->least[c] = f->total_low[c] > low ? f->total_low[c] : low;
		l->most[c] = f->total_high[c] < high ? f->total_high[c] : high;
	}
}

/* The groups that somebody is in; only they are columns of the flow. */
struct present {
	size_t group[SOTTO_CENSUS_GROUPS_MAX], count;
};

/* False if some child must have somebody in a group that nobody is in. */
static bool
find_present(const struct sotto_census_fractions *f, const int64_t *columns, struct present *p)
{
	size_t groups = f->schema->groups;

	p->count = 0;
	for (size_t g = 0; g < groups; g++) {
		if (columns[g] > 0)
			p->group[p->count++] = g;
		for (size_t c = 0; columns[g] <= 0 && f->low && c < f->children; c++)
			if (f->low[c * groups + g] > 0)
				return false;
	}
	return true;
}

/* The last column holds what a child does not have of the most that it may. */
static void fill_groups(const struct sotto_census_fractions *f, const double *want,
			const struct present *p, struct table *b, const struct limits *l)
{
	size_t groups = f->schema->groups, columns = p->count + 1, last = p->count;

	b->weights[last] = total_weight;
	for (size_t c = 0; c < f->children; c++) {
		double total = 0;

		for (size_t g = 0; g < groups; g++)
			total += want[c * groups + g];
		for (size_t i = 0; i < p->count; i++) {
			size_t at = c * groups + p->group[i];

			b->want[c * columns + i] = scaled(want[at]);
			b->low[c * columns + i] = f->low ? f->low[at] : 0;
			b->high[c * columns + i] = f->high ? f->high[at] : b->columns[i];
		}
		if (f->targets)
			total = f->targets[c];
		b->rows[c] = l->most[c];
		b->columns[last] += l->most[c];
		b->high[c * columns + last] = l->most[c] - l->least[c];
		b->want[c * columns + last] = l->most[c] * unit - scaled(total);
	}
	for (size_t i = 0; i < p->count; i++)
		b->columns[last] -= b->columns[i];
}

/* The flow on the groups that somebody is in; b's columns are given, its x is filled. */
static enum sotto_status flow_groups(const struct sotto_census_fractions *f, const double *want,
				     struct table *b, const struct limits *l,
				     struct sotto_transport_work *work)
{
	struct present p;
	struct table flow = {.memory = NULL};
	enum sotto_status st;

	if (!find_present(f, b->columns, &p))
		return SOTTO_EINFEASIBLE;
	st = table_init(&flow, f->children, p.count + 1);
	if (st == SOTTO_OK) {
		for (size_t i = 0; i < p.count; i++)
			flow.columns[i] = b->columns[p.group[i]];
		fill_groups(f, want, &p, &flow, l);
		st = flow.columns[p.count] < 0 ? SOTTO_EINFEASIBLE
					       : table_round(&flow, f, work);
	}
	for (size_t c = 0; st == SOTTO_OK && c < f->children; c++)
		for (size_t i = 0; i < p.count; i++)
			b->x[c * b->t.columns + p.group[i]] = flow.x[c * (p.count + 1) + i];
	free(flow.memory);
	return st;
}

static enum sotto_status round_groups(const struct sotto_census_fractions *f,
				      const double *want, struct table *b,
				      struct sotto_transport_work *work)
{
	struct limits l = {.most = calloc(f->children, sizeof *l.most),
			   .least = calloc(f->children, sizeof *l.least)};
	enum sotto_status st = l.most && l.least ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK) {
		set_limits(f, b, &l);
		for (size_t c = 0; c < f->children; c++)
			if (l.least[c] > l.most[c])
				st = SOTTO_EINFEASIBLE;
	}
	if (st == SOTTO_OK)
		st = flow_groups(f, want, b, &l, work);
	free(l.most);
	free(l.least);
	return st;
}

static enum sotto_status split_groups(const struct sotto_census_fractions *f,
				      const struct table *b, struct sotto_transport_work *work)
{
	int64_t *rows = malloc((f->children + 1) * sizeof *rows);
	enum sotto_status st = rows ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t first = 0, end; st == SOTTO_OK && first < f->cells; first = end) {
		size_t g = group_of(f, first);

		for (end = first; end < f->cells && group_of(f, end) == g;)
			end++;
		for (size_t c = 0; c < f->children; c++)
			rows[c] = b->x[c * b->t.columns + g];
		st = split(f, (struct part){first, end, 0}, rows, work);
	}
	free(rows);
	return st;
}

/*
 * Children with fixed totals below them: groups one after the other, each within what the
 * rest leaves possible.
 */
static enum sotto_status
choose_groups(const struct sotto_census_fractions *f, const double *want, struct table *b)
{
	size_t g = f->schema->groups;
	int64_t *out = calloc(f->children * g, sizeof *out);
	struct sotto_census_sharing sharing = {.groups = g,
					       .children = f->children,
					       .sets = f->sets,
					       .low = f->low,
					       .high = f->high,
					       .total_low = f->total_low,
					       .total_high = f->total_high,
					       .parent = b->columns,
					       .want = want,
					       .out = out};
	enum sotto_status st = out ? sotto_census_share_groups(&sharing) : SOTTO_ENOMEM;

	for (size_t c = 0; st == SOTTO_OK && c < f->children; c++)
		memcpy(b->x + c * b->t.columns, out + c * g, g * sizeof *out);
	free(out);
	return st;
}

static bool has_sets(const struct sotto_census_fractions *f)
{
	for (size_t c = 0; f->sets && c < f->children; c++)
		if (f->sets[c])
			return true;
	return false;
}

/* ---- the root: no parent to add up to ------------------------------------------------------------------- */

/* Whole numbers nearest to n wanted ones that add up to sum, within bounds. */
static bool round_list(const double *want, size_t n, int64_t sum, const int64_t *low,
		       const int64_t *high, int64_t *out)
{
	int64_t lack = sum;

	for (size_t i = 0; i < n; i++) {
		int64_t x = (int64_t)floor(want[i] > 0 ? want[i] : 0);

		if (low && x < low[i])
			x = low[i];
		if (high && x > high[i])
			x = high[i];
		out[i] = x;
		lack -= x;
	}
	while (lack != 0) {
		int step = lack > 0 ? 1 : -1;
		size_t best = n;
		double gain = -INFINITY;

		for (size_t i = 0; i < n; i++) {
			double value = step * (want[i] - (double)out[i]);

			if (step > 0 ? high && out[i] >= high[i] : out[i] <= (low ? low[i] : 0))
				continue;
			if (value > gain) {
				gain = value;
				best = i;
			}
		}
		if (best == n)
			return false;
		if (gain > 2 && llabs(lack) > 2) { /* far away: go most of the way at once */
			int64_t leap =
				(int64_t)gain < llabs(lack) ? (int64_t)gain : llabs(lack);

			if (step > 0 && high && leap > high[best] - out[best])
				leap = high[best] - out[best];
			if (step < 0 && leap > out[best] - (low ? low[best] : 0))
				leap = out[best] - (low ? low[best] : 0);
			out[best] += step * leap;
			lack -= step * leap;
		} else {
			out[best] += step;
			lack -= step;
		}
	}
	return true;
}

static enum sotto_status whole_root(const struct sotto_census_fractions *f)
{
	size_t g = f->schema->groups;
	double groups[SOTTO_CENSUS_GROUPS_MAX] = {0}, total = 0;
	int64_t counts[SOTTO_CENSUS_GROUPS_MAX] = {0}, sum;

	for (size_t k = 0; k < f->cells; k++) {
		groups[group_of(f, k)] += f->x[k];
		total += f->x[k];
	}
	sum = llrint(f->targets ? f->targets[0] : total);
	if (sum < f->total_low[0])
		sum = f->total_low[0];
	if (sum > f->total_high[0])
		sum = f->total_high[0];
	if (has_sets(f)) {
		if (!sotto_census_nearest_groups(f->sets[0], g, sum, groups, counts))
			return SOTTO_EINFEASIBLE;
	} else if (!round_list(groups, g, sum, f->low, f->high, counts)) {
		return SOTTO_EINFEASIBLE;
	}
	for (size_t first = 0, end; first < f->cells; first = end) {
		size_t at = group_of(f, first);

		for (end = first; end < f->cells && group_of(f, end) == at;)
			end++;
		if (!round_list(f->x + first, end - first, counts[at], NULL, NULL,
				f->out + first))
			return SOTTO_EINFEASIBLE;
	}
	return SOTTO_OK;
}

/* A table of the children's groups, filled. */
static enum sotto_status settle_table(const struct sotto_census_fractions *f,
				      const double *want, struct sotto_transport_work *work,
				      struct table *b)
{
	SOTTO_TRY(table_init(b, f->children, f->schema->groups + 1));
	for (size_t k = 0; k < f->cells; k++)
		b->columns[group_of(f, k)] += f->parent[k];
	return has_sets(f) ? choose_groups(f, want, b) : round_groups(f, want, b, work);
}

enum sotto_status sotto_census_settle_groups(const struct sotto_census_fractions *f,
					     const double *want,
					     struct sotto_transport_work *work, int64_t *groups)
{
	size_t g = f->schema->groups;
	struct table b = {.memory = NULL};
	enum sotto_status st = settle_table(f, want, work, &b);

	for (size_t c = 0; st == SOTTO_OK && c < f->children; c++)
		memcpy(groups + c * g, b.x + c * (g + 1), g * sizeof *groups);
	free(b.memory);
	return st;
}

enum sotto_status sotto_census_make_whole(const struct sotto_census_fractions *f,
					  struct sotto_transport_work *work)
{
	size_t g = f->schema->groups;
	struct table b = {.memory = NULL};
	enum sotto_status st;
	double *want;

	if (!f->parent)
		return whole_root(f);
	want = calloc(f->children * g, sizeof *want);
	if (!want)
		return SOTTO_ENOMEM;
	for (size_t c = 0; c < f->children; c++)
		for (size_t k = 0; k < f->cells; k++)
			want[c * g + group_of(f, k)] += f->x[c * f->cells + k];
	st = settle_table(f, want, work, &b);
	if (st == SOTTO_OK)
		st = split_groups(f, &b, work);
	free(b.memory);
	free(want);
	return st;
}
