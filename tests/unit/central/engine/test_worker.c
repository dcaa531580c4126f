/*
 * The worker: what goes wrong in it stays in it.  (Each test kills the change that is named
 * beside it.)
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "central/engine/engine.h"
#include "testlib/chance.h"
#include "testlib/children.h"
#include "testlib/folder.h"
#include "testlib/sanitized.h"
#include "testlib/effort.h"
#include "testlib/tap.h"

static const char one[] = "SELECT CAST(1 AS HUGEINT)";
static const char endless[] = "SELECT CAST(count(*) AS HUGEINT) FROM range(10000000) AS a(i), "
			      "range(10000000) AS b(j) WHERE hash(i, j) % 3 = 1";

static struct sotto_engine *open_engine(unsigned threads, uint64_t memory)
{
	const struct sotto_engine_limits limits = {.threads = threads, .memory = memory};
	struct sotto_engine *e = NULL;
	struct sotto_error err = {""};

	if (sotto_engine_open_within(&limits, &e, &err) != SOTTO_OK)
		tap_note("%s", err.text);
	return e;
}

static enum sotto_status run(struct sotto_engine *e, const char *sql)
{
	struct sotto_engine_result *r = NULL;
	enum sotto_status st = sotto_engine_run(e, sql, &r);

	sotto_engine_result_free(r);
	return st;
}

/* ---- memory -------------------------------------------------------------------------- */

/* x || x, so many times inside one another: a text that doubles each time. */
static void nest(char *sql, size_t size, int depth)
{
	size_t n = 0;

	for (int i = 0; i < depth; i++)
		n += (size_t)snprintf(sql + n, size - n, "SELECT x || x AS x FROM (");
	n += (size_t)snprintf(sql + n, size - n, "SELECT 'ab' || i AS x FROM range(3) AS r(i)");
	for (int i = 0; i < depth; i++)
		n += (size_t)snprintf(sql + n, size - n, ")");
}

/*
 * The first is memory that the engine does not count, the others are what it does.
 * (Kills: no limit of the process; none of the engine.)
 */
static void a_query_that_wants_too_much_memory_fails_alone(void)
{
	char nested[2048];
	const char *const bombs[] = {
		"SELECT length(repeat('ab', 800000000))",
		"SELECT max(y) FROM (SELECT row_number() OVER (ORDER BY hash(i), 'text ' || i) "
		"AS y FROM range(30000000) AS r(i))",
		nested,
	};

	nest(nested, sizeof nested, 24);
	/* The sanitizer's own memory leaves no room for a limit: there only the engine's holds. */
	for (size_t i = is_sanitized ? 1 : 0;
	     i < (is_sanitized ? 2 : sizeof bombs / sizeof bombs[0]); i++) {
		struct sotto_engine *e = open_engine(2, SOTTO_ENGINE_MEMORY_MIN);

		REQUIRE(e);
		CHECK(run(e, bombs[i]) == SOTTO_EIO);
		tap_note("%.*s", (int)strcspn(sotto_engine_detail(e), "\n"),
			 sotto_engine_detail(e));
		CHECK(sotto_engine_is_lost(e) || run(e, one) == SOTTO_OK);
		sotto_engine_close(e);
	}
}

static void the_process_is_held_to_its_memory_and_writes_no_core(void)
{
	struct sotto_engine *e = open_engine(2, (uint64_t)1 << 30);
	pid_t pid = children_only();

	REQUIRE(e && pid > 0);
	if (!is_sanitized)
		CHECK_INT(process_limit(pid, "Max data size"), (1LL << 30) + 2 * (8 << 20));
	CHECK_INT(process_limit(pid, "Max core file size"), 0);
	CHECK(process_dies_first(pid));
	sotto_engine_close(e);
}

static void a_locked_worker_can_write_no_file(void)
{
	struct sotto_engine *e = open_engine(1, 0);
	pid_t pid = children_only();

	REQUIRE(e && pid > 0);
	CHECK_INT(process_limit(pid, "Max file size"), -1);
	REQUIRE(sotto_engine_lock(e, NULL, 0, NULL, 0) == SOTTO_OK);
	CHECK_INT(process_limit(pid, "Max file size"), 0);
	CHECK(run(e, one) == SOTTO_OK);
	sotto_engine_close(e);
}

static void too_little_memory_is_refused(void)
{
	const struct sotto_engine_limits limits = {.memory = 1 << 20};
	struct sotto_engine *e = NULL;
	struct sotto_error err = {""};

	CHECK(sotto_engine_open_within(&limits, &e, &err) == SOTTO_ERANGE);
	CHECK(strstr(err.text, "at least 256MiB") != NULL);
}

/* ---- threads -------------------------------------------------------------------------- */

static void more_threads_than_are_sane_are_refused_and_others_held(void)
{
	struct sotto_engine *e = NULL;
	struct sotto_error err = {""};
	size_t cores = (size_t)sysconf(_SC_NPROCESSORS_ONLN);

	CHECK(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 2000}, &e,
				       &err) == SOTTO_ERANGE);
	CHECK(strstr(err.text, "at most 256 threads") != NULL);
	CHECK_INT(children_find(NULL, 0), 0);
	e = open_engine(256, (uint64_t)1 << 30);
	REQUIRE(e);
	CHECK(process_threads(children_only()) <= 4 * cores + 2); /* and one that watches */
	sotto_engine_close(e);
}

static void threads_are_there_before_the_first_query(void)
{
	struct sotto_engine *e = open_engine(4, 0);

	REQUIRE(e);
	CHECK(process_threads(children_only()) >= 4);
	sotto_engine_close(e);
}

/* ---- time ----------------------------------------------------------------------------- */

/* (Kills: waiting without a deadline, which never ends; keeping the worker.) */
static void a_query_past_its_time_is_ended(void)
{
	struct sotto_engine *e = open_engine(2, 0);

	REQUIRE(e);
	sotto_engine_allow(e, 20 * 1000000);
	CHECK(run(e, endless) == SOTTO_EIO);
	CHECK(strstr(sotto_engine_detail(e), "out of time") != NULL);
	CHECK(sotto_engine_is_lost(e));
	CHECK(run(e, one) == SOTTO_EIO);
	CHECK_INT(children_find(NULL, 0), 0);
	sotto_engine_close(e);
}

static void work_past_its_limit_is_ended(void)
{
	struct sotto_engine *e = open_engine(2, 0);

	REQUIRE(e);
	sotto_engine_allow_work(e, 20 * 1000000, UINT64_MAX);
	CHECK(run(e, endless) == SOTTO_EIO);
	CHECK(strstr(sotto_engine_detail(e), "out of time") != NULL);
	CHECK(sotto_engine_is_lost(e));
	CHECK(sotto_engine_work(e) == UINT64_MAX);
	sotto_engine_close(e);
}

static void *stop_and_go_on(void *pid)
{
	(void)usleep(700000);
	(void)kill(*(pid_t *)pid, SIGCONT);
	return NULL;
}

/* (Kills: a limit by the clock, which a busy machine passes before anything is computed.) */
static void waiting_for_a_busy_machine_is_no_work(void)
{
	struct sotto_engine *e = open_engine(1, 0);
	pid_t pid = children_only();
	pthread_t waker;

	REQUIRE(e && pid > 0);
	sotto_engine_allow_work(e, 500 * 1000000, 60000000000);
	(void)kill(pid, SIGSTOP);
	REQUIRE(pthread_create(&waker, NULL, stop_and_go_on, &pid) == 0);
	CHECK(run(e, one) == SOTTO_OK);
	CHECK(sotto_engine_work(e) > 0);
	(void)pthread_join(waker, NULL);
	sotto_engine_close(e);
}

static void no_time_at_all_is_over_at_once(void)
{
	struct sotto_engine *e = open_engine(1, 0);

	REQUIRE(e);
	sotto_engine_allow(e, 0);
	CHECK(run(e, endless) == SOTTO_EIO);
	sotto_engine_close(e);
}

/* ---- death ---------------------------------------------------------------------------- */

static void a_worker_that_died_is_known_to_be_lost(void)
{
	static const int signals[] = {SIGKILL, signal_of_a_crash, SIGTERM};

	for (size_t i = 0; i < 3; i++) {
		struct sotto_engine *e = open_engine(1, 0);
		pid_t pid = children_only();

		REQUIRE(e && pid > 0);
		CHECK(!sotto_engine_is_lost(e));
		(void)kill(pid, signals[i]);
		for (int k = 0; k < 30000 && !sotto_engine_is_lost(e); k++)
			(void)usleep(1000);
		CHECK(sotto_engine_is_lost(e));
		CHECK_INT(children_find(NULL, 0), 0);
		CHECK(run(e, one) == SOTTO_EIO);
		CHECK(sotto_engine_execute(e, "SELECT 1") == SOTTO_EIO);
		CHECK(sotto_engine_detail(e)[0] != '\0');
		sotto_engine_close(e);
	}
}

struct killer {
	unsigned delay;
	bool is_done;
};

/* Kills again and again: a worker that dies while it starts is replaced. */
static void *kill_later(void *context)
{
	struct killer *k = context;
	int signal = k->delay % 2 ? SIGKILL : signal_of_a_crash;

	(void)usleep(k->delay);
	while (!__atomic_load_n(&k->is_done, __ATOMIC_ACQUIRE)) {
		(void)children_signal(signal);
		(void)usleep(100);
	}
	return NULL;
}

/* At any moment: every call ends, and says that it failed or what it found. */
static void a_worker_that_dies_at_any_moment_ends_the_call(void)
{
	struct chance c = {17};
	int runs = effort() == EFFORT_SANITIZED ? 8 : 30;

	for (int i = 0; i < runs; i++) {
		struct killer k = {.delay = (unsigned)chance_below(&c, 30000)};
		struct sotto_engine *e = NULL;
		pthread_t killer;

		REQUIRE(pthread_create(&killer, NULL, kill_later, &k) == 0);
		if (sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 2},
					     &e, NULL) == SOTTO_OK) {
			enum sotto_status st;

			do
				st = run(e, one);
			while (st == SOTTO_OK);
			CHECK(st == SOTTO_EIO);
			CHECK(sotto_engine_is_lost(e));
			sotto_engine_close(e);
		}
		__atomic_store_n(&k.is_done, true, __ATOMIC_RELEASE);
		(void)pthread_join(killer, NULL);
		CHECK_INT(children_find(NULL, 0), 0);
	}
}

/* In the middle of a query too.  (Kills: a worker that looks at its socket between queries only.) */
static void a_worker_ends_with_the_process_that_started_it(void)
{
	int pipes[2];
	pid_t child, worker = 0;
	bool runs = true;

	REQUIRE(pipe(pipes) == 0);
	child = fork();
	if (child == 0) {
		struct sotto_engine *e = open_engine(1, 0);
		pid_t pid = children_only();

		(void)!write(pipes[1], &pid, sizeof pid);
		(void)!run(e, endless);
		_exit(1);
	}
	REQUIRE(child > 0 && read(pipes[0], &worker, sizeof worker) == sizeof worker);
	REQUIRE(worker > 0);
	(void)usleep(20000);
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	for (int i = 0; i < 3000 && runs; i++) {
		runs = process_runs(worker);
		(void)usleep(10000);
	}
	CHECK(!runs);
	if (runs)
		(void)kill(worker, SIGKILL);
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

/* A thread that ends is not the process: its engine goes on with another. */
static void *open_in_thread(void *out)
{
	*(struct sotto_engine **)out = open_engine(1, 0);
	return NULL;
}

static void a_worker_outlives_the_thread_that_started_it(void)
{
	struct sotto_engine *e = NULL;
	pthread_t starter;

	REQUIRE(pthread_create(&starter, NULL, open_in_thread, &e) == 0);
	REQUIRE(pthread_join(starter, NULL) == 0);
	REQUIRE(e);
	CHECK(run(e, one) == SOTTO_OK);
	sotto_engine_close(e);
}

/* ---- what it is given ------------------------------------------------------------------ */

static void write_script(const char *path, const char *out)
{
	FILE *f = fopen(path, "w");

	REQUIRE(f);
	fprintf(f, "#!/bin/sh\n{ ls -l /proc/$$/fd; env; } > '%s' 2>&1\n", out);
	REQUIRE(fclose(f) == 0 && chmod(path, 0700) == 0);
}

static bool holds(const char *path, const char *text)
{
	char line[1024];
	bool found = false;
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof line, f))
		found = found || strstr(line, text);
	if (f)
		(void)fclose(f);
	return found;
}

/* (Kills: closing no descriptors; passing the whole environment.) */
static void a_worker_has_its_socket_and_nothing_else_of_ours(void)
{
	int places[] = {3, 4, 7, 60, 500};
	char script[FOLDER_PATH_MAX], out[FOLDER_PATH_MAX], ledger[FOLDER_PATH_MAX];
	struct sotto_engine *e = NULL;
	struct sotto_error err = {""};
	struct folder f;
	int fd;

	folder_open(&f);
	folder_file(&f, "script", script);
	folder_file(&f, "out", out);
	folder_file(&f, "secret-ledger.db", ledger);
	write_script(script, out);
	fd = open(ledger, O_RDWR | O_CREAT, 0600);
	REQUIRE(fd >= 0);
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		places[i] = fcntl(places[i], F_GETFD) < 0 ? dup2(fd, places[i]) : -1;
	REQUIRE(setenv("SOTTO_WORKER", script, 1) == 0 &&
		setenv("SECRET_WORD", "xyzzy", 1) == 0);
	CHECK(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &e,
				       &err) == SOTTO_EIO);
	CHECK(strstr(err.text, "did not start") != NULL);
	REQUIRE(unsetenv("SOTTO_WORKER") == 0);
	CHECK(holds(out, "socket:"));
	CHECK(!holds(out, "secret-ledger"));
	CHECK(!holds(out, "xyzzy"));
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		if (places[i] >= 0)
			(void)close(places[i]);
	(void)close(fd);
	folder_close(&f);
}

static void a_program_that_is_not_there_is_named(void)
{
	struct sotto_engine *e = NULL;
	struct sotto_error err = {""};

	REQUIRE(setenv("SOTTO_WORKER", "/nowhere/sotto", 1) == 0);
	CHECK(sotto_engine_open_within(&(const struct sotto_engine_limits){.threads = 1}, &e,
				       &err) == SOTTO_EMISSING);
	CHECK(strstr(err.text, "/nowhere/sotto") != NULL);
	REQUIRE(unsetenv("SOTTO_WORKER") == 0);
}

/* ---- many ------------------------------------------------------------------------------ */

static void *use_engine(void *failures)
{
	struct sotto_engine *e = open_engine(1, 0);

	for (int i = 0; i < 20; i++)
		if (!e || run(e, one) != SOTTO_OK)
			__atomic_add_fetch((int *)failures, 1, __ATOMIC_RELAXED);
	sotto_engine_close(e);
	return NULL;
}

static void many_engines_live_side_by_side(void)
{
	pthread_t threads[8];
	int failures = 0;

	for (int i = 0; i < 8; i++)
		REQUIRE(pthread_create(&threads[i], NULL, use_engine, &failures) == 0);
	for (int i = 0; i < 8; i++)
		REQUIRE(pthread_join(threads[i], NULL) == 0);
	CHECK_INT(failures, 0);
	CHECK_INT(children_find(NULL, 0), 0);
}

int main(void)
{
	RUN(a_query_that_wants_too_much_memory_fails_alone);
	RUN(the_process_is_held_to_its_memory_and_writes_no_core);
	RUN(a_locked_worker_can_write_no_file);
	RUN(too_little_memory_is_refused);
	RUN(more_threads_than_are_sane_are_refused_and_others_held);
	RUN(threads_are_there_before_the_first_query);
	RUN(a_query_past_its_time_is_ended);
	RUN(work_past_its_limit_is_ended);
	RUN(waiting_for_a_busy_machine_is_no_work);
	RUN(no_time_at_all_is_over_at_once);
	RUN(a_worker_that_died_is_known_to_be_lost);
	RUN(a_worker_that_dies_at_any_moment_ends_the_call);
	RUN(a_worker_ends_with_the_process_that_started_it);
	RUN(a_worker_outlives_the_thread_that_started_it);
	RUN(a_worker_has_its_socket_and_nothing_else_of_ours);
	RUN(a_program_that_is_not_there_is_named);
	RUN(many_engines_live_side_by_side);
	return tap_done();
}
