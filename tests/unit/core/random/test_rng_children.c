/* No bytes twice: forks, raw clones and threads with a window half read. */
#include "sotto/rng.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "core/random/generator/random_source.h"
#include "core/random/laplace/dlaplace.h"
#include "fake_system.h"
#include "testlib/tap.h"

enum {
	PIECE = 20000, /* more than a window */
	PIECES = 8,
	REPEAT = 32, /* so many equal bytes are no accident */
};

/* What every process and thread of a test said. */
static uint8_t said[PIECES][PIECE];
static size_t said_count;

static int compare_pieces(const void *a, const void *b)
{
	return memcmp(*(const uint8_t *const *)a, *(const uint8_t *const *)b, REPEAT);
}

/* Does any stretch of 32 bytes, at any offset, occur twice? */
static bool anything_repeats(void)
{
	static const uint8_t *at[PIECES * PIECE];
	size_t n = 0;
	bool repeats = false;

	for (size_t i = 0; i < said_count; i++)
		for (size_t j = 0; j + REPEAT <= PIECE; j++)
			at[n++] = said[i] + j;
	qsort(at, n, sizeof at[0], compare_pieces);
	for (size_t i = 1; i < n; i++)
		repeats |= memcmp(at[i - 1], at[i], REPEAT) == 0;
	return repeats;
}

static void say(struct sotto_rng *rng, uint8_t out[PIECE])
{
	if (sotto_rng_fill(rng, out, PIECE) != SOTTO_OK)
		abort();
}

static void write_all(int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		ssize_t some = write(fd, bytes, n);

		if (some <= 0)
			_exit(1);
		bytes += some;
		n -= (size_t)some;
	}
}

static void read_all(int fd, uint8_t *bytes, size_t n)
{
	while (n) {
		ssize_t some = read(fd, bytes, n);

		if (some <= 0)
			abort();
		bytes += some;
		n -= (size_t)some;
	}
}

static pid_t by_fork(void)
{
	return fork();
}

/* Past the C library and every pthread_atfork handler. */
static pid_t by_raw_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/* A child continues with the generator as it stands; its words are collected. */
static void collect_child(struct sotto_rng *rng, pid_t (*branch)(void))
{
	int ends[2], status = 1;
	pid_t pid;

	if (pipe(ends) != 0)
		abort();
	pid = branch();
	if (pid == 0) {
		uint8_t out[PIECE];

		if (sotto_rng_fill(rng, out, PIECE) != SOTTO_OK)
			_exit(1);
		write_all(ends[1], out, PIECE);
		_exit(0);
	}
	close(ends[1]);
	read_all(ends[0], said[said_count++], PIECE);
	close(ends[0]);
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void check_branches(pid_t (*branch)(void), bool no_wipe_on_fork)
{
	struct sotto_rng *rng;
	uint8_t some[5000];

	fake_reset();
	fake_system.no_wipe_on_fork = no_wipe_on_fork;
	said_count = 0;
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	collect_child(rng, branch); /* before the first byte */
	CHECK_INT(sotto_rng_fill(rng, some, sizeof some), SOTTO_OK);
	collect_child(rng, branch); /* window half read */
	collect_child(rng, branch);
	say(rng, said[said_count++]);
	collect_child(rng, branch);
	say(rng, said[said_count++]);
	CHECK(!anything_repeats());
	sotto_rng_close(rng);
}

static void forked_children_say_something_else(void)
{
	check_branches(by_fork, false);
}

static void raw_clones_say_something_else(void)
{
	check_branches(by_raw_clone, false);
}

static void also_on_kernels_without_wipe_on_fork(void)
{
	check_branches(by_fork, true);
	check_branches(by_raw_clone, true);
}

/* The check itself: without any guard a child repeats its parent. */
static void a_generator_that_ignores_the_fork_is_noticed(void)
{
	static const volatile uint64_t always = 1;
	struct sotto_rng *rng;
	uint8_t some[100];

	fake_reset();
	fake_system.no_wipe_on_fork = true;
	said_count = 0;
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	rng->alive = &always;
	CHECK_INT(sotto_rng_fill(rng, some, sizeof some), SOTTO_OK);
	collect_child(rng, by_fork);
	say(rng, said[said_count++]);
	CHECK(anything_repeats());
	sotto_rng_close(rng);
}

static void grandchildren_say_something_else(void)
{
	struct sotto_rng *rng;
	uint8_t some[100];
	int status = 1;
	pid_t pid;

	fake_reset();
	said_count = 0;
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	CHECK_INT(sotto_rng_fill(rng, some, sizeof some), SOTTO_OK);
	pid = fork();
	if (pid == 0) {
		say(rng, said[said_count++]);
		collect_child(rng, by_fork);
		say(rng, said[said_count++]);
		_exit(anything_repeats());
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
	sotto_rng_close(rng);
}

/* Bulk noise works in the same wiped pages. */
static void a_child_draws_other_noise(void)
{
	enum { N = 100 };
	int64_t mine[N], theirs[N];
	struct sotto_dlaplace *d;
	struct sotto_rational eps;
	struct sotto_rng *rng;
	int ends[2], equal = 0;
	pid_t pid;

	fake_reset();
	sotto_rational_init(&eps);
	REQUIRE(sotto_rational_set_ratio(&eps, 1, INT64_C(1) << 40) == SOTTO_OK);
	REQUIRE(sotto_dlaplace_new(&eps, &d) == SOTTO_OK);
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK && pipe(ends) == 0);
	CHECK_INT(sotto_dlaplace_fill(d, rng, mine, N), SOTTO_OK);
	pid = fork();
	if (pid == 0) {
		if (sotto_dlaplace_fill(d, rng, theirs, N) != SOTTO_OK)
			_exit(1);
		write_all(ends[1], (const uint8_t *)theirs, sizeof theirs);
		_exit(0);
	}
	read_all(ends[0], (uint8_t *)theirs, sizeof theirs);
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK_INT(sotto_dlaplace_fill(d, rng, mine, N), SOTTO_OK);
	for (int i = 0; i < N; i++)
		equal += mine[i] == theirs[i];
	CHECK_INT(equal, 0);
	close(ends[0]);
	close(ends[1]);
	sotto_rng_close(rng);
	sotto_dlaplace_free(d);
	sotto_rational_release(&eps);
}

static void *thread_says(void *out)
{
	struct sotto_rng *rng;

	if (sotto_rng_open(&rng) != SOTTO_OK)
		abort();
	say(rng, out);
	sotto_rng_close(rng);
	return NULL;
}

static void threads_with_a_generator_each_say_different_things(void)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];

	fake_reset();
	said_count = THREADS;
	for (int i = 0; i < THREADS; i++)
		REQUIRE(pthread_create(&thread[i], NULL, thread_says, said[i]) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	CHECK(!anything_repeats());
}

struct reader {
	struct sotto_rng *rng;
	volatile bool stop;
};

static void *reads_without_end(void *data)
{
	struct reader *r = data;
	uint8_t bytes[100];

	while (!r->stop)
		if (sotto_rng_fill(r->rng, bytes, sizeof bytes) != SOTTO_OK)
			abort();
	return NULL;
}

/* The other thread is anywhere inside a read when the child is made. */
static void a_fork_during_another_threads_read_is_safe(void)
{
	struct reader r = {.stop = false};
	pthread_t thread;

	fake_reset();
	for (int i = 0; i < 3; i++) {
		said_count = 0;
		r.stop = false;
		REQUIRE(sotto_rng_open(&r.rng) == SOTTO_OK);
		REQUIRE(pthread_create(&thread, NULL, reads_without_end, &r) == 0);
		collect_child(r.rng, by_raw_clone);
		collect_child(r.rng, by_raw_clone);
		r.stop = true;
		pthread_join(thread, NULL);
		say(r.rng, said[said_count++]);
		CHECK(!anything_repeats());
		sotto_rng_close(r.rng);
	}
}

int main(void)
{
	RUN(forked_children_say_something_else);
	RUN(raw_clones_say_something_else);
	RUN(also_on_kernels_without_wipe_on_fork);
	RUN(a_generator_that_ignores_the_fork_is_noticed);
	RUN(grandchildren_say_something_else);
	RUN(a_child_draws_other_noise);
	RUN(threads_with_a_generator_each_say_different_things);
	RUN(a_fork_during_another_threads_read_is_safe);
	return tap_done();
}
