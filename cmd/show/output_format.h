/*
 * output_format.h - the three formats in which results are printed
 */
#ifndef SOTTO_OUTPUT_FORMAT_H
#define SOTTO_OUTPUT_FORMAT_H

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

/* "table", "csv", "json", NULL: the choices of --format, in the order of the enum. */
extern const char *const format_names[];

#endif
