/*
 * tables_print.h - printing what can be asked about
 */
#ifndef SOTTO_TABLES_PRINT_H
#define SOTTO_TABLES_PRINT_H

#include <stdio.h>

#include "show/output_format.h"
#include "sotto/query.h"

void tables_print(const struct sotto_tables *tables, enum format format, FILE *out);

#endif
