/*
 * route_account.h - the route of the accountant, which needs no data
 */
#ifndef SOTTO_ROUTE_ACCOUNT_H
#define SOTTO_ROUTE_ACCOUNT_H

#include "server/http/http_route.h"

void sotto_route_account(struct sotto_request *r, struct sotto_session *s);

#endif
