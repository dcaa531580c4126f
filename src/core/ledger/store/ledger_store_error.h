/*
 * ledger_store_error.h - turns SQLite's errors into messages for the owner of a ledger
 */
#ifndef SOTTO_LEDGER_STORE_ERROR_H
#define SOTTO_LEDGER_STORE_ERROR_H

#include "core/ledger/store/ledger_store.h"
#include "sotto/status.h"

/* Returns the status, and writes the sentence, for the error that s->db holds. */
enum sotto_status sotto_store_failure(const struct sotto_store *s, struct sotto_error *err);

/* Reports that the file can be read but does not contain a ledger. */
enum sotto_status sotto_store_damage(const struct sotto_store *s, struct sotto_error *err);

#endif
