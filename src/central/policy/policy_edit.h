/*
 * policy_edit.h - changes one entry in the text of a policy
 *
 * The text is edited in place: comments, order and layout of everything else stay as the owner
 * wrote them.
 */
#ifndef SOTTO_POLICY_EDIT_H
#define SOTTO_POLICY_EDIT_H

#include <stdint.h>

#include "core/base/buffer.h"
#include "sotto/status.h"

/*
 * Writes to out the text with `bounds: BOUNDS` added to a column, or replaced if it has bounds.
 * bounds looks like "[0, 128]"; case is ignored in names.
 *
 * Fails:    SOTTO_EREFUSED if the layout leaves no simple place for it;
 *           SOTTO_EPARSE, SOTTO_ENOMEM, SOTTO_ERANGE.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_set_bounds(const char *text, size_t length, const char *table, const char *column,
			const char *bounds, struct sotto_buffer *out, struct sotto_error *err);

/*
 * The same with max_groups or max_rows of a table set to a number.  Fails: SOTTO_EREFUSED if
 * there is no simple place for it; SOTTO_EPARSE.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_set_limit(const char *text, size_t length, const char *table, const char *field,
		       int64_t value, struct sotto_buffer *out);

#endif
