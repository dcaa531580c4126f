/*
 * allocation.h - allocation that ends the program when there is no memory left
 *
 * For the program only: the library returns SOTTO_ENOMEM instead.
 */
#ifndef SOTTO_ALLOCATION_H
#define SOTTO_ALLOCATION_H

#include <stddef.h>

/* Says so and ends the program. */
_Noreturn void memory_fail(void);

/* size may be 0; the result is zeroed and never NULL. */
void *memory_new(size_t count, size_t size);

/* block may be NULL; what is new is not zeroed. */
void *memory_resize(void *block, size_t count, size_t size);

char *memory_copy_text(const char *text);

/* printf into a new string. */
__attribute__((format(printf, 1, 2))) char *memory_text(const char *format, ...);

/*
 * Room for one more item in an array of count items whose room is a power of
 * two (or 0): grows it when it is full.
 */
void *memory_grow(void *items, size_t count, size_t size);

#endif
