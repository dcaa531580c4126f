/* Takes requests, finds out who asks, has the work done, and sends the reply. */
#include "server/http/http_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/failure.h"
#include "server/http/http_events.h"
#include "server/http/console/http_file.h"
#include "server/http/http_inside.h"
#include "server/http/http_find_route.h"
#include "server/http/guard/http_strict.h"
#include "server/http/guard/http_who.h"
#include "server/http/http_work.h"
#include "server/work/listen.h"

enum {
	CONNECTIONS_MAX = 4096,
	CONNECTIONS_PER_ADDRESS = 1024,
	CONNECTIONS_CLOSING = 64, /* of these, for newcomers while older ones are being shut */
	HEADER_BYTES = 32 << 10, /* what a connection may hold: 16 KiB of headers, twice */
	ARRIVE_SECONDS = 30,
	DRAIN_MS = 2000,
	HELD_MAX = 512 << 20, /* bytes of bodies, all together */
	HELD_PER_ADDRESS = 128 << 20,
	REFUSED_MAX = 512 << 20, /* bytes of a refused body that are still read */
};

unsigned short sotto_http_port(const struct sotto_http *h)
{
	return h->port;
}

/* ---- connections ------------------------------------------------------------------------------ */

static void on_connection(void *context, struct MHD_Connection *c, void **socket_context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct sotto_http *h = context;
	const union MHD_ConnectionInfo *info;
	char address[SOTTO_ADDRESS_SIZE];

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		info = h->mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
		sotto_http_peer(&h->mhd, c, address);
		*socket_context =
			info ? sotto_watch_add(&h->watch, info->connect_fd, address) : NULL;
	} else {
		sotto_watch_remove(&h->watch, *socket_context);
	}
}

/* ---- a request --------------------------------------------------------------------------------- */

/* The length of the body as the headers have it; 0 if they do not say. */
static size_t announced(struct sotto_request *r)
{
	const char *length =
		sotto_request_value(r, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

	return length ? strtoull(length, NULL, 10) : 0;
}

static bool is_too_long(struct sotto_request *r)
{
	if (announced(r) <= r->route->body_max)
		return false;
	sotto_reply_problem(r, MHD_HTTP_CONTENT_TOO_LARGE, "too-large",
			    "the body of the request is too large");
	return true;
}

/* All that can be refused before the body comes.  True if the body is wanted. */
static bool admit(struct sotto_request *r, const char *method, const char *path)
{
	bool is_open = r->http->options.routes->is_open;

	if (!is_open && strncmp(path, "/v1/", 4) != 0) {
		sotto_http_find_file(r, method, path);
		return false;
	}
	r->route = sotto_http_find_route(r, method, path);
	if (is_open)
		return r->route && !is_too_long(r);
	return r->route && sotto_http_is_ours(r) && sotto_http_know(r) && sotto_http_may(r) &&
	       !is_too_long(r);
}

/* Bodies have limits, together and of one address: past them, who sends more comes again later. */
static bool holds(struct sotto_request *r, size_t n)
{
	if (!r->address[0])
		sotto_http_address(r, r->address);
	if (!sotto_share_hold(&r->http->held, r->address, n))
		return false;
	r->held += n;
	return true;
}

/* Room for the whole body is made once; pages of it that are never written cost nothing. */
static bool has_room(struct sotto_request *r)
{
	return r->body.length > 0 || sotto_buffer_reserve(&r->body, announced(r)) == SOTTO_OK;
}

static enum MHD_Result take_bytes(struct sotto_request *r, const char *bytes, size_t *n)
{
	if (r->status == 0 && r->body.length + *n > r->route->body_max)
		sotto_reply_problem(r, MHD_HTTP_CONTENT_TOO_LARGE, "too-large",
				    "the body of the request is too large");
	else if (r->status == 0 && (!holds(r, *n) || !has_room(r) ||
				    sotto_buffer_append(&r->body, bytes, *n) != SOTTO_OK))
		sotto_reply_busy(r);
	*n = 0;
	return MHD_YES;
}

/*
 * Whether a body that is refused is read to its end first.  Most senders look for a reply only
 * then; not those that wait for leave to send, and nobody should wait for what has no end.
 */
static bool is_read_first(struct sotto_request *r)
{
	return !sotto_request_value(r, MHD_HEADER_KIND, MHD_HTTP_HEADER_EXPECT) &&
	       announced(r) <= REFUSED_MAX;
}

/* libmicrohttpd calls this when headers are there, for each piece of a body, and at its end. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *bytes,
				  size_t *n, void **request)
{
	struct sotto_request *r = *request;

	(void)version;
	if (!r) {
		r = *request = sotto_request_new(context, c);
		if (!r)
			return MHD_NO;
		if (!sotto_http_is_plain(r))
			return sotto_http_reply(r);
		if (admit(r, method, path))
			return MHD_YES;
		return is_read_first(r) ? MHD_YES : sotto_http_reply(r);
	}
	if (r->is_sent)
		return MHD_YES;
	if (*n)
		return take_bytes(r, bytes, n);
	return r->is_done || r->status ? sotto_http_reply(r) : sotto_http_work(r);
}

/* What the address holds is counted by this thread alone, also if the work goes on. */
static void on_completed(void *context, struct MHD_Connection *c, void **request,
			 enum MHD_RequestTerminationCode code)
{
	struct sotto_http *h = context;
	struct sotto_request *r = *request;

	(void)c;
	(void)code;
	if (!r)
		return;
	if (r->is_in_work)
		(void)atomic_fetch_sub(&h->in_work, 1);
	sotto_share_drop(&h->held, r->address, r->held);
	sotto_events_leave(r);
	sotto_request_free(r);
	*request = NULL;
}

/* ---- starting and stopping -------------------------------------------------------------------- */

static enum sotto_status read_file(const char *path, char **out, struct sotto_error *err)
{
	struct sotto_buffer b;
	FILE *f = fopen(path, "re");
	char piece[4096];
	size_t n;

	if (!f)
		return sotto_fail(err, SOTTO_EIO, "%s could not be read", path);
	sotto_buffer_init(&b, 1 << 20);
	while ((n = fread(piece, 1, sizeof piece, f)) > 0)
		if (sotto_buffer_append(&b, piece, n) != SOTTO_OK)
			break;
	(void)fclose(f);
	*out = strdup(sotto_buffer_text(&b));
	sotto_buffer_release(&b);
	return *out ? SOTTO_OK : SOTTO_ENOMEM;
}

static enum sotto_status load_tls(struct sotto_http *h, struct sotto_error *err)
{
	if (!h->options.tls_cert)
		return SOTTO_OK;
	SOTTO_TRY(read_file(h->options.tls_cert, &h->cert, err));
	return read_file(h->options.tls_key, &h->key, err);
}

/* As over the wire: older ones are broken. */
static char tls_versions[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

static enum sotto_status start_daemon(struct sotto_http *h, struct sotto_error *err)
{
	struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, h->cert},
				       {MHD_OPTION_HTTPS_MEM_KEY, 0, h->key},
				       {MHD_OPTION_HTTPS_PRIORITIES, 0, tls_versions},
				       {MHD_OPTION_END, 0, NULL}};

	h->daemon = h->mhd.MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			(h->cert ? MHD_USE_TLS : 0u),
		0, NULL, NULL, on_request, h, MHD_OPTION_LISTEN_SOCKET, h->listener,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, h, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, h, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CONNECTIONS_PER_ADDRESS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, h->cert ? tls : &tls[3],
		MHD_OPTION_END);
	if (!h->daemon)
		return sotto_fail(err, SOTTO_EIO, "the HTTP server could not be started%s",
				  h->cert ? "; check the certificate and its key" : "");
	return SOTTO_OK;
}

enum sotto_status sotto_http_start(const struct sotto_http_options *options,
				   struct sotto_http **out, struct sotto_error *err)
{
	struct sotto_http *h = calloc(1, sizeof *h);
	enum sotto_status st;

	if (!h)
		return SOTTO_ENOMEM;
	h->options = *options;
	h->listener = -1;
	sotto_watch_init(&h->watch, ARRIVE_SECONDS);
	h->watch.each_second = sotto_events_tick;
	h->watch.all_max = CONNECTIONS_MAX - CONNECTIONS_CLOSING;
	h->watch.each_max = CONNECTIONS_PER_ADDRESS - CONNECTIONS_CLOSING;
	h->watch.context = h;
	sotto_shares_init(&h->held, HELD_MAX, HELD_PER_ADDRESS);
	sotto_counts_init(&h->counts, options->routes);
	pthread_mutex_init(&h->policy_lock, NULL);
	pthread_mutex_init(&h->events_lock, NULL);
	st = sotto_mhd_load(&h->mhd, err);
	if (st == SOTTO_OK)
		st = load_tls(h, err);
	if (st == SOTTO_OK)
		st = sotto_listen(options->address, &h->listener, &h->port, err);
	if (st == SOTTO_OK)
		st = start_daemon(h, err);
	if (st == SOTTO_OK)
		st = sotto_watch_start(&h->watch);
	if (st != SOTTO_OK) {
		sotto_http_stop(h);
		return st;
	}
	*out = h;
	return SOTTO_OK;
}

void sotto_http_quiesce(struct sotto_http *h)
{
	if (h && h->daemon)
		(void)h->mhd.MHD_quiesce_daemon(h->daemon);
}

/* Lets the replies out that are ready; a peer that does not take its own is not waited for long. */
static void drain(struct sotto_http *h)
{
	const struct timespec moment = {0, 2000000};

	for (int i = 0; i < DRAIN_MS / 2 && atomic_load(&h->in_work) > 0; i++)
		(void)nanosleep(&moment, NULL);
}

void sotto_http_stop(struct sotto_http *h)
{
	if (!h)
		return;
	if (h->daemon) {
		(void)h->mhd.MHD_quiesce_daemon(h->daemon);
		drain(h);
		h->mhd.MHD_stop_daemon(h->daemon);
	}
	if (h->listener >= 0)
		(void)close(h->listener);
	sotto_watch_release(&h->watch);
	sotto_counts_release(&h->counts);
	sotto_shares_release(&h->held);
	pthread_mutex_destroy(&h->policy_lock);
	pthread_mutex_destroy(&h->events_lock);
	free(h->cert);
	free(h->key);
	free(h);
}
