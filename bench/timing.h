/*
 * timing.h - one pinned core, best of five, ratios within one run, one table
 *
 * Times are processor time of this thread: what other programs take is not counted.
 *
 * A benchmark measures what it wants with bench_best, the peers' times come from
 * bench_peer (bench/run measures them in the same run), and each promise of the
 * product is one row:
 *
 *	bench_open("noise");
 *	bench_row("bulk draws", bench_best(fill, &f, 1e6), "numpy laplace",
 *		  bench_peer("numpy.laplace"), BENCH_FASTER, 7, 9);
 *	return bench_close();
 */
#ifndef SOTTO_BENCH_TIMING_H
#define SOTTO_BENCH_TIMING_H

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_ROUNDS = 5 };

enum bench_promise {
	BENCH_FASTER, /* at least so many times faster than the other */
	BENCH_AT_MOST, /* at most so many times the other's time */
};

static struct {
	const char *name;
	int rows, missed;
} bench_state;

static double bench_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Stays on the core it is on: the same for all rows. */
static void bench_pin(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu < 0 ? 0 : cpu, &set);
	(void)sched_setaffinity(0, sizeof set, &set);
}

static inline void bench_open(const char *name)
{
	bench_pin();
	memset(&bench_state, 0, sizeof bench_state);
	bench_state.name = name;
	printf("\n%-48s %11s  %-26s %11s %9s %8s %8s\n", name, "time", "against", "its time",
	       "ratio", "floor", "goal");
}

/* Nanoseconds per unit of the fastest of five calls, after one to warm up. */
static inline double bench_best(void (*run)(void *context), void *context, double units)
{
	double best = INFINITY;

	run(context);
	for (int i = 0; i < BENCH_ROUNDS; i++) {
		double start = bench_now_ns();

		run(context);
		best = fmin(best, bench_now_ns() - start);
	}
	return best / units;
}

/*
 * The same of two calls, each in turn, so that a machine that is busy for a while is busy
 * for both.
 */
static inline void bench_best_of_two(void (*const run[2])(void *context), void *context,
				     double units, double ns[2])
{
	ns[0] = ns[1] = INFINITY;
	for (int i = -1; i < 2 * BENCH_ROUNDS; i++)
		for (int j = 0; j < 2; j++) {
			double start = bench_now_ns();

			run[j](context);
			if (i >= 0)
				ns[j] = fmin(ns[j], (bench_now_ns() - start) / units);
		}
}

/* A peer's time by name, from the file that bench/run made; NAN if it has none. */
static inline double bench_peer(const char *name)
{
	const char *path = getenv("SOTTO_BENCH_PEERS");
	FILE *f = path ? fopen(path, "r") : NULL;
	double value, found = NAN;
	char key[64];

	while (f && fscanf(f, "%63s %lf", key, &value) == 2)
		if (strcmp(key, name) == 0)
			found = value;
	if (f)
		fclose(f);
	return found;
}

static inline const char *bench_time(double ns, char text[16])
{
	if (isnan(ns))
		snprintf(text, 16, "-");
	else if (ns < 1e4)
		snprintf(text, 16, "%.*f ns", ns < 100 ? 2 : 0, ns);
	else if (ns < 1e7)
		snprintf(text, 16, "%.2f us", ns / 1e3);
	else if (ns < 1e10)
		snprintf(text, 16, "%.2f ms", ns / 1e6);
	else
		snprintf(text, 16, "%.2f s", ns / 1e9);
	return text;
}

/* A measurement without a promise. */
static inline void bench_note(const char *what, double ns, const char *against, double other)
{
	char a[16], b[16];

	printf("%-48s %11s", what, bench_time(ns, a));
	if (!isnan(other))
		printf("  %-26s %11s %8.2fx", against, bench_time(other, b), other / ns);
	printf("\n");
	fflush(stdout);
}

/* A value with its unit, for rows that are not times. */
static inline const char *bench_value(double value, const char *unit, char text[16])
{
	if (isnan(value))
		snprintf(text, 16, "-");
	else
		snprintf(text, 16, "%.4g%s%s", value, *unit ? " " : "", unit);
	return text;
}

/* floor must hold, goal is what we want; both in the sense of the promise. */
static inline void bench_judge(const char *what, const char *ours, const char *against,
			       const char *theirs, double ratio, enum bench_promise promise,
			       double floor, double goal)
{
	double sign = promise == BENCH_FASTER ? 1 : -1;
	const char *verdict = isnan(ratio)                   ? "no peer"
			      : sign * ratio >= sign * goal  ? "goal"
			      : sign * ratio >= sign * floor ? "floor"
							     : "MISSED";

	char times[16] = "-";

	if (!isnan(ratio))
		(void)snprintf(times, sizeof times, "%.2fx", ratio);
	bench_state.rows++;
	bench_state.missed += strcmp(verdict, "MISSED") == 0;
	printf("%-48s %11s  %-26s %11s %9s %7.4gx %7.4gx  %s\n", what, ours, against, theirs,
	       times, floor, goal, verdict);
	fflush(stdout);
}

static inline void bench_row(const char *what, double ns, const char *against, double other,
			     enum bench_promise promise, double floor, double goal)
{
	char a[16], b[16];

	bench_judge(what, bench_time(ns, a), against, bench_time(other, b),
		    promise == BENCH_FASTER ? other / ns : ns / other, promise, floor, goal);
}

/* A row of values in a unit of their own; "" for plain numbers. */
static inline void bench_figure(const char *what, double value, const char *unit,
				const char *against, double other, enum bench_promise promise,
				double floor, double goal)
{
	char a[16], b[16];

	bench_judge(what, bench_value(value, unit, a), against, bench_value(other, unit, b),
		    promise == BENCH_FASTER ? other / value : value / other, promise, floor,
		    goal);
}

/* The exit status of main: a missed floor is a failure. */
static inline int bench_close(void)
{
	printf("%s: %d promises, %d missed\n", bench_state.name, bench_state.rows,
	       bench_state.missed);
	return bench_state.missed != 0;
}

#endif
