/*
 * limits_key.h - the key under which the ledger keeps limits that were found
 */
#ifndef SOTTO_LIMITS_KEY_H
#define SOTTO_LIMITS_KEY_H

#include "central/session/release/release.h"

/* Computes the key for the tables and keys that the name lists.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_key(const char *name, char key[SOTTO_RELEASE_KEY_SIZE]);

/* Does the same for limits that the owner found for everybody. */
SOTTO_MUST_CHECK enum sotto_status
sotto_spread_key_for_all(const char *name, char key[SOTTO_RELEASE_KEY_SIZE]);

#endif
