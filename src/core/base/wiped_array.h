/*
 * wiped_array.h - arrays of secrets that grow without leaving copies behind
 */
#ifndef SOTTO_WIPED_ARRAY_H
#define SOTTO_WIPED_ARRAY_H

#include <stddef.h>

#include "sotto/status.h"

/*
 * Grows *array, which may be NULL, from `old` to `wanted` elements of the given size.  The elements
 * are copied and their old place is wiped, which realloc would not do; new elements are zero.
 *
 * Fails:    SOTTO_ENOMEM; nothing has changed.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_wiped_array_grow(void **array, size_t old, size_t wanted, size_t size);

#endif
