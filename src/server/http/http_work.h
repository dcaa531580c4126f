/*
 * http_work.h - a request that is here as a whole, through the lines of work to its reply
 */
#ifndef SOTTO_HTTP_WORK_H
#define SOTTO_HTTP_WORK_H

#include "server/http/http_request.h"

/* One that begins on a connection, held by it; NULL without memory. */
struct sotto_request *sotto_request_new(struct sotto_http *h, struct MHD_Connection *c);
void sotto_request_hold(struct sotto_request *r);
void sotto_request_free(struct sotto_request *r); /* once nobody holds it any more */

/* Has it answered: at once, or by a lane or another thread while the connection sleeps. */
enum MHD_Result sotto_http_work(struct sotto_request *r);

/* Lets another lane finish the request; the caller does nothing more with it. */
void sotto_http_pass_on(struct sotto_request *r, enum sotto_lane lane, sotto_route_fn run);

/* The reply of a route that another thread finishes is there. */
void sotto_http_finish(struct sotto_request *r);

/* Sends the reply that is there, and counts it. */
enum MHD_Result sotto_http_reply(struct sotto_request *r);

#endif
