/*
 * wire_server.h - the server for PostgreSQL clients
 *
 * Each connection has a thread, up to a limit; work that needs a session goes through the same
 * queue as everybody else's (work_queue.h).
 */
#ifndef SOTTO_WIRE_SERVER_H
#define SOTTO_WIRE_SERVER_H

#include "server/people/login.h"
#include "server/people/people.h"
#include "server/work/work_queue.h"

struct sotto_wire;

struct sotto_wire_options {
	const char *address; /* "127.0.0.1:7655" */
	const char *tls_cert, *tls_key; /* files; both or none */
	const char *database; /* the policy's name */
	struct sotto_people *people;
	struct sotto_login *login;
	struct sotto_work_queue *work;
	const char *policy; /* path of the file */
};

SOTTO_MUST_CHECK enum sotto_status sotto_wire_start(const struct sotto_wire_options *options,
						    struct sotto_wire **out,
						    struct sotto_error *err);
unsigned short sotto_wire_port(const struct sotto_wire *w);

/* Each connection ends after its current statement.  NULL is allowed. */
void sotto_wire_stop(struct sotto_wire *w);

#endif
