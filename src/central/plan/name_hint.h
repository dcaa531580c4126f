/*
 * name_hint.h - names that were written without the quotes that they need
 */
#ifndef SOTTO_NAME_HINT_H
#define SOTTO_NAME_HINT_H

#include "central/plan/plan.h"

/*
 * After a syntax error: if the text has the name of a column or table with blanks or signs in
 * it, without double quotes around it, the sentence in err says to put them there.
 */
void sotto_name_hint(const struct sotto_plan_request *request, const char *sql,
		     struct sotto_error *err);

#endif
