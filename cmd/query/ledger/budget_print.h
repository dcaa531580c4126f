/*
 * budget_print.h - printing what was spent and what is left
 */
#ifndef SOTTO_BUDGET_PRINT_H
#define SOTTO_BUDGET_PRINT_H

#include <stdio.h>

#include "show/output_format.h"
#include "sotto/query.h"

/* Fails as the ledger does; nothing is printed then, or not all of a JSON object. */
enum sotto_status budget_print(struct sotto_session *session, enum format format, FILE *out,
			       struct sotto_error *err);

#endif
