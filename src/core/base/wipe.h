/*
 * wipe.h - zeroes memory in a way that the compiler may not remove
 */
#ifndef SOTTO_WIPE_H
#define SOTTO_WIPE_H

#include <stddef.h>
#include <string.h>

static inline void sotto_wipe(void *p, size_t n)
{
	memset(p, 0, n);
	__asm__ __volatile__("" : : "r"(p) : "memory");
}

#endif
