/*
 * census_output.h - released tables as files: one for each level and table
 *
 * Files get their names when everything is written; until then they end in .part.
 */
#ifndef SOTTO_CENSUS_OUTPUT_H
#define SOTTO_CENSUS_OUTPUT_H

#include <stdio.h>

#include "census/solve/census_linear.h"
#include "census/solve/census_run.h"
#include "census/measure/census_world.h"

struct sotto_census_output;

/* Fails: SOTTO_EIO with the file's name, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_output_open(const struct sotto_census_world *w, const char *folder,
			 bool not_private, const struct sotto_census_linear *linear,
			 struct sotto_census_output **out, struct sotto_error *err);

/* A sink that writes; its context is the output. */
void sotto_census_output_sink(struct sotto_census_output *o, struct sotto_census_sink *sink);

/* Noisy answers as they are, for mode naive. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_output_naive(struct sotto_census_output *o,
							     size_t node, size_t table,
							     const double *values);

/* Gives the files their names, as Parquet if the plan wants it. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_output_finish(struct sotto_census_output *o, struct sotto_error *err);

/* Removes what is unfinished. */
void sotto_census_output_close(struct sotto_census_output *o);

#endif
