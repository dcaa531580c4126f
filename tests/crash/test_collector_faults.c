/*
 * The collector on a disk that dies at any byte or operation, loses what was not
 * synced, fills up, fails, or cannot be written.  What was acknowledged is there,
 * counted once; what was not is there whole or not at all; and when everything is
 * sent again, in another order and twice, the counters are those of a clean run.
 */
#include "sotto/collect.h"

#include <sys/mman.h>
#include <sys/wait.h>

#include "crash/disk.h"
#include "local/collect/collector.h"
#include "testlib/effort.h"

#define BATCHES 6

/* Shared with the process that dies: batches acknowledged so far, and a misdeed. */
static struct {
	unsigned acknowledged;
	bool went_on; /* it took something after a failure */
} * told;

static bool take_quietly(struct sotto_local_collector *c, unsigned i)
{
	enum sotto_local_verdict v;
	enum sotto_local_reason why;

	return sotto_local_collector_take(c, batch[i], length[i], &v, &why) == SOTTO_OK;
}

/* Batches up to `last` and a commit; nothing more is taken after a failure. */
static bool step(struct sotto_local_collector *c, unsigned first, unsigned last)
{
	bool ok = true;

	for (unsigned i = first; i <= last && ok; i++)
		ok = take_quietly(c, i) && take_quietly(c, first); /* the second is known */
	ok = ok && sotto_local_collector_commit(c, NULL) == SOTTO_OK;
	if (ok)
		told->acknowledged = last + 1;
	else
		told->went_on |= take_quietly(c, last);
	return ok;
}

/* The places between commits. */
static unsigned next_acknowledgement(unsigned n)
{
	return n < 2 ? 2 : n < 3 ? 3 : n < 5 ? 5 : 6;
}

static void work(void)
{
	struct sotto_local_collector *c = NULL;

	if (sotto_local_collector_open(dir, &params, &c, NULL) != SOTTO_OK)
		return;
	/* a compaction that fails leaves the store as it was, and work goes on */
	if (step(c, 0, 1) && step(c, 2, 2)) {
		enum sotto_status st = sotto_local_collector_compact(c, NULL);

		if (step(c, 3, 4) && st == SOTTO_OK &&
		    sotto_local_collector_compact(c, NULL) == SOTTO_OK)
			(void)step(c, 5, 5);
	}
	sotto_local_collector_close(c);
}

static void recover(void)
{
	struct sotto_local_collector *c = NULL;

	if (sotto_local_collector_open(dir, &params, &c, NULL) == SOTTO_OK)
		sotto_local_collector_close(c);
}

/* In a process of its own; whether it was killed. */
static bool in_child(void (*what)(void), enum disk_mode mode, long n, uint64_t seed)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		disk_set(mode, n, seed);
		what();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == KILLED;
}

/* All is sent again, backwards and with repetitions. */
static void send_again(struct sotto_local_collector *c)
{
	for (unsigned i = BATCHES; i-- > 0;) {
		(void)take(c, i);
		(void)take(c, (i * 5 + 2) % BATCHES);
	}
	CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
	CHECK(holds_first(c, BATCHES));
	sotto_local_collector_close(c);
}

static void as_good_as_new(void)
{
	struct sotto_local_collector *c;
	struct sotto_error err;
	unsigned n = told->acknowledged;

	disk_set(DISK_COUNT, 0, 0);
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	CHECK(holds_first(c, n) || holds_first(c, next_acknowledgement(n)));
	send_again(c);
	CHECK_INT(sotto_local_collector_verify(dir, &err), SOTTO_OK);
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	CHECK(holds_first(c, BATCHES));
	sotto_local_collector_close(c);
}

static void start_over(void)
{
	disk_set(DISK_COUNT, 0, 0);
	clear_dir();
	*told = (typeof(*told)){0};
}

/* Bytes and operations of a run that nothing disturbs. */
static void measure(long *bytes, long *operations)
{
	start_over();
	work();
	CHECK_INT(told->acknowledged, BATCHES);
	*bytes = disk.bytes;
	*operations = disk.operations;
}

/* Every byte; fewer where a new process takes ten times as long. */
static long stride(void)
{
	return effort() == EFFORT_SANITIZED ? 61 : 1;
}

static void killed_at_any_byte(void)
{
	long bytes, operations;

	measure(&bytes, &operations);
	CHECK(bytes > 1000);
	for (long n = 0; n < bytes; n += stride()) {
		start_over();
		CHECK(in_child(work, DISK_KILL_BYTE, n, 0));
		as_good_as_new();
	}
}

static void killed_at_any_operation_and_again_while_recovering(void)
{
	long bytes, operations;

	measure(&bytes, &operations);
	for (long n = 1; n <= operations; n++)
		for (long m = 0; m <= 6; m += stride()) {
			start_over();
			CHECK(in_child(work, DISK_KILL_BEFORE, n, 0));
			if (m > 0)
				(void)in_child(recover, DISK_KILL_BEFORE, m, 0);
			as_good_as_new();
		}
}

static void power_lost_at_any_operation(void)
{
	uint64_t seeds = effort() == EFFORT_LONG ? 60 : stride() > 1 ? 1 : 6;
	long bytes, operations;

	measure(&bytes, &operations);
	for (long n = 1; n <= operations; n++)
		for (uint64_t seed = 1; seed <= seeds; seed++) {
			start_over();
			CHECK(in_child(work, DISK_POWER, n, seed));
			as_good_as_new();
		}
}

static void full_after_any_byte(void)
{
	long bytes, operations;

	measure(&bytes, &operations);
	for (long n = 0; n < bytes; n += stride()) {
		start_over();
		CHECK(!in_child(work, DISK_FULL, n, 0));
		CHECK(told->acknowledged < BATCHES);
		CHECK(!told->went_on);
		as_good_as_new();
	}
}

static void any_operation_may_fail(void)
{
	long bytes, operations;

	measure(&bytes, &operations);
	for (long n = 1; n <= operations; n++) {
		start_over();
		CHECK(!in_child(work, DISK_FAIL, n, 0));
		CHECK(!told->went_on);
		as_good_as_new();
	}
}

/* As a server does that stays: it opens the store again once the disk can be written. */
static void work_until_failure_and_open_again(enum disk_mode mode, long n)
{
	struct sotto_local_collector *c;

	start_over();
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	disk_set(mode, n, 0);
	CHECK(!(step(c, 0, 1) && step(c, 2, 2) && step(c, 3, 4)));
	if (mode == DISK_FULL) {
		CHECK(sotto_collector_reopen(&c, NULL) == SOTTO_OK ||
		      !take_quietly(c, 5)); /* while it is full, nothing is taken */
	}
	disk_set(DISK_COUNT, 0, 0);
	CHECK_INT(sotto_collector_reopen(&c, NULL), SOTTO_OK);
	CHECK(holds_first(c, told->acknowledged)); /* nothing that a crash could take away */
	send_again(c);
	CHECK_INT(sotto_local_collector_verify(dir, NULL), SOTTO_OK);
}

static void a_store_that_failed_is_opened_again(void)
{
	struct sotto_local_collector *c;
	long bytes, operations;

	start_over();
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	disk_set(DISK_COUNT, 0, 0);
	CHECK(step(c, 0, 1) && step(c, 2, 2) && step(c, 3, 4));
	sotto_local_collector_close(c);
	bytes = disk.bytes;
	operations = disk.operations - 1; /* the last one closes it */
	for (long n = 0; n < bytes; n += stride())
		work_until_failure_and_open_again(DISK_FULL, n);
	for (long n = 1; n <= operations; n++)
		work_until_failure_and_open_again(DISK_FAIL, n);
}

static void a_full_disk_is_called_full(void)
{
	struct sotto_local_collector *c = NULL;
	struct sotto_error err = {""};

	start_over();
	REQUIRE(sotto_local_collector_open(dir, &params, &c, &err) == SOTTO_OK);
	disk_set(DISK_FULL, 10, 0);
	CHECK(!take_quietly(c, 0));
	CHECK_INT(sotto_local_collector_commit(c, &err), SOTTO_EIO);
	CHECK(strstr(err.text, "the disk is full") != NULL);
	sotto_local_collector_close(c);
	disk_set(DISK_COUNT, 0, 0);
	start_over();
	REQUIRE(sotto_local_collector_open(dir, &params, &c, &err) == SOTTO_OK);
	CHECK(take_quietly(c, 0));
	disk_set(DISK_FAIL, 1, 0); /* another failure is not called so */
	CHECK_INT(sotto_local_collector_commit(c, &err), SOTTO_EIO);
	CHECK(strstr(err.text, "full") == NULL);
	sotto_local_collector_close(c);
	disk_set(DISK_COUNT, 0, 0);
}

static void a_read_only_store_is_verified_but_not_opened(void)
{
	struct sotto_local_collector *c = NULL;
	struct sotto_error err = {""};

	start_over();
	work();
	disk_set(DISK_READ_ONLY, 0, 0);
	CHECK_INT(sotto_local_collector_open(dir, &params, &c, &err), SOTTO_EIO);
	CHECK(c == NULL && strstr(err.text, "could not write") != NULL);
	CHECK_INT(sotto_local_collector_verify(dir, &err), SOTTO_OK);
	as_good_as_new();
}

/* The promise that makes acknowledging cheap, and the order that makes it true. */
static void a_commit_syncs_once_whatever_it_holds(void)
{
	struct sotto_local_collector *c;

	start_over();
	c = reopen(SOTTO_OK);
	REQUIRE(c != NULL);
	disk_set(DISK_COUNT, 0, 0);
	for (unsigned i = 0; i < BATCHES; i++)
		CHECK_INT(take(c, i), SOTTO_LOCAL_ACCEPTED);
	CHECK_INT(disk.syncs, 0);
	CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
	CHECK_INT(disk.syncs, 1);
	CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
	CHECK_INT(take(c, 0), SOTTO_LOCAL_DUPLICATE);
	CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
	CHECK_INT(disk.syncs, 1); /* nothing new, nothing to sync */
	sotto_local_collector_close(c);
}

/* Orders, repetitions, restarts, compactions: always the counters of a clean run. */
static void any_order_of_sending_gives_the_same_counters(void)
{
	uint64_t seed = 5, rounds = effort() == EFFORT_LONG ? 2000 : stride() > 1 ? 10 : 100;

	make_batches(SOTTO_CLIENT_RAPPOR, 12);
	for (uint64_t round = 0; round < rounds; round++) {
		struct sotto_local_collector *c;
		unsigned taken = 0;

		start_over();
		c = reopen(SOTTO_OK);
		while (c && taken != 0xfff) {
			uint8_t x[2];

			local_fill(&seed, x, 2);
			CHECK_INT(take(c, x[0] % 12), taken >> x[0] % 12 & 1
							      ? SOTTO_LOCAL_DUPLICATE
							      : SOTTO_LOCAL_ACCEPTED);
			taken |= 1u << x[0] % 12;
			if (x[1] < 40)
				CHECK_INT(sotto_local_collector_compact(c, NULL), SOTTO_OK);
			else if (x[1] < 120)
				CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
			if (x[1] < 80) {
				CHECK_INT(sotto_local_collector_commit(c, NULL), SOTTO_OK);
				sotto_local_collector_close(c);
				c = reopen(SOTTO_OK);
			}
		}
		REQUIRE(c != NULL);
		CHECK(holds_first(c, 12));
		sotto_local_collector_close(c);
	}
	make_batches(SOTTO_CLIENT_RR, BATCHES);
}

int main(void)
{
	told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		    0);
	if (told == MAP_FAILED)
		return 1;
	open_folder("faults");
	make_batches(SOTTO_CLIENT_RR, BATCHES);
	RUN(killed_at_any_byte);
	RUN(killed_at_any_operation_and_again_while_recovering);
	RUN(power_lost_at_any_operation);
	RUN(full_after_any_byte);
	RUN(a_store_that_failed_is_opened_again);
	RUN(a_full_disk_is_called_full);
	RUN(any_operation_may_fail);
	RUN(a_read_only_store_is_verified_but_not_opened);
	RUN(a_commit_syncs_once_whatever_it_holds);
	RUN(any_order_of_sending_gives_the_same_counters);
	disk_set(DISK_COUNT, 0, 0);
	close_folder();
	return tap_done();
}
