/*
 * record_values.h - the values of one record, as text
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
	const char *const *names; /* borrowed; of JSON: which fields are taken */
	size_t count;
	char *scratch; /* where quotes and escapes are undone */
	size_t scratch_room, scratch_used;
};

SOTTO_MUST_CHECK enum sotto_status
sotto_values_init(struct sotto_values *c, const char *const *names, size_t count);
void sotto_values_release(struct sotto_values *c);

/*
 * Takes a record apart.  An empty cell of CSV is not a value; in JSON null and a field
 * that is not there are none, a text is what it says, and anything else is its JSON.
 * Not *found: the lines hold no record (a blank line, a bracket).
 *
 * Fails:    SOTTO_ESTATE for what is not a well-formed record; SOTTO_ENOMEM.
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
