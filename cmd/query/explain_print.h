/*
 * explain_print.h - prints what a query would do, what it would cost and how large its error
 * would be
 */
#ifndef SOTTO_EXPLAIN_PRINT_H
#define SOTTO_EXPLAIN_PRINT_H

#include <stdio.h>

#include "show/output_format.h"
#include "sotto/query.h"

/*
 * Prints an explanation.  If `sql`, includes the text that the database would get; JSON always
 * has it.
 */
void explain_print(const struct sotto_explanation *e, enum format format, bool sql, FILE *out);

#endif
