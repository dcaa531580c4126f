/*
 * sotto/server.h - one guarded door to the data, for people and programs
 *
 * The server holds the data, the policy and the ledger; analysts reach them by names and
 * keys (sotto/people.h) over HTTP.  Everything listens on the addresses that are
 * given, and nowhere else.
 */
#ifndef SOTTO_SERVER_H
#define SOTTO_SERVER_H

#include <stdbool.h>

#include "sotto/api.h"
#include "sotto/error.h"
#include "sotto/people.h"
#include "sotto/status.h"

struct sotto_server;

struct sotto_server_options {
	const char *policy; /* its file */
	const char *http; /* "127.0.0.1:7654"; NULL: no HTTP */
	const char *tls_cert, *tls_key; /* files in PEM; both or none */
	unsigned questions; /* answered side by side; 0: 2 */
};

/* What was started; texts belong to the server. */
struct sotto_server_addresses {
	const char *http; /* "http://127.0.0.1:7654"; NULL: none */
	const char *login; /* the owner's link, once; NULL if the owner has a key already */
	const char *owner_key; /* made with that first link; NULL otherwise */
};

/*
 * Starts the server; it works in threads of its own until it is stopped.
 *
 * Fails:    what the policy, the register of people and the addresses fail with.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_server_start(const struct sotto_server_options *options, struct sotto_server **out,
		   struct sotto_error *err);
SOTTO_API void
sotto_server_addresses(const struct sotto_server *s, struct sotto_server_addresses *out);

/* Takes no new work, finishes what is being answered, and ends.  NULL is allowed. */
SOTTO_API void sotto_server_stop(struct sotto_server *s);

/* The register of people that belongs to a policy: a file beside its ledger.  *out is malloc'd. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_server_people_path(const char *policy, char **out, struct sotto_error *err);

#endif
