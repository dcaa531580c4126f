/*
 * record_values.h - takes the values out of one record, as texts
 */
#ifndef SOTTO_RECORD_VALUES_H
#define SOTTO_RECORD_VALUES_H

#include "central/seal/text/record_reader.h"

struct sotto_record_cell {
	const char *bytes; /* NULL: no value */
	size_t length;
};

struct sotto_values {
	struct sotto_record_cell *cells; /* one for each column */
	const char *const *names; /* borrowed; for JSON: the fields to take */
	size_t count;
	char *scratch; /* for values without their quotes and escapes */
	size_t scratch_room, scratch_used;
};

SOTTO_MUST_CHECK enum sotto_status
sotto_values_init(struct sotto_values *c, const char *const *names, size_t count);
void sotto_values_release(struct sotto_values *c);

/*
 * Reads the values of a record.  An empty CSV cell, a JSON null and a missing field have no value; a
 * JSON string gives its text, and any other JSON value its JSON text; a column a.b is the field b of the
 * object a, or a field of that name.  *found is false if the lines
 * hold no record (a blank line, a bracket).
 *
 * Fails:    SOTTO_ESTATE if the record is not well-formed; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_values_read(struct sotto_values *c, const struct sotto_dialect *d,
		  const struct sotto_raw_record *record, bool *found);

/* ---- the two kinds -------------------------------------------------------------------------- */

SOTTO_MUST_CHECK enum sotto_status sotto_csv_values(struct sotto_values *c, char delimiter,
						    const char *bytes, size_t n, bool *found);
SOTTO_MUST_CHECK enum sotto_status
sotto_json_values(struct sotto_values *c, const char *bytes, size_t n, bool *found);

#endif
