/*
 * fuzz.h - what a fuzz target is
 *
 * libFuzzer calls it with made-up bytes (make fuzz), replay.c with the files of
 * its corpus (make check).  A target fails by crashing, or by abort() when what
 * it checks does not hold.
 */
#ifndef SOTTO_FUZZ_H
#define SOTTO_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
