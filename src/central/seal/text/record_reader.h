/*
 * record_reader.h - the records of a text, one after another
 *
 * After the survey: lines that are lost are left out, and what is given is one
 * well-formed record.  An array in one line has no lines to go by: its elements are
 * taken one by one, and after a broken one reading goes on at the next that is whole.
 */
#ifndef SOTTO_RECORD_READER_H
#define SOTTO_RECORD_READER_H

#include "central/seal/text/record_survey.h"

struct sotto_text {
	const char *path;
	struct sotto_dialect dialect;
	bool skips_line; /* the first line holds names */
	enum sotto_line_breaks line_breaks;
	bool is_stream; /* JSON whose records may share lines */
	bool is_one_line; /* a stream without line breaks */
};

/*
 * Finds out how the text is laid out, and surveys it.
 *
 * Fails:    as sotto_survey_read.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_text_survey(struct sotto_text *t, struct sotto_survey *out,
		  sotto_survey_progress_fn progress, void *context);

struct sotto_record_reader {
	const struct sotto_text *text;
	const struct sotto_survey *survey; /* borrowed; NULL for a stream */
	struct sotto_window window;
	uint64_t line; /* of the next byte */
	uint64_t passed; /* bytes of the text before the window's start */
	size_t event;
	bool in_broken; /* stream: no whole element since a broken one */
};

SOTTO_MUST_CHECK enum sotto_status sotto_reader_open(struct sotto_record_reader *r,
						     const struct sotto_text *t,
						     const struct sotto_survey *survey);
void sotto_reader_close(struct sotto_record_reader *r);

struct sotto_raw_record {
	const char *bytes; /* borrowed until the next call; NULL past the last record */
	size_t length;
	uint64_t line;
	enum sotto_flaw flaw; /* of a stream: what is skipped here; bytes is "" then */
};

/* Fails: SOTTO_EIO, SOTTO_ENOMEM; SOTTO_ESTATE if the text is not the one surveyed. */
SOTTO_MUST_CHECK enum sotto_status
sotto_reader_next(struct sotto_record_reader *r, struct sotto_raw_record *out);

/* record_reader_stream.c */
SOTTO_MUST_CHECK enum sotto_status
sotto_stream_next(struct sotto_record_reader *r, struct sotto_raw_record *out);

#endif
