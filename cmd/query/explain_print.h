/*
 * explain_print.h - printing what a query would do, cost and err by
 */
#ifndef SOTTO_EXPLAIN_PRINT_H
#define SOTTO_EXPLAIN_PRINT_H

#include <stdio.h>

#include "show/output_format.h"
#include "sotto/query.h"

void explain_print(const struct sotto_explanation *e, enum format format, FILE *out);

#endif
