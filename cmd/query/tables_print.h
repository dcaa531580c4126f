/*
 * tables_print.h - prints what can be asked about
 */
#ifndef SOTTO_TABLES_PRINT_H
#define SOTTO_TABLES_PRINT_H

#include <stdio.h>

#include "frame/option.h"
#include "show/output_format.h"
#include "sotto/query.h"

void tables_print(const struct sotto_tables *tables, enum format format, FILE *out);

/* Prints the named tables, or all if no name is given.  Refuses a name that is not a table's. */
enum outcome tables_print_some(const struct sotto_tables *all, const char *const *names,
			       size_t count, enum format format, FILE *out,
			       struct sotto_error *err);

#endif
