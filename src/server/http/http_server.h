/*
 * http_server.h - the door for browsers and programs: requests in, replies out
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

#include <pthread.h>

#include "server/http/http_request.h"
#include "server/people/login.h"
#include "server/work/work_admit.h"

struct sotto_collections;

struct sotto_http_options {
	const struct sotto_route_table *routes;
	const char *address; /* "127.0.0.1:7654", "[::1]:7654"; port 0: any that is free */
	const char *tls_cert, *tls_key; /* files; both or none */
	struct sotto_people *people;
	struct sotto_login *login;
	struct sotto_work_queue *work;
	const char *policy; /* its file */
	struct sotto_collections *collections;
	const char *const *proxies; /* addresses that may say for whom they ask */
	size_t proxy_count;
};

SOTTO_MUST_CHECK enum sotto_status sotto_http_start(const struct sotto_http_options *options,
						    struct sotto_http **out,
						    struct sotto_error *err);

/* Where it listens. */
unsigned short sotto_http_port(const struct sotto_http *h);

/* No new connection is taken; requests that are in work are answered. */
void sotto_http_quiesce(struct sotto_http *h);
void sotto_http_stop(struct sotto_http *h);

const struct sotto_http_options *sotto_http_settings(const struct sotto_http *h);

/* A header, a cookie or an argument of the request; NULL if it is not there. */
const char *
sotto_http_value(struct sotto_request *r, enum MHD_ValueKind kind, const char *name);

/* The address at the other end of the connection; "" if there is none. */
void sotto_http_peer(struct sotto_request *r, char out[SOTTO_ADDRESS_SIZE]);

/* Held while the policy's file is replaced. */
pthread_mutex_t *sotto_http_policy_lock(struct sotto_http *h);

/* Counts of replies by route and status, for the owner's metrics. */
void sotto_http_metrics(struct sotto_http *h, struct sotto_buffer *out);

#endif
