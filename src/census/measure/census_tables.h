/*
 * census_tables.h - reading nodes and counts through the engine
 */
#ifndef SOTTO_CENSUS_TABLES_H
#define SOTTO_CENSUS_TABLES_H

#include "census/measure/census_world.h"

struct sotto_engine;

/* memory: bytes that the engine may use; 0: its default. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_tables_open(uint64_t memory, struct sotto_engine **out, struct sotto_error *err);
void sotto_census_tables_close(struct sotto_engine *e);

/* The leaves, sorted by their paths, from `nodes` or from the data; builds w->shape. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_read_leaves(struct sotto_engine *e,
							    struct sotto_census_world *w,
							    struct sotto_error *err);

/* Private counts, into w->truth. */
SOTTO_MUST_CHECK enum sotto_status sotto_census_read_counts(struct sotto_engine *e,
							    struct sotto_census_world *w,
							    struct sotto_error *err);

/*
 * That no unit of the policy's table has more than one record.  Fails: SOTTO_EBUDGET if one has.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_census_verify_unit(struct sotto_engine *e,
							    struct sotto_census_world *w,
							    struct sotto_error *err);

/*
 * Turns a CSV file that was written into Parquet: texts, and the columns value, estimate, sd,
 * lo, hi, so many of them, as numbers.  Fails: SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_convert_parquet(struct sotto_engine *e, const char *csv, const char *parquet,
			     size_t numbers, struct sotto_error *err);

#endif
