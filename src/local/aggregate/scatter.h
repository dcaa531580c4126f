/*
 * scatter.h - many increments all over a table that is larger than the cache
 *
 * Increments are sorted into lanes, one per region of the table, and applied
 * lane by lane to counters of one byte that stay in the cache; what leaves a
 * byte is carried to the table.  Why this is exact and what it costs:
 * scatter.md.
 */
#ifndef SOTTO_SCATTER_H
#define SOTTO_SCATTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_scatter;

/*
 * For a table of this many cells; both_ways if some increments are by -1.
 * Fails: SOTTO_ENOMEM, SOTTO_ERANGE past 2^32 cells.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_scatter_new(size_t cells, bool both_ways, struct sotto_scatter **out);
void sotto_scatter_free(struct sotto_scatter *s);

/*
 * cells[at[i]] += 1, or -= 1 where minus[i] is 1; maybe later.  minus is NULL
 * unless the table goes both ways.
 */
void sotto_scatter_add(struct sotto_scatter *s, uint64_t *cells, const uint32_t *at,
		       const uint8_t *minus, size_t n);

/* Does what was put off. */
void sotto_scatter_flush(struct sotto_scatter *s, uint64_t *cells);

#endif
