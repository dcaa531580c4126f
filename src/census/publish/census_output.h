/*
 * census_output.h - released tables as files: one for each level and table
 *
 * Files get their names when all of them are complete; until then they end in .part.  Now and then
 * it is noted how far they are, so that an interrupted release goes on from there.
 */
#ifndef SOTTO_CENSUS_OUTPUT_H
#define SOTTO_CENSUS_OUTPUT_H

#include "census/publish/census_rows.h"
#include "census/solve/information/census_linear.h"
#include "census/solve/census_execute.h"

struct sotto_census_output;

struct sotto_census_output_options {
	bool not_private;
	bool resume; /* go on where the folder's files end */
	const struct sotto_census_linear
		*linear; /* estimates of modes topdown and gls, or NULL */
	int note_seconds; /* how often the progress is noted; 0: after each batch */
	uint64_t memory; /* of the engine that writes Parquet; 0: its default */
};

/* Borrows all of it.  Fails: SOTTO_EIO with the file's name, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_output_open(const struct sotto_census_world *w, const char *folder,
			 const struct sotto_census_output_options *options,
			 struct sotto_census_output **out, struct sotto_error *err);

/* How many batches the files hold already. */
size_t sotto_census_output_done(const struct sotto_census_output *o);

/* A sink that writes; its context is the output. */
void sotto_census_output_sink(struct sotto_census_output *o, struct sotto_census_sink *sink);

/* One table of one node as it is, for mode naive; values NULL: not measured. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_output_naive(struct sotto_census_output *o, size_t node, size_t table,
			  const int64_t *values,
			  const struct sotto_census_estimates *estimates);

/* Gives the files their names, as Parquet if the plan wants it. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_output_finish(struct sotto_census_output *o, struct sotto_error *err);

/* Closes the files.  What is unfinished stays, for a later resume. */
void sotto_census_output_close(struct sotto_census_output *o);

#endif
