/*
 * http_find_route.h - which route of the table a request means
 */
#ifndef SOTTO_HTTP_FIND_ROUTE_H
#define SOTTO_HTTP_FIND_ROUTE_H

#include "server/http/http_request.h"

/* The route; NULL with a reply if there is none of that method.  Fills r->name. */
const struct sotto_route *
sotto_http_find_route(struct sotto_request *r, const char *method, const char *path);

#endif
