/* Reports from anybody, and from pages of any site. */
#include "server/route/route_intake.h"

#include "server/collections/collections.h"
#include "server/route/route_collections.h"
#include "server/http/http_inside.h"
#include "server/route/route_owner.h"
#include "server/http/http_request.h"

static void take(struct sotto_request *r, struct sotto_session *s)
{
	(void)s;
	sotto_http_take_batch(r, sotto_collections_at(r->http->options.collections, 0));
}

/* A browser asks first whether a page of another site may send; the headers of every reply say so. */
static void allow(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

	(void)s;
	sotto_json_open(j, '{');
	sotto_json_close(j, '}');
}

static const struct sotto_route routes[] = {
	{"POST", "/reports", 0, SOTTO_LATER, (size_t)64 << 20, take,
	 "stores a batch of reports durably, and counts it once", false, NULL},
	{"OPTIONS", "/reports", 0, SOTTO_AT_ONCE, 0, allow, "says that pages may send", false,
	 NULL},
	{"GET", "/healthz", 0, SOTTO_AT_ONCE, 0, sotto_route_health,
	 "says that the collector runs", false, NULL},
};

const struct sotto_route_table sotto_intake_routes = {
	.list = routes, .count = sizeof routes / sizeof routes[0], .is_open = true};
