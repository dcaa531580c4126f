/*
 * route_account.h - the accountant over HTTP, which needs no data
 */
#ifndef SOTTO_ROUTE_ACCOUNT_H
#define SOTTO_ROUTE_ACCOUNT_H

#include "server/http/http_route.h"

void sotto_route_account(struct sotto_request *r, struct sotto_session *s);

#endif
