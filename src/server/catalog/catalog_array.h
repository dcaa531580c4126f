/*
 * catalog_array.h - arrays as PostgreSQL writes them: {a,"b c",NULL}
 */
#ifndef SOTTO_CATALOG_ARRAY_H
#define SOTTO_CATALOG_ARRAY_H

#include <stdbool.h>

#include "core/base/buffer.h"

/* Reads the next item of an array; *at starts at its '{'.  Returns false at the end. */
bool sotto_array_next(const char **at, struct sotto_buffer *out, bool *is_null);

#endif
