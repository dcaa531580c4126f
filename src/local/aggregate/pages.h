/*
 * pages.h - large arrays of zeros that take memory only where they are used
 */
#ifndef SOTTO_PAGES_H
#define SOTTO_PAGES_H

#include <stddef.h>

/* Aligned to a page; NULL without memory.  Large pages where the kernel has them and `large`. */
void *sotto_pages_new(size_t bytes, int large);

/* The bytes it was made with; NULL is nothing. */
void sotto_pages_free(void *pages, size_t bytes);

#endif
