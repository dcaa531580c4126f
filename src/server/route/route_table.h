/*
 * route_table.h - the routes that `sotto serve` offers: method, path, roles, line of work
 */
#ifndef SOTTO_ROUTE_TABLE_H
#define SOTTO_ROUTE_TABLE_H

#include "server/http/http_request.h"

extern const struct sotto_route_table sotto_server_routes;

#endif
