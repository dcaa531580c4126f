/*
 * route_policy.h - routes that read and replace the policy
 */
#ifndef SOTTO_ROUTE_POLICY_H
#define SOTTO_ROUTE_POLICY_H

#include "server/http/http_route.h"

void sotto_route_policy_get(struct sotto_request *r, struct sotto_session *s);
void sotto_route_policy_put(struct sotto_request *r, struct sotto_session *s);

#endif
