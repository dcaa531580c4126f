/*
 * http_ask.h - questions over HTTP
 */
#ifndef SOTTO_HTTP_ASK_H
#define SOTTO_HTTP_ASK_H

#include "server/http/http_route.h"

void sotto_route_query(struct sotto_request *r, struct sotto_session *s);
void sotto_route_explain(struct sotto_request *r, struct sotto_session *s);

#endif
