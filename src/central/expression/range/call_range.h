/*
 * call_range.h - what is known of the result of a function: its range, its values, its type
 */
#ifndef SOTTO_CALL_RANGE_H
#define SOTTO_CALL_RANGE_H

#include "central/expression/binder.h"
#include "central/expression/row_function.h"

/* Of f(args), which out holds already.  Fails: SOTTO_EREFUSED, SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_call_finish(struct sotto_binder *b, const struct sotto_sql_expr *e,
		  const struct sotto_function *f, const struct sotto_bound *args,
		  struct sotto_bound *out);

#endif
