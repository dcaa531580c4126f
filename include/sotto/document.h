/*
 * sotto/document.h - the parts of an answer that every door tells in the same shape
 *
 * Rows, intervals and limits are keys, lists and values wherever they are written: by the
 * program as lines for people, by the server as replies.  What writes them down is the
 * caller's; the shape (docs/schema/query.json) is the library's, stated once.
 */
#ifndef SOTTO_DOCUMENT_H
#define SOTTO_DOCUMENT_H

#include "sotto/query.h"

/* Writes JSON, or what stands for it.  Every function is needed; `to` is given to each. */
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

/* The keys "rows" and "intervals": for each row a list with a value, or an interval or null. */
SOTTO_API void
sotto_answer_write_rows(const struct sotto_answer *a, const struct sotto_document *d);

/*
 * What limits one unit, and what that loses, under a key: an object, with "parts" if there
 * are several; null if there is none.
 */
SOTTO_API void sotto_limits_write(const struct sotto_limits *l, size_t count, const char *key,
				  const struct sotto_document *d);

#endif
