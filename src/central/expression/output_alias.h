/*
 * output_alias.h - names of outputs in HAVING and in expressions of ORDER BY
 */
#ifndef SOTTO_OUTPUT_ALIAS_H
#define SOTTO_OUTPUT_ALIAS_H

#include "central/expression/binder.h"

/*
 * e with names of outputs replaced by what they stand for.  A column of the rows goes before
 * an output of its name, unless that is an aggregate, which the column cannot be meant beside.
 * Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_aliases_expand(struct sotto_binder *b, const struct sotto_sql_output *outputs,
		     size_t count, const struct sotto_sql_expr *e, struct sotto_sql_expr **out);

#endif
