/*
 * catalog_array.h - arrays as PostgreSQL writes them: {a,"b c",NULL}
 */
#ifndef SOTTO_CATALOG_ARRAY_H
#define SOTTO_CATALOG_ARRAY_H

#include <stdbool.h>

#include "core/base/buffer.h"

/* The next item of an array; *at begins at its '{'.  False at the end. */
bool sotto_array_next(const char **at, struct sotto_buffer *out, bool *is_null);

#endif
