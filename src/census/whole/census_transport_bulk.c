/*
 * Controlled rounding by minimum-cost flow on the bipartite graph of rows and columns.
 *
 * (1) Greedy: from the floors, cells with the largest fractions go up while their row and
 *     column lack something.
 * (2) Negative cycles are cancelled: no exchange along a cycle lowers the cost.
 * (3) What rows and columns still lack or have too much flows along cheapest paths, which
 *     keeps (2).  So the end is optimal.
 */

#include <stdlib.h>
#include <string.h>

#include "census/whole/census_transport_unbiased.h"
#include "core/base/failure.h"

static const int64_t never = INT64_MAX / 4;

void sotto_transport_work_release(struct sotto_transport_work *w)
{
	free(w->memory);
	*w = (struct sotto_transport_work){0};
}

static enum sotto_status graph_init(struct sotto_transport_graph *g,
				    const struct sotto_transport *t,
				    struct sotto_transport_work *w)
{
	size_t nodes = t->rows + t->columns, cells = t->rows * t->columns;
	size_t size = nodes * (2 * sizeof(int64_t) + 2 * sizeof(uint32_t)) +
		      cells * (2 * sizeof(int64_t) + sizeof(uint32_t));

	if (w->size < size) {
		void *memory = realloc(w->memory, 2 * size);

		if (!memory)
			return SOTTO_ENOMEM;
		w->memory = memory;
		w->size = 2 * size;
	}
	g->t = t;
	g->nodes = nodes;
	g->lack = w->memory;
	g->distance = g->lack + nodes;
	g->up = g->distance + nodes;
	g->down = g->up + cells;
	g->from = (uint32_t *)(void *)(g->down + cells);
	g->mark = g->from + nodes;
	g->order = g->mark + nodes;
	return SOTTO_OK;
}

/* Cells by descending fraction: 256 buckets are enough for a start.  The last one has none. */
enum { BUCKETS = 257, NO_FRACTION = 256 };

/* Divides by the unit; that is a power of 2 but for small tables, and shifts are cheaper. */
struct divisor {
	int64_t unit;
	int shift; /* -1: none */
};

static struct divisor divisor_of(int64_t unit)
{
	return (struct divisor){unit, (unit & (unit - 1)) == 0 ? __builtin_ctzll((uint64_t)unit)
							       : -1};
}

static int64_t divide(int64_t a, struct divisor d)
{
	return d.shift >= 0 ? a >> d.shift : sotto_transport_floor(a, d.unit);
}

/* Every cell at its floor; the bucket of its fraction is kept in `up` till prices are there. */
static void start_at_floors(struct sotto_transport_graph *g)
{
	const struct sotto_transport *t = g->t;
	struct divisor d = divisor_of(t->unit);

	memcpy(g->lack, t->row_sums, t->rows * sizeof *g->lack);
	memcpy(g->lack + t->rows, t->column_sums, t->columns * sizeof *g->lack);
	for (size_t r = 0, i = 0; r < t->rows; r++)
		for (size_t k = 0; k < t->columns; k++, i++) {
			int64_t x = divide(t->want[i], d);

			g->up[i] = NO_FRACTION - divide((t->want[i] - x * t->unit) * 256, d);
			x = x < t->low[i] ? t->low[i] : x > t->high[i] ? t->high[i] : x;
			t->x[i] = x;
			g->lack[r] -= x;
			g->lack[t->rows + k] -= x;
		}
}

static size_t order_cells(struct sotto_transport_graph *g)
{
	size_t cells = g->t->rows * g->t->columns, starts[BUCKETS] = {0}, n = 0;

	for (size_t i = 0; i < cells; i++)
		starts[g->up[i]]++;
	for (size_t b = 0; b < BUCKETS; b++) {
		size_t count = starts[b];

		starts[b] = n;
		n += count;
	}
	n = starts[NO_FRACTION];
	for (size_t i = 0; i < cells; i++)
		g->order[starts[g->up[i]]++] = (uint32_t)i;
	return n;
}

static void fill_greedily(struct sotto_transport_graph *g)
{
	const struct sotto_transport *t = g->t;
	size_t n = order_cells(g);

	for (size_t j = 0; j < n; j++) {
		size_t i = g->order[j];
		int64_t *row = &g->lack[i / t->columns];
		int64_t *column = &g->lack[t->rows + i % t->columns];

		if (*row > 0 && *column > 0 && t->x[i] < t->high[i]) {
			t->x[i]++;
			--*row;
			--*column;
		}
	}
}

/* What one unit more (or less) in cell i costs. */
static void price(struct sotto_transport_graph *g, size_t i)
{
	const struct sotto_transport *t = g->t;
	int64_t over = t->x[i] * t->unit - t->want[i];
	int64_t weight = t->weights ? t->weights[i % t->columns] : 1;
	int64_t up = over >= 0 ? t->unit : over + t->unit <= 0 ? -t->unit : 2 * over + t->unit;
	int64_t down = over <= 0             ? t->unit
		       : over - t->unit >= 0 ? -t->unit
					     : t->unit - 2 * over;

	g->up[i] = t->x[i] < t->high[i] ? weight * up : never;
	g->down[i] = t->x[i] > t->low[i] ? weight * down : never;
}

static void price_all(struct sotto_transport_graph *g)
{
	for (size_t i = 0; i < g->t->rows * g->t->columns; i++)
		price(g, i);
}

/* May an edge of this row shorten something?  In most rows none does. */
static bool may_relax(int64_t here, const int64_t *up, const int64_t *down, const int64_t *to,
		      size_t columns)
{
	int64_t signs = 0;

	for (size_t k = 0; k < columns; k++)
		signs |= (here + up[k] - to[k]) | (to[k] + down[k] - here);
	return signs < 0;
}

/* One pass over all edges; true if some distance fell.  Unreached nodes are at `never`. */
static bool relax(struct sotto_transport_graph *g)
{
	size_t rows = g->t->rows, columns = g->t->columns;
	int64_t *to = g->distance + rows;
	uint32_t *from = g->from + rows;
	bool changed = false;

	for (size_t r = 0; r < rows; r++) {
		const int64_t *up = g->up + r * columns, *down = g->down + r * columns;
		int64_t here = g->distance[r], best = here;
		size_t nearest = columns;

		if (!may_relax(here, up, down, to, columns))
			continue;
		for (size_t k = 0; k < columns; k++) {
			int64_t out = here + up[k], back = to[k] + down[k];

			if (out < to[k] && up[k] < never && here < never) {
				to[k] = out;
				from[k] = (uint32_t)r;
				changed = true;
			}
			if (back < best && down[k] < never && to[k] < never) {
				best = back;
				nearest = k;
			}
		}
		if (nearest < columns) {
			g->distance[r] = best;
			g->from[r] = (uint32_t)(rows + nearest);
			changed = true;
		}
	}
	return changed;
}

/* How many units may move on an edge at the cost of the first. */
static int64_t room(const struct sotto_transport *t, size_t from, size_t to)
{
	bool adds;
	size_t i = sotto_transport_cell(t, from, to, &adds);
	int64_t bound = adds ? t->high[i] - t->x[i] : t->x[i] - t->low[i];
	int64_t gap = adds ? t->want[i] - t->x[i] * t->unit : t->x[i] * t->unit - t->want[i];
	int64_t flat = gap >= t->unit ? gap / t->unit : gap <= 0 ? bound : 1;

	return flat < bound ? flat : bound;
}

static void move(struct sotto_transport_graph *g, size_t from, size_t to, int64_t amount)
{
	bool adds;
	size_t i = sotto_transport_cell(g->t, from, to, &adds);

	g->t->x[i] += adds ? amount : -amount;
	price(g, i);
}

/* A node on a cycle of the `from` links, or SIZE_MAX. */
static size_t find_cycle(const struct sotto_transport_graph *g)
{
	memset(g->mark, 0, g->nodes * sizeof *g->mark);
	for (size_t start = 0; start < g->nodes; start++) {
		size_t v = start;

		while (g->mark[v] == 0 && g->from[v] != v) {
			g->mark[v] = (uint32_t)start + 1;
			v = g->from[v];
		}
		if (g->from[v] != v && g->mark[v] == start + 1)
			return v;
		g->mark[v] = (uint32_t)start + 1;
	}
	return SIZE_MAX;
}

static void cancel(struct sotto_transport_graph *g, size_t on_cycle)
{
	int64_t amount = INT64_MAX;
	size_t v = on_cycle;

	do {
		int64_t most = room(g->t, g->from[v], v);

		amount = most < amount ? most : amount;
		v = g->from[v];
	} while (v != on_cycle);
	do {
		move(g, g->from[v], v, amount);
		v = g->from[v];
	} while (v != on_cycle);
}

static void cancel_cycles(struct sotto_transport_graph *g)
{
	for (;;) {
		size_t cycle = SIZE_MAX;
		bool changed = true;

		for (size_t v = 0; v < g->nodes; v++) {
			g->distance[v] = 0;
			g->from[v] = (uint32_t)v;
		}
		for (size_t pass = 1; changed && cycle == SIZE_MAX; pass++) {
			changed = relax(g);
			if (changed && pass % 4 == 0)
				cycle = find_cycle(g);
		}
		if (cycle == SIZE_MAX)
			return;
		cancel(g, cycle);
	}
}

/* Rows that lack and columns that have too much send; the others receive. */
static bool sends(const struct sotto_transport_graph *g, size_t v)
{
	return v < g->t->rows ? g->lack[v] > 0 : g->lack[v] < 0;
}

static bool receives(const struct sotto_transport_graph *g, size_t v)
{
	return v < g->t->rows ? g->lack[v] < 0 : g->lack[v] > 0;
}

/* Sends along the path to v as much as fits. */
static void augment(struct sotto_transport_graph *g, size_t end)
{
	size_t start = end;
	int64_t amount = llabs(g->lack[end]);

	for (; g->from[start] != start; start = g->from[start]) {
		int64_t most = room(g->t, g->from[start], start);

		amount = most < amount ? most : amount;
	}
	if (llabs(g->lack[start]) < amount)
		amount = llabs(g->lack[start]);
	for (size_t v = end; g->from[v] != v; v = g->from[v])
		move(g, g->from[v], v, amount);
	g->lack[start] += g->lack[start] > 0 ? -amount : amount;
	g->lack[end] += g->lack[end] > 0 ? -amount : amount;
}

static bool has_lacks(const struct sotto_transport_graph *g)
{
	for (size_t v = 0; v < g->nodes; v++)
		if (g->lack[v] != 0)
			return true;
	return false;
}

static enum sotto_status settle_lacks(struct sotto_transport_graph *g)
{
	for (;;) {
		size_t end = SIZE_MAX;

		if (!has_lacks(g))
			return SOTTO_OK;
		for (size_t v = 0; v < g->nodes; v++) {
			g->distance[v] = sends(g, v) ? 0 : never;
			g->from[v] = (uint32_t)v;
		}
		while (relax(g))
			;
		for (size_t v = 0; v < g->nodes; v++)
			if (receives(g, v) && g->distance[v] < never &&
			    (end == SIZE_MAX || g->distance[v] < g->distance[end]))
				end = v;
		if (end == SIZE_MAX)
			return SOTTO_EINFEASIBLE;
		augment(g, end);
	}
}

/* ---- fast ------------------------------------------------------------------------------- */

/* From the corner on, whatever the fractions are. */
static void fill_corner(struct sotto_transport_graph *g)
{
	const struct sotto_transport *t = g->t;

	for (size_t r = 0, i = 0; r < t->rows; r++)
		for (size_t k = 0; k < t->columns; k++, i++) {
			int64_t *row = &g->lack[r], *column = &g->lack[t->rows + k];
			int64_t amount = *row < *column ? *row : *column;

			if (amount > t->high[i] - t->x[i])
				amount = t->high[i] - t->x[i];
			if (amount <= 0)
				continue;
			t->x[i] += amount;
			*row -= amount;
			*column -= amount;
		}
}

enum sotto_status sotto_transport_round(const struct sotto_transport *t,
					enum sotto_rounding rounding, struct sotto_rng *rng,
					struct sotto_transport_work *work)
{
	struct sotto_transport_graph g;

	SOTTO_TRY(graph_init(&g, t, work));
	start_at_floors(&g);
	if (rounding == SOTTO_ROUNDING_UNBIASED)
		return sotto_transport_round_unbiased(&g, rng);
	fill_greedily(&g);
	if (rounding == SOTTO_ROUNDING_FAST)
		fill_corner(&g);
	price_all(&g);
	/* Paths are shortest only where no cycle lowers the cost for ever. */
	if (rounding == SOTTO_ROUNDING_L1 || has_lacks(&g))
		cancel_cycles(&g);
	return settle_lacks(&g);
}
