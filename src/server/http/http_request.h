/*
 * http_request.h - one request on its way: who asks, what is asked, and the reply
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
	struct sotto_watched *watched; /* the same to http_watch.h */
	const struct sotto_route *route; /* NULL: a file of the console, or nothing */
	char name[SOTTO_PERSON_NAME_MAX + 1]; /* what stands for {name} */
	struct sotto_buffer body;
	size_t held; /* bytes that came of it, as a part of what the address holds */
	char address[SOTTO_ADDRESS_SIZE]; /* whose part; "" until a byte came */
	json_t *json; /* of the body; an empty object if there is none */
	struct sotto_person person; /* who asks; name "" for nobody */
	bool by_cookie; /* known by a browser's cookie, not by a key */
	bool is_passed; /* another lane has it now */
	enum sotto_lane next_lane;
	sotto_route_fn then; /* what the lane that has it does */
	bool is_sent; /* a reply is queued */
	bool is_in_work; /* its connection is suspended, or was */
	bool is_done; /* the work is done, and the reply below is to be sent */
	struct sotto_events *events; /* the reply is one of them; NULL: it is sent by itself */
	uint64_t since; /* when it was here as a whole, in nanoseconds of the steady clock */
	atomic_uint holders; /* the connection, and who works on it */

	unsigned status;
	struct sotto_json reply; /* JSON, unless: */
	const void *file; /* static bytes */
	size_t file_length;
	const char *file_tag; /* of that version of the file */
	bool file_is_packed; /* by gzip */
	const char *type; /* of the content */
	char header[2][256]; /* one more header: name, value */
};

/* ---- what was asked ------------------------------------------------------------------------ */

/* A header, a cookie or an argument of the request; NULL if it is not there. */
const char *
sotto_request_value(struct sotto_request *r, enum MHD_ValueKind kind, const char *name);

/* The address at the other end of the connection; "" if there is none. */
void sotto_request_peer(struct sotto_request *r, char out[SOTTO_ADDRESS_SIZE]);

/* A member of the body; NULL if it is not there or not a text. */
const char *sotto_request_text(const struct sotto_request *r, const char *key);
bool sotto_request_flag(const struct sotto_request *r, const char *key);

/*
 * A number of the body, exactly: a JSON number or a text like "1/3".  *given is false if it
 * is not there.  Fails with a reply: false.
 */
bool sotto_request_rational(struct sotto_request *r, const char *key,
			    struct sotto_rational *out, bool *given);

/* The person's share holds in the session from now on.  False with a reply. */
bool sotto_request_admit(struct sotto_request *r, struct sotto_session *s);

/* ---- the reply ----------------------------------------------------------------------------- */

/* Begins a JSON reply: what is written to the returned writer is sent. */
struct sotto_json *sotto_reply(struct sotto_request *r, unsigned status);

/* A problem document (RFC 9457) in place of whatever was written. */
void sotto_reply_problem(struct sotto_request *r, unsigned status, const char *code,
			 const char *sentence);

/* The same, left open for more members: the caller closes it. */
struct sotto_json *sotto_reply_open_problem(struct sotto_request *r, unsigned status,
					    const char *code, const char *sentence);

/* Too much waits: 503, and when to come again. */
void sotto_reply_busy(struct sotto_request *r);

struct sotto_asker sotto_http_asker(const struct sotto_request *r);

/* The same for what a function of the library failed with, in words for whoever asked. */
void sotto_reply_failure(struct sotto_request *r, enum sotto_status status,
			 const struct sotto_error *err);

#endif
