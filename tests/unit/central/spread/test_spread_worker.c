/*
 * A worker of a bucket ends with its coordinator, also in the middle of a query: whoever
 * cancels a question leaves no process behind that reads on.  A program of the owner's may have
 * started it in a session of its own, where no signal to the program's group finds it: it ends
 * because nobody is at the other end of its socket.
 *
 * Seen to fail: without the watcher of spread_worker.c.
 */
#include "central/spread/spread_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "central/engine/engine.h"
#include "central/spread/buckets_run.h"
#include "central/engine/worker/worker_find.h"
#include "central/engine/worker/worker_launch.h"
#include "testlib/folder.h"
#include "testlib/tap.h"

enum { PATIENCE = 60000 }; /* milliseconds; it takes a few */

struct test {
	struct folder folder;
	char program[FOLDER_PATH_MAX]; /* notes its number, and becomes a worker */
	char number[FOLDER_PATH_MAX];
	char started[FOLDER_PATH_MAX]; /* a pipe that the worker writes to before its query */
	char engine[64]; /* version */
};

static void make_program(struct test *t, bool apart)
{
	char worker[SOTTO_WORKER_PATH];
	FILE *f;

	REQUIRE(sotto_worker_find(worker, sizeof worker, NULL) == SOTTO_OK);
	f = fopen(t->program, "w");
	REQUIRE(f != NULL);
	fprintf(f, "#!/bin/sh\n");
	if (apart)
		fprintf(f,
			"exec 5<&0\nsetsid sh -c 'echo $$ > %s; exec %s \"$@\"' sh \"$@\" <&5 "
			"5<&- &\nexec 5<&- < /dev/null > /dev/null\nwait\n",
			t->number, worker);
	else
		fprintf(f, "echo $$ > %s\nexec %s \"$@\"\n", t->number, worker);
	(void)fclose(f);
	REQUIRE(chmod(t->program, 0700) == 0);
	REQUIRE(mkfifo(t->started, 0600) == 0);
}

static enum sotto_status make_job(void *test, uint32_t bucket, struct sotto_bucket_job *out)
{
	static char start[2 * FOLDER_PATH_MAX];
	static const char *statements[] = {start};
	const struct test *t = test;

	(void)snprintf(start, sizeof start, "COPY (SELECT 1) TO '%s' (FORMAT csv)", t->started);
	*out = (struct sotto_bucket_job){
		.version = SOTTO_VERSION,
		.engine = t->engine,
		.plan = "a plan",
		.bucket = bucket,
		.buckets = 1,
		.threads = 1,
		.check = "SELECT TRUE",
		.statements = statements,
		.statement_count = 1,
		.sql = "SELECT CAST(count(*) AS HUGEINT) AS m0 FROM range(1000000000) AS x, "
		       "range(1000000000) AS y WHERE hash(x.range, y.range) = 1"};
	return SOTTO_OK;
}

/* Runs until it is killed. */
static void coordinate(struct test *t)
{
	const struct sotto_spread_settings settings = {.launcher = &sotto_launcher_local,
						       .buckets = 1,
						       .parallel = 1,
						       .program = t->program};
	const struct sotto_partial_shape shape = {.measures = 1};
	const struct sotto_spread_work work = {.settings = &settings,
					       .shape = &shape,
					       .job = make_job,
					       .job_context = t,
					       .time = UINT64_MAX};
	struct sotto_spread_account account;
	struct sotto_engine_result *r = NULL;

	_exit(sotto_buckets_run(&work, &r, &account) == SOTTO_OK ? 0 : 1);
}

static void ask_version(struct test *t)
{
	struct sotto_engine_result *r = NULL;
	struct sotto_engine *engine;

	REQUIRE(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1},
					 &engine, NULL) == SOTTO_OK);
	REQUIRE(sotto_engine_run(engine, "SELECT version()", &r) == SOTTO_OK);
	(void)snprintf(t->engine, sizeof t->engine, "%s", sotto_engine_cell(r, 0, 0).text);
	sotto_engine_result_free(r);
	sotto_engine_close(engine);
}

/* When the worker has come to its query: as an open file, which is readable when it has ended. */
static int wait_for_worker(const struct test *t)
{
	int pipe = open(t->started, O_RDONLY), pid = 0;
	char line[64];
	FILE *f;

	while (pipe >= 0 && read(pipe, line, sizeof line) > 0)
		continue;
	(void)close(pipe);
	f = fopen(t->number, "r");
	if (!f || fscanf(f, "%d", &pid) != 1)
		pid = 0;
	if (f)
		(void)fclose(f);
	return pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

static void check_end(bool apart)
{
	struct test t;
	struct pollfd worker;
	pid_t coordinator;

	folder_open(&t.folder);
	folder_file(&t.folder, "program", t.program);
	folder_file(&t.folder, "number", t.number);
	folder_file(&t.folder, "started", t.started);
	make_program(&t, apart);
	ask_version(&t);
	coordinator = fork();
	if (coordinator == 0)
		coordinate(&t);
	worker = (struct pollfd){.fd = wait_for_worker(&t), .events = POLLIN};
	REQUIRE(worker.fd >= 0);
	CHECK(poll(&worker, 1, 0) == 0); /* it runs */
	REQUIRE(kill(coordinator, SIGKILL) == 0);
	REQUIRE(waitpid(coordinator, NULL, 0) == coordinator);
	CHECK(poll(&worker, 1, PATIENCE) == 1);
	(void)syscall(SYS_pidfd_send_signal, worker.fd, SIGKILL, NULL, 0);
	(void)close(worker.fd);
	folder_close(&t.folder);
}

static void a_worker_ends_with_its_coordinator(void)
{
	check_end(false);
}

static void a_worker_in_a_session_of_its_own_does_too(void)
{
	check_end(true);
}

int main(void)
{
	struct sotto_engine *engine;
	struct sotto_error err = {""};

	if (sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &engine,
				     &err) != SOTTO_OK)
		return tap_skip_all(err.text);
	sotto_engine_close(engine);
	RUN(a_worker_ends_with_its_coordinator);
	RUN(a_worker_in_a_session_of_its_own_does_too);
	return tap_done();
}
