/*
 * census_transport_graph.h - a table as a graph of rows and columns, for all ways of rounding
 */
#ifndef SOTTO_CENSUS_TRANSPORT_GRAPH_H
#define SOTTO_CENSUS_TRANSPORT_GRAPH_H

#include "census/whole/census_transport.h"

struct sotto_transport_graph {
	const struct sotto_transport *t;
	size_t nodes; /* rows, then columns */
	int64_t *lack; /* of each node: its sum minus what it has, for rows and columns alike */
	int64_t *distance;
	uint32_t *from; /* the previous node on the cheapest path; itself: none */
	uint32_t *mark;
	/* What one unit more or less in a cell costs; `never`: impossible. */
	int64_t *up, *down;
	uint32_t *order; /* of cells, for the greedy start */
};

static inline int64_t sotto_transport_floor(int64_t a, int64_t b)
{
	return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static inline int64_t sotto_transport_fraction(const struct sotto_transport *t, size_t i)
{
	return t->want[i] - sotto_transport_floor(t->want[i], t->unit) * t->unit;
}

/* Returns the cell between two neighbouring nodes, and whether the step adds to it. */
static inline size_t
sotto_transport_cell(const struct sotto_transport *t, size_t from, size_t to, bool *adds)
{
	*adds = from < t->rows;
	return *adds ? from * t->columns + (to - t->rows) : to * t->columns + (from - t->rows);
}

#endif
