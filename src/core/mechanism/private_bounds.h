/*
 * private_bounds.h - the ladder of magnitudes on which bounds are found
 */
#ifndef SOTTO_PRIVATE_BOUNDS_H
#define SOTTO_PRIVATE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/stream.h"

size_t sotto_bounds_bin(int64_t x);

/* Returns the least and the largest value of a bin. */
struct sotto_range sotto_bounds_of_bin(size_t bin);

#endif
