/*
 * fake_system.h - getrandom, madvise and the clock, as a test wants them
 *
 * Defined in the test program, these take the place of the C library's for the
 * static libsotto.  Include it in one file of a program.
 */
#ifndef SOTTO_TESTS_FAKE_SYSTEM_H
#define SOTTO_TESTS_FAKE_SYSTEM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
	long calls; /* of getrandom */
	long fail_at; /* this call fails, counted from 1 ... */
	long fail_until; /* ... and those up to this one */
	int fail_errno; /* 0: fewer bytes than asked */
	bool fixed; /* bytes are the call's number instead of random */
	long clock_offset; /* seconds */
	bool no_wipe_on_fork;
} fake_system;

ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
	long call = ++fake_system.calls;

	if (call >= fake_system.fail_at && call <= fake_system.fail_until) {
		memset(buf, 0xee, n);
		if (fake_system.fail_errno == 0)
			return (ssize_t)n - 1;
		errno = fake_system.fail_errno;
		return -1;
	}
	if (fake_system.fixed) {
		memset(buf, (int)call, n);
		return (ssize_t)n;
	}
	return syscall(SYS_getrandom, buf, n, flags);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	long status = syscall(SYS_clock_gettime, id, t);

	t->tv_sec += fake_system.clock_offset;
	return (int)status;
}

int madvise(void *at, size_t n, int advice)
{
	if (advice == MADV_WIPEONFORK && fake_system.no_wipe_on_fork) {
		errno = EINVAL;
		return -1;
	}
	return (int)syscall(SYS_madvise, at, n, advice);
}

/* Lets calls first..last of getrandom, counted from now, fail with the error. */
static inline void fake_failure(long first, long last, int error)
{
	fake_system.calls = 0;
	fake_system.fail_at = first;
	fake_system.fail_until = last;
	fake_system.fail_errno = error;
}

static inline void fake_reset(void)
{
	memset(&fake_system, 0, sizeof fake_system);
}

#endif
