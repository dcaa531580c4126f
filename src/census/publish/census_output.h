/*
 * census_output.h - writes released tables to files, one for each level and table
 *
 * Files get their names when all of them are complete; until then they end in .part.  The
 * progress is recorded now and then, so that an interrupted release continues from there.
 */
#ifndef SOTTO_CENSUS_OUTPUT_H
#define SOTTO_CENSUS_OUTPUT_H

#include "census/publish/census_rows.h"
#include "census/solve/information/census_linear.h"
#include "census/solve/census_execute.h"

struct sotto_census_output;

struct sotto_census_output_options {
	bool not_private;
	bool resume; /* continue where the folder's files end */
	const struct sotto_census_linear
		*linear; /* estimates of modes topdown and gls, or NULL */
	int note_seconds; /* how often the progress is recorded; 0: after each batch */
	uint64_t memory; /* of the engine that writes Parquet; 0: its default */
};

/* Opens the files; borrows everything.  Fails: SOTTO_EIO with the file's name, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_output_open(const struct sotto_census_world *w, const char *folder,
			 const struct sotto_census_output_options *options,
			 struct sotto_census_output **out, struct sotto_error *err);

/* Returns how many batches the files contain already. */
size_t sotto_census_output_done(const struct sotto_census_output *o);

/* Makes a sink that writes; its context is the output. */
void sotto_census_output_sink(struct sotto_census_output *o, struct sotto_census_sink *sink);

/*
 * Writes one table of one node without estimates from others, for mode naive; values NULL: not
 * measured.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_output_naive(struct sotto_census_output *o, size_t node, size_t table,
			  const int64_t *values,
			  const struct sotto_census_estimates *estimates);

/* Gives the files their names, after converting them to Parquet if the plan wants that. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_output_finish(struct sotto_census_output *o, struct sotto_error *err);

/* Closes the files.  Unfinished files stay, for a later resume. */
void sotto_census_output_close(struct sotto_census_output *o);

#endif
