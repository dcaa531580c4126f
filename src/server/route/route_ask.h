/*
 * route_ask.h - routes that ask and explain questions
 */
#ifndef SOTTO_ROUTE_ASK_H
#define SOTTO_ROUTE_ASK_H

#include "server/http/http_route.h"

void sotto_route_query(struct sotto_request *r, struct sotto_session *s);
void sotto_route_explain(struct sotto_request *r, struct sotto_session *s);

#endif
