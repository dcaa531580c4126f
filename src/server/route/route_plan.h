/*
 * route_plan.h - the route that compares protocols before a collection is set up
 */
#ifndef SOTTO_ROUTE_PLAN_H
#define SOTTO_ROUTE_PLAN_H

#include "server/http/http_route.h"

void sotto_route_plan(struct sotto_request *r, struct sotto_session *s);

#endif
