/*
 * channel_symmetry.h - finds permutations of answers and guesses that change nothing
 *
 * If answers and guesses can be renamed so that neighbours, prior and gain stay the same, a best
 * mechanism can be averaged over the renaming: cells (answer, guess) that are renamed into each
 * other then hold the same probability.  optimal.md has the argument.
 */
#ifndef SOTTO_INSIDE_CHANNEL_SYMMETRY_H
#define SOTTO_INSIDE_CHANNEL_SYMMETRY_H

#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"

/* Which cells, and which answers, are renamed into each other. */
struct sotto_symmetry {
	size_t answers, guesses;
	size_t *cell; /* answers x guesses: the number of each cell's orbit */
	size_t *answer; /* the number of each answer's orbit */
	size_t cell_orbits, answer_orbits;
	size_t *cell_size, *answer_size; /* of each orbit */
};

/*
 * Finds permutations.  Not all need be found: each one that is used was checked exactly, and any
 * set of them is valid.  Pair a success with _release.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_symmetry_find(const struct sotto_graph *graph, const struct sotto_matrix *prior,
		    const struct sotto_matrix *gain, struct sotto_symmetry *out);
void sotto_symmetry_release(struct sotto_symmetry *s);

#endif
