/*
 * http_events.h - a reply as a stream of events, which shows that a question is being answered
 *
 * A client that sends Accept: text/event-stream receives, as server-sent events, "progress"
 * when its question is put in line, when it is taken up, and once a second; then "answer"
 * or "problem" with what would have been the reply.
 *
 * Privacy: (1) Progress says queued or running and how many seconds have passed, which the
 *              client's own clock shows as well: nothing of rows, stages or how much is done.
 *          (2) The last event leaves when the reply would have: after the padding.
 * Threads: (3) A client may hang up at any moment.  The connection and the work hold the
 *              request each for itself, and the work never touches a connection that is gone.
 */
#ifndef SOTTO_HTTP_EVENTS_H
#define SOTTO_HTTP_EVENTS_H

#include "server/http/http_request.h"

/* Does the client ask for events, and has the route any? */
bool sotto_events_are_wanted(struct sotto_request *r);

/* From now on the reply of r is sent as an event.  Fails: SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_events_new(struct sotto_request *r);

/* The connection is gone; the work may go on. */
void sotto_events_leave(struct sotto_request *r);
void sotto_events_free(struct sotto_events *e);

/* The stream is a response whose length is not known. */
struct MHD_Response *sotto_events_response(struct sotto_request *r);

/* A lane has taken the question up. */
void sotto_events_run(struct sotto_request *r);

/* The reply is there: the last event. */
void sotto_events_end(struct sotto_request *r);

/* Tells every open stream of the server how long it has waited. */
void sotto_events_tick(void *http);

#endif
