/*
 * http_who.h - who asks, from which address, and whether that role may use the route
 *
 * (1) The address is the peer's, unless the policy's trusted_proxy: names that peer; then it
 *     is the last one of X-Forwarded-For, of the last such header if there are several.
 * (2) A request that changes something and comes from a page (Origin) comes from a page of
 *     this host, also when it logs in.
 * (3) A browser shows two things: a cookie, which no script can read, and a token in a header,
 *     which its page keeps.  What browsers send by themselves is not enough: forms of other sites
 *     can make them send the cookie, and they send it to all ports of this host.
 */
#ifndef SOTTO_HTTP_WHO_H
#define SOTTO_HTTP_WHO_H

#include "server/http/http_request.h"

/* The client's address, by rule (1). */
void sotto_http_address(struct sotto_request *r, char out[SOTTO_ADDRESS_SIZE]);

/* Does the client speak TLS, with this server or with a trusted proxy that says so? */
bool sotto_http_is_encrypted(struct sotto_request *r);

/* Fills r->person.  False with a reply if a key was given and is wrong. */
bool sotto_http_know(struct sotto_request *r);

/* Is the route for the person's role?  False with a reply. */
bool sotto_http_may(struct sotto_request *r);

/* Does it come from no page, or from one of ours?  False with a reply. */
bool sotto_http_is_ours(struct sotto_request *r);

/* Is an origin ("https://host:8443") that of a host, as the header Host names it? */
bool sotto_http_same_origin(const char *origin, const char *host);

/* The token and the cookie of a login, valid or not.  False if there are not both. */
bool sotto_http_tokens(struct sotto_request *r, const char **token, const char **cookie);

/* The name of this server's cookie: browsers keep those of all ports of a host together. */
#define SOTTO_COOKIE_SIZE 16
void sotto_http_cookie(struct sotto_request *r, char out[SOTTO_COOKIE_SIZE]);

/* Fills r->person by a key; a wrong one slows its address down.  False with a reply. */
bool sotto_http_know_key(struct sotto_request *r, const char *key);

#endif
