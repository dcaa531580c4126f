/*
 * http_routes.h - the routes of the server, and which of a table a request means
 */
#ifndef SOTTO_HTTP_ROUTES_H
#define SOTTO_HTTP_ROUTES_H

#include "server/http/http_request.h"

/* What `sotto serve` offers. */
extern const struct sotto_route_table sotto_server_routes;

/* The route; NULL with a reply if there is none of that method.  Fills r->name. */
const struct sotto_route *
sotto_http_find_route(struct sotto_request *r, const char *method, const char *path);

#endif
