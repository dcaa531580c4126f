/* ledger_store_open.h - opens the file of a ledger, or makes a new one */
#ifndef SOTTO_LEDGER_STORE_OPEN_H
#define SOTTO_LEDGER_STORE_OPEN_H

#include "core/ledger/store/ledger_store_file.h"

/*
 * Makes a new store whose first entry first(draft, context) writes, in a transaction.  The whole
 * ledger appears under its name, or nothing.
 * Fails:    SOTTO_ESTATE if there is such a file; SOTTO_EIO.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_store_make(const char *path, sotto_store_fill_fn first,
						    void *context, struct sotto_error *err);

#endif
