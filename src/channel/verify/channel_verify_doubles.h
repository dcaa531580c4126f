/*
 * channel_verify_doubles.h - checks a matrix of doubles, fast
 */
#ifndef SOTTO_CHANNEL_VERIFY_DOUBLES_H
#define SOTTO_CHANNEL_VERIFY_DOUBLES_H

#include <stdbool.h>
#include <stddef.h>

#include "sotto/channel.h"

/*
 * Finds the witness of a matrix of doubles (row after row), each taken as its exact value,
 * without making fractions; ignores the lengths of edges.  cells must be finite and not negative.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_verify_doubles(const double *cells, size_t rows, size_t columns,
		     const struct sotto_graph *graph, struct sotto_witness *witness,
		     bool *infinite);

#endif
