/*
 * channel_graph.h - which answers are neighbours, and how far apart answers are
 *
 * Nodes are the answers 0 .. n-1.  An edge of length d allows two answers' probabilities to
 * differ by a factor of e^(epsilon d); without lengths every d is 1.  Answers without a path
 * between them are unrelated.
 */
#ifndef SOTTO_INSIDE_CHANNEL_GRAPH_H
#define SOTTO_INSIDE_CHANNEL_GRAPH_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "channel/matrix/channel_matrix.h"

/* Lengths are at most this, and their denominators at most a million. */
enum { SOTTO_DISTANCE_MAX = 10000, SOTTO_GRAPH_NODES_MAX = 10000 };

struct sotto_edge {
	size_t from;
	size_t to; /* > from */
	mpq_t length;
};

struct sotto_graph {
	size_t nodes;
	struct sotto_edge *edges; /* sorted by (from, to), none twice */
	size_t edge_count;
	bool is_path; /* 0 - 1 - ... - n-1, every length 1 */
	bool is_line; /* the same with any lengths */
	bool is_tree; /* connected and without a cycle; a line is one */
	bool has_lengths; /* not all lengths are 1 */
};

/*
 * Makes a graph from edges in any order; if lengths is NULL every length is 1.
 * Fails:    SOTTO_EINVAL for a loop, an unknown node or a length that is not positive;
 *           SOTTO_ERANGE; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_graph_new(size_t nodes, const size_t (*ends)[2], const mpq_t *lengths, size_t count,
		struct sotto_graph **out, struct sotto_error *err);

/*
 * Makes the graph of a metric: pairs (i, j) without a node between them, d(i,k) + d(k,j) =
 * d(i,j); all other bounds follow from these.
 *
 * Fails:    SOTTO_EINVAL if d is not a metric (err names the cell).
 */
SOTTO_MUST_CHECK enum sotto_status sotto_graph_of_metric(const struct sotto_matrix *d,
							 struct sotto_graph **out,
							 struct sotto_error *err);

/* Computes all distances; -1 where there is no path.  Fails: SOTTO_ERANGE, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_graph_distances(const struct sotto_graph *g, struct sotto_matrix **out);

/* Computes the greatest distance; for unrelated answers n - 1 is used. */
void sotto_graph_diameter(const struct sotto_matrix *distances, mpq_t out);

#endif
