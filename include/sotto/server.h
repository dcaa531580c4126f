/*
 * sotto/server.h - the server through which people and programs ask questions
 *
 * The server holds the data, the policy and the ledger; analysts connect with a name and a
 * key, over HTTP or the PostgreSQL protocol.  It listens only on the addresses that are given.
 */
#ifndef SOTTO_SERVER_H
#define SOTTO_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/status.h"

/* ---- people ----------------------------------------------------------------------------
 *
 * The register of users is one SQLite file beside the ledger.  A key is 256 random bits; it is
 * shown once, when it is made, and the register keeps a salted hash of it (for HTTP)
 * and a SCRAM-SHA-256 verifier (for the PostgreSQL protocol), from which it cannot be
 * computed.
 *
 * Threads:  every function of a register may be called from any number of threads.
 * NULL:     every function that returns a status refuses NULL where it needs a value
 *           with SOTTO_EINVAL; err may always be NULL.
 */
struct sotto_people;

enum sotto_role {
	SOTTO_ROLE_OWNER, /* policy, people, all history */
	SOTTO_ROLE_ANALYST, /* asks and explains questions, sees their own history and share */
	SOTTO_ROLE_DEVICE, /* sends reports to one collection */
};

#define SOTTO_PERSON_NAME_MAX 63
#define SOTTO_KEY_TEXT_SIZE 64 /* of a key as text, with its end */

struct sotto_person {
	char name[SOTTO_PERSON_NAME_MAX + 1];
	enum sotto_role role;
	char share[SOTTO_PERSON_NAME_MAX +
		   1]; /* of the budget, "1/4"; "": only the total limits */
	char collection[SOTTO_PERSON_NAME_MAX + 1]; /* of a device key; else "" */
	int64_t made; /* seconds since 1970 */
	bool revoked;
	uint64_t key_mark; /* which key: a new key has another mark; 0 without a valid one */
};

/* The word for a role, and the role for a word; false if there is none. */
SOTTO_API const char *sotto_role_name(enum sotto_role role);
SOTTO_API bool sotto_role_find(const char *name, enum sotto_role *out);

/*
 * Opens the register at path, or makes it, readable by its owner only.
 *
 * Fails:    SOTTO_EIO, SOTTO_ECORRUPT, SOTTO_ENOMEM.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_people_open(const char *path, struct sotto_people **out, struct sotto_error *err);
SOTTO_API void sotto_people_close(struct sotto_people *p);

/* Adds a user and returns the key; `made`, `revoked` and `key_mark` of person are ignored. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_people_add(struct sotto_people *p, const struct sotto_person *person,
		 char key[SOTTO_KEY_TEXT_SIZE], struct sotto_error *err);

/* A new key for a user; the old one stops working.  Fails: SOTTO_EMISSING, SOTTO_EIO. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_people_rotate(struct sotto_people *p, const char *name, char key[SOTTO_KEY_TEXT_SIZE],
		    struct sotto_error *err);

/* Makes a key invalid.  The name cannot be used again, because its history stays. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_people_revoke(struct sotto_people *p, const char *name, struct sotto_error *err);

typedef enum sotto_status (*sotto_person_visit)(void *context, const struct sotto_person *);

/* Visits all users, ordered by name; a status other than SOTTO_OK stops the visit. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_people_each(struct sotto_people *p, sotto_person_visit visit, void *context,
		  struct sotto_error *err);

/*
 * Finds the user of a key.  The time depends only on the public part of the key.
 *
 * Fails:    SOTTO_EREFUSED for an unknown key or one that was revoked.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_people_recognise(struct sotto_people *p, const char *key, struct sotto_person *out,
		       struct sotto_error *err);

/* ---- the server ------------------------------------------------------------------------- */

struct sotto_server;

struct sotto_server_options {
	const char *policy; /* its file */
	const char *http; /* "127.0.0.1:7654"; NULL: no HTTP */
	const char *wire; /* "127.0.0.1:7655", for PostgreSQL clients; NULL: none */
	const char *tls_cert, *tls_key; /* files in PEM; both or none */
	unsigned questions; /* questions answered at the same time; 0: 2 */
};

/* What was started; texts belong to the server. */
struct sotto_server_addresses {
	const char *http; /* "http://127.0.0.1:7654"; NULL: none */
	const char *wire; /* "127.0.0.1:7655"; NULL: none */
	const char *database; /* the database name for PostgreSQL clients */
	const char *login; /* the owner's link, once; NULL if the owner has a key already */
	const char *owner_key; /* made with that first link; NULL otherwise */
};

/*
 * Starts the server; it works in its own threads until it is stopped.
 *
 * Fails:    if the policy, the list of users or an address cannot be used; err says why.
 */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_server_start(const struct sotto_server_options *options, struct sotto_server **out,
		   struct sotto_error *err);
SOTTO_API void
sotto_server_addresses(const struct sotto_server *s, struct sotto_server_addresses *out);

/* Accepts no new work, finishes the questions it has begun, and ends.  NULL is allowed. */
SOTTO_API void sotto_server_stop(struct sotto_server *s);

/* ---- reports of devices alone -------------------------------------------------------------
 *
 * An HTTP server for one collection, open to everybody who can reach the address: devices have
 * no keys, and only the batch is kept.  POST /reports takes one batch (sotto/client.h) and
 * replies 202 when it is durable, 200 if it was known already, 400 and a reason if it is rejected,
 * 413 if it is too large or holds more reports than the store's limit, 503 if too many wait.  Pages of any site may send.  A request has
 * 30 seconds to arrive; one address has at most 1024 of the 4096 connections and a quarter
 * of the memory for bodies.
 */
struct sotto_local_collector;
struct sotto_intake;

struct sotto_intake_options {
	const char *http; /* "127.0.0.1:8080"; port 0: any that is free */
	const char *tls_cert, *tls_key; /* files in PEM; both or none */
	struct sotto_local_collector *store; /* borrowed; only the intake uses it meanwhile */
};

/* Starts to accept reports, in its own threads.  Fails: if the address or a file is unusable. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_intake_start(const struct sotto_intake_options *options, struct sotto_intake **out,
		   struct sotto_error *err);

/* "http://127.0.0.1:8080/reports"; belongs to the intake. */
SOTTO_API const char *sotto_intake_url(const struct sotto_intake *i);

/* SOTTO_OK, or the failure of the store; after a failure all batches are refused. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_intake_health(struct sotto_intake *i, struct sotto_error *err);

/* Accepts no new batches, replies to those that have arrived, and ends.  NULL is allowed. */
SOTTO_API void sotto_intake_stop(struct sotto_intake *i);

/* The path of a policy's register of users, a file beside its ledger; the caller frees *out. */
SOTTO_API SOTTO_MUST_CHECK enum sotto_status
sotto_server_people_path(const char *policy, char **out, struct sotto_error *err);

#endif
