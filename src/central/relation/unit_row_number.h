/*
 * unit_row_number.h - a condition on ROW_NUMBER() that limits the rows of each unit
 */
#ifndef SOTTO_UNIT_ROW_NUMBER_H
#define SOTTO_UNIT_ROW_NUMBER_H

#include "central/expression/bind.h"
#include "central/relation/relation.h"

/*
 * WHERE n = 1, or n <= 3, where n is ROW_NUMBER() OVER (PARTITION BY the unit alone): a unit has
 * no more rows than that.  Sets r->unit_rows if that is fewer than was known.
 */
void sotto_unit_row_number_apply(const struct sotto_binder *b,
				 const struct sotto_sql_expr *where, struct sotto_relation *r);

/* After a join, or in several SELECTs put together, a place stands in many rows of a unit. */
void sotto_unit_row_number_forget(struct sotto_relation *r);

#endif
