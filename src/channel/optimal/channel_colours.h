/*
 * channel_colours.h - distinguishes answers and guesses by their neighbours and gains
 *
 * Nodes are the answers, then the guesses.  Colours are refined until nodes of one colour see the
 * same colours around them: along edges, and through equal gains.  A renaming does not change the
 * numbers of colours, so two colourings can be compared.
 */
#ifndef SOTTO_INSIDE_CHANNEL_COLOURS_H
#define SOTTO_INSIDE_CHANNEL_COLOURS_H

#include <stdint.h>

#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"

/* A user's case with numbers instead of fractions: equal fractions have equal numbers. */
struct sotto_pattern {
	size_t answers, guesses;
	const struct sotto_graph *graph; /* borrowed */
	uint32_t *prior; /* of each answer */
	uint32_t *gain; /* guesses x answers */
	uint32_t *length; /* of each edge */
};

/* Makes the pattern; pair a success with _release.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_pattern_init(struct sotto_pattern *p, const struct sotto_graph *graph,
		   const struct sotto_matrix *prior, const struct sotto_matrix *gain);
void sotto_pattern_release(struct sotto_pattern *p);

/*
 * Refines the colours (answers + guesses places).  A colour is the number of nodes with smaller
 * colours.  *steps grows by the work done.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_colours_refine(const struct sotto_pattern *p, size_t *colours, uint64_t *steps);

/* Gives a node a colour of its own, just before the others of its colour. */
void sotto_colours_single(size_t *colours, size_t nodes, size_t node);

#endif
