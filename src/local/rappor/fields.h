/*
 * fields.h - comma-separated fields from memory, a line at a time
 *
 * Fields may be quoted, with blanks around the quotes; a quoted field may hold
 * commas and doubled quotes, but no line break.  Lines end in LF or CRLF; a
 * byte-order mark before the first is skipped.
 */
#ifndef SOTTO_FIELDS_H
#define SOTTO_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sotto_fields {
	const char *at, *end; /* of the rest of the text */
	const char *line_end; /* of the line being read */
	size_t line; /* its number, from 1 */
	bool broken; /* a quote without its partner */
	bool more; /* the line has another field */
};

void sotto_fields_init(struct sotto_fields *f, const char *text, size_t n);

/* Goes to the next line that is not empty; false at the end. */
bool sotto_fields_line(struct sotto_fields *f);

/*
 * The next field of the line, in out without its quotes; false if there is none.
 * A longer field is cut at capacity - 1 and marked broken.
 */
bool sotto_fields_next(struct sotto_fields *f, char *out, size_t capacity, size_t *length);

/* As _next, without blanks around it; false if it is broken too. */
bool sotto_fields_word(struct sotto_fields *f, char *out, size_t capacity);

/*
 * The next field as a whole number, blank or NA as UINT64_MAX; false if it is not one.
 * R writes 100000 as 1e+05: a fraction or an exponent is fine if the number is whole.
 */
bool sotto_fields_count(struct sotto_fields *f, uint64_t *out);

#endif
