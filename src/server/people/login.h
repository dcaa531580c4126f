/*
 * login.h - browsers that are logged in, links that log in once, and guessing slowed down
 *
 * All of it is in memory: after a restart people log in again.  Tokens are 256 random bits
 * and are kept as hashes only.
 */
#ifndef SOTTO_LOGIN_H
#define SOTTO_LOGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/server.h"

struct sotto_login;

#define SOTTO_TOKEN_SIZE 65 /* 64 digits and the end */

SOTTO_MUST_CHECK enum sotto_status sotto_login_new(struct sotto_login **out);
void sotto_login_free(struct sotto_login *l);

/* A token for a link that logs that name in once, within an hour. */
SOTTO_MUST_CHECK enum sotto_status
sotto_login_link(struct sotto_login *l, const char *name, char token[SOTTO_TOKEN_SIZE]);

/* Whose link it is; the token is worth nothing afterwards.  Fails: SOTTO_EREFUSED. */
SOTTO_MUST_CHECK enum sotto_status sotto_login_redeem(struct sotto_login *l, const char *token,
						      char name[SOTTO_PERSON_NAME_MAX + 1]);

/* A cookie for a browser, for twelve hours. */
SOTTO_MUST_CHECK enum sotto_status
sotto_login_begin(struct sotto_login *l, const char *name, char cookie[SOTTO_TOKEN_SIZE]);

/* Fails: SOTTO_EREFUSED for a cookie of nobody. */
SOTTO_MUST_CHECK enum sotto_status sotto_login_find(struct sotto_login *l, const char *cookie,
						    char name[SOTTO_PERSON_NAME_MAX + 1]);
void sotto_login_end(struct sotto_login *l, const char *cookie);

/* Every browser of that name. */
void sotto_login_end_all(struct sotto_login *l, const char *name);

/*
 * Seconds until `who` (an address, or a name) may try again: 0 for the first five failures,
 * then twice as long each time, up to a minute.  A success forgets them.
 */
unsigned sotto_login_wait(struct sotto_login *l, const char *who);
void sotto_login_failed(struct sotto_login *l, const char *who);
void sotto_login_succeeded(struct sotto_login *l, const char *who);

#endif
