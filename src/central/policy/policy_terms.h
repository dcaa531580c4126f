/*
 * policy_terms.h - what a policy says, line by line, and what changed between two of them
 *
 * The ledger belongs to the people whose data it protects, not to the text of a file: a
 * policy may grow and change while spending goes on.  The terms are its meaning, without
 * comments, order or spelling; the ledger keeps those that were accepted last.
 */
#ifndef SOTTO_POLICY_TERMS_H
#define SOTTO_POLICY_TERMS_H

#include "central/policy/policy.h"
#include "core/base/buffer.h"

/*
 * Writes the terms: sorted lines of a name, a tab and a value.  Holds no password.
 * Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_policy_terms(const struct sotto_policy *p, struct sotto_buffer *out);

enum { SOTTO_TERMS_MAX = 64 << 20 };

/* One thing that changed. */
struct sotto_policy_change {
	const char *text; /* for people, like "budget epsilon: 1 -> 2" */
	bool needs_accept; /* the owner has to agree: it is not one of the harmless ones */
};

struct sotto_policy_changes {
	struct sotto_policy_change *list;
	size_t count;
};

#endif
