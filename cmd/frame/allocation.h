/*
 * allocation.h - allocates memory, or ends the program if there is none
 *
 * For the program only: the library returns SOTTO_ENOMEM instead.
 */
#ifndef SOTTO_ALLOCATION_H
#define SOTTO_ALLOCATION_H

#include <stddef.h>

/* Prints that there is no memory and ends the program. */
_Noreturn void memory_fail(void);

/* Allocates zeroed memory; never returns NULL.  size may be 0. */
void *memory_new(size_t count, size_t size);

/* Resizes a block, which may be NULL; new memory is not zeroed. */
void *memory_resize(void *block, size_t count, size_t size);

char *memory_copy_text(const char *text);

/* Prints into a new string. */
__attribute__((format(printf, 1, 2))) char *memory_text(const char *format, ...);

/*
 * Makes room for one more item in an array of count items whose capacity is a power of two (or
 * 0).
 */
void *memory_grow(void *items, size_t count, size_t size);

#endif
