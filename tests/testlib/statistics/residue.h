/*
 * residue.h - what a function leaves on the stack
 *
 * It runs on a stack of its own, so that all that it and its callees have
 * written can be searched afterwards.
 */
#ifndef SOTTO_TESTS_RESIDUE_H
#define SOTTO_TESTS_RESIDUE_H

#include <stdbool.h>
#include <stddef.h>

struct residue;

/* Runs f(context).  The caller gives the result to residue_free. */
struct residue *residue_of(void (*f)(void *), void *context);

/* Whether these bytes are there, as they are or with the bytes of each 32-bit word reversed. */
bool residue_has(const struct residue *r, const void *bytes, size_t n);
void residue_free(struct residue *r);

#endif
