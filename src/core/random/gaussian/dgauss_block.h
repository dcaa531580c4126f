/*
 * dgauss_block.h - the parts of bulk Gaussian draws that have a version for each instruction set
 */
#ifndef SOTTO_DGAUSS_BLOCK_H
#define SOTTO_DGAUSS_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "core/random/gaussian/dgauss_cells.h"

enum {
	SOTTO_DGAUSS_GROUP = 64, /* candidates that are judged together */
	SOTTO_DGAUSS_BLOCK = 4096, /* candidates that share a list */
	SOTTO_DGAUSS_DIGITS = 3, /* most 16-bit digits of a place in a cell */
	/* Each candidate of a group takes a column, a threshold, a 16-bit head and its digits. */
	SOTTO_DGAUSS_GROUP_BYTES = SOTTO_DGAUSS_GROUP * (4 + 2 * SOTTO_DGAUSS_DIGITS),
	/*
	 * A judge's p is within [-8, +7] of 2^16 times the acceptance: a head below p - 8 is
	 * accepted, one above p + 6 rejected.  (For cells of width one both margins are 0.)
	 */
	SOTTO_DGAUSS_BELOW = 8,
	SOTTO_DGAUSS_ABOVE = 6,
};

/* Which of 64 candidates are accepted, and which are still open; the others are rejected. */
struct sotto_dgauss_verdict {
	uint64_t yes, open;
};

/* The verdict on one candidate. */
enum sotto_dgauss_answer { SOTTO_DGAUSS_NO, SOTTO_DGAUSS_YES, SOTTO_DGAUSS_OPEN };

struct sotto_dgauss_path {
	const char *name;
	/* Draws and judges a group; see dgauss_judge_kernel.h. */
	void (*judge)(const struct sotto_dgauss_cells *c, const uint8_t *bytes, int64_t *value,
		      uint16_t *head, struct sotto_dgauss_verdict *verdict);
	/*
	 * Copies the values whose bit is set, in order, to out and returns how many there are.
	 * out has room for 64 values, all of which may be overwritten.
	 */
	size_t (*gather)(const int64_t *value, uint64_t chosen, int64_t *out);
};

extern const struct sotto_dgauss_path sotto_dgauss_portable;
#if defined(__x86_64__)
extern const struct sotto_dgauss_path sotto_dgauss_avx2;
extern const struct sotto_dgauss_path sotto_dgauss_avx512;
#endif

/* Returns the fastest path that this CPU can run. */
const struct sotto_dgauss_path *sotto_dgauss_path_best(void);

#endif
