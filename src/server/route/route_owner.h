/*
 * route_owner.h - routes for the owner: limits, bounds and metrics; and the health check
 */
#ifndef SOTTO_ROUTE_OWNER_H
#define SOTTO_ROUTE_OWNER_H

#include "server/http/http_route.h"

void sotto_route_health(struct sotto_request *r, struct sotto_session *s);
void sotto_route_limits(struct sotto_request *r, struct sotto_session *s);
void sotto_route_bounds(struct sotto_request *r, struct sotto_session *s);
void sotto_route_metrics(struct sotto_request *r, struct sotto_session *s);

#endif
