/*
 * route_tables.h - the route that lists tables and columns
 */
#ifndef SOTTO_ROUTE_TABLES_H
#define SOTTO_ROUTE_TABLES_H

#include "server/http/http_route.h"

void sotto_route_tables(struct sotto_request *r, struct sotto_session *s);

#endif
