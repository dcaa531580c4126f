/*
 * http_route.h - one thing that can be asked for over HTTP
 */
#ifndef SOTTO_HTTP_ROUTE_H
#define SOTTO_HTTP_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "server/work/work_queue.h"
#include "sotto/server.h"

struct sotto_request;

/* Which roles a route is for; 0: anybody, also without a key. */
enum {
	SOTTO_FOR_OWNER = 1 << SOTTO_ROLE_OWNER,
	SOTTO_FOR_ANALYST = 1 << SOTTO_ROLE_ANALYST,
	SOTTO_FOR_DEVICE = 1 << SOTTO_ROLE_DEVICE,
	SOTTO_FOR_PEOPLE = SOTTO_FOR_OWNER | SOTTO_FOR_ANALYST,
};

typedef void (*sotto_route_fn)(struct sotto_request *r, struct sotto_session *s);

/* In place of a lane: needs no session and is answered at once; another thread finishes it. */
enum { SOTTO_AT_ONCE = SOTTO_LANES, SOTTO_LATER };

/* The body is JSON, except where another thread finishes. */
struct sotto_route {
	const char *method;
	const char *path; /* "{name}" stands for one part of it */
	unsigned roles;
	unsigned lane; /* enum sotto_lane, SOTTO_AT_ONCE or SOTTO_LATER */
	size_t body_max;
	sotto_route_fn run;
	const char *what; /* it does, for people */
	bool tells_progress; /* to who asks for a stream of events */
};

/* What one door offers. */
struct sotto_route_table {
	const struct sotto_route *list;
	size_t count;
	bool is_open; /* to anybody, and to pages of any site; it has no files and no keys */
};

#endif
