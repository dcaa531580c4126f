/*
 * bind_untyped.h - columns without a type in the policy, where a question takes them for something
 */
#ifndef SOTTO_BIND_UNTYPED_H
#define SOTTO_BIND_UNTYPED_H

#include "central/expression/binder.h"

/* Nobody said what a column holds, and the question takes it for a number or a moment. */
SOTTO_MUST_CHECK enum sotto_status
sotto_untyped_note(struct sotto_binder *b, const struct sotto_bound *x, enum sotto_sql_type as);

/* The question compares one with a date in quotes, that is with a text. */
SOTTO_MUST_CHECK enum sotto_status sotto_untyped_note_quoted(struct sotto_binder *b,
							     const struct sotto_bound *x,
							     const struct sotto_bound *y);

#endif
