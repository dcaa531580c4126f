/*
 * people.h - the list of users, for the other parts of the server
 */
#ifndef SOTTO_PEOPLE_H
#define SOTTO_PEOPLE_H

#include "server/people/people_key.h"
#include "sotto/server.h"

/*
 * What SCRAM needs to know about a user.  An unknown name gets a salt and keys that are the same
 * every time and match no password, so that a stranger cannot find out which names exist.
 */
struct sotto_scram_print {
	uint8_t salt[SOTTO_KEY_SALT_BYTES];
	uint8_t stored_key[SOTTO_KEY_HASH_BYTES], server_key[SOTTO_KEY_HASH_BYTES];
	bool known; /* never shown: an unknown name fails only at the end of the exchange */
	struct sotto_person person;
};

SOTTO_MUST_CHECK enum sotto_status sotto_people_scram(struct sotto_people *p, const char *name,
						      struct sotto_scram_print *out,
						      struct sotto_error *err);

/* Looks up the current record of a user.  Fails: SOTTO_EREFUSED if there is no valid key. */
SOTTO_MUST_CHECK enum sotto_status sotto_people_find(struct sotto_people *p, const char *name,
						     struct sotto_person *out,
						     struct sotto_error *err);

/* Counts the keys of a role that are not revoked. */
SOTTO_MUST_CHECK enum sotto_status sotto_people_count(struct sotto_people *p,
						      enum sotto_role role, int64_t *out,
						      struct sotto_error *err);

#endif
