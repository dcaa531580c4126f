/*
 * http_request.h - one request on its way: who asks, what is asked, and the reply
 */
#ifndef SOTTO_HTTP_REQUEST_H
#define SOTTO_HTTP_REQUEST_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "server/http/json_reply.h"
#include "server/people/people_scram.h"
#include "server/work/work_admit.h"
#include "server/work/work_queue.h"
#include "sotto/query.h"

enum { SOTTO_ADDRESS_SIZE = 64 };

struct sotto_http;
struct sotto_request;

/* Which roles a route is for; 0: anybody, also without a key. */
enum {
	SOTTO_FOR_OWNER = 1 << SOTTO_ROLE_OWNER,
	SOTTO_FOR_ANALYST = 1 << SOTTO_ROLE_ANALYST,
	SOTTO_FOR_DEVICE = 1 << SOTTO_ROLE_DEVICE,
	SOTTO_FOR_PEOPLE = SOTTO_FOR_OWNER | SOTTO_FOR_ANALYST,
};

typedef void (*sotto_route_fn)(struct sotto_request *r, struct sotto_session *s);

/* In place of a lane: needs no session and is answered at once; another thread finishes it. */
enum { SOTTO_AT_ONCE = SOTTO_LANES, SOTTO_LATER };

/* One thing that can be asked for.  The body is JSON, except where another thread finishes. */
struct sotto_route {
	const char *method;
	const char *path; /* "{name}" stands for one part of it */
	unsigned roles;
	unsigned lane; /* enum sotto_lane, SOTTO_AT_ONCE or SOTTO_LATER */
	size_t body_max;
	sotto_route_fn run;
	const char *what; /* it does, for people */
};

/* What one door offers. */
struct sotto_route_table {
	const struct sotto_route *list;
	size_t count;
	bool is_open; /* to anybody, and to pages of any site; it has no files and no keys */
};

struct sotto_request {
	struct sotto_http *http;
	struct MHD_Connection *connection;
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
	sotto_route_fn then; /* what that lane does */
	bool is_sent; /* a reply is queued */
	bool is_in_work; /* its connection is suspended, or was */
	bool is_done; /* the work is done, and the reply below is to be sent */

	unsigned status;
	struct sotto_json reply; /* JSON, unless: */
	const void *file; /* static bytes */
	size_t file_length;
	const char *file_tag; /* of that version of the file */
	bool file_is_packed; /* by gzip */
	const char *type; /* of the content */
	char header[2][96]; /* one more header: name, value */
};

/* ---- what was asked ------------------------------------------------------------------------ */

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

/* The same for what a function of the library failed with, in words for who asked. */
void sotto_reply_failure(struct sotto_request *r, enum sotto_status status,
			 const struct sotto_error *err);

#endif
