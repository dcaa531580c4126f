/*
 * clinic.h - a small private table with a policy, in a folder of its own
 */
#ifndef SOTTO_TESTS_CLINIC_H
#define SOTTO_TESTS_CLINIC_H

#include "sotto/query.h"
#include "testlib/folder.h"

struct clinic {
	struct folder folder;
	struct sotto_session *session;
	struct sotto_error err;
};

/* Policy and CSV texts are written, and a session opened; NULL policy: a default one. */
bool clinic_open(struct clinic *c, const char *policy, const char *csv);
void clinic_close(struct clinic *c);

/* Closes the session and opens it again. */
bool clinic_reopen(struct clinic *c);

/* Writes a file next to the policy. */
bool clinic_write(const struct clinic *c, const char *name, const char *text);

/* Seals what can be; asking does it too, so that a test may write sources at any time. */
void clinic_seal(struct clinic *c);

/* The owner makes the ledger, or accepts the policy as it is now. */
void clinic_own(struct clinic *c);

/*
 * Makes the data of the sealed copy unreadable, and leaves what it is known by: questions of a
 * session that is opened later fail after their charge.
 */
bool clinic_damage(const struct clinic *c);

/* Asks with epsilon and delta as text (NULL: not given); the answer or NULL, reason in c->err. */
struct sotto_answer *clinic_ask(struct clinic *c, const char *sql, const char *epsilon,
				const char *delta, bool fresh);

/* Visits of eight people in three wards: unit id, bounds 0..100 for x. */
extern const char clinic_policy[], clinic_csv[];

#endif
