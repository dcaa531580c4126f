/*
 * couple_block.h - inside this folder: two cells together, on a lattice
 */
#ifndef SOTTO_COUPLE_BLOCK_H
#define SOTTO_COUPLE_BLOCK_H

#include <stddef.h>

#include "sotto/status.h"

/* So many places more than the last sum has out, which may be written to. */
enum { SOTTO_COUPLE_ROOM = 8 };

/*
 * Adds all products of x and y to out[i + j], where that is at least from; farther down out has some of them.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_couple_products(const double *x, size_t n,
							 const double *y, size_t m, size_t from,
							 double *out);

#endif
