/*
 * http_server.h - the HTTP server for browsers and programs
 *
 * (1) A request is read whole, within its limits, before anything is done for it; one that
 *     does not arrive in 30 s is closed.
 * (2) Whoever asks is known, and the route is for that role, before a byte of the body is
 *     kept.
 * (3) What needs a session waits in line (work_queue.h); this thread never waits.
 * (4) A browser's cookie opens a route that changes something only with a header that no
 *     other site can set.
 * (5) One address has a share of the connections and of the memory, so that it alone cannot
 *     keep others out.
 */
#ifndef SOTTO_HTTP_SERVER_H
#define SOTTO_HTTP_SERVER_H

#include "server/http/http_options.h"
#include "sotto/status.h"

struct sotto_http;

SOTTO_MUST_CHECK enum sotto_status sotto_http_start(const struct sotto_http_options *options,
						    struct sotto_http **out,
						    struct sotto_error *err);

/* Where it listens. */
unsigned short sotto_http_port(const struct sotto_http *h);

/* No new connection is taken; requests that are in work are answered. */
void sotto_http_quiesce(struct sotto_http *h);
void sotto_http_stop(struct sotto_http *h);

#endif
