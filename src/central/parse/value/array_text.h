/*
 * array_text.h - a list of values as one text, as PostgreSQL writes it: '{1,2}'
 */
#ifndef SOTTO_ARRAY_TEXT_H
#define SOTTO_ARRAY_TEXT_H

#include <jansson.h>

/*
 * The elements of ARRAY[a, b], or of '{a,b}' as clients send a list, also below a cast to a type of
 * lists.  Those of a text are texts, which take the type of what they are compared with, and NULL.
 * The caller releases what it gets.
 *
 * Fails: NULL if the node is not a list in one dimension, or without memory.
 */
json_t *sotto_sql_array_elements(const json_t *node);

#endif
