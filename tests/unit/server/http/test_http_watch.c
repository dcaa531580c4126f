/* Connections that take too long are shut; those with a request in work are not. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "server/http/guard/http_watch.h"
#include "testlib/tap.h"

/* The calendar clock was set back by an hour between this call and the wait that follows. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	int failed = (int)syscall(SYS_clock_gettime, clock, t);

	if (clock == CLOCK_REALTIME)
		t->tv_sec += 3600;
	return failed;
}

static void a_slow_connection_is_shut_and_a_busy_one_is_not(void)
{
	int slow[2], busy[2];
	struct sotto_watched *first, *second;
	struct sotto_watch w;
	char byte;

	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, slow) == 0);
	REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, busy) == 0);
	sotto_watch_init(&w, 0);
	second = sotto_watch_add(&w, busy[0]);
	REQUIRE(second);
	sotto_watch_set_busy(&w, second, true);
	first = sotto_watch_add(&w, slow[0]);
	REQUIRE(first);
	CHECK_INT(sotto_watch_count(&w), 2);
	REQUIRE(sotto_watch_start(&w) == SOTTO_OK);
	CHECK_INT(recv(slow[1], &byte, 1, 0), 0); /* waits until it is shut */
	CHECK_INT(recv(busy[1], &byte, 1, MSG_DONTWAIT), -1);
	CHECK_INT(errno, EAGAIN);
	sotto_watch_set_busy(&w, second, false); /* it waits for another request */
	CHECK_INT(recv(busy[1], &byte, 1, 0), 0);
	sotto_watch_remove(&w, first);
	sotto_watch_remove(&w, second);
	CHECK_INT(sotto_watch_count(&w), 0);
	sotto_watch_release(&w);
	for (int i = 0; i < 2; i++) {
		(void)close(slow[i]);
		(void)close(busy[i]);
	}
}

int main(void)
{
	RUN(a_slow_connection_is_shut_and_a_busy_one_is_not);
	return tap_done();
}
