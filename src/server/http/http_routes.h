/*
 * http_routes.h - the routes of the server, and finding the one that a request means
 */
#ifndef SOTTO_HTTP_ROUTES_H
#define SOTTO_HTTP_ROUTES_H

#include "server/http/http_request.h"

/* The routes of `sotto serve`. */
extern const struct sotto_route_table sotto_server_routes;

/* Finds the route and fills r->name.  Returns NULL, with a reply, if no route fits. */
const struct sotto_route *
sotto_http_find_route(struct sotto_request *r, const char *method, const char *path);

#endif
