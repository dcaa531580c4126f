/*
 * census_sql.h - writes the SQL that reads a release's tables, and runs it
 *
 * A statement is composed piece by piece; the first failure is kept and reported by _run.  Names
 * and paths are always quoted here.
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

/* Appends formatted text without quoting. */
__attribute__((format(printf, 2, 3))) void
sotto_census_sql_put(struct sotto_census_sql *q, const char *format, ...);

/* Append a name in double quotes, or a text in single quotes. */
void sotto_census_sql_name(struct sotto_census_sql *q, const char *name);
void sotto_census_sql_literal(struct sotto_census_sql *q, const char *text);

/* Appends CAST("st" AS VARCHAR) AS l1, ... for the levels 1 to last; '' AS l0 if last is 0. */
void sotto_census_sql_levels(struct sotto_census_sql *q, const struct sotto_census_plan *p,
			     size_t last);

/* Appends the column as a whole number; -1 if it is not one. */
void sotto_census_sql_whole(struct sotto_census_sql *q, const char *column);

/* Appends the number of a record's category; NULL if the plan does not list it. */
void sotto_census_sql_category(struct sotto_census_sql *q,
			       const struct sotto_census_attribute *a);

/* Appends a file of the plan as a table; values of CSV are texts. */
void sotto_census_sql_file(struct sotto_census_sql *q, const struct sotto_census_plan *p,
			   const char *file);

/* Appends the private input as a table: the sealed copy. */
void sotto_census_sql_input(struct sotto_census_sql *q, const struct sotto_census_world *w);

/*
 * Runs the statement; messages name `file`.
 *
 * Fails:    SOTTO_EMISSING if there is no such file, SOTTO_EPARSE if it lacks the columns,
 *           SOTTO_EIO if the engine has not enough memory.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_sql_run(struct sotto_engine *e, const struct sotto_census_sql *q,
		     const struct sotto_census_plan *p, const char *file,
		     struct sotto_engine_result **out, struct sotto_error *err);

#endif
