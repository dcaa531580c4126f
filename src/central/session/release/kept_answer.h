/*
 * kept_answer.h - what the ledger is told of a charge, once the answer may leave
 *
 * An answer in the ledger can be seen: by the history, by explain, by an equal question that waits
 * for it.  Stored when it is ready, it would tell everybody how long private rows took.  So it is
 * kept here until the moment at which the answer leaves (session_limits.c), and so is the news
 * that there is none.
 */
#ifndef SOTTO_KEPT_ANSWER_H
#define SOTTO_KEPT_ANSWER_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/ledger.h"

/* Zeroed: there is nothing to tell. */
struct sotto_kept_answer {
	uint64_t entry; /* that was charged; 0: none */
	char *text; /* the noisy answer; NULL: there is none, or it is stored already */
	char **keys; /* by which it is found besides its own */
	size_t key_count;
};

/* Copies a key.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_kept_add_key(struct sotto_kept_answer *k, const char *key);

/* There is no answer after all; the entry is still to be told of. */
void sotto_kept_drop(struct sotto_kept_answer *k);

/*
 * Tells the ledger, after which *k is zeroed: the answer and its keys, or that nobody is at work
 * on the entry any more.
 *
 * Fails:    SOTTO_EIO, SOTTO_ENOMEM: the answer is not there, and nobody waits for it.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_kept_tell(struct sotto_kept_answer *k, struct sotto_ledger *ledger);

#endif
