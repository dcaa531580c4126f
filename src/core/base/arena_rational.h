/*
 * arena_rational.h - exact numbers that are freed with an arena
 */
#ifndef SOTTO_ARENA_RATIONAL_H
#define SOTTO_ARENA_RATIONAL_H

#include "core/base/arena.h"
#include "sotto/rational.h"

/* Returns a rational that is 0 and lives as long as the arena; NULL if out of memory. */
struct sotto_rational *sotto_arena_rational(struct sotto_arena *a);

#endif
