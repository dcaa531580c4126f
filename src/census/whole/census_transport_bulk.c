/*
 * Controlled rounding by minimum-cost flow on the bipartite graph of rows and columns.
 *
 * (1) Greedy: from the floors, cells with the largest fractions go up while their row and
 *     column lack something.
 * (2) Negative cycles are cancelled: no exchange along a cycle lowers the cost.
 * (3) What rows and columns still lack or have too much flows along cheapest paths, which
 *     keeps (2).  So the end is optimal.
 */
#include "census/whole/census_transport.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "sotto/rng.h"

struct graph {
	const struct sotto_transport *t;
	size_t nodes; /* rows, then columns */
	int64_t *lack; /* of each node: sum minus what it has; rows and columns alike */
	int64_t *distance;
	uint32_t *from; /* the node before on the cheapest path; itself: none */
	uint32_t *mark;
	int64_t *up, *down; /* what one unit more or less in a cell costs; `never`: it cannot */
	uint32_t *order; /* of cells, for the greedy start */
};

static const int64_t never = INT64_MAX / 4;

void sotto_transport_work_release(struct sotto_transport_work *w)
{
	free(w->memory);
	*w = (struct sotto_transport_work){0};
}

static enum sotto_status
graph_init(struct graph *g, const struct sotto_transport *t, struct sotto_transport_work *w)
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

static int64_t floor_div(int64_t a, int64_t b)
{
	return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static int64_t fraction(const struct sotto_transport *t, size_t i)
{
	return t->want[i] - floor_div(t->want[i], t->unit) * t->unit;
}

static void start_at_floors(struct graph *g)
{
	const struct sotto_transport *t = g->t;

	memcpy(g->lack, t->row_sums, t->rows * sizeof *g->lack);
	memcpy(g->lack + t->rows, t->column_sums, t->columns * sizeof *g->lack);
	for (size_t r = 0, i = 0; r < t->rows; r++)
		for (size_t k = 0; k < t->columns; k++, i++) {
			int64_t x = floor_div(t->want[i], t->unit);

			x = x < t->low[i] ? t->low[i] : x > t->high[i] ? t->high[i] : x;
			t->x[i] = x;
			g->lack[r] -= x;
			g->lack[t->rows + k] -= x;
		}
}

/* Cells by descending fraction: 256 buckets are enough for a start. */
static size_t order_cells(struct graph *g)
{
	const struct sotto_transport *t = g->t;
	size_t cells = t->rows * t->columns, starts[257] = {0}, n = 0;

	/* bucket 256 holds the cells without a fraction */

	for (size_t i = 0; i < cells; i++)
		starts[256 - fraction(t, i) * 256 / t->unit]++;
	for (size_t b = 0; b < 257; b++) {
		size_t count = starts[b];

		starts[b] = n;
		n += count;
	}
	n = starts[256];
	for (size_t i = 0; i < cells; i++)
		g->order[starts[256 - fraction(t, i) * 256 / t->unit]++] = (uint32_t)i;
	return n;
}

static void fill_greedily(struct graph *g)
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
static void price(struct graph *g, size_t i)
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

static void price_all(struct graph *g)
{
	for (size_t i = 0; i < g->t->rows * g->t->columns; i++)
		price(g, i);
}

/* One pass over all edges; true if some distance fell.  Unreached nodes are at `never`. */
static bool relax(struct graph *g)
{
	size_t rows = g->t->rows, columns = g->t->columns;
	int64_t *to = g->distance + rows;
	uint32_t *from = g->from + rows;
	bool changed = false;

	for (size_t r = 0; r < rows; r++) {
		const int64_t *up = g->up + r * columns, *down = g->down + r * columns;
		int64_t here = g->distance[r], best = here;
		size_t nearest = columns;

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

/* The cell between two neighbouring nodes, and whether the step adds to it. */
static size_t cell_between(const struct sotto_transport *t, size_t from, size_t to, bool *adds)
{
	*adds = from < t->rows;
	return *adds ? from * t->columns + (to - t->rows) : to * t->columns + (from - t->rows);
}

/* How many units may move on an edge at the cost of the first. */
static int64_t room(const struct sotto_transport *t, size_t from, size_t to)
{
	bool adds;
	size_t i = cell_between(t, from, to, &adds);
	int64_t bound = adds ? t->high[i] - t->x[i] : t->x[i] - t->low[i];
	int64_t gap = adds ? t->want[i] - t->x[i] * t->unit : t->x[i] * t->unit - t->want[i];
	int64_t flat = gap >= t->unit ? gap / t->unit : gap <= 0 ? bound : 1;

	return flat < bound ? flat : bound;
}

static void move(struct graph *g, size_t from, size_t to, int64_t amount)
{
	bool adds;
	size_t i = cell_between(g->t, from, to, &adds);

	g->t->x[i] += adds ? amount : -amount;
	price(g, i);
}

/* A node on a cycle of the `from` links, or SIZE_MAX. */
static size_t find_cycle(const struct graph *g)
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

static void cancel(struct graph *g, size_t on_cycle)
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

static void cancel_cycles(struct graph *g)
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
static bool sends(const struct graph *g, size_t v)
{
	return v < g->t->rows ? g->lack[v] > 0 : g->lack[v] < 0;
}

static bool receives(const struct graph *g, size_t v)
{
	return v < g->t->rows ? g->lack[v] < 0 : g->lack[v] > 0;
}

/* Sends along the path to v as much as fits. */
static void augment(struct graph *g, size_t end)
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

static enum sotto_status settle_lacks(struct graph *g)
{
	for (;;) {
		size_t end = SIZE_MAX;
		bool any = false;

		for (size_t v = 0; v < g->nodes; v++) {
			g->distance[v] = sends(g, v) ? 0 : never;
			g->from[v] = (uint32_t)v;
			any |= g->lack[v] != 0;
		}
		if (!any)
			return SOTTO_OK;
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
static void fill_corner(struct graph *g)
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

/* ---- unbiased --------------------------------------------------------------------------- */

/* The next fractional cell of a node, other than the one it was reached by. */
static size_t
next_node(const struct sotto_transport *t, const int64_t *rest, size_t v, size_t before)
{
	size_t count = v < t->rows ? t->columns : t->rows;

	for (size_t j = 0; j < count; j++) {
		size_t other = v < t->rows ? t->rows + j : j;
		size_t i = v < t->rows ? v * t->columns + j : j * t->columns + (v - t->rows);

		if (other != before && rest[i] > 0)
			return other;
	}
	return SIZE_MAX;
}

/*
 * Walks along fractional cells until a node comes again; `from` then holds a cycle
 * through it.  A node with a fractional cell has two of them, since its sum is whole.
 */
static size_t walk_cycle(struct graph *g, const int64_t *rest, size_t start)
{
	size_t v = start, before = SIZE_MAX;

	memset(g->mark, 0, g->nodes * sizeof *g->mark);
	while (!g->mark[v]) {
		size_t next = next_node(g->t, rest, v, before);

		if (next == SIZE_MAX)
			return SIZE_MAX;
		g->mark[v] = 1;
		g->from[v] = (uint32_t)next;
		before = v;
		v = next;
	}
	return v;
}

/* Moves the cells of the cycle up and down in turn, either way with odds that keep the mean. */
static enum sotto_status shift(struct graph *g, int64_t *rest, size_t on, struct sotto_rng *rng)
{
	int64_t up = INT64_MAX, down = INT64_MAX;
	uint64_t draw = 0;
	size_t v = on;

	do {
		bool adds;
		size_t i = cell_between(g->t, v, g->from[v], &adds);
		int64_t more = adds ? g->t->unit - rest[i] : rest[i];
		int64_t less = adds ? rest[i] : g->t->unit - rest[i];

		up = more < up ? more : up;
		down = less < down ? less : down;
		v = g->from[v];
	} while (v != on);
	SOTTO_TRY(sotto_uniform_below(rng, (uint64_t)(up + down), &draw));
	up = draw < (uint64_t)down ? up : -down;
	do {
		bool adds;
		size_t i = cell_between(g->t, v, g->from[v], &adds);

		rest[i] += adds ? up : -up;
		if (rest[i] == g->t->unit) {
			rest[i] = 0;
			g->t->x[i]++;
		}
		v = g->from[v];
	} while (v != on);
	return SOTTO_OK;
}

static enum sotto_status round_unbiased(struct graph *g, struct sotto_rng *rng)
{
	size_t cells = g->t->rows * g->t->columns;
	int64_t *rest = malloc((cells + 1) * sizeof *rest);
	enum sotto_status st = rest ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t i = 0; rest && i < cells; i++)
		rest[i] = fraction(g->t, i);
	for (size_t i = 0; st == SOTTO_OK && i < cells;) {
		size_t on;

		if (rest[i] == 0) {
			i++;
			continue;
		}
		on = walk_cycle(g, rest, i / g->t->columns);
		st = on == SIZE_MAX ? SOTTO_EINFEASIBLE : shift(g, rest, on, rng);
	}
	free(rest);
	return st;
}

enum sotto_status sotto_transport_round(const struct sotto_transport *t,
					enum sotto_rounding rounding, struct sotto_rng *rng,
					struct sotto_transport_work *work)
{
	struct graph g;

	SOTTO_TRY(graph_init(&g, t, work));
	start_at_floors(&g);
	if (rounding == SOTTO_ROUNDING_UNBIASED)
		return round_unbiased(&g, rng);
	fill_greedily(&g);
	if (rounding == SOTTO_ROUNDING_FAST)
		fill_corner(&g);
	price_all(&g);
	if (rounding == SOTTO_ROUNDING_L1)
		cancel_cycles(&g);
	return settle_lacks(&g);
}
