/*
 * record_reader.h - reads the records of a text, one after another
 *
 * It runs after the survey, skips the lines that are lost, and gives one well-formed record at a
 * time.  An array in a single line cannot be divided into lines: its elements are read one by one,
 * and after a malformed element reading resumes at the next well-formed one.
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
 * Finds out how the text is organised, and surveys it.
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
	bool in_broken; /* stream: still inside a malformed part */
};

SOTTO_MUST_CHECK enum sotto_status sotto_reader_open(struct sotto_record_reader *r,
						     const struct sotto_text *t,
						     const struct sotto_survey *survey);
void sotto_reader_close(struct sotto_record_reader *r);

struct sotto_raw_record {
	const char *bytes; /* borrowed until the next call; NULL past the last record */
	size_t length;
	uint64_t line;
	enum sotto_flaw flaw; /* stream: why something is skipped here; bytes is then "" */
};

/* Fails: SOTTO_EIO, SOTTO_ENOMEM; SOTTO_ESTATE if the text is not the one surveyed. */
SOTTO_MUST_CHECK enum sotto_status
sotto_reader_next(struct sotto_record_reader *r, struct sotto_raw_record *out);

/* record_reader_stream.c */
SOTTO_MUST_CHECK enum sotto_status
sotto_stream_next(struct sotto_record_reader *r, struct sotto_raw_record *out);

#endif
