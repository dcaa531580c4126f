/*
 * printable.h - text of people and data, so that no terminal obeys it
 *
 * Names of columns come from files, and values from the people in them.  A control character is
 * shown as \xNN or \uNNNN, in tables and in sentences alike.
 */
#ifndef SOTTO_PRINTABLE_H
#define SOTTO_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

/* Prints text unless out is NULL; returns the columns it takes. */
size_t printable_print(const char *text, FILE *out);

/* The same as a text that the caller frees. */
char *printable_text(const char *text);

#endif
