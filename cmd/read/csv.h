/*
 * csv.h - reads CSV a record at a time
 *
 * It reads RFC 4180 and what programs really write: quoted fields with doubled quotes, commas and
 * newlines inside; lines that end in LF, CRLF or CR; a byte order mark; no newline at the end.
 * Empty lines are skipped.  Memory is bounded by the longest record allowed, not by the file.
 */
#ifndef SOTTO_CSV_H
#define SOTTO_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sotto/status.h"

enum { CSV_RECORD_MAX = 1 << 20, CSV_FIELDS_MAX = 1 << 16 };

enum csv_result { CSV_RECORD, CSV_END, CSV_BROKEN };

struct csv_reader {
	FILE *in; /* borrowed */
	size_t line; /* of the next byte, from 1 */
	size_t start; /* line on which the record starts */
	char *bytes; /* the fields, each ending in a NUL */
	size_t length;
	size_t room;
	size_t *fields; /* where each starts in bytes */
	size_t field_count;
	bool begun;
};

void csv_init(struct csv_reader *r, FILE *in);
void csv_release(struct csv_reader *r); /* wipes what was read */

/*
 * Reads the next record.  For CSV_BROKEN err says in which line and what is wrong, without
 * showing any of the contents, and the reader must not be used any more.
 */
enum csv_result csv_next(struct csv_reader *r, struct sotto_error *err);

/* Returns field i of the record, i < field_count.  Borrowed until the next record. */
const char *csv_field(const struct csv_reader *r, size_t i);

#endif
