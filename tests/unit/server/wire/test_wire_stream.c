/*
 * Deadlines hold for all bytes together: a peer that sends or takes some now and then, and is
 * never silent, is given up as soon as one that does nothing.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/base/steady.h"
#include "server/wire/wire_stream.h"
#include "testlib/tap.h"

enum { LATEST_MS = 8000 };

struct peer {
	int ends[2]; /* ours, the peer's */
	bool sends; /* or takes */
	atomic_bool stops;
	pthread_t thread;
	struct sotto_wire_stream stream;
	uint64_t start;
};

/* A byte sent every ten milliseconds, or a page taken, as the kernel's buffer has room again by pages. */
static void *drip(void *context)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	char byte = 'x', page[4096];
	struct peer *p = context;

	while (!atomic_load(&p->stops)) {
		if (p->sends)
			(void)!send(p->ends[1], &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
		else
			(void)!recv(p->ends[1], page, sizeof page, MSG_DONTWAIT);
		(void)nanosleep(&pause, NULL);
	}
	return NULL;
}

static void begin(struct peer *p, bool sends)
{
	*p = (struct peer){.sends = sends};
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, p->ends) != 0)
		abort();
	sotto_stream_init(&p->stream, p->ends[0]);
	if (pthread_create(&p->thread, NULL, drip, p) != 0)
		abort();
	p->start = sotto_steady_now();
}

static long passed(const struct peer *p)
{
	return (long)((sotto_steady_now() - p->start) / 1000000);
}

static void end(struct peer *p)
{
	atomic_store(&p->stops, true);
	(void)pthread_join(p->thread, NULL);
	sotto_stream_release(&p->stream);
	(void)close(p->ends[1]);
}

static void a_message_that_drips_is_given_up(void)
{
	char bytes[1000];
	struct peer p;
	long took;

	begin(&p, true);
	CHECK(sotto_stream_read(&p.stream, bytes, 5, 10)); /* slow, and in time */
	p.start = sotto_steady_now();
	CHECK(!sotto_stream_read(&p.stream, bytes, sizeof bytes, 1));
	took = passed(&p);
	CHECK(took >= 900 && took < LATEST_MS);
	CHECK(!sotto_stream_read(&p.stream, bytes, 1, 10)); /* for good */
	end(&p);
}

static void all_messages_together_have_a_limit(void)
{
	struct peer p;
	unsigned read = 0;
	char byte;
	long took;

	begin(&p, true);
	sotto_stream_limit(&p.stream, 1);
	while (sotto_stream_read(&p.stream, &byte, 1, 10) && passed(&p) < LATEST_MS)
		read++;
	took = passed(&p);
	CHECK(read > 3 && took >= 900 && took < LATEST_MS);
	end(&p);
}

static void an_answer_that_is_taken_slowly_is_given_up(void)
{
	static char bytes[4 << 20];
	struct peer p;
	long took;

	begin(&p, false);
	sotto_stream_put(&p.stream, bytes, sizeof bytes);
	CHECK(!sotto_stream_flush(&p.stream, 1));
	took = passed(&p);
	CHECK(took >= 900 && took < LATEST_MS);
	end(&p);
}

int main(void)
{
	RUN(a_message_that_drips_is_given_up);
	RUN(all_messages_together_have_a_limit);
	RUN(an_answer_that_is_taken_slowly_is_given_up);
	return tap_done();
}
