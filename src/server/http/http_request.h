/*
 * http_request.h - one request: who asks, what is asked, and the reply
 */
#ifndef SOTTO_HTTP_REQUEST_H
#define SOTTO_HTTP_REQUEST_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "server/http/http_route.h"
#include "server/http/json_reply.h"
#include "server/people/people.h"
#include "server/work/work_admit.h"
#include "sotto/query.h"

struct sotto_events;
struct sotto_http;
struct sotto_watched;

enum { SOTTO_ADDRESS_SIZE = 64 };

struct sotto_request {
	struct sotto_http *http;
	struct MHD_Connection *connection;
	struct sotto_watched *watched; /* this connection in http_watch.h */
	const struct sotto_route *route; /* NULL: a file of the console, or nothing */
	char name[SOTTO_PERSON_NAME_MAX + 1]; /* the part of the path that matched {name} */
	struct sotto_buffer body;
	size_t held; /* bytes of the body so far, counted against the address */
	char address[SOTTO_ADDRESS_SIZE]; /* charged for them; "" until the first byte */
	json_t *json; /* the parsed body; an empty object if there is none */
	struct sotto_person person; /* who asks; name "" for nobody */
	bool is_passed; /* handed to another lane */
	enum sotto_lane next_lane;
	sotto_route_fn then; /* what that lane runs */
	bool is_sent; /* a reply is queued */
	bool is_in_work; /* its connection is or was suspended */
	bool is_done; /* the reply below is complete and must be sent */
	struct sotto_events *events; /* the stream for the reply; NULL: no stream */
	uint64_t since; /* when it had arrived completely, in nanoseconds of the steady clock */
	atomic_uint holders; /* references: the connection, and whoever works on the request */

	unsigned status;
	struct sotto_json reply; /* JSON, unless there is a file: */
	const void *file; /* static bytes */
	size_t file_length;
	const char *file_tag; /* entity tag of the file */
	bool file_is_packed; /* with gzip */
	const char *type; /* content type */
	char header[2][256]; /* an additional header: name, value */
};

/* ---- what was asked ------------------------------------------------------------------------ */

/* A header, cookie or argument of the request; NULL if it is missing. */
const char *
sotto_request_value(struct sotto_request *r, enum MHD_ValueKind kind, const char *name);

struct sotto_mhd;

/* The address at the other end of the connection; "" if there is none. */
void sotto_http_peer(const struct sotto_mhd *mhd, struct MHD_Connection *c,
		     char out[SOTTO_ADDRESS_SIZE]);
void sotto_request_peer(struct sotto_request *r, char out[SOTTO_ADDRESS_SIZE]);

/* A member of the body; NULL if it is missing or not a string. */
const char *sotto_request_text(const struct sotto_request *r, const char *key);
bool sotto_request_flag(const struct sotto_request *r, const char *key);

/*
 * Reads a number of the body exactly: a JSON number or a string like "1/3".  *given is false if
 * it is missing.  Returns false, with a problem as the reply, if it is not a number.
 */
bool sotto_request_rational(struct sotto_request *r, const char *key,
			    struct sotto_rational *out, bool *given);

/* Applies the person's share to the session.  Returns false, with a reply, if that fails. */
bool sotto_request_admit(struct sotto_request *r, struct sotto_session *s);

/* ---- the reply ----------------------------------------------------------------------------- */

/* Starts a JSON reply; the caller writes it to the returned writer. */
struct sotto_json *sotto_reply(struct sotto_request *r, unsigned status);

/* Replaces whatever was written by a problem document (RFC 9457). */
void sotto_reply_problem(struct sotto_request *r, unsigned status, const char *code,
			 const char *sentence);

/* The same, but open for more members; the caller closes it. */
struct sotto_json *sotto_reply_open_problem(struct sotto_request *r, unsigned status,
					    const char *code, const char *sentence);

/* Replies that the queue is full: 503, with the time to try again. */
void sotto_reply_busy(struct sotto_request *r);

/* Puts a problem document in the place of a reply that did not fit while it was written. */
void sotto_reply_settle(struct sotto_request *r);

struct sotto_asker sotto_http_asker(const struct sotto_request *r);

/* Replies with the failure of a library function, in words for this asker. */
void sotto_reply_failure(struct sotto_request *r, enum sotto_status status,
			 const struct sotto_error *err);

#endif
