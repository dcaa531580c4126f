/*
 * scatter.h - many increments all over a table that is larger than the cache
 *
 * Increments are collected, sorted by region of the table, and applied region
 * by region: two sequential passes instead of a cache miss each.
 */
#ifndef SOTTO_LOCAL_SCATTER_H
#define SOTTO_LOCAL_SCATTER_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_scatter;

/* For a table of this many cells.  Fails: SOTTO_ENOMEM, SOTTO_ERANGE past 2^32 cells. */
SOTTO_MUST_CHECK enum sotto_status sotto_scatter_new(size_t cells, struct sotto_scatter **out);
void sotto_scatter_free(struct sotto_scatter *s);

/* cells[index] += 1, or -= 1 if minus is 1; maybe later. */
void sotto_scatter_add(struct sotto_scatter *s, uint64_t *cells, uint32_t index,
		       unsigned minus);

/* Does what was put off. */
void sotto_scatter_flush(struct sotto_scatter *s, uint64_t *cells);

#endif
