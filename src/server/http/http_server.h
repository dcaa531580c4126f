/*
 * http_server.h - the HTTP server for browsers and programs
 *
 * (1) A request is read completely, within its limits, before any work is done for it; if it
 *     does not arrive within 30 s, its connection is closed.
 * (2) Before a byte of the body is kept, the server knows who asks and that this role may use
 *     the route.
 * (3) Work that needs a session is queued (work_queue.h); this thread never waits.
 * (4) Who asks is said by a header that only a page of this server, or a program, can set; a
 *     page's header counts only beside its cookie.
 * (5) Each address may use a limited share of connections and memory, so that one address
 *     cannot keep others out.
 */
#ifndef SOTTO_HTTP_SERVER_H
#define SOTTO_HTTP_SERVER_H

#include "server/http/http_options.h"
#include "sotto/status.h"

struct sotto_http;

SOTTO_MUST_CHECK enum sotto_status sotto_http_start(const struct sotto_http_options *options,
						    struct sotto_http **out,
						    struct sotto_error *err);

/* The port on which it listens. */
unsigned short sotto_http_port(const struct sotto_http *h);

/* Accepts no new connections; requests that have started are still answered. */
void sotto_http_quiesce(struct sotto_http *h);
void sotto_http_stop(struct sotto_http *h);

#endif
