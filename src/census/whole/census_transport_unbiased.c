/* Dependent rounding of a table: every cell keeps its mean, every sum holds (rounding.md). */
#include <stdlib.h>
#include <string.h>

#include "census/whole/census_transport_unbiased.h"
#include "core/base/failure.h"
#include "sotto/rng.h"

struct rests {
	int64_t *cells; /* what is left of the fraction of each */
	size_t *starts; /* of each row and column: no fractional cell comes before; none comes back */
};

/* The next fractional cell of a node, other than the one it was reached by. */
static size_t
next_node(const struct sotto_transport *t, struct rests *rest, size_t v, size_t before)
{
	size_t count = v < t->rows ? t->columns : t->rows;
	bool passed = false;

	for (size_t j = rest->starts[v]; j < count; j++) {
		size_t other = v < t->rows ? t->rows + j : j;
		size_t i = v < t->rows ? v * t->columns + j : j * t->columns + (v - t->rows);

		if (rest->cells[i] == 0)
			continue;
		if (!passed)
			rest->starts[v] = j;
		passed = true;
		if (other != before)
			return other;
	}
	return SIZE_MAX;
}

/*
 * Walks along fractional cells until a node comes again; `from` then holds a cycle
 * through it.  A node with a fractional cell has two of them, since its sum is whole.
 */
static size_t walk_cycle(struct sotto_transport_graph *g, struct rests *rest, size_t start)
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
static enum sotto_status
shift(struct sotto_transport_graph *g, int64_t *rest, size_t on, struct sotto_rng *rng)
{
	int64_t up = INT64_MAX, down = INT64_MAX;
	uint64_t draw = 0;
	size_t v = on;

	do {
		bool adds;
		size_t i = sotto_transport_cell(g->t, v, g->from[v], &adds);
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
		size_t i = sotto_transport_cell(g->t, v, g->from[v], &adds);

		rest[i] += adds ? up : -up;
		if (rest[i] == g->t->unit) {
			rest[i] = 0;
			g->t->x[i]++;
		}
		v = g->from[v];
	} while (v != on);
	return SOTTO_OK;
}

static enum sotto_status
round_all(struct sotto_transport_graph *g, struct rests *rest, struct sotto_rng *rng)
{
	size_t cells = g->t->rows * g->t->columns;

	for (size_t i = 0; i < cells; i++)
		rest->cells[i] = sotto_transport_fraction(g->t, i);
	for (size_t i = 0; i < cells;) {
		size_t on;

		if (rest->cells[i] == 0) {
			i++;
			continue;
		}
		on = walk_cycle(g, rest, i / g->t->columns);
		if (on == SIZE_MAX)
			return SOTTO_EINFEASIBLE;
		SOTTO_TRY(shift(g, rest->cells, on, rng));
	}
	return SOTTO_OK;
}

enum sotto_status
sotto_transport_round_unbiased(struct sotto_transport_graph *g, struct sotto_rng *rng)
{
	size_t cells = g->t->rows * g->t->columns;
	struct rests rest = {malloc((cells + 1) * sizeof *rest.cells),
			     calloc(g->nodes + 1, sizeof *rest.starts)};
	enum sotto_status st =
		rest.cells && rest.starts ? round_all(g, &rest, rng) : SOTTO_ENOMEM;

	free(rest.cells);
	free(rest.starts);
	return st;
}
