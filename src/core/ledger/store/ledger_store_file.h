/*
 * ledger_store_file.h - connects to the file of a store, or makes a new one
 *
 * A new file is built under another name and then linked to its own, so that a crash cannot leave
 * half a file: an empty or headless file is damage, never a fresh start with the whole budget.
 */
#ifndef SOTTO_LEDGER_STORE_FILE_H
#define SOTTO_LEDGER_STORE_FILE_H

#include <stdbool.h>

#include "core/ledger/store/ledger_store.h"

void sotto_store_disconnect(struct sotto_store *s);

/* Runs statements and ignores their rows. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_execute(struct sotto_store *s, const char *sql, struct sotto_error *err);

/* Fills a new, empty database. */
typedef enum sotto_status (*sotto_store_fill_fn)(struct sotto_store *draft, void *context,
						 struct sotto_error *err);

/* Connects to s->path; for reading if it or its folder cannot be written. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_connect_any(struct sotto_store *s, struct sotto_error *err);

/* Makes a file that only its owner can read.  *exists: there is one already, which is kept. */
SOTTO_MUST_CHECK enum sotto_status
sotto_store_make_file(const char *path, sotto_store_fill_fn fill, void *context, bool *exists,
		      struct sotto_error *err);

#endif
