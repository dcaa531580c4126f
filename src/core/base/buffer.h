/*
 * buffer.h - a byte buffer that grows up to a cap
 *
 * The cap is given at the start, so that no input can use up the machine's memory.  A failed
 * append leaves the contents as they were.
 */
#ifndef SOTTO_BUFFER_H
#define SOTTO_BUFFER_H

#include <stddef.h>

#include "sotto/status.h"

struct sotto_buffer {
	char *bytes; /* always ends in a NUL that length does not count; NULL while empty */
	size_t length;
	size_t capacity;
	size_t cap;
};

void sotto_buffer_init(struct sotto_buffer *b, size_t cap);
void sotto_buffer_release(struct sotto_buffer *b);

/* Empties the buffer but keeps its memory. */
void sotto_buffer_clear(struct sotto_buffer *b);

/* Makes room for `more` further bytes.  Fails: SOTTO_ERANGE past the cap, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_buffer_reserve(struct sotto_buffer *b, size_t more);

/* Append bytes, a text, or a formatted text.  Fail: SOTTO_ERANGE past the cap, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_buffer_append(struct sotto_buffer *b, const void *bytes, size_t n);
SOTTO_MUST_CHECK enum sotto_status
sotto_buffer_append_text(struct sotto_buffer *b, const char *text);
__attribute__((format(printf, 2, 3))) SOTTO_MUST_CHECK enum sotto_status
sotto_buffer_appendf(struct sotto_buffer *b, const char *format, ...);

/*
 * Appends a whole file.
 *
 * Fails:    SOTTO_EMISSING if it cannot be opened, SOTTO_EIO if it cannot be read,
 *           SOTTO_ERANGE past the cap, SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_buffer_append_file(struct sotto_buffer *b, const char *path);

/*
 * The same for a file that is read again later: SOTTO_EIO, without waiting, for a pipe or anything
 * else that is not a regular file.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_buffer_append_regular_file(struct sotto_buffer *b, const char *path);

/* Returns the contents as a C string, "" while empty.  Borrowed until the next change. */
const char *sotto_buffer_text(const struct sotto_buffer *b);

#endif
