/* policy_change.h - what changed between two policies, and whether the owner has to agree */
#ifndef SOTTO_POLICY_CHANGE_H
#define SOTTO_POLICY_CHANGE_H

#include "central/policy/policy_terms.h"

/*
 * Lists the changes from one policy to the other.  Harmless are changes of bounds, keys, steps,
 * max_groups, max_rows, max_text and rows, promises that sealing checks, and new private tables of
 * a known unit.  before is NULL if no policy was accepted yet.
 *
 * Fails:    SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_policy_compare(struct sotto_arena *a,
							const char *before, const char *after,
							struct sotto_policy_changes *out);

/* All changes as one text, with `between` between them; NULL if out of memory. */
const char *sotto_policy_changes_text(struct sotto_arena *a,
				      const struct sotto_policy_changes *c,
				      const char *between);

/*
 * Those that need the owner, "" if there are none: the first one, as many of the others as fit into
 * a text of so many bytes, and the number of those that do not.  NULL if out of memory.
 */
const char *sotto_policy_changes_needed(struct sotto_arena *a,
					const struct sotto_policy_changes *c, size_t most);

#endif
