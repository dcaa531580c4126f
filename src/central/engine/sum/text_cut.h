/*
 * text_cut.h - sotto_cut(text, n): the first n characters of a text
 *
 * The engine's left() goes from character to character, which takes longer than reading the text.
 * A question cuts texts wherever a join needs them, so that must not take long (sensitivity.md, 8c).
 */
#ifndef SOTTO_TEXT_CUT_H
#define SOTTO_TEXT_CUT_H

#include "central/engine/sum/sum_function.h"

/* Bytes of the first n characters of a text in UTF-8. */
size_t sotto_text_cut(const char *text, size_t bytes, size_t n);

/* Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_cut_register(struct sotto_sum_function *f, duckdb_connection connection);

#endif
