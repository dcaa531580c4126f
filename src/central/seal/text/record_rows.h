/*
 * record_rows.h - gives the records of texts to the engine as a table
 *
 * The engine asks for rows in batches, so memory stays bounded whatever the size of the files.
 */
#ifndef SOTTO_RECORD_ROWS_H
#define SOTTO_RECORD_ROWS_H

#include "central/seal/seal_database.h"
#include "central/seal/text/record_values.h"

struct sotto_record_rows {
	const struct sotto_duckdb *api;
	const struct sotto_text *texts; /* files of one table, surveyed */
	const struct sotto_survey *surveys;
	size_t text_count;
	const char *const *names; /* of the columns; all are text */
	size_t column_count;
	sotto_survey_progress_fn progress; /* may be NULL */
	void *context;
	/* the result */
	uint64_t records;
	enum sotto_status status; /* why reading stopped, if it failed */
	/* the state of reading */
	size_t next; /* text to open */
	bool is_open;
	struct sotto_record_reader reader;
	struct sotto_values cells;
};

/* Makes the table function sotto_rows().  r must live as long as the database. */
SOTTO_MUST_CHECK enum sotto_status
sotto_rows_register(struct sotto_record_rows *r, struct sotto_database *d);
void sotto_rows_release(struct sotto_record_rows *r);

#endif
