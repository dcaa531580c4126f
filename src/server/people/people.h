/*
 * people.h - the list of users, for the other parts of the server
 */
#ifndef SOTTO_PEOPLE_H
#define SOTTO_PEOPLE_H

#include "server/people/people_key.h"
#include "sotto/server.h"

/*
 * What SCRAM needs of a name.  For a name that nobody has, salts and keys that are the
 * same every time and that nothing fits, so that a stranger cannot tell names apart.
 */
struct sotto_scram_print {
	uint8_t salt[SOTTO_KEY_SALT_BYTES];
	uint8_t stored_key[SOTTO_KEY_HASH_BYTES], server_key[SOTTO_KEY_HASH_BYTES];
	bool known; /* never shown: the exchange goes on and fails at its end */
	struct sotto_person person;
};

SOTTO_MUST_CHECK enum sotto_status sotto_people_scram(struct sotto_people *p, const char *name,
						      struct sotto_scram_print *out,
						      struct sotto_error *err);

/* The user of that name as the register has them now.  Fails: SOTTO_EREFUSED without a valid key. */
SOTTO_MUST_CHECK enum sotto_status sotto_people_find(struct sotto_people *p, const char *name,
						     struct sotto_person *out,
						     struct sotto_error *err);

/* How many keys of that role are not revoked. */
SOTTO_MUST_CHECK enum sotto_status sotto_people_count(struct sotto_people *p,
						      enum sotto_role role, int64_t *out,
						      struct sotto_error *err);

#endif
