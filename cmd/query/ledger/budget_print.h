/*
 * budget_print.h - prints what was spent and what is left
 */
#ifndef SOTTO_BUDGET_PRINT_H
#define SOTTO_BUDGET_PRINT_H

#include <stdio.h>

#include "show/output_format.h"
#include "sotto/query.h"

/* Fails as the ledger does; then prints nothing, or part of a JSON object. */
enum sotto_status budget_print(struct sotto_session *session, enum format format, FILE *out,
			       struct sotto_error *err);

#endif
