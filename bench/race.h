/*
 * race.h - sotto query against DuckDB itself: same engine, same threads, same file
 *
 * Both sides are whole processes that load the engine, open the file, run one
 * query and end; sotto also plans, charges its ledger (two syncs of the disk),
 * draws noise and prints; its engine runs in a process of its own, which counts with it.
 * The policies have a pad of 0: answers leave when they are ready.  They run in turns; the
 * best of each counts, in seconds on the clock and in seconds of all cores.
 */
#ifndef SOTTO_BENCH_RACE_H
#define SOTTO_BENCH_RACE_H

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "central/engine/duckdb_embedded.h"

enum { RACE_ROUNDS = 5, RACE_THREADS = 2, RACE_PATH = 512 };

struct race_time {
	double clock, cpu;
	long kilobytes; /* the most that one process held */
};

static inline void race_stop(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(1);
}

static inline struct sotto_embedded *race_engine(void)
{
	struct sotto_embedded *e = NULL;
	struct sotto_error err = {""};

	const struct sotto_engine_limits limits = {.threads = RACE_THREADS};

	if (sotto_embedded_open(&limits, &e, &err) != SOTTO_OK)
		race_stop("engine", err.text);
	return e;
}

static inline void race_execute(struct sotto_embedded *e, const char *sql)
{
	if (sotto_embedded_execute(e, sql) != SOTTO_OK)
		race_stop(sql, sotto_embedded_detail(e));
}

/* A file that is kept from one run to the next, beside the programs. */
static inline void race_file(const char *name, char out[RACE_PATH])
{
	const char *folder = getenv("SOTTO_BENCH_DATA");

	folder = folder ? folder : "build/bench/data";
	(void)mkdir(folder, 0755);
	if (snprintf(out, RACE_PATH, "%s/%s", folder, name) >= RACE_PATH)
		race_stop("path", name);
}

static inline double race_seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* One process; its output is thrown away. */
static inline struct race_time race_run(const char *const *arguments)
{
	struct timespec start, end;
	struct rusage use;
	int status = 1;
	pid_t pid;

	(void)fflush(stdout);
	(void)clock_gettime(CLOCK_MONOTONIC, &start);
	pid = fork();
	if (pid == 0) {
		if (freopen("/dev/null", "w", stdout))
			execv(arguments[0], (char *const *)(uintptr_t)arguments);
		_exit(1);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0 || status != 0)
		race_stop("a process failed", arguments[0]);
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	return (struct race_time){.clock = (double)(end.tv_sec - start.tv_sec) +
					   (double)(end.tv_nsec - start.tv_nsec) / 1e9,
				  .cpu = race_seconds(use.ru_utime) +
					 race_seconds(use.ru_stime),
				  .kilobytes = use.ru_maxrss};
}

static inline void race_keep(struct race_time *best, struct race_time t)
{
	best->clock = fmin(best->clock, t.clock);
	best->cpu = fmin(best->cpu, t.cpu);
}

static inline void race_title(const char *what)
{
	printf("%s; whole processes, %d threads, pad 0, best of %d\n", what, RACE_THREADS,
	       RACE_ROUNDS);
	printf("%-8s %11s %11s %8s %8s %8s\n", "query", "sotto", "DuckDB", "ratio", "of CPU",
	       "at most");
}

static inline const char *race_program(void)
{
	return getenv("SOTTO") ? getenv("SOTTO") : "build/sotto";
}

/*
 * The owner's part; the file is read through once, and not again while it is the same.  The ledger
 * is a new one: what a question costs must not depend on how often the benchmark was run.
 */
static inline struct race_time race_seal(const char *policy)
{
	const char *seal[] = {race_program(), "seal", "--policy", policy, NULL};
	const char *own[] = {"/bin/sh",
			     "-c",
			     "l=$(dirname \"$1\")/$(sed -n 's/^ledger: //p' \"$1\") && rm "
			     "-f \"$l\" \"$l\"-* && \"$0\" ledger create -p \"$1\"",
			     race_program(),
			     policy,
			     NULL};
	struct race_time t = race_run(seal);

	(void)race_run(own);
	return t;
}

/* A question under a policy against SQL over the database file attached as d. */
static inline void race(const char *name, const char *policy, const char *question,
			const char *file, const char *plain, double limit)
{
	const char *ours[] = {
		race_program(), "query", "--fresh", "--epsilon", "1", "--threads", "2",
		"--policy",     policy,  question,  NULL};
	const char *theirs[] = {"/proc/self/exe", file, plain, NULL};
	struct race_time a = {.clock = INFINITY, .cpu = INFINITY}, b = a;

	(void)race_seal(policy);
	for (int i = 0; i < RACE_ROUNDS; i++) {
		race_keep(&a, race_run(ours));
		race_keep(&b, race_run(theirs));
	}
	printf("%-8s %9.3f s %9.3f s %8.2f %8.2f %8.2f\n", name, a.clock, b.clock,
	       a.clock / b.clock, a.cpu / b.cpu, limit);
}

/* What the plain side's process does, with the engine's own settings for groups. */
static inline int race_plain(const char *file, const char *sql)
{
	char attach[RACE_PATH + 64];
	struct sotto_embedded *e = race_engine();

	(void)snprintf(attach, sizeof attach,
		       "RESET perfect_ht_threshold; ATTACH '%s' AS d (READ_ONLY); USE d", file);
	race_execute(e, attach);
	race_execute(e, sql);
	sotto_embedded_close(e);
	return 0;
}

#endif
