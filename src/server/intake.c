/* The HTTP server of a collector: one store, one route, no users. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "server/collections/collections.h"
#include "server/route/route_intake.h"
#include "server/http/http_server.h"
#include "sotto/server.h"

struct sotto_intake {
	struct sotto_collections *collections;
	struct sotto_http *http;
	char *url;
};

static enum sotto_status
start(struct sotto_intake *i, const struct sotto_intake_options *o, struct sotto_error *err)
{
	struct sotto_http_options http = {.routes = &sotto_intake_routes,
					  .address = o->http,
					  .tls_cert = o->tls_cert,
					  .tls_key = o->tls_key};
	size_t host;

	SOTTO_TRY(sotto_collections_over(o->store, "reports", &i->collections));
	http.collections = i->collections;
	SOTTO_TRY(sotto_http_start(&http, &i->http, err));
	host = (size_t)(strrchr(o->http, ':') - o->http);
	return asprintf(&i->url, "http%s://%.*s:%u/reports", o->tls_cert ? "s" : "", (int)host,
			o->http, sotto_http_port(i->http)) < 0
		       ? SOTTO_ENOMEM
		       : SOTTO_OK;
}

enum sotto_status sotto_intake_start(const struct sotto_intake_options *options,
				     struct sotto_intake **out, struct sotto_error *err)
{
	struct sotto_intake *i;
	enum sotto_status st;

	if (!options || !options->http || !options->store || !out)
		return SOTTO_EINVAL;
	i = calloc(1, sizeof *i);
	if (!i)
		return SOTTO_ENOMEM;
	st = start(i, options, err);
	if (st != SOTTO_OK) {
		sotto_intake_stop(i);
		return st;
	}
	*out = i;
	return SOTTO_OK;
}

const char *sotto_intake_url(const struct sotto_intake *i)
{
	return i ? i->url : NULL;
}

enum sotto_status sotto_intake_health(struct sotto_intake *i, struct sotto_error *err)
{
	return i ? sotto_collection_health(sotto_collections_at(i->collections, 0), err)
		 : SOTTO_EINVAL;
}

/* What waits is finished first: its requests hold connections. */
void sotto_intake_stop(struct sotto_intake *i)
{
	if (!i)
		return;
	sotto_http_quiesce(i->http);
	sotto_collections_stop(i->collections);
	sotto_http_stop(i->http);
	sotto_collections_close(i->collections);
	free(i->url);
	free(i);
}
