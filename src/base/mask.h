/*
 * mask.h - a condition as a mask, so that no compiler makes a branch of it
 */
#ifndef SOTTO_BASE_MASK_H
#define SOTTO_BASE_MASK_H

#include <stdbool.h>
#include <stdint.h>

/* All ones if the condition holds, else zero; where it came from is hidden. */
static inline uint64_t sotto_mask(bool condition)
{
	uint64_t mask = -(uint64_t)condition;

	__asm__("" : "+r"(mask));
	return mask;
}

#endif
