/*
 * http_routes.h - the table of all routes
 */
#ifndef SOTTO_HTTP_ROUTES_H
#define SOTTO_HTTP_ROUTES_H

#include "server/http/http_request.h"

/* All of them. */
const struct sotto_route *sotto_http_routes(size_t *count);

/* The route; NULL with a reply if there is none of that method.  Fills r->name. */
const struct sotto_route *
sotto_http_find_route(struct sotto_request *r, const char *method, const char *path);

#endif
