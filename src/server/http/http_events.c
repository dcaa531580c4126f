/* Streams of events: what is sent, to which connection, and when a connection sleeps. */
#include "server/http/http_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/steady.h"
#include "server/http/http_inside.h"

enum { EVENTS_CAP = 257 << 20, PIECE = 16 << 10 };

struct sotto_events {
	struct sotto_events *next, **back; /* of the server's open streams */
	struct sotto_request *request;
	pthread_mutex_t lock;
	struct sotto_buffer text; /* the events, as text */
	size_t sent; /* of it */
	bool is_running, has_ended;
	bool is_asleep; /* the connection waits for more */
	bool is_gone; /* there is no connection any more */
};

bool sotto_events_are_wanted(struct sotto_request *r)
{
	const char *accept = sotto_request_value(r, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);

	return r->route->tells_progress && accept && strstr(accept, "text/event-stream");
}

/* ---- telling: all with the lock ------------------------------------------------------------- */

static void wake(struct sotto_events *e)
{
	if (!e->is_asleep || e->is_gone)
		return;
	e->is_asleep = false;
	e->request->http->mhd.MHD_resume_connection(e->request->connection);
}

/* A stream that does not fit into memory ends without its last event. */
static void tell(struct sotto_events *e, const char *event, const char *data)
{
	if (sotto_buffer_appendf(&e->text, "event: %s\ndata: ", event) != SOTTO_OK ||
	    sotto_buffer_append_text(&e->text, data) != SOTTO_OK ||
	    sotto_buffer_append_text(&e->text, "\n\n") != SOTTO_OK)
		e->has_ended = true;
	wake(e);
}

static void tell_progress(struct sotto_events *e)
{
	char data[64];
	uint64_t seconds = (sotto_steady_now() - e->request->since) / SOTTO_STEADY_SECOND;

	(void)snprintf(data, sizeof data, "{\"state\":\"%s\",\"seconds\":%" PRIu64 "}",
		       e->is_running ? "running" : "queued", seconds);
	tell(e, "progress", data);
}

/* ---- passing on ------------------------------------------------------------------------------ */

/* libmicrohttpd asks for more; where there is nothing, the connection sleeps. */
static ssize_t read_events(void *request, uint64_t position, char *out, size_t most)
{
	struct sotto_request *r = request;
	struct sotto_events *e = r->events;
	size_t n;
	ssize_t done;

	(void)position;
	pthread_mutex_lock(&e->lock);
	n = e->text.length - e->sent;
	n = n < most ? n : most;
	done = (ssize_t)n;
	if (n > 0) {
		memcpy(out, e->text.bytes + e->sent, n);
		e->sent += n;
	} else if (e->has_ended) {
		done = MHD_CONTENT_READER_END_OF_STREAM;
	} else {
		e->is_asleep = true;
		r->http->mhd.MHD_suspend_connection(r->connection);
	}
	pthread_mutex_unlock(&e->lock);
	return done;
}

struct MHD_Response *sotto_events_response(struct sotto_request *r)
{
	return r->http->mhd.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE,
							      read_events, r, NULL);
}

/* ---- a stream's life --------------------------------------------------------------------------- */

enum sotto_status sotto_events_new(struct sotto_request *r)
{
	struct sotto_events *e = calloc(1, sizeof *e);
	struct sotto_http *h = r->http;

	if (!e)
		return SOTTO_ENOMEM;
	e->request = r;
	sotto_buffer_init(&e->text, EVENTS_CAP);
	pthread_mutex_init(&e->lock, NULL);
	tell_progress(e);
	pthread_mutex_lock(&h->events_lock);
	e->next = h->events;
	e->back = &h->events;
	if (e->next)
		e->next->back = &e->next;
	h->events = e;
	pthread_mutex_unlock(&h->events_lock);
	r->events = e;
	return SOTTO_OK;
}

void sotto_events_leave(struct sotto_request *r)
{
	struct sotto_events *e = r->events;

	if (!e)
		return;
	pthread_mutex_lock(&r->http->events_lock);
	*e->back = e->next;
	if (e->next)
		e->next->back = e->back;
	pthread_mutex_unlock(&r->http->events_lock);
	pthread_mutex_lock(&e->lock);
	e->is_gone = true;
	pthread_mutex_unlock(&e->lock);
}

void sotto_events_free(struct sotto_events *e)
{
	if (!e)
		return;
	sotto_buffer_release(&e->text);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

void sotto_events_run(struct sotto_request *r)
{
	struct sotto_events *e = r->events;

	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->is_running = true;
	tell_progress(e);
	pthread_mutex_unlock(&e->lock);
}

void sotto_events_end(struct sotto_request *r)
{
	struct sotto_events *e = r->events;

	pthread_mutex_lock(&e->lock);
	tell(e, r->status < 400 ? "answer" : "problem", sotto_buffer_text(&r->reply.text));
	e->has_ended = true;
	if (!e->is_gone) /* who does not read it in time is shut, as with any reply */
		sotto_watch_set_busy(&r->http->watch, r->watched, false);
	wake(e);
	pthread_mutex_unlock(&e->lock);
}

void sotto_events_tick(void *http)
{
	struct sotto_http *h = http;

	pthread_mutex_lock(&h->events_lock);
	for (struct sotto_events *e = h->events; e; e = e->next) {
		pthread_mutex_lock(&e->lock);
		if (!e->has_ended)
			tell_progress(e);
		pthread_mutex_unlock(&e->lock);
	}
	pthread_mutex_unlock(&h->events_lock);
}
