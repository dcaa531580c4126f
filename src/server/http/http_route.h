/*
 * http_route.h - the record of one route: method, path, roles, limits and handler
 */
#ifndef SOTTO_HTTP_ROUTE_H
#define SOTTO_HTTP_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "server/work/work_queue.h"
#include "sotto/server.h"

struct sotto_request;

/* The roles that may use a route; 0: anybody, even without a key. */
enum {
	SOTTO_FOR_OWNER = 1 << SOTTO_ROLE_OWNER,
	SOTTO_FOR_ANALYST = 1 << SOTTO_ROLE_ANALYST,
	SOTTO_FOR_DEVICE = 1 << SOTTO_ROLE_DEVICE,
	SOTTO_FOR_PEOPLE = SOTTO_FOR_OWNER | SOTTO_FOR_ANALYST,
};

typedef void (*sotto_route_fn)(struct sotto_request *r, struct sotto_session *s);

/* Instead of a lane: answered at once without a session; finished later by another thread. */
enum { SOTTO_AT_ONCE = SOTTO_LANES, SOTTO_LATER };

/* Bodies are JSON, except on routes that another thread finishes. */
struct sotto_route {
	const char *method;
	const char *path; /* "{name}" stands for one part of it */
	unsigned roles;
	unsigned lane; /* enum sotto_lane, SOTTO_AT_ONCE or SOTTO_LATER */
	size_t body_max;
	sotto_route_fn run;
	const char *what; /* what it does, for people */
	bool tells_progress; /* if the client asks for a stream of events */
	const char *members; /* of a JSON body, by guard/http_members.h; NULL: none */
};

/* All routes of one server. */
struct sotto_route_table {
	const struct sotto_route *list;
	size_t count;
	bool is_open; /* anybody and pages of any site may use it; it has no files and no keys */
};

#endif
