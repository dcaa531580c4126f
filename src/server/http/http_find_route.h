/*
 * http_find_route.h - finds the route that a request means
 */
#ifndef SOTTO_HTTP_FIND_ROUTE_H
#define SOTTO_HTTP_FIND_ROUTE_H

#include "server/http/http_request.h"

/* Finds the route and fills r->name.  Returns NULL, with a reply, if no route fits. */
const struct sotto_route *
sotto_http_find_route(struct sotto_request *r, const char *method, const char *path);

#endif
