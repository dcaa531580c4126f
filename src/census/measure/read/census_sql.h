/*
 * census_sql.h - the SQL that reads a release's tables, and the engine that runs it
 *
 * A statement is put together piece by piece; the first failure is kept and reported by
 * _run.  Names and paths are always quoted here.
 */
#ifndef SOTTO_CENSUS_SQL_H
#define SOTTO_CENSUS_SQL_H

#include "census/measure/census_world.h"
#include "core/base/buffer.h"

struct sotto_engine;
struct sotto_engine_result;

struct sotto_census_sql {
	struct sotto_buffer text;
	enum sotto_status status;
};

void sotto_census_sql_init(struct sotto_census_sql *q);
void sotto_census_sql_release(struct sotto_census_sql *q);

/* Appends text as it is. */
__attribute__((format(printf, 2, 3))) void
sotto_census_sql_put(struct sotto_census_sql *q, const char *format, ...);

/* A name in double quotes; a text in single ones. */
void sotto_census_sql_name(struct sotto_census_sql *q, const char *name);
void sotto_census_sql_literal(struct sotto_census_sql *q, const char *text);

/* CAST("st" AS VARCHAR) AS l1, ... of the levels 1 .. last; '' AS l0 if last is 0. */
void sotto_census_sql_levels(struct sotto_census_sql *q, const struct sotto_census_plan *p,
			     size_t last);

/* The column as a whole number; -1 where it is not one. */
void sotto_census_sql_whole(struct sotto_census_sql *q, const char *column);

/* The number of a record's category; NULL where the plan does not list it. */
void sotto_census_sql_category(struct sotto_census_sql *q,
			       const struct sotto_census_attribute *a);

/* A file of the plan as a table; values of CSV are texts. */
void sotto_census_sql_file(struct sotto_census_sql *q, const struct sotto_census_plan *p,
			   const char *file);

/* The private input as a table: as it was sealed. */
void sotto_census_sql_input(struct sotto_census_sql *q, const struct sotto_census_world *w);

/*
 * Runs it; `file` is named if it fails.
 *
 * Fails:    SOTTO_EMISSING if the file is not there, SOTTO_EPARSE if it has not the columns,
 *           SOTTO_EIO if the engine has not enough memory.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_sql_run(struct sotto_engine *e, const struct sotto_census_sql *q,
		     const struct sotto_census_plan *p, const char *file,
		     struct sotto_engine_result **out, struct sotto_error *err);

#endif
