/*
 * lateral_alias.h - names of outputs in other outputs and in WHERE
 */
#ifndef SOTTO_LATERAL_ALIAS_H
#define SOTTO_LATERAL_ALIAS_H

#include "central/plan/planner.h"

/*
 * Writes out what the names of outputs stand for, in the outputs after them, in WHERE and
 * inside keys: SELECT a AS x, x + 1 ... WHERE x > 3.  DuckDB, Snowflake and Spark have this.
 * A column of FROM goes before an output of its name, so a query that PostgreSQL understands
 * keeps its meaning.
 *
 * Fails:    SOTTO_EREFUSED where what is written out is too large; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_lateral_expand(struct sotto_planner *p,
							const struct sotto_ctes *ctes,
							struct sotto_sql_select *s);

#endif
