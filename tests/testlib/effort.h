/*
 * effort.h - how much a test may take
 *
 * tools/run-tests says so in the environment: the long set has SOTTO_LONG, the
 * sanitizers' build, ten times slower, SOTTO_VARIANT=asan.
 */
#ifndef SOTTO_TESTS_EFFORT_H
#define SOTTO_TESTS_EFFORT_H

#include <stdlib.h>
#include <string.h>

enum effort { EFFORT_SANITIZED, EFFORT_SHORT, EFFORT_LONG };

static inline enum effort effort(void)
{
	const char *variant = getenv("SOTTO_VARIANT");

	if (variant && strcmp(variant, "asan") == 0)
		return EFFORT_SANITIZED;
	return getenv("SOTTO_LONG") ? EFFORT_LONG : EFFORT_SHORT;
}

#endif
