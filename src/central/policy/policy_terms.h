/*
 * policy_terms.h - the terms of a policy, as sorted lines of text
 *
 * The ledger belongs to the people whose data it protects, not to the text of a file: a policy may
 * grow and change while spending goes on.  The terms are what a policy means, without its comments,
 * order or spelling; the ledger keeps the terms that were accepted last.
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

/* One difference between two policies. */
struct sotto_policy_change {
	const char *text; /* for people, like "budget epsilon: 1 -> 2" */
	bool needs_accept; /* it is not harmless: the owner has to accept it */
};

struct sotto_policy_changes {
	struct sotto_policy_change *list;
	size_t count;
};

#endif
