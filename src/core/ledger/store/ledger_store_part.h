/*
 * ledger_store_part.h - the parts of an entry, which have a table of their own
 */
#ifndef SOTTO_LEDGER_STORE_PART_H
#define SOTTO_LEDGER_STORE_PART_H

#include "core/ledger/store/ledger_store.h"

enum { SOTTO_STORE_PARTS_MAX = 1 << 16 };

/* Parts as they were read; the texts are owned. */
struct sotto_store_parts {
	struct sotto_chain_part *items;
	size_t count;
};

void sotto_store_parts_release(struct sotto_store_parts *parts);

SOTTO_MUST_CHECK enum sotto_status sotto_store_insert_parts(struct sotto_store *s,
							    const struct sotto_chain_row *row,
							    struct sotto_error *err);

/* Reads exactly `count` parts into *out, which is empty.  Fails: SOTTO_ECORRUPT, ... */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_read_parts(struct sotto_store *s, uint64_t number, size_t count,
		       struct sotto_store_parts *out, struct sotto_error *err);

/* Checks that every part has its entry.  Fails: SOTTO_ECORRUPT, SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_check_parts(struct sotto_store *s, struct sotto_error *err);

#endif
