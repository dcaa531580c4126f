/* Puts requests in line and sends what comes of them. */
#include "server/http/http_work.h"

#include <stdlib.h>

#include "core/base/steady.h"
#include "server/http/http_events.h"
#include "server/http/guard/http_members.h"
#include "server/http/http_inside.h"
#include "server/http/http_send.h"

enum { REPLY_START = 1 << 20, BODY_MAX = 512 << 20 };

/* ---- its life ------------------------------------------------------------------------------ */

struct sotto_request *sotto_request_new(struct sotto_http *h, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		h->mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct sotto_request *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->http = h;
	r->connection = c;
	r->watched = info ? info->socket_context : NULL;
	atomic_init(&r->holders, 1);
	sotto_buffer_init(&r->body, BODY_MAX);
	sotto_json_init(&r->reply, REPLY_START);
	r->type = "application/json";
	return r;
}

static void request_hold(struct sotto_request *r)
{
	(void)atomic_fetch_add(&r->holders, 1);
}

void sotto_request_free(struct sotto_request *r)
{
	if (!r || atomic_fetch_sub(&r->holders, 1) > 1)
		return;
	json_decref(r->json);
	sotto_buffer_release(&r->body);
	sotto_json_release(&r->reply);
	sotto_events_free(r->events);
	free(r);
}

/* ---- the reply ----------------------------------------------------------------------------- */

/* The clock of a connection stands while its request is in work. */
static void set_busy(struct sotto_request *r, bool busy)
{
	sotto_watch_set_busy(&r->http->watch, r->watched, busy);
}

/* A question's reply is there after its padding, so that is what is counted. */
static void count(struct sotto_request *r)
{
	sotto_counts_add(&r->http->counts, r->route, r->status);
	if (r->since && r->http->options.work)
		sotto_work_count_reply(r->http->options.work, SOTTO_DOOR_HTTP,
				       sotto_steady_now() - r->since);
}

enum MHD_Result sotto_http_reply(struct sotto_request *r)
{
	enum MHD_Result done = sotto_http_send(&r->http->mhd, r);

	count(r);
	r->is_sent = true;
	set_busy(r, false);
	return done;
}

/* ---- in line ------------------------------------------------------------------------------- */

static void refuse_work(struct sotto_request *r, enum sotto_status st)
{
	sotto_reply_busy(r);
	if (st == SOTTO_EBUDGET)
		sotto_reply_problem(
			r, MHD_HTTP_TOO_MANY_REQUESTS, "too-many",
			"you have too many requests in progress; wait for one to finish");
}

/* No session: the policy, the ledger or the sealed data cannot be used as they are. */
static void refuse_closed(struct sotto_request *r, const struct sotto_error *why)
{
	const struct sotto_asker asker = sotto_http_asker(r);
	struct sotto_error told;

	sotto_work_tell_closed(&asker, why, &told);
	sotto_reply_problem(r, MHD_HTTP_SERVICE_UNAVAILABLE, "not-open", told.text);
}

/* Half of a reply is none: a stream of events would pass it on as the answer. */
void sotto_http_finish(struct sotto_request *r)
{
	sotto_reply_settle(r);
	if (r->events) {
		count(r);
		sotto_events_end(r);
		return;
	}
	r->is_done = true;
	r->http->mhd.MHD_resume_connection(r->connection);
}

static void work(struct sotto_session *s, void *context, const struct sotto_error *why)
{
	struct sotto_request *r = context;

	r->is_passed = false;
	if (r->next_lane == SOTTO_LANE_QUESTION)
		sotto_events_run(r);
	if (s)
		r->then(r, s);
	else
		refuse_closed(r, why);
}

static void work_done(void *context);

static enum sotto_status put_in_line(struct sotto_request *r)
{
	const struct sotto_work_job job = {.name = r->person.name[0] ? r->person.name
								     : "(nobody)",
					   .work = work,
					   .done = work_done,
					   .context = r};
	enum sotto_status st;

	request_hold(r);
	st = sotto_work_add(r->http->options.work, r->next_lane, &job);
	if (st != SOTTO_OK) {
		refuse_work(r, st);
		sotto_request_free(r);
	}
	return st;
}

/* The request is finished, or another lane has it; that one may be done already. */
static void work_done(void *context)
{
	struct sotto_request *r = context;

	if (!r->is_passed || put_in_line(r) != SOTTO_OK)
		sotto_http_finish(r);
	sotto_request_free(r);
}

void sotto_http_pass_on(struct sotto_request *r, enum sotto_lane lane, sotto_route_fn run)
{
	r->is_passed = true;
	r->next_lane = lane;
	r->then = run;
}

/* ---- a request that is here as a whole -------------------------------------------------------- */

static bool read_body(struct sotto_request *r)
{
	json_error_t error;

	r->json = r->body.length == 0 ? json_object()
				      : json_loadb(r->body.bytes, r->body.length,
						   JSON_REJECT_DUPLICATES, &error);
	if (json_is_object(r->json))
		return sotto_http_has_members(r);
	sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "bad-json",
			    "the body of the request is not a JSON object with each member "
			    "once, numbers of at most 18 digits and no character 0");
	return false;
}

/* From here on the server waits for the reply before it stops. */
static void begin_work(struct sotto_request *r)
{
	set_busy(r, true);
	r->is_in_work = true;
	(void)atomic_fetch_add(&r->http->in_work, 1);
}

/* The headers leave now, and events as they come. */
static enum MHD_Result work_in_events(struct sotto_request *r)
{
	if (sotto_events_new(r) != SOTTO_OK) {
		sotto_reply_busy(r);
		return sotto_http_reply(r);
	}
	begin_work(r);
	if (put_in_line(r) != SOTTO_OK)
		sotto_http_finish(r);
	r->is_sent = true;
	return sotto_http_send_events(&r->http->mhd, r);
}

/* The connection sleeps until the reply is there. */
static enum MHD_Result work_asleep(struct sotto_request *r)
{
	begin_work(r);
	r->http->mhd.MHD_suspend_connection(r->connection);
	if (r->route->lane == SOTTO_LATER)
		r->route->run(r, NULL);
	else if (put_in_line(r) != SOTTO_OK)
		sotto_http_finish(r);
	return MHD_YES;
}

enum MHD_Result sotto_http_work(struct sotto_request *r)
{
	r->since = sotto_steady_now();
	if (r->route->lane != SOTTO_LATER && !read_body(r))
		return sotto_http_reply(r);
	if (r->route->lane == SOTTO_AT_ONCE) {
		r->route->run(r, NULL);
		return sotto_http_reply(r);
	}
	r->next_lane = (enum sotto_lane)r->route->lane;
	r->then = r->route->run;
	return sotto_events_are_wanted(r) ? work_in_events(r) : work_asleep(r);
}
