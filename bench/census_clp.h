/*
 * census_clp.h - the rounding of one county's families, and the same tables by COIN-OR Clp, a
 * general solver; for bench_census.c
 *
 * A family's table has its children as rows (tracts of the county, block groups of a tract, blocks
 * of a block group) and the cells that somebody there is in as columns.  Its numbers are the true ones, moved around random cycles by fractions of a person, so that
 * row and column sums stay whole.  Both look for the whole table with the same sums at the least
 * L1 distance; Clp by the linear programme whose vertices are such tables.
 */
#ifndef SOTTO_BENCH_CENSUS_CLP_H
#define SOTTO_BENCH_CENSUS_CLP_H

#include <math.h>
#include <time.h>

#include "census/whole/census_transport.h"
#include "census_nation.h"
#include "channel/optimal/program/channel_clp.h"
#include "core/base/failure.h"

enum { CLP_UNIT = 1 << 20, CLP_COUNTY = 2, CLP_BLOCK_GROUP = 4 /* levels */ };

struct clp_table {
	size_t rows, columns;
	int64_t *want, *low, *high, *x, *row_sums, *column_sums;
};

static double clp_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The columns of the cells that occur; UINT32_MAX for the others.  Returns how many there are. */
static size_t
clp_columns(const struct sotto_census_world *w, uint64_t from, uint64_t to, uint32_t *column)
{
	size_t n = 0;

	memset(column, 0xff, w->schema.cells * sizeof *column);
	for (uint64_t i = from; i < to; i++)
		if (column[w->truth->cells[i]] == UINT32_MAX)
			column[w->truth->cells[i]] = (uint32_t)n++;
	return n;
}

/* Moves parts of a person from two cells to two others with the same rows and columns. */
static void clp_move(struct clp_table *t, uint64_t *dice)
{
	uint32_t roll[5];
	int64_t *from, *also, step;

	for (size_t i = 0; i < 5; i++) {
		*dice = *dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
		roll[i] = (uint32_t)(*dice >> 33);
	}
	roll[0] %= (uint32_t)t->rows;
	roll[1] %= (uint32_t)t->rows;
	roll[2] %= (uint32_t)t->columns;
	roll[3] %= (uint32_t)t->columns;
	from = &t->want[roll[0] * t->columns + roll[2]];
	also = &t->want[roll[1] * t->columns + roll[3]];
	step = roll[4] % CLP_UNIT;
	step = step < *from ? step : *from;
	step = step < *also ? step : *also;
	if (roll[0] == roll[1] || roll[2] == roll[3])
		return;
	*from -= step;
	*also -= step;
	t->want[roll[0] * t->columns + roll[3]] += step;
	t->want[roll[1] * t->columns + roll[2]] += step;
}

/* Adds the people of one child to its row. */
static void clp_fill(struct clp_table *t, const struct sotto_census_world *w, size_t child,
		     size_t row, const uint32_t *column)
{
	const struct sotto_census_truth *truth = w->truth;
	size_t first, end;

	sotto_census_leaf_range(&w->shape, child, &first, &end);
	for (uint64_t i = truth->starts[first]; i < truth->starts[end]; i++) {
		size_t k = column[truth->cells[i]];

		t->want[row * t->columns + k] += (int64_t)truth->counts[i] * CLP_UNIT;
		t->row_sums[row] += truth->counts[i];
		t->column_sums[k] += truth->counts[i];
	}
}

static struct clp_table
clp_table_new(const struct sotto_census_world *w, size_t node, uint64_t *dice)
{
	uint32_t *column = must(malloc(w->schema.cells * sizeof *column));
	struct clp_table t = {.rows = w->shape.count[node]};
	size_t first, end, cells;

	sotto_census_leaf_range(&w->shape, node, &first, &end);
	t.columns = clp_columns(w, w->truth->starts[first], w->truth->starts[end], column);
	cells = t.rows * t.columns;
	t.want = must(calloc(4 * cells + t.rows + t.columns + 1, sizeof *t.want));
	t.low = t.want + cells;
	t.high = t.low + cells;
	t.x = t.high + cells;
	t.row_sums = t.x + cells;
	t.column_sums = t.row_sums + t.rows;
	for (size_t r = 0; r < t.rows; r++)
		clp_fill(&t, w, w->shape.first[node] + r, r, column);
	for (size_t i = 0; t.rows > 1 && t.columns > 1 && i < 4 * cells; i++)
		clp_move(&t, dice);
	for (size_t i = 0; i < cells; i++) {
		t.low[i] = t.want[i] / CLP_UNIT;
		t.high[i] = t.low[i] + (t.want[i] % CLP_UNIT != 0);
	}
	free(column);
	return t;
}

/* The L1 distance that our rounding leaves, in people. */
static double clp_ours(const struct clp_table *t, struct sotto_transport_work *work)
{
	const struct sotto_transport table = {.rows = t->rows,
					      .columns = t->columns,
					      .unit = CLP_UNIT,
					      .want = t->want,
					      .row_sums = t->row_sums,
					      .column_sums = t->column_sums,
					      .low = t->low,
					      .high = t->high,
					      .x = t->x};
	double distance = 0;

	check(sotto_transport_round(&table, SOTTO_ROUNDING_L1, NULL, work), "rounding");
	for (size_t i = 0; i < t->rows * t->columns; i++)
		distance += fabs((double)(t->x[i] * CLP_UNIT - t->want[i]));
	return distance / CLP_UNIT;
}

/* The same by Clp: each fraction f becomes a variable from 0 to 1 that costs 1 - 2 f. */
static double clp_theirs(const struct clp_table *t, const struct sotto_clp *clp)
{
	size_t cells = t->rows * t->columns, lines = t->rows + t->columns, n = 0;
	double *memory = must(calloc(4 * cells + lines + 1, sizeof *memory));
	double *value = memory, *low = value + 2 * cells, *cost = low + cells;
	double *sums = cost + cells, *high = must(malloc((cells + 1) * sizeof *high)), all = 0;
	int *start = must(malloc((3 * cells + 1) * sizeof *start)), *index = start + cells + 1;
	void *model = clp->Clp_newModel(), *options = clp->ClpSolve_new();

	for (size_t i = 0; i < cells; i++) {
		double f = (double)(t->want[i] % CLP_UNIT) / CLP_UNIT;

		if (f <= 0)
			continue;
		start[n] = (int)(2 * n);
		index[2 * n] = (int)(i / t->columns);
		index[2 * n + 1] = (int)(t->rows + i % t->columns);
		value[2 * n] = value[2 * n + 1] = high[n] = 1;
		cost[n++] = 1 - 2 * f;
		sums[i / t->columns] += f;
		sums[t->rows + i % t->columns] += f;
		all += f;
	}
	start[n] = (int)(2 * n);
	clp->Clp_setLogLevel(model, 0);
	clp->Clp_loadProblem(model, (int)n, (int)lines, start, index, value, low, high, cost,
			     sums, sums);
	clp->Clp_initialSolveWithOptions(model, options);
	check(clp->Clp_status(model) == 0 ? SOTTO_OK : SOTTO_ESTATE, "Clp");
	for (size_t i = 0; i < n; i++)
		all += cost[i] * clp->Clp_getColSolution(model)[i];
	clp->ClpSolve_delete(options);
	clp->Clp_deleteModel(model);
	free(memory);
	free(high);
	free(start);
	return all;
}

struct clp_race {
	struct sotto_clp clp;
	struct sotto_transport_work work;
	uint64_t dice;
	size_t tables, cells;
	double ours, theirs, worst; /* seconds; how far the optima are apart */
};

static void clp_race_family(struct clp_race *c, const struct sotto_census_world *w, size_t node)
{
	struct clp_table t = clp_table_new(w, node, &c->dice);
	double start = clp_seconds(), between, mine, other;

	mine = clp_ours(&t, &c->work);
	between = clp_seconds();
	other = clp_theirs(&t, &c->clp);
	c->theirs += clp_seconds() - between;
	c->ours += between - start;
	c->worst = fmax(c->worst, fabs(mine - other));
	c->tables++;
	c->cells += t.rows * t.columns;
	free(t.want);
}

/* The county and everything below it but the blocks. */
static void clp_race_county(struct clp_race *c, const struct sotto_census_world *w, size_t node)
{
	clp_race_family(c, w, node);
	if (sotto_census_level_of(&w->shape, node) == CLP_BLOCK_GROUP)
		return;
	for (size_t i = 0; i < w->shape.count[node]; i++)
		clp_race_county(c, w, w->shape.first[node] + i);
}

/* One line: how much faster our rounding is, at the same distance. */
static void run_clp(const struct sotto_census_world *w)
{
	struct clp_race c = {.dice = 7};
	struct sotto_error err = {""};

	if (sotto_clp_load(&c.clp, &err) != SOTTO_OK) {
		printf("  rounding against Clp: left out, because Clp is not installed "
		       "(tools/setup installs it)\n");
		return;
	}
	clp_race_county(&c, w, w->shape.start[CLP_COUNTY]);
	sotto_transport_work_release(&c.work);
	check(c.worst < 1e-6 ? SOTTO_OK : SOTTO_ESTATE, "the optimum of Clp is another one");
	printf("  rounding one county, %zu tables of %zu cells: %.4f s; Clp %.3f s, %.0f times "
	       "as "
	       "long for the same distance (at least 50)\n",
	       c.tables, c.cells / c.tables, c.ours, c.theirs, c.theirs / c.ours);
	fflush(stdout);
}

#endif
