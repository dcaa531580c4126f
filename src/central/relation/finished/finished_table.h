/*
 * finished_table.h - a finished query as a table
 */
#ifndef SOTTO_FINISHED_TABLE_H
#define SOTTO_FINISHED_TABLE_H

#include "central/relation/relation.h"

struct sotto_layers;

/*
 * A SELECT over private rows (layers over from) whose groups are not units: it is
 * finished by itself, and what stands in FROM is its noisy answer, a table
 * "sotto part N".  bounds has a place for each output.
 */
struct sotto_layers;
SOTTO_MUST_CHECK enum sotto_status
sotto_finished_table_bind(struct sotto_planner *p, const struct sotto_sql_select *select,
			  const struct sotto_layers *layers, struct sotto_relation *from,
			  struct sotto_bound *bounds, const struct sotto_rowset **rows);

#endif
