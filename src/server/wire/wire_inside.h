/*
 * wire_inside.h - the state of one PostgreSQL client, for the files of this folder
 *
 * (1) Until SCRAM has succeeded, only start-up messages are handled.
 * (2) BEGIN, COMMIT, ROLLBACK and the like are accepted and undo nothing: what was charged
 *     stays charged.
 * (3) Besides these, a statement is a question (SELECT), an explanation (EXPLAIN) or a setting
 *     (SET, SHOW); everything else is refused with a sentence.
 */
#ifndef SOTTO_WIRE_INSIDE_H
#define SOTTO_WIRE_INSIDE_H

#include <openssl/ssl.h>
#include <stdatomic.h>

#include "server/people/login.h"
#include "server/people/people.h"
#include "server/wire/wire_message.h"
#include "server/wire/wire_settings.h"
#include "server/work/work_queue.h"
#include "server/work/work_share.h"

struct sotto_wire_connection;

/* What all connections share. */
struct sotto_wire_world {
	struct sotto_people *people;
	struct sotto_login *login;
	struct sotto_work_queue *work;
	struct sotto_shares *held; /* bytes of statements, portals and results, by user */
	SSL_CTX *tls; /* NULL: no TLS */
	const char *database;
	const char *policy; /* path of the file */
	int wake; /* readable when the server stops */
	/* Cancels the question of the connection with that number and secret. */
	void (*cancel)(void *context, int32_t number, int32_t secret);
	/* Admits a connection after login; sends an error and returns false if there are too many. */
	bool (*let_in)(void *context, struct sotto_wire_connection *c);
	void *context;
};

struct sotto_wire_statement;
struct sotto_wire_portal;

struct sotto_wire_connection {
	struct sotto_wire_stream stream;
	const struct sotto_wire_world *world;
	struct sotto_person person;
	struct sotto_wire_settings settings;
	struct sotto_wire_statement *statements;
	struct sotto_wire_portal *portals;
	int32_t number, secret;
	atomic_bool cancelled;
	bool in_block; /* inside a transaction block */
	bool skipping; /* after an error, until Sync */
	char address[64];
};

/* ---- functions of one connection ---------------------------------------------------------- */

/* wire_login.c: start-up and SCRAM.  Returns false if the client is not admitted. */
bool sotto_wire_login(struct sotto_wire_connection *c);

/* wire_statement.c, wire_rows.c */
struct sotto_wire_reply;

/* A statement and the values of its parameters. */
struct sotto_wire_query {
	const char *sql;
	const struct sotto_bound_value *parameters;
	size_t parameter_count;
};

/*
 * Count bytes that c keeps for its user, or no longer keeps.  The first sends an error and returns
 * false if the user keeps too much.
 */
bool sotto_wire_keep(struct sotto_wire_connection *c, size_t bytes);
void sotto_wire_forget(struct sotto_wire_connection *c, size_t bytes);

/* Is there nothing but blanks and semicolons? */
bool sotto_wire_is_empty(const char *sql);

/* The result of a statement: rows of an answer, lines of text, or only its tag. */
struct sotto_wire_result {
	struct sotto_wire_reply
		*reply; /* with an answer, an explanation or the catalog's; or NULL */
	char *line; /* one text, or NULL */
	const char *column; /* its name */
	const char *tag; /* "SELECT" is followed by the number of rows */
	size_t rows, sent;
	size_t kept; /* bytes counted for the user */
};

/* Runs one statement; sends an error and returns false if it fails. */
bool sotto_wire_run(struct sotto_wire_connection *c, const struct sotto_wire_query *q,
		    struct sotto_wire_result *out);
void sotto_wire_result_release(struct sotto_wire_connection *c, struct sotto_wire_result *r);

/* Sends RowDescription or NoData; formats has one entry for each column, one for all, or none. */
void sotto_wire_describe(struct sotto_wire_connection *c, const struct sotto_wire_result *r,
			 const int16_t *formats, size_t format_count);

/* Sends up to `most` rows (0: all), then CommandComplete or PortalSuspended. */
void sotto_wire_rows(struct sotto_wire_connection *c, struct sotto_wire_result *r, int32_t most,
		     const int16_t *formats, size_t format_count);

/* Works out the columns of a statement for a Describe before Execute; false after an error. */
bool sotto_wire_foresee(struct sotto_wire_connection *c, const struct sotto_wire_query *q,
			struct sotto_wire_result *out);

#endif
