/*
 * Sends and receives without waiting; until the greeting has shown the token, only a few bytes
 * are accepted, and frames are wiped once they are handled.
 */
#include "central/spread/spread_link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "central/engine/worker/worker_message.h"
#include "central/spread/bucket_job.h"
#include "core/base/failure.h"
#include "core/base/wipe.h"

/* Whoever has not shown that it holds the token is not listened to for longer. */
enum { GREETING_MAX = 1 << 16 };

/* That are received at once: other workers, and the time, are looked at in between. */
enum { PIECES = 64 };

void sotto_link_init(struct sotto_link *l, uint64_t most)
{
	*l = (struct sotto_link){.most = most,
				 .socket = -1,
				 .process = {.pidfd = -1, .socket = -1, .words = -1}};
	sotto_buffer_init(&l->in, most + (1 << 20));
	sotto_buffer_init(&l->out, SOTTO_JOB_MAX);
}

static void wipe_buffer(struct sotto_buffer *b)
{
	if (b->bytes)
		sotto_wipe(b->bytes, b->length);
	sotto_buffer_release(b);
}

void sotto_link_release(struct sotto_link *l)
{
	if (l->socket >= 0 && l->socket != l->process.socket)
		(void)close(l->socket);
	l->socket = -1;
	sotto_spread_process_close(&l->process, 0);
	wipe_buffer(&l->in);
	wipe_buffer(&l->out);
	sotto_channel_release(&l->channel);
	l->state = SOTTO_LINK_ENDED;
}

bool sotto_link_is_free(const struct sotto_link *l)
{
	return l->state == SOTTO_LINK_ENDED;
}

enum sotto_status sotto_link_send(struct sotto_link *l)
{
	while (l->out_at < l->out.length) {
		ssize_t n = send(l->socket, l->out.bytes + l->out_at, l->out.length - l->out_at,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			l->out_at += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return SOTTO_OK;
		else if (errno != EINTR)
			return SOTTO_EIO;
	}
	if (l->out.bytes)
		sotto_wipe(l->out.bytes, l->out.length);
	sotto_buffer_clear(&l->out);
	l->out_at = 0;
	return SOTTO_OK;
}

enum sotto_status sotto_link_receive(struct sotto_link *l)
{
	char piece[1 << 16];

	for (int i = 0; i < PIECES; i++) {
		if (l->state < SOTTO_LINK_JOB && l->in.length > GREETING_MAX)
			return SOTTO_ERANGE;
		ssize_t n = recv(l->socket, piece, sizeof piece, MSG_DONTWAIT);

		if (n > 0)
			SOTTO_TRY(sotto_buffer_append(&l->in, piece, (size_t)n));
		else if (n == 0)
			return SOTTO_EIO;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return SOTTO_OK;
		else if (errno != EINTR)
			return SOTTO_EIO;
	}
	return SOTTO_OK;
}

enum sotto_status sotto_link_next(struct sotto_link *l, enum sotto_frame_type *type,
				  uint8_t **bytes, size_t *n, size_t *length)
{
	*type = SOTTO_FRAME_NONE;
	SOTTO_TRY(sotto_channel_measure(sotto_buffer_text(&l->in), l->in.length, l->most,
					length));
	if (*length == 0 || l->in.length < *length)
		return SOTTO_OK;
	return sotto_channel_unseal(&l->channel, l->in.bytes, *length, type, bytes, n);
}

void sotto_link_drop(struct sotto_link *l, size_t length)
{
	sotto_wipe(l->in.bytes, length);
	memmove(l->in.bytes, l->in.bytes + length, l->in.length - length);
	l->in.length -= length;
}
