/*
 * channel.h - matrices on their way between Python and the library
 *
 * A matrix is CSV text on its way from Python and rows of exact texts on its way back.
 */
#ifndef SOTTO_PYTHON_CHANNEL_H
#define SOTTO_PYTHON_CHANNEL_H

#include "native.h"

/* NULL with an exception. */
struct sotto_matrix *channel_matrix(const char *text);

/* [(text, ...), ...]; NULL with an exception. */
PyObject *channel_rows(const struct sotto_matrix *m);

/* A text with a line break is a matrix; any other is a name, or the path of a file. */
bool channel_is_matrix(const char *text);

enum sotto_status channel_graph(const char *text, size_t answers, struct sotto_graph **out,
				struct sotto_error *err);

#endif
