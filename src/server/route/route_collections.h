/*
 * route_collections.h - reports of devices in, estimates out
 */
#ifndef SOTTO_ROUTE_COLLECTIONS_H
#define SOTTO_ROUTE_COLLECTIONS_H

#include "server/http/http_route.h"

struct sotto_collection;

/* Has the batch of the body taken, and finishes the request. */
void sotto_http_take_batch(struct sotto_request *r, struct sotto_collection *c);

void sotto_route_collections(struct sotto_request *r, struct sotto_session *s);
void sotto_route_reports(struct sotto_request *r, struct sotto_session *s);
void sotto_route_estimates(struct sotto_request *r, struct sotto_session *s);

#endif
