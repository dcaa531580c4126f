/*
 * ledger_store_part.h - the parts of an entry, in a table of their own
 */
#ifndef SOTTO_LEDGER_STORE_PART_H
#define SOTTO_LEDGER_STORE_PART_H

#include "core/ledger/store/ledger_store.h"

enum { SOTTO_STORE_PARTS_MAX = 1 << 16 };

/* As they were read; the texts are ours. */
struct sotto_store_parts {
	struct sotto_chain_part *items;
	size_t count;
};

void sotto_store_parts_release(struct sotto_store_parts *parts);

SOTTO_MUST_CHECK enum sotto_status sotto_store_insert_parts(struct sotto_store *s,
							    const struct sotto_chain_row *row,
							    struct sotto_error *err);

/* Reads exactly `count` of them into *out, which is empty.  Fails: SOTTO_ECORRUPT, ... */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_read_parts(struct sotto_store *s, uint64_t number, size_t count,
		       struct sotto_store_parts *out, struct sotto_error *err);

/* No part without its entry.  Fails: SOTTO_ECORRUPT, SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_check_parts(struct sotto_store *s, struct sotto_error *err);

#endif
