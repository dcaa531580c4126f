/*
 * route_collections.h - routes that take reports of devices and give estimates
 */
#ifndef SOTTO_ROUTE_COLLECTIONS_H
#define SOTTO_ROUTE_COLLECTIONS_H

#include "server/http/http_route.h"

struct sotto_collection;

/* Gives the batch in the body to the collection, and finishes the request once it is durable. */
void sotto_http_take_batch(struct sotto_request *r, struct sotto_collection *c);

void sotto_route_collections(struct sotto_request *r, struct sotto_session *s);
void sotto_route_reports(struct sotto_request *r, struct sotto_session *s);
void sotto_route_estimates(struct sotto_request *r, struct sotto_session *s);

#endif
