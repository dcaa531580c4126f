/*
 * classes.h - numbers for the distinct outcomes of a small space
 *
 * The first outcome seen is class 0, the next new one 1, and so on, so that
 * reports can be counted without knowing what they can be.
 */
#ifndef SOTTO_TESTS_CLASSES_H
#define SOTTO_TESTS_CLASSES_H

#include <stddef.h>
#include <stdint.h>

enum { CLASSES = 4096, CLASS_BYTES = 16 };

struct classes {
	uint8_t seen[CLASSES][CLASS_BYTES + 1];
	unsigned slot[4 * CLASSES]; /* class + 1 by hash; 0: free */
	unsigned count;
};

/* At most CLASS_BYTES bytes; past CLASSES classes everything is the last one. */
unsigned class_of(struct classes *c, const uint8_t *bytes, size_t n);

#endif
