/*
 * channel_graph_named.h - makes graphs by their names: a path, a cycle, a complete graph
 */
#ifndef SOTTO_CHANNEL_GRAPH_NAMED_H
#define SOTTO_CHANNEL_GRAPH_NAMED_H

#include <stdbool.h>
#include <stddef.h>

#include "sotto/channel.h"

/*
 * Makes the graph path, cycle, complete, star (0 in the middle), tree (binary), "grid 3x4",
 * "hypercube 3", "power 2" (i ~ j if |i - j| <= 2) or "line 0 2 3 7" (positions); or the graph of
 * a query: count (path), "sum 2" (of values up to 2: power), category (complete), "counts 3x4"
 * (one of them changes: grid), "bits 3" (hypercube).  answers may be 0 if the name gives the
 * number.
 *
 * Fails:    SOTTO_EPARSE for an unknown name, SOTTO_ERANGE if sizes do not fit, err says why;
 *           SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_graph_named(const char *name, size_t answers,
						     struct sotto_graph **out,
						     struct sotto_error *err);

#endif
