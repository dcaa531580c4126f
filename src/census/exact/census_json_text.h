/*
 * census_json_text.h - reads and writes exact numbers in JSON; every complaint has the path
 *
 * A number is a JSON number, read as the decimal that was written, or a text such as "202/7".
 */
#ifndef SOTTO_CENSUS_JSON_TEXT_H
#define SOTTO_CENSUS_JSON_TEXT_H

#include <gmp.h>
#include <jansson.h>
#include <stdbool.h>

#include "core/base/buffer.h"
#include "sotto/status.h"

/* Reads JSON.  Fails: SOTTO_EPARSE with line and column. */
SOTTO_MUST_CHECK enum sotto_status
sotto_json_load(const char *text, json_t **out, struct sotto_error *err);

/* Reads a number.  Fails: SOTTO_EPARSE, "path: what must be a number". */
SOTTO_MUST_CHECK enum sotto_status
sotto_json_number(const json_t *value, const char *path, mpq_t out, struct sotto_error *err);

/* Refuses a value that is not an object, and keys that are not in the list (ends with NULL). */
SOTTO_MUST_CHECK enum sotto_status sotto_json_keys(json_t *object, const char *path,
						   const char *const *keys,
						   struct sotto_error *err);

/* Reads the truth value at key; `fallback` if it is missing. */
SOTTO_MUST_CHECK enum sotto_status sotto_json_truth(const json_t *object, const char *key,
						    bool fallback, bool *out,
						    struct sotto_error *err);

/* Append to a buffer.  Numbers: "p/q" as text if exact, else the nearest decimal. */
SOTTO_MUST_CHECK enum sotto_status
sotto_json_put_number(struct sotto_buffer *b, const mpq_t q, bool exact);
SOTTO_MUST_CHECK enum sotto_status sotto_json_put_double(struct sotto_buffer *b, double x);
SOTTO_MUST_CHECK enum sotto_status
sotto_json_put_text(struct sotto_buffer *b, const char *text);

/* Returns the nearest double. */
double sotto_rational_nearest(const mpq_t q);

/* Moves the buffer's text to *out (malloc'd).  The buffer is released in any case. */
SOTTO_MUST_CHECK enum sotto_status
sotto_json_finish(struct sotto_buffer *b, enum sotto_status so_far, char **out);

#endif
