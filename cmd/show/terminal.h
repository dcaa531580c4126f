/*
 * terminal.h - what may be done to a stream that a person looks at
 */
#ifndef SOTTO_TERMINAL_H
#define SOTTO_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

bool terminal_is(FILE *stream);

/* Returns the columns of the terminal; 80 for anything else. */
unsigned terminal_width(FILE *stream);

/* Each returns the escape sequence, or "" if the stream should get none. */
const char *terminal_bold(FILE *stream);
const char *terminal_dim(FILE *stream);
const char *terminal_plain(FILE *stream);

#endif
