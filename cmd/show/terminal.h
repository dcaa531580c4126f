/*
 * terminal.h - what may be done with a stream that a person looks at
 */
#ifndef SOTTO_TERMINAL_H
#define SOTTO_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

bool terminal_is(FILE *stream);

/* A terminal that knows colours, and the user has not set NO_COLOR. */
bool terminal_has_colours(FILE *stream);

/* Columns of the terminal; 80 for anything else. */
unsigned terminal_width(FILE *stream);

/* Each is the escape sequence, or "" where the stream should get none. */
const char *terminal_bold(FILE *stream);
const char *terminal_dim(FILE *stream);
const char *terminal_plain(FILE *stream);

#endif
