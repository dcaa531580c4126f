/*
 * login.h - browsers that are logged in, links that log in once, and guessing slowed down
 *
 * All of it is in memory: after a restart people log in again.  Tokens are 256 random bits
 * and are kept as hashes only.  A token is worth nothing once its user has another key, or none,
 * also if another process changed that.
 */
#ifndef SOTTO_LOGIN_H
#define SOTTO_LOGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/people/people.h"

struct sotto_login;

#define SOTTO_TOKEN_SIZE 65 /* 64 digits and the end */

SOTTO_MUST_CHECK enum sotto_status sotto_login_new(struct sotto_login **out);
void sotto_login_free(struct sotto_login *l);

/* A token for a link that logs this user in once, within an hour. */
SOTTO_MUST_CHECK enum sotto_status sotto_login_link(struct sotto_login *l,
						    const struct sotto_person *person,
						    char token[SOTTO_TOKEN_SIZE]);

/* Whose link it is; the token is worth nothing afterwards.  Fails: SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status
sotto_login_redeem(struct sotto_login *l, struct sotto_people *people, const char *token,
		   struct sotto_person *out);

/* A cookie for a browser, for twelve hours; a name has 64, then its oldest ends. */
SOTTO_MUST_CHECK enum sotto_status sotto_login_begin(struct sotto_login *l,
						     const struct sotto_person *person,
						     char cookie[SOTTO_TOKEN_SIZE]);

/* Whose cookie it is.  Fails: SOTTO_EREFUSED for a cookie of nobody. */
SOTTO_MUST_CHECK enum sotto_status
sotto_login_find(struct sotto_login *l, struct sotto_people *people, const char *cookie,
		 struct sotto_person *out);
void sotto_login_end(struct sotto_login *l, const char *cookie);

/* Who guesses: a name is never taken for an address, whatever a stranger calls himself. */
enum sotto_guesser { SOTTO_GUESSER_ADDRESS, SOTTO_GUESSER_NAME };

/*
 * Seconds until `who` may try again: 0 for the first five failures, then twice as long each
 * time, up to a minute.  A success forgets them.
 */
unsigned sotto_login_wait(struct sotto_login *l, enum sotto_guesser kind, const char *who);
void sotto_login_failed(struct sotto_login *l, enum sotto_guesser kind, const char *who);
void sotto_login_succeeded(struct sotto_login *l, enum sotto_guesser kind, const char *who);

#endif
