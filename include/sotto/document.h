/*
 * sotto/document.h - writing the parts of an answer as JSON or a similar format
 *
 * Rows, intervals and limits have the same structure wherever they are written: by the
 * program as lines for people, by the server as replies.  The library defines the structure
 * (docs/schema/query.json); the caller provides the functions that write it.
 */
#ifndef SOTTO_DOCUMENT_H
#define SOTTO_DOCUMENT_H

#include "sotto/query.h"

/* A writer of JSON or a similar format.  All functions are required; each is given `to`. */
struct sotto_document {
	void *to;
	void (*open)(void *to, char bracket, bool on_one_line); /* '{' or '[' */
	void (*close)(void *to, char bracket);
	void (*key)(void *to, const char *key);
	void (*text)(void *to, const char *text);
	void (*integer)(void *to, int64_t x);
	void (*number)(void *to, double x);
	void (*decimal)(void *to, const char *number); /* exact digits */
	void (*boolean)(void *to, bool x);
	void (*null)(void *to);
};

/* Writes the keys "rows" and "intervals": for each row a list of values, or of intervals and
 * nulls. */
SOTTO_API void
sotto_answer_write_rows(const struct sotto_answer *a, const struct sotto_document *d);

/*
 * Writes the limits for one unit, and what they lose, under a key: an object, with "parts" if
 * there are several; null if there are none.
 */
SOTTO_API void sotto_limits_write(const struct sotto_limits *l, size_t count, const char *key,
				  const struct sotto_document *d);

#endif
