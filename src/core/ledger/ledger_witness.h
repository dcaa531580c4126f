/*
 * ledger_witness.h - a second file that records the last entry of a ledger
 *
 * A ledger that is restored from an older copy is consistent: nothing in it shows that entries
 * are missing.  A witness is a small file elsewhere with the number and the hash of the last
 * entry; a ledger without that entry is not the one that was charged.
 */
#ifndef SOTTO_LEDGER_WITNESS_H
#define SOTTO_LEDGER_WITNESS_H

#include <stdbool.h>

#include "core/ledger/store/ledger_store.h"

/*
 * Reads the recorded head.
 *
 * Fails:    SOTTO_EMISSING if there is no such file, SOTTO_ECORRUPT if it is damaged, SOTTO_EIO;
 *           err has a sentence.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_witness_read(const char *path, struct sotto_store_head *out, struct sotto_error *err);

/*
 * Opens the witness for the head that is about to be committed: *held is for sotto_witness_tell, or
 * to be closed.  A file that cannot be written is refused here.  Fails like _read.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_witness_hold(const char *path, int *held, struct sotto_error *err);

/* Durably records a head, unless a later one is recorded, and closes the file.  False if it could not. */
SOTTO_MUST_CHECK bool sotto_witness_tell(int held, const struct sotto_store_head *head);

/* Makes the file, or sets it to that head whatever it records: a decision of the owner. */
SOTTO_MUST_CHECK enum sotto_status sotto_witness_set(const char *path,
						     const struct sotto_store_head *head,
						     struct sotto_error *err);

#endif
