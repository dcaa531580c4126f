/*
 * login.h - sessions of browsers, links that log in once, and delays for wrong guesses
 *
 * Everything is kept in memory: after a restart people log in again.  Tokens are 256 random bits,
 * and only their hashes are kept.  A token becomes invalid as soon as its user's key is rotated or
 * revoked, even by another process.
 */
#ifndef SOTTO_LOGIN_H
#define SOTTO_LOGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/people/people.h"

struct sotto_login;

#define SOTTO_TOKEN_SIZE 65 /* 64 digits and a zero byte */

SOTTO_MUST_CHECK enum sotto_status sotto_login_new(struct sotto_login **out);
void sotto_login_free(struct sotto_login *l);

/* Makes a token for a link that logs this user in once, within an hour. */
SOTTO_MUST_CHECK enum sotto_status sotto_login_link(struct sotto_login *l,
						    const struct sotto_person *person,
						    char token[SOTTO_TOKEN_SIZE]);

/* Finds whose link this is and invalidates its token.  Fails: SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status
sotto_login_redeem(struct sotto_login *l, struct sotto_people *people, const char *token,
		   struct sotto_person *out);

/*
 * Makes a session that is valid for twelve hours: a token for the page and one for a cookie, which
 * are worth something together only.  A user may have 64; the oldest one then ends.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_login_begin(struct sotto_login *l, const struct sotto_person *person,
		  char token[SOTTO_TOKEN_SIZE], char cookie[SOTTO_TOKEN_SIZE]);

/* Finds whose session this is.  Fails: SOTTO_EREFUSED if it is not valid. */
SOTTO_MUST_CHECK enum sotto_status
sotto_login_find(struct sotto_login *l, struct sotto_people *people, const char *token,
		 const char *cookie, struct sotto_person *out);
void sotto_login_end(struct sotto_login *l, const char *token, const char *cookie);

/* What failures are counted for; a name is never mistaken for an address. */
enum sotto_guesser { SOTTO_GUESSER_ADDRESS, SOTTO_GUESSER_NAME };

/*
 * Seconds until `who` may try again: 0 for the first five failures, then doubled with each
 * failure up to a minute.  A success resets the count.
 */
unsigned sotto_login_wait(struct sotto_login *l, enum sotto_guesser kind, const char *who);
void sotto_login_failed(struct sotto_login *l, enum sotto_guesser kind, const char *who);
void sotto_login_succeeded(struct sotto_login *l, enum sotto_guesser kind, const char *who);

#endif
