/*
 * record_survey.h - the first pass over a text: finds its records, and what is wrong
 *
 * A line at which a well-formed record begins is taken as its beginning, whatever comes before it.
 * A line at which no record begins is lost, but no other line with it.  If two well-formed records
 * share a line, the text is ambiguous (seal.md).
 */
#ifndef SOTTO_RECORD_SURVEY_H
#define SOTTO_RECORD_SURVEY_H

#include "central/seal/text/file_window.h"
#include "central/seal/text/record_machine.h"
#include "sotto/owner.h"

/* Anything that is not simply one record in one line, in the order of lines. */
struct sotto_survey_event {
	uint64_t line; /* the first, from 1 on */
	uint32_t lines;
	uint32_t flaw; /* SOTTO_FLAW_NONE: a record in several lines; else they are skipped */
};

/* A flaw to report to the owner. */
struct sotto_finding {
	uint64_t line, last_line;
	enum sotto_flaw flaw;
	bool is_ambiguous;
};

enum { SOTTO_FINDINGS_MAX = 1000 }; /* that are kept; all are counted */

struct sotto_survey {
	struct sotto_survey_event *events;
	size_t event_count, event_room;
	struct sotto_finding *findings;
	size_t finding_count, finding_room;
	uint64_t malformed, ambiguous;
	bool lost_open; /* a lost line opens a quote that it does not close */
};

typedef void (*sotto_survey_progress_fn)(void *context, uint64_t taken);

struct sotto_survey_request {
	const struct sotto_dialect *dialect;
	enum sotto_line_breaks line_breaks;
	uint64_t first_line; /* of the window */
	const struct sotto_survey *lost_of; /* look only at the lines that it lost; or NULL */
	sotto_survey_progress_fn progress; /* may be NULL */
	void *context;
};

/*
 * Reads the window to its end.
 *
 * Fails:    SOTTO_EIO, SOTTO_ENOMEM; SOTTO_ERANGE past 2^26 records of several lines.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_survey_read(struct sotto_survey *s, struct sotto_window *w,
		  const struct sotto_survey_request *request);
void sotto_survey_release(struct sotto_survey *s);

SOTTO_MUST_CHECK enum sotto_status sotto_survey_note(struct sotto_survey *s, uint64_t line,
						     uint64_t last_line, enum sotto_flaw flaw,
						     bool is_ambiguous);

#endif
