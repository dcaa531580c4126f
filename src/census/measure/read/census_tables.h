/*
 * census_tables.h - opens the engine that reads a release's tables, and writes Parquet
 */
#ifndef SOTTO_CENSUS_TABLES_H
#define SOTTO_CENSUS_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

struct sotto_engine;

/* Opens the engine.  memory: bytes that it may use; 0: its default. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_tables_open(uint64_t memory, struct sotto_engine **out, struct sotto_error *err);
void sotto_census_tables_close(struct sotto_engine *e);

/*
 * Turns a CSV file into Parquet: texts, and the last `numbers` columns (value, estimate, sd, lo,
 * hi) as numbers.  Fails: SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_convert_parquet(struct sotto_engine *e, const char *csv, const char *parquet,
			     size_t numbers, struct sotto_error *err);

#endif
