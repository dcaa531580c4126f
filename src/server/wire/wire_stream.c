/* Reading and writing with deadlines, plain or under TLS. */
#include "server/wire/wire_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/steady.h"

enum { OUT_CAP = 64 << 20, DRAIN_BYTES = 64 << 10, DRAIN_SECONDS = 60 };

static int64_t now(void)
{
	return (int64_t)(sotto_steady_now() / 1000000);
}

void sotto_stream_init(struct sotto_wire_stream *s, int socket)
{
	*s = (struct sotto_wire_stream){.socket = socket};
	sotto_buffer_init(&s->out, OUT_CAP);
	(void)fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
}

void sotto_stream_release(struct sotto_wire_stream *s)
{
	if (s->tls) {
		(void)SSL_shutdown(s->tls);
		SSL_free(s->tls);
	}
	sotto_buffer_release(&s->out);
	(void)close(s->socket);
}

static bool wait_for(struct sotto_wire_stream *s, short events, int64_t until)
{
	for (;;) {
		struct pollfd p = {.fd = s->socket, .events = events};
		int64_t end = s->deadline && s->deadline < until ? s->deadline : until;
		int64_t left = end - now();
		int n = left > 0 ? poll(&p, 1, (int)left) : 0;

		if (n > 0)
			return true;
		if (n == 0 || errno != EINTR)
			return false;
	}
}

void sotto_stream_limit(struct sotto_wire_stream *s, int seconds)
{
	s->deadline = seconds ? now() + (int64_t)seconds * 1000 : 0;
}

/* What has to happen before a call under TLS is tried again; 0: it failed. */
static short wanted(struct sotto_wire_stream *s, int result)
{
	switch (SSL_get_error(s->tls, result)) {
	case SSL_ERROR_WANT_READ:
		return POLLIN;
	case SSL_ERROR_WANT_WRITE:
		return POLLOUT;
	default:
		ERR_clear_error();
		return 0;
	}
}

bool sotto_stream_encrypt(struct sotto_wire_stream *s, SSL_CTX *context, int seconds)
{
	int64_t until = now() + (int64_t)seconds * 1000;
	int result;

	s->tls = SSL_new(context);
	if (!s->tls || SSL_set_fd(s->tls, s->socket) != 1)
		return false;
	while ((result = SSL_accept(s->tls)) != 1) {
		short events = wanted(s, result);

		if (!events || !wait_for(s, events, until)) {
			s->failed = true;
			return false;
		}
	}
	return true;
}

bool sotto_stream_wait(struct sotto_wire_stream *s, int wake)
{
	struct pollfd p[2] = {{.fd = s->socket, .events = POLLIN},
			      {.fd = wake, .events = POLLIN}};

	if (s->failed)
		return false;
	if (s->tls && SSL_pending(s->tls) > 0)
		return true;
	while (poll(p, 2, -1) < 0)
		if (errno != EINTR)
			return false;
	return (p[1].revents & POLLIN) == 0;
}

bool sotto_stream_is_gone(const struct sotto_wire_stream *s)
{
	struct pollfd p = {.fd = s->socket, .events = POLLRDHUP};

	return s->failed ||
	       (poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR)));
}

/* Some bytes; 0: none yet (then *events says what to wait for), -1: the end. */
static ssize_t read_some(struct sotto_wire_stream *s, void *out, size_t n, short *events)
{
	ssize_t got;

	*events = POLLIN;
	if (s->tls) {
		int result = SSL_read(s->tls, out, n > 1 << 20 ? 1 << 20 : (int)n);

		if (result > 0)
			return result;
		*events = wanted(s, result);
		return *events ? 0 : -1;
	}
	got = recv(s->socket, out, n, 0);
	if (got > 0)
		return got;
	return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

bool sotto_stream_read(struct sotto_wire_stream *s, void *out, size_t n, int seconds)
{
	int64_t until = now() + (int64_t)seconds * 1000;
	char *at = out;

	while (!s->failed && n > 0) {
		short events = POLLIN;
		ssize_t got =
			s->deadline && now() > s->deadline ? -1 : read_some(s, at, n, &events);

		if (got > 0) {
			at += got;
			n -= (size_t)got;
		} else if (got < 0 || !wait_for(s, events, until)) {
			s->failed = true;
		}
	}
	return !s->failed;
}

void sotto_stream_put(struct sotto_wire_stream *s, const void *bytes, size_t n)
{
	if (!s->failed && sotto_buffer_append(&s->out, bytes, n) != SOTTO_OK)
		s->failed = true;
}

static ssize_t
write_some(struct sotto_wire_stream *s, const char *bytes, size_t n, short *events)
{
	ssize_t sent;

	*events = POLLOUT;
	if (s->tls) {
		int result = SSL_write(s->tls, bytes, n > 1 << 20 ? 1 << 20 : (int)n);

		if (result > 0)
			return result;
		*events = wanted(s, result);
		return *events ? 0 : -1;
	}
	sent = send(s->socket, bytes, n, MSG_NOSIGNAL);
	if (sent > 0)
		return sent;
	return sent < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

bool sotto_stream_flush(struct sotto_wire_stream *s, int seconds)
{
	int64_t until = now() + (int64_t)seconds * 1000;
	size_t done = 0;

	while (!s->failed && done < s->out.length) {
		short events;
		ssize_t sent =
			write_some(s, s->out.bytes + done, s->out.length - done, &events);

		if (sent > 0)
			done += (size_t)sent;
		else if (sent < 0 || !wait_for(s, events, until))
			s->failed = true;
	}
	sotto_buffer_clear(&s->out);
	return !s->failed;
}

void sotto_stream_drain(struct sotto_wire_stream *s)
{
	if (s->out.length > DRAIN_BYTES)
		(void)sotto_stream_flush(s, DRAIN_SECONDS);
}
