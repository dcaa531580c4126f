/*
 * A request has so long to arrive, however often a byte of it comes: neither headers nor a body
 * that drip keep their connection, and meanwhile others are answered.
 *
 * The steady clock goes twenty times as fast here, so that thirty seconds pass in one and a half.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/base/steady.h"
#include "server/http/http_request.h"
#include "server/http/http_server.h"
#include "testlib/tap.h"

enum { SPEED = 20, ARRIVES = 30, LATEST = 400, BODY = 4000 };

/* ---- a clock that hurries ------------------------------------------------------------------ */

static int64_t begin; /* nanoseconds */

static int64_t nanoseconds(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static struct timespec moment(int64_t n)
{
	return (struct timespec){.tv_sec = n / 1000000000, .tv_nsec = n % 1000000000};
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int failed = (int)syscall(SYS_clock_gettime, clock, t);

	if (clock == CLOCK_MONOTONIC && begin > 0)
		*t = moment(begin + (nanoseconds(t) - begin) * SPEED);
	return failed;
}

/* Waits that end at a moment of that clock. */
int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *lock,
			   const struct timespec *until)
{
	const struct timespec real = moment(begin + (nanoseconds(until) - begin) / SPEED);

	return pthread_cond_clockwait(c, lock, CLOCK_MONOTONIC, &real);
}

static int64_t seconds(void)
{
	return (int64_t)(sotto_steady_now() / SOTTO_STEADY_SECOND);
}

/* ---- a server of one route ------------------------------------------------------------------ */

static void take(struct sotto_request *r, struct sotto_session *s)
{
	struct sotto_json *j = sotto_reply(r, MHD_HTTP_OK);

	(void)s;
	sotto_json_open(j, '{');
	sotto_json_close(j, '}');
}

static const struct sotto_route route = {"POST", "/take",        0,     SOTTO_AT_ONCE, BODY,
					 take,   "takes a body", false, NULL};
static const struct sotto_route_table routes = {.list = &route, .count = 1, .is_open = true};

static int connect_to(const struct sotto_http *h)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons(sotto_http_port(h)),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int s = socket(AF_INET, SOCK_STREAM, 0);

	if (s < 0 || connect(s, (const struct sockaddr *)&to, sizeof to) != 0)
		abort();
	return s;
}

static void send_text(int s, const char *text)
{
	(void)!send(s, text, strlen(text), MSG_NOSIGNAL);
}

static bool is_answered(int s)
{
	static const char ask[] =
		"POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
	struct pollfd wait = {.fd = s, .events = POLLIN};
	char reply[4096];
	ssize_t n = 0;

	send_text(s, ask);
	if (poll(&wait, 1, 10000) == 1)
		n = recv(s, reply, sizeof reply - 1, 0);
	reply[n > 0 ? n : 0] = '\0';
	return strstr(reply, " 200 ") != NULL;
}

/* ---- senders that take their time ------------------------------------------------------------ */

struct sender {
	const char *name, *head;
	bool asks_first; /* a whole request came before on this connection */
	int socket;
	int64_t since, shut; /* seconds; 0: not yet */
};

static bool is_shut(int s)
{
	char byte;
	ssize_t n = recv(s, &byte, 1, MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

/* A byte each second, to every one of them, until all are shut or it has taken too long. */
static void drip(struct sender *all, size_t n, const struct sotto_http *h, size_t *answered)
{
	const struct timespec pause = {.tv_nsec = 1000000000 / SPEED};
	int64_t start = seconds();
	size_t open = n;

	for (unsigned i = 0; open > 0 && seconds() - start < LATEST; i++) {
		(void)nanosleep(&pause, NULL);
		for (size_t k = 0; k < n; k++) {
			if (all[k].shut)
				continue;
			send_text(all[k].socket, "x");
			if (!is_shut(all[k].socket))
				continue;
			all[k].shut = seconds();
			open--;
		}
		if (i % 10 == 5) {
			int honest = connect_to(h);

			*answered += is_answered(honest);
			(void)close(honest);
		}
	}
}

static void a_request_that_drips_is_shut_when_its_time_is_up(void)
{
	struct sender all[] = {
		{.name = "headers", .head = "POST /take HTTP/1.1\r\nHost: x\r\nX-Name: "},
		{.name = "a body",
		 .head = "POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n"},
		{.name = "a body in pieces",
		 .head = "POST /take HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
			 "chunked\r\n\r\nfff\r\n"},
		{.name = "a second request",
		 .head = "POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n",
		 .asks_first = true},
		{.name = "nothing but a byte", .head = ""}};
	const size_t n = sizeof all / sizeof all[0];
	const struct sotto_http_options options = {.routes = &routes, .address = "127.0.0.1:0"};
	struct sotto_http *h = NULL;
	struct sotto_error err = {""};
	size_t answered = 0;
	struct timespec t;

	(void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	begin = nanoseconds(&t);
	if (sotto_http_start(&options, &h, &err) != SOTTO_OK) {
		tap_note("%s", err.text);
		REQUIRE(strstr(err.text, "libmicrohttpd") != NULL);
		return;
	}
	for (size_t k = 0; k < n; k++) {
		all[k].socket = connect_to(h);
		if (all[k].asks_first)
			CHECK(is_answered(all[k].socket));
		all[k].since = seconds();
		send_text(all[k].socket, all[k].head);
	}
	drip(all, n, h, &answered);
	for (size_t k = 0; k < n; k++) {
		int64_t took = all[k].shut - all[k].since;

		(void)tap_check(all[k].shut && took >= ARRIVES - 1 && took < LATEST, __FILE__,
				__LINE__, "%s: %s after %lld s", all[k].name,
				all[k].shut ? "shut" : "not shut", (long long)took);
		(void)close(all[k].socket);
	}
	CHECK(answered >= 2);
	sotto_http_stop(h);
}

int main(void)
{
	RUN(a_request_that_drips_is_shut_when_its_time_is_up);
	return tap_done();
}
