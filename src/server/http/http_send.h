/*
 * http_send.h - sends a finished reply to the client
 */
#ifndef SOTTO_HTTP_SEND_H
#define SOTTO_HTTP_SEND_H

#include "server/http/http_library.h"
#include "server/http/http_request.h"

/* Queues the reply of r; if memory ran out while it was written, a problem document instead. */
enum MHD_Result sotto_http_send(const struct sotto_mhd *mhd, struct sotto_request *r);

/* Starts a stream of events; they are sent as they occur. */
enum MHD_Result sotto_http_send_events(const struct sotto_mhd *mhd, struct sotto_request *r);

#endif
