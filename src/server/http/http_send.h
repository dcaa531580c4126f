/*
 * http_send.h - a finished reply on its way to the client
 */
#ifndef SOTTO_HTTP_SEND_H
#define SOTTO_HTTP_SEND_H

#include "server/http/http_library.h"
#include "server/http/http_request.h"

/* Queues the reply that r holds; one that did not fit into memory becomes a problem. */
enum MHD_Result sotto_http_send(const struct sotto_mhd *mhd, struct sotto_request *r);

/* Begins a stream of events; they follow as they come. */
enum MHD_Result sotto_http_send_events(const struct sotto_mhd *mhd, struct sotto_request *r);

#endif
