/*
 * public_range.h - between which numbers the values of a public column lie
 */
#ifndef SOTTO_PUBLIC_RANGE_H
#define SOTTO_PUBLIC_RANGE_H

#include "central/expression/binder.h"

/*
 * Gives x whole numbers as bounds if it is a column of a public table without any: those next
 * to its least and greatest value, looked up once for each column.  x stays as it is if nothing
 * is looked up, the table is empty, or a value is beyond 2^53.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_public_range(struct sotto_binder *b, struct sotto_bound *x);

#endif
