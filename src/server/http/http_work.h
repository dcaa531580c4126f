/*
 * http_work.h - takes a complete request through the work queue to its reply
 */
#ifndef SOTTO_HTTP_WORK_H
#define SOTTO_HTTP_WORK_H

#include "server/http/http_request.h"

/* A new request on a connection, which holds a reference to it; NULL if out of memory. */
struct sotto_request *sotto_request_new(struct sotto_http *h, struct MHD_Connection *c);
void sotto_request_free(struct sotto_request *r); /* drops a reference; the last one frees */

/* Answers r at once, or has a lane or another thread answer it while the connection waits. */
enum MHD_Result sotto_http_work(struct sotto_request *r);

/* Hands the request to another lane; the caller must not touch it afterwards. */
void sotto_http_pass_on(struct sotto_request *r, enum sotto_lane lane, sotto_route_fn run);

/* Called by the thread that finishes a route: its reply is complete. */
void sotto_http_finish(struct sotto_request *r);

/* Sends the complete reply, and counts it. */
enum MHD_Result sotto_http_reply(struct sotto_request *r);

#endif
