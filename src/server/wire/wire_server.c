/* Listens for clients of PostgreSQL and gives each a thread. */
#include "server/wire/wire_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/failure.h"
#include "core/number/thread_cache.h"
#include "core/random/generator/entropy.h"
#include "server/wire/wire_connection.h"
#include "server/wire/wire_inside.h"
#include "server/work/listen.h"

enum {
	CONNECTIONS_MAX = 2048, /* of people who are let in */
	CONNECTIONS_PER_NAME = 1024,
	GUESTS_MAX = 256, /* who have not said who they are */
	GUESTS_PER_ADDRESS = 64,
	HELD_MAX = 512 << 20, /* bytes of statements and results, all together */
	HELD_PER_NAME = 96 << 20,
	FULL_MS = 100, /* before another look, while there is no room for a connection */
};

/* A connection: a guest until SCRAM has succeeded. */
struct guest {
	struct guest *next, **back; /* the youngest comes first */
	struct sotto_wire *wire;
	struct sotto_wire_connection connection;
	bool is_in, is_shown_out;
};

struct sotto_wire {
	struct sotto_wire_world world;
	char *database, *policy;
	int listener;
	unsigned short port;
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct sotto_shares held;
	struct guest *guests; /* and those who were let in */
	size_t count; /* of all of them */
};

unsigned short sotto_wire_port(const struct sotto_wire *w)
{
	return w->port;
}

static void cancel(void *context, int32_t number, int32_t secret)
{
	struct sotto_wire *w = context;

	pthread_mutex_lock(&w->lock);
	for (struct guest *g = w->guests; g; g = g->next) {
		struct sotto_wire_connection *c = &g->connection;

		if (g->is_in && c->number == number && c->secret == secret)
			atomic_store(&c->cancelled, true);
	}
	pthread_mutex_unlock(&w->lock);
}

/* ---- places ----------------------------------------------------------------------------------- */

/*
 * There is always a place for a newcomer: where guests are too many, the one that has taken
 * longest is shown out.  Who knows the key is done long before that; who drips is not.
 */
static void make_room(struct sotto_wire *w, const char *address)
{
	struct guest *oldest = NULL, *neighbour = NULL;
	size_t guests = 0, neighbours = 0;

	for (struct guest *g = w->guests; g; g = g->next) {
		if (g->is_in || g->is_shown_out)
			continue;
		oldest = g;
		guests++;
		if (strcmp(g->connection.address, address) == 0) {
			neighbour = g;
			neighbours++;
		}
	}
	if (neighbours >= GUESTS_PER_ADDRESS)
		oldest = neighbour;
	else if (guests < GUESTS_MAX)
		return;
	oldest->is_shown_out = true;
	(void)shutdown(oldest->connection.stream.socket, SHUT_RDWR);
}

static void add_guest(struct sotto_wire *w, struct guest *g)
{
	pthread_mutex_lock(&w->lock);
	make_room(w, g->connection.address);
	g->next = w->guests;
	g->back = &w->guests;
	if (g->next)
		g->next->back = &g->next;
	w->guests = g;
	w->count++;
	pthread_mutex_unlock(&w->lock);
}

/* The socket is closed under the lock: nobody shuts down another one that has its number. */
static void end_guest(struct guest *g)
{
	struct sotto_wire *w = g->wire;

	pthread_mutex_lock(&w->lock);
	*g->back = g->next;
	if (g->next)
		g->next->back = g->back;
	sotto_stream_release(&g->connection.stream);
	w->count--;
	pthread_cond_broadcast(&w->change);
	pthread_mutex_unlock(&w->lock);
	sotto_settings_release(&g->connection.settings);
	free(g);
}

static bool let_in(void *context, struct sotto_wire_connection *c)
{
	struct guest *me = (struct guest *)((char *)c - offsetof(struct guest, connection));
	struct sotto_wire *w = context;
	size_t all = 0, same = 0;
	bool fits;

	pthread_mutex_lock(&w->lock);
	for (struct guest *g = w->guests; g; g = g->next)
		if (g->is_in) {
			all++;
			same += strcmp(g->connection.person.name, c->person.name) == 0;
		}
	fits = !me->is_shown_out && all < CONNECTIONS_MAX && same < CONNECTIONS_PER_NAME;
	me->is_in = fits;
	pthread_mutex_unlock(&w->lock);
	if (!fits) {
		sotto_wire_complain(&c->stream, 'E', "FATAL", "53300",
				    "there are too many connections; close some", 0);
		(void)sotto_stream_flush(&c->stream, SOTTO_MESSAGE_SECONDS);
	}
	return fits;
}

/* ---- a guest --------------------------------------------------------------------------------- */

static void *host(void *context)
{
	struct guest *g = context;

	sotto_thread_cache_care();
	sotto_wire_speak(&g->connection);
	end_guest(g);
	return NULL;
}

static void name_address(int socket, char out[64])
{
	struct sockaddr_storage a;
	socklen_t n = sizeof a;

	out[0] = '\0';
	if (getpeername(socket, (struct sockaddr *)&a, &n) != 0)
		return;
	if (a.ss_family == AF_INET)
		(void)inet_ntop(AF_INET, &((struct sockaddr_in *)&a)->sin_addr, out, 64);
	else if (a.ss_family == AF_INET6)
		(void)inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&a)->sin6_addr, out, 64);
}

/* Both at random: numbers in a row would tell how many others come. */
static bool choose_numbers(struct sotto_wire_connection *c)
{
	uint8_t numbers[2 * sizeof(int32_t)];

	if (sotto_entropy_read(numbers, sizeof numbers) != SOTTO_OK)
		return false;
	memcpy(&c->number, numbers, sizeof c->number);
	memcpy(&c->secret, numbers + sizeof c->number, sizeof c->secret);
	c->number = (c->number & INT32_MAX) | 1; /* as the number of a process */
	return true;
}

static void welcome(struct sotto_wire *w, int socket)
{
	struct guest *g = calloc(1, sizeof *g);
	pthread_attr_t attributes;
	pthread_t thread;
	int on = 1;

	if (!g || !choose_numbers(&g->connection)) {
		free(g);
		(void)close(socket);
		return;
	}
	(void)setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	(void)setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	g->wire = w;
	g->connection.world = &w->world;
	sotto_stream_init(&g->connection.stream, socket);
	sotto_settings_init(&g->connection.settings);
	name_address(socket, g->connection.address);
	add_guest(w, g);
	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (pthread_create(&thread, &attributes, host, g) != 0)
		end_guest(g);
	(void)pthread_attr_destroy(&attributes);
}

static void *listen_for_guests(void *context)
{
	struct sotto_wire *w = context;
	struct pollfd p[2] = {{.fd = w->listener, .events = POLLIN},
			      {.fd = w->world.wake, .events = POLLIN}};

	for (;;) {
		int socket;

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (p[1].revents & POLLIN)
			return NULL;
		socket = accept4(w->listener, NULL, NULL, SOCK_CLOEXEC);
		if (socket >= 0)
			welcome(w, socket);
		else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			(void)poll(&p[1], 1, FULL_MS); /* who waits is still there then */
	}
}

/* ---- starting and stopping -------------------------------------------------------------------- */

static enum sotto_status
load_tls(struct sotto_wire *w, const struct sotto_wire_options *o, struct sotto_error *err)
{
	if (!o->tls_cert)
		return SOTTO_OK;
	w->world.tls = SSL_CTX_new(TLS_server_method());
	if (!w->world.tls)
		return SOTTO_ENOMEM;
	(void)SSL_CTX_set_min_proto_version(w->world.tls, TLS1_2_VERSION);
	(void)SSL_CTX_set_mode(w->world.tls, SSL_MODE_ENABLE_PARTIAL_WRITE |
						     SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	if (SSL_CTX_use_certificate_chain_file(w->world.tls, o->tls_cert) != 1 ||
	    SSL_CTX_use_PrivateKey_file(w->world.tls, o->tls_key, SSL_FILETYPE_PEM) != 1)
		return sotto_fail(err, SOTTO_EIO,
				  "the certificate %s or its key %s could not be used",
				  o->tls_cert, o->tls_key);
	return SOTTO_OK;
}

static enum sotto_status
begin(struct sotto_wire *w, const struct sotto_wire_options *o, struct sotto_error *err)
{
	w->database = strdup(o->database);
	w->policy = strdup(o->policy);
	w->world = (struct sotto_wire_world){.people = o->people,
					     .login = o->login,
					     .work = o->work,
					     .held = &w->held,
					     .policy = w->policy,
					     .database = w->database,
					     .wake = eventfd(0, EFD_CLOEXEC),
					     .cancel = cancel,
					     .let_in = let_in,
					     .context = w};
	if (!w->database || !w->policy || w->world.wake < 0)
		return SOTTO_ENOMEM;
	SOTTO_TRY(load_tls(w, o, err));
	SOTTO_TRY(sotto_listen(o->address, &w->listener, &w->port, err));
	w->has_thread = pthread_create(&w->thread, NULL, listen_for_guests, w) == 0;
	return w->has_thread ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_wire_start(const struct sotto_wire_options *options,
				   struct sotto_wire **out, struct sotto_error *err)
{
	struct sotto_wire *w = calloc(1, sizeof *w);
	enum sotto_status st;

	if (!w)
		return SOTTO_ENOMEM;
	w->listener = -1;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->change, NULL);
	sotto_shares_init(&w->held, HELD_MAX, HELD_PER_NAME);
	st = begin(w, options, err);
	if (st != SOTTO_OK) {
		sotto_wire_stop(w);
		return st;
	}
	*out = w;
	return SOTTO_OK;
}

void sotto_wire_stop(struct sotto_wire *w)
{
	const uint64_t one = 1;

	if (!w)
		return;
	if (w->world.wake >= 0 && write(w->world.wake, &one, sizeof one) < 0)
		return; /* cannot happen: the counter is far from full */
	if (w->has_thread)
		(void)pthread_join(w->thread, NULL);
	pthread_mutex_lock(&w->lock);
	for (struct guest *g = w->guests; g; g = g->next)
		(void)shutdown(g->connection.stream.socket, SHUT_RD); /* answers still leave */
	while (w->count > 0)
		pthread_cond_wait(&w->change, &w->lock);
	pthread_mutex_unlock(&w->lock);
	if (w->listener >= 0)
		(void)close(w->listener);
	if (w->world.wake >= 0)
		(void)close(w->world.wake);
	SSL_CTX_free(w->world.tls);
	sotto_shares_release(&w->held);
	pthread_cond_destroy(&w->change);
	pthread_mutex_destroy(&w->lock);
	free(w->database);
	free(w->policy);
	free(w);
}
