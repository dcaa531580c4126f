/* Takes requests, finds out who asks, has the work done, and sends the reply. */
#include "server/http/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/base/failure.h"
#include "server/http/console_files.h"
#include "server/http/http_library.h"
#include "server/http/http_routes.h"

enum {
	CONNECTIONS_MAX = 4096,
	CONNECTIONS_PER_ADDRESS = 1024,
	HEADER_BYTES = 32 << 10, /* what a connection may hold: 16 KiB of headers, twice */
	ARRIVE_SECONDS = 30,
	BODY_MAX = 1 << 20,
	ROUTES_MAX = 64,
};

/* A connection that a request has not come through yet, or again, since a moment. */
struct line {
	struct line *next, **back;
	int socket;
	int64_t since;
	bool busy; /* a request is in work: the clock stands */
};

struct sotto_http {
	struct sotto_http_options options;
	struct sotto_mhd mhd;
	struct MHD_Daemon *daemon;
	int listener;
	unsigned short port;
	char *cert, *key;
	pthread_t watch;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct line *lines;
	bool stopping, is_watched;
	uint64_t replies[ROUTES_MAX][6]; /* by route and first digit of the status */
};

const struct sotto_http_options *sotto_http_settings(const struct sotto_http *h)
{
	return &h->options;
}

unsigned short sotto_http_port(const struct sotto_http *h)
{
	return h->port;
}

/* ---- connections that take too long ---------------------------------------------------------- */

static int64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Once a second: what has not brought a whole request in time is shut. */
static void *watch(void *context)
{
	struct sotto_http *h = context;
	struct timespec wake;

	pthread_mutex_lock(&h->lock);
	while (!h->stopping) {
		for (struct line *l = h->lines; l; l = l->next)
			if (!l->busy && now() - l->since > ARRIVE_SECONDS)
				(void)shutdown(l->socket, SHUT_RDWR);
		(void)clock_gettime(CLOCK_REALTIME, &wake);
		wake.tv_sec++;
		(void)pthread_cond_timedwait(&h->change, &h->lock, &wake);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static void add_line(struct sotto_http *h, struct MHD_Connection *c, void **context)
{
	const union MHD_ConnectionInfo *info =
		h->mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct line *l = info ? calloc(1, sizeof *l) : NULL;

	*context = l;
	if (!l)
		return;
	l->socket = info->connect_fd;
	l->since = now();
	pthread_mutex_lock(&h->lock);
	l->next = h->lines;
	l->back = &h->lines;
	if (l->next)
		l->next->back = &l->next;
	h->lines = l;
	pthread_mutex_unlock(&h->lock);
}

static void remove_line(struct sotto_http *h, struct line *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&h->lock);
	*l->back = l->next;
	if (l->next)
		l->next->back = l->back;
	pthread_mutex_unlock(&h->lock);
	free(l);
}

static void on_connection(void *context, struct MHD_Connection *c, void **socket_context,
			  enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		add_line(context, c, socket_context);
	else
		remove_line(context, *socket_context);
}

/* The clock of a connection stands while its request is in work. */
static void set_busy(struct sotto_request *r, bool busy)
{
	const union MHD_ConnectionInfo *info = r->http->mhd.MHD_get_connection_info(
		r->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct line *l = info ? info->socket_context : NULL;

	if (!l)
		return;
	pthread_mutex_lock(&r->http->lock);
	l->busy = busy;
	l->since = now();
	pthread_mutex_unlock(&r->http->lock);
}

/* ---- who asks ---------------------------------------------------------------------------------- */

static void address_of(struct sotto_request *r, char out[INET6_ADDRSTRLEN])
{
	const union MHD_ConnectionInfo *info = r->http->mhd.MHD_get_connection_info(
		r->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *a = info ? info->client_addr : NULL;

	out[0] = '\0';
	if (a && a->sa_family == AF_INET)
		(void)inet_ntop(AF_INET,
				&((const struct sockaddr_in *)(const void *)a)->sin_addr, out,
				INET6_ADDRSTRLEN);
	else if (a && a->sa_family == AF_INET6)
		(void)inet_ntop(AF_INET6,
				&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, out,
				INET6_ADDRSTRLEN);
}

const char *sotto_http_value(struct sotto_request *r, enum MHD_ValueKind kind, const char *name)
{
	return r->http->mhd.MHD_lookup_connection_value(r->connection, kind, name);
}

static const char *header(struct sotto_request *r, const char *name)
{
	return sotto_http_value(r, MHD_HEADER_KIND, name);
}

struct by_name {
	const char *name;
	struct sotto_person *out;
	bool found;
};

static enum sotto_status match_name(void *context, const struct sotto_person *person)
{
	struct by_name *want = context;

	if (strcmp(person->name, want->name) == 0 && !person->revoked) {
		*want->out = *person;
		want->found = true;
	}
	return SOTTO_OK;
}

bool sotto_http_person(struct sotto_http *h, const char *name, struct sotto_person *out)
{
	struct by_name want = {.name = name, .out = out};

	return sotto_people_each(h->options.people, match_name, &want, NULL) == SOTTO_OK &&
	       want.found;
}

/* A key that is wrong slows its address down. */
bool sotto_http_know_key(struct sotto_request *r, const char *key)
{
	char address[INET6_ADDRSTRLEN];
	struct sotto_login *login = r->http->options.login;
	unsigned wait;

	address_of(r, address);
	wait = sotto_login_wait(login, address);
	if (wait) {
		sotto_reply_problem(r, MHD_HTTP_TOO_MANY_REQUESTS, "slow-down",
				    "too many wrong keys came from this address; wait and try "
				    "again");
		(void)snprintf(r->header[0], sizeof r->header[0], "Retry-After");
		(void)snprintf(r->header[1], sizeof r->header[1], "%u", wait);
		return false;
	}
	if (sotto_people_recognise(r->http->options.people, key, &r->person, NULL) ==
	    SOTTO_OK) {
		sotto_login_succeeded(login, address);
		return true;
	}
	sotto_login_failed(login, address);
	sotto_reply_problem(r, MHD_HTTP_UNAUTHORIZED, "bad-key",
			    "the key is not valid; ask the owner for one");
	return false;
}

static void know_by_cookie(struct sotto_request *r)
{
	const char *cookie = sotto_http_value(r, MHD_COOKIE_KIND, "sotto");
	char name[SOTTO_PERSON_NAME_MAX + 1];

	if (cookie && sotto_login_find(r->http->options.login, cookie, name) == SOTTO_OK)
		r->by_cookie = sotto_http_person(r->http, name, &r->person);
}

/* Fills r->person; false with a reply if a key was given and is wrong. */
static bool know(struct sotto_request *r)
{
	const char *words = header(r, MHD_HTTP_HEADER_AUTHORIZATION);

	if (!words) {
		know_by_cookie(r);
		return true;
	}
	if (strncasecmp(words, "Bearer ", 7) != 0) {
		sotto_reply_problem(r, MHD_HTTP_UNAUTHORIZED, "no-key",
				    "send the key as: Authorization: Bearer KEY");
		return false;
	}
	return sotto_http_know_key(r, words + 7);
}

static bool may(struct sotto_request *r)
{
	if (r->route->roles == 0)
		return true;
	if (!r->person.name[0]) {
		sotto_reply_problem(r, MHD_HTTP_UNAUTHORIZED, "no-key",
				    "log in, or send a key as: Authorization: Bearer KEY");
		return false;
	}
	if (!(r->route->roles & 1u << r->person.role)) {
		sotto_reply_problem(r, MHD_HTTP_FORBIDDEN, "wrong-role",
				    "this is not for your role; ask the owner");
		return false;
	}
	return true;
}

/* Only a page of ours can set a header: another site's form cannot. */
static bool is_ours(struct sotto_request *r)
{
	if (!r->by_cookie || strcmp(r->route->method, "GET") == 0 || header(r, "X-Sotto"))
		return true;
	sotto_reply_problem(r, MHD_HTTP_FORBIDDEN, "no-header",
			    "a page that uses a cookie sends the header X-Sotto: 1");
	return false;
}

/* ---- replies ----------------------------------------------------------------------------------- */

static void count_reply(struct sotto_request *r)
{
	size_t i = 0;

	while (sotto_http_route(i) && sotto_http_route(i) != r->route)
		i++;
	pthread_mutex_lock(&r->http->lock);
	if (i < ROUTES_MAX)
		r->http->replies[i][r->status / 100 % 6]++;
	pthread_mutex_unlock(&r->http->lock);
}

void sotto_http_metrics(struct sotto_http *h, struct sotto_buffer *out)
{
	pthread_mutex_lock(&h->lock);
	for (size_t i = 0; i < ROUTES_MAX; i++)
		for (unsigned d = 1; d < 6; d++) {
			const struct sotto_route *route = sotto_http_route(i);

			if (h->replies[i][d] &&
			    sotto_buffer_appendf(
				    out,
				    "sotto_replies_total{method=\"%s\",path=\"%s\","
				    "status=\"%uxx\"} %llu\n",
				    route ? route->method : "GET", route ? route->path : "file",
				    d, (unsigned long long)h->replies[i][d]) != SOTTO_OK)
				break;
		}
	pthread_mutex_unlock(&h->lock);
}

/* What every reply says to browsers: nothing from elsewhere, nothing kept. */
static void add_headers(struct sotto_request *r, struct MHD_Response *m)
{
	static const char *const always[][2] = {
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Content-Security-Policy",
		 "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
		 "img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
		 "form-action 'none'; frame-ancestors 'none'"},
	};

	for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
		(void)r->http->mhd.MHD_add_response_header(m, always[i][0], always[i][1]);
	(void)r->http->mhd.MHD_add_response_header(m, MHD_HTTP_HEADER_CACHE_CONTROL,
						   r->file ? "no-cache" : "no-store");
	(void)r->http->mhd.MHD_add_response_header(m, MHD_HTTP_HEADER_CONTENT_TYPE, r->type);
	if (r->file) {
		(void)r->http->mhd.MHD_add_response_header(m, MHD_HTTP_HEADER_ETAG,
							   r->file_tag);
		(void)r->http->mhd.MHD_add_response_header(m, MHD_HTTP_HEADER_VARY,
							   "Accept-Encoding");
	}
	if (r->file_is_packed)
		(void)r->http->mhd.MHD_add_response_header(m, MHD_HTTP_HEADER_CONTENT_ENCODING,
							   "gzip");
	if (r->status == MHD_HTTP_UNAUTHORIZED)
		(void)r->http->mhd.MHD_add_response_header(m, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
							   "Bearer");
	if (r->header[0][0])
		(void)r->http->mhd.MHD_add_response_header(m, r->header[0], r->header[1]);
}

static enum MHD_Result send_reply(struct sotto_request *r)
{
	struct MHD_Response *m;
	enum MHD_Result done;

	if (!r->file && sotto_json_status(&r->reply) != SOTTO_OK)
		sotto_reply_problem(r, MHD_HTTP_SERVICE_UNAVAILABLE, "too-large",
				    "the reply does not fit into memory");
	if (r->file)
		m = r->http->mhd.MHD_create_response_from_buffer(
			r->file_length, (void *)r->file, MHD_RESPMEM_PERSISTENT);
	else
		m = r->http->mhd.MHD_create_response_from_buffer(
			r->reply.text.length, (void *)sotto_buffer_text(&r->reply.text),
			MHD_RESPMEM_MUST_COPY);
	if (!m)
		return MHD_NO;
	add_headers(r, m);
	count_reply(r);
	done = r->http->mhd.MHD_queue_response(r->connection, r->status, m);
	r->http->mhd.MHD_destroy_response(m);
	r->is_sent = true;
	set_busy(r, false);
	return done;
}

/* ---- a request --------------------------------------------------------------------------------- */

/* Does the path fit "/v1/users/{name}"?  Fills name. */
static bool fits(const char *pattern, const char *path, char name[SOTTO_PERSON_NAME_MAX + 1])
{
	const char *hole = strchr(pattern, '{');
	size_t before, n;

	if (!hole)
		return strcmp(pattern, path) == 0;
	before = (size_t)(hole - pattern);
	if (strncmp(pattern, path, before) != 0)
		return false;
	n = strcspn(path + before, "/");
	if (n == 0 || n > SOTTO_PERSON_NAME_MAX ||
	    strcmp(strchr(hole, '}') + 1, path + before + n) != 0)
		return false;
	memcpy(name, path + before, n);
	name[n] = '\0';
	return true;
}

/* The route; NULL with a reply if there is none of that method. */
static const struct sotto_route *
find_route(struct sotto_request *r, const char *method, const char *path)
{
	bool known = false;

	for (size_t i = 0; sotto_http_route(i); i++) {
		const struct sotto_route *route = sotto_http_route(i);

		if (!fits(route->path, path, r->name))
			continue;
		known = true;
		if (strcmp(route->method, method) == 0)
			return route;
	}
	sotto_reply_problem(
		r, known ? MHD_HTTP_METHOD_NOT_ALLOWED : MHD_HTTP_NOT_FOUND,
		known ? "wrong-method" : "no-such-route",
		known ? "this path does not take that method"
		      : "there is nothing here; /v1/openapi.json lists what there is");
	return NULL;
}

/* "gzip" as a word of the list, and not with a weight of zero. */
static bool accepts_gzip(const char *list)
{
	for (const char *at = list; at && (at = strstr(at, "gzip")) != NULL; at += 4) {
		const char *after = at + 4 + strspn(at + 4, " ");

		if (at != list && at[-1] != ' ' && at[-1] != ',')
			continue;
		if (*after == '\0' || *after == ',')
			return true;
	}
	return false;
}

/* A browser that has the file asks again whether it is still the one. */
static void find_file(struct sotto_request *r, const char *method, const char *path)
{
	const struct sotto_console_file *f = sotto_console_file(path);
	const char *known = header(r, MHD_HTTP_HEADER_IF_NONE_MATCH);

	if (!f || strcmp(method, "GET") != 0) {
		sotto_reply_problem(r, MHD_HTTP_NOT_FOUND, "no-such-page",
				    "there is no such page");
		return;
	}
	r->type = f->type;
	r->file_tag = f->tag;
	r->file = f->bytes;
	if (known && strcmp(known, f->tag) == 0) {
		r->status = MHD_HTTP_NOT_MODIFIED;
		return;
	}
	r->status = MHD_HTTP_OK;
	r->file_is_packed = accepts_gzip(header(r, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	r->file = r->file_is_packed ? f->packed : f->bytes;
	r->file_length = r->file_is_packed ? f->packed_length : f->length;
}

static bool is_too_long(struct sotto_request *r)
{
	const char *length = header(r, MHD_HTTP_HEADER_CONTENT_LENGTH);

	if (!length || strtoull(length, NULL, 10) <= r->route->body_max)
		return false;
	sotto_reply_problem(r, MHD_HTTP_CONTENT_TOO_LARGE, "too-large",
			    "the body of the request is too large");
	return true;
}

/* All that can be refused before the body comes.  True if the body is wanted. */
static bool admit(struct sotto_request *r, const char *method, const char *path)
{
	if (strncmp(path, "/v1/", 4) != 0) {
		find_file(r, method, path);
		return false;
	}
	r->route = find_route(r, method, path);
	return r->route && know(r) && may(r) && is_ours(r) && !is_too_long(r);
}

static struct sotto_request *new_request(struct sotto_http *h, struct MHD_Connection *c)
{
	struct sotto_request *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->http = h;
	r->connection = c;
	sotto_buffer_init(&r->body, BODY_MAX);
	sotto_json_init(&r->reply, BODY_MAX);
	r->type = "application/json";
	return r;
}

static void free_request(struct sotto_request *r)
{
	if (!r)
		return;
	json_decref(r->json);
	sotto_buffer_release(&r->body);
	sotto_json_release(&r->reply);
	free(r);
}

static bool read_body(struct sotto_request *r)
{
	json_error_t error;

	r->json = r->body.length == 0 ? json_object()
				      : json_loadb(r->body.bytes, r->body.length,
						   JSON_REJECT_DUPLICATES, &error);
	if (json_is_object(r->json))
		return true;
	sotto_reply_problem(r, MHD_HTTP_BAD_REQUEST, "bad-json",
			    "the body of the request is no JSON object");
	return false;
}

static void refuse_work(struct sotto_request *r, enum sotto_status st)
{
	if (st == SOTTO_EBUDGET)
		sotto_reply_problem(r, MHD_HTTP_TOO_MANY_REQUESTS, "too-many",
				    "you have too many requests in work; wait for one to end");
	else
		sotto_reply_problem(r, MHD_HTTP_SERVICE_UNAVAILABLE, "busy",
				    "too much is waiting; try again in a moment");
	(void)snprintf(r->header[0], sizeof r->header[0], "Retry-After");
	(void)snprintf(r->header[1], sizeof r->header[1], "1");
}

static void pass_on(struct sotto_request *r);

static void finish_work(struct sotto_request *r)
{
	r->is_done = true;
	r->http->mhd.MHD_resume_connection(r->connection);
}

/* After it was passed on the request belongs to the other lane, which may be done already. */
static void work(struct sotto_session *s, void *context, const struct sotto_error *why)
{
	struct sotto_request *r = context;

	if (!s) {
		sotto_reply_failure(r, SOTTO_ESTATE, why);
		finish_work(r);
		return;
	}
	r->route->run(r, s);
	if (r->is_passed)
		pass_on(r);
	else
		finish_work(r);
}

static void work_on(struct sotto_session *s, void *context, const struct sotto_error *why)
{
	struct sotto_request *r = context;

	if (s)
		r->then(r, s);
	else
		sotto_reply_failure(r, SOTTO_ESTATE, why);
	finish_work(r);
}

static void pass_on(struct sotto_request *r)
{
	enum sotto_status st =
		sotto_work_add(r->http->options.work, r->next_lane, r->person.name, work_on, r);

	if (st != SOTTO_OK) {
		refuse_work(r, st);
		finish_work(r);
	}
}

void sotto_http_pass_on(struct sotto_request *r, enum sotto_lane lane, sotto_route_fn run)
{
	r->is_passed = true;
	r->next_lane = lane;
	r->then = run;
}

/* The request is here as a whole: into the line with it. */
static enum MHD_Result start_work(struct sotto_request *r)
{
	const char *name = r->person.name[0] ? r->person.name : "(nobody)";
	enum sotto_status st;

	if (!read_body(r))
		return send_reply(r);
	if (r->route->lane == SOTTO_LANES) {
		r->route->run(r, NULL);
		return send_reply(r);
	}
	set_busy(r, true);
	r->http->mhd.MHD_suspend_connection(r->connection);
	st = sotto_work_add(r->http->options.work, r->route->lane, name, work, r);
	if (st == SOTTO_OK)
		return MHD_YES;
	refuse_work(r, st);
	r->is_done = true;
	r->http->mhd.MHD_resume_connection(r->connection);
	return MHD_YES;
}

static enum MHD_Result take_bytes(struct sotto_request *r, const char *bytes, size_t *n)
{
	if (r->status == 0 && (r->body.length + *n > r->route->body_max ||
			       sotto_buffer_append(&r->body, bytes, *n) != SOTTO_OK))
		sotto_reply_problem(r, MHD_HTTP_CONTENT_TOO_LARGE, "too-large",
				    "the body of the request is too large");
	*n = 0;
	return MHD_YES;
}

/* libmicrohttpd calls this when headers are there, for each piece of a body, and at its end. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *c, const char *path,
				  const char *method, const char *version, const char *bytes,
				  size_t *n, void **request)
{
	struct sotto_request *r = *request;

	(void)version;
	if (!r) {
		r = *request = new_request(context, c);
		if (!r)
			return MHD_NO;
		if (admit(r, method, path))
			return MHD_YES;
		return header(r, MHD_HTTP_HEADER_EXPECT) ? send_reply(r) : MHD_YES;
	}
	if (r->is_sent)
		return MHD_YES;
	if (*n)
		return take_bytes(r, bytes, n);
	return r->is_done || r->status ? send_reply(r) : start_work(r);
}

static void on_completed(void *context, struct MHD_Connection *c, void **request,
			 enum MHD_RequestTerminationCode code)
{
	(void)context;
	(void)c;
	(void)code;
	free_request(*request);
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
	if (!h->options.tls_cert && !h->options.tls_key)
		return SOTTO_OK;
	if (!h->options.tls_cert || !h->options.tls_key)
		return sotto_fail(err, SOTTO_EINVAL,
				  "TLS needs both a certificate and its key: --tls-cert FILE "
				  "--tls-key FILE");
	SOTTO_TRY(read_file(h->options.tls_cert, &h->cert, err));
	return read_file(h->options.tls_key, &h->key, err);
}

static enum sotto_status start_daemon(struct sotto_http *h, struct sotto_error *err)
{
	struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, h->cert},
				       {MHD_OPTION_HTTPS_MEM_KEY, 0, h->key},
				       {MHD_OPTION_END, 0, NULL}};

	h->daemon = h->mhd.MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			(h->cert ? MHD_USE_TLS : 0u),
		0, NULL, NULL, on_request, h, MHD_OPTION_LISTEN_SOCKET, h->listener,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, h, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CONNECTIONS_PER_ADDRESS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY, h->cert ? tls : &tls[2],
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
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->change, NULL);
	st = sotto_mhd_load(&h->mhd, err);
	if (st == SOTTO_OK)
		st = load_tls(h, err);
	if (st == SOTTO_OK)
		st = sotto_listen(options->address, &h->listener, &h->port, err);
	if (st == SOTTO_OK)
		st = start_daemon(h, err);
	if (st == SOTTO_OK)
		h->is_watched = pthread_create(&h->watch, NULL, watch, h) == 0;
	if (st == SOTTO_OK && !h->is_watched)
		st = SOTTO_ENOMEM;
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

void sotto_http_stop(struct sotto_http *h)
{
	if (!h)
		return;
	if (h->daemon) {
		(void)h->mhd.MHD_quiesce_daemon(h->daemon);
		h->mhd.MHD_stop_daemon(h->daemon);
	}
	if (h->listener >= 0)
		(void)close(h->listener);
	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	pthread_cond_broadcast(&h->change);
	pthread_mutex_unlock(&h->lock);
	if (h->is_watched)
		(void)pthread_join(h->watch, NULL);
	pthread_cond_destroy(&h->change);
	pthread_mutex_destroy(&h->lock);
	free(h->cert);
	free(h->key);
	free(h);
}
