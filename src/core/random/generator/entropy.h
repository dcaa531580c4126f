/*
 * entropy.h - reads randomness from the operating system
 */
#ifndef SOTTO_ENTROPY_H
#define SOTTO_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/*
 * Reads n bytes (at most 256) from getrandom(2), blocking until the kernel is seeded.  There is
 * no fallback: no device file, clock, process id or CPU instruction.
 *
 * Fails:    SOTTO_EENTROPY; out is then zeroed.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_entropy_read(uint8_t *out, size_t n);

#endif
