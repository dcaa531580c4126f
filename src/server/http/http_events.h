/*
 * http_events.h - sends a reply as a stream of events, so that a client sees its question progress
 *
 * A client that sends Accept: text/event-stream receives, as server-sent events, "progress"
 * when its question is queued, when work on it starts, and once a second; then "answer" or
 * "problem" with the text that would have been the reply.
 *
 * Privacy: (1) Progress says queued or running and how many seconds have passed, which the
 *              client's own clock shows as well; it says nothing about rows, stages or work done.
 *          (2) The last event is sent when the reply would have been: after the padding.
 * Threads: (3) A client may hang up at any moment.  The connection and the worker each hold a
 *              reference to the request, and a worker never touches a closed connection.
 */
#ifndef SOTTO_HTTP_EVENTS_H
#define SOTTO_HTTP_EVENTS_H

#include "server/http/http_request.h"

/* Does the client ask for events, and does the route offer them? */
bool sotto_events_are_wanted(struct sotto_request *r);

/* Makes r send its reply as an event.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_events_new(struct sotto_request *r);

/* Says that the connection is closed; work on the question may go on. */
void sotto_events_leave(struct sotto_request *r);
void sotto_events_free(struct sotto_events *e);

/* The stream, as a response of unknown length. */
struct MHD_Response *sotto_events_response(struct sotto_request *r);

/* Says that a lane has started to answer the question. */
void sotto_events_run(struct sotto_request *r);

/* Sends the reply as the last event. */
void sotto_events_end(struct sotto_request *r);

/* Tells every open stream of the server how long it has waited. */
void sotto_events_tick(void *http);

#endif
