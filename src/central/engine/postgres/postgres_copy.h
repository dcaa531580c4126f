/*
 * postgres_copy.h - rows out of PostgreSQL's binary COPY stream
 *
 * The stream arrives in pieces whose ends need not be those of rows.  Each piece
 * is fed, and rows are taken until none is whole.
 */
#ifndef SOTTO_POSTGRES_COPY_H
#define SOTTO_POSTGRES_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"

struct sotto_copy_field {
	const uint8_t *bytes; /* big endian where it is a number; NULL for NULL */
	size_t length;
};

struct sotto_copy {
	size_t columns;
	bool has_begun, has_ended; /* the signature, the trailer was read */
	const uint8_t *next, *end; /* what was fed and not yet taken */
	struct sotto_buffer kept; /* a row that had only begun */
};

void sotto_copy_init(struct sotto_copy *c, size_t columns);
void sotto_copy_release(struct sotto_copy *c);

/*
 * The piece must stay where it is until no row is found in it.
 *
 * Fails:    SOTTO_ENOMEM, SOTTO_ERANGE for a row of more than 2 GiB.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_copy_feed(struct sotto_copy *c, const void *bytes, size_t n);

/*
 * The next row, as many fields as there are columns, borrowed from what was fed.
 * Not *found: another piece is needed, or the stream has_ended.
 *
 * Fails:    SOTTO_EPARSE for what is not such a stream; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_copy_row(struct sotto_copy *c, struct sotto_copy_field *fields, bool *found);

#endif
