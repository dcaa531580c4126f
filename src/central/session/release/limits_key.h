/*
 * limits_key.h - the key under which limits that were found are kept in the ledger
 */
#ifndef SOTTO_LIMITS_KEY_H
#define SOTTO_LIMITS_KEY_H

#include "central/session/release/release.h"

/* Of the tables and keys that the name says.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_key(const char *name, char key[SOTTO_RELEASE_KEY_SIZE]);

/* The same, of those that the owner has found for everybody. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_key_for_all(const char *name, char key[SOTTO_RELEASE_KEY_SIZE]);

#endif
