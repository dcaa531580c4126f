/*
 * The cells of the demographic tables, 1.2 million for people and 1.6 million for households:
 * topdown on made-up counties, against the redistricting tables of the same counties.
 *
 *	build/bench/bench_census_dhc [COUNTIES] [THREADS]	(default 4, 2)
 */
#include <time.h>

#include "census/measure/census_measure.h"
#include "census/solve/census_execute.h"
#include "census_nation.h"

static const uint8_t key[SOTTO_NOISE_KEY_BYTES] = {1};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nothing is looked at: for times alone. */
static enum sotto_status begin(void *context, void **batch)
{
	*batch = context;
	return SOTTO_OK;
}

static enum sotto_status node(void *context, void *batch, size_t v, const uint32_t *cells,
			      const int64_t *counts, size_t n)
{
	uint64_t *released = context;

	(void)batch;
	(void)v;
	(void)cells;
	(void)counts;
	*released += n;
	return SOTTO_OK;
}

static enum sotto_status end(void *context, void *batch)
{
	(void)context;
	(void)batch;
	return SOTTO_OK;
}

/* Processor time of one release. */
static double run(const char *name, const char *plan, size_t counties, unsigned threads)
{
	static struct sotto_census_world w;
	uint64_t draws = 0, released = 0;
	const struct sotto_census_sink sink = {
		.context = &released, .begin = begin, .node = node, .end = end};
	const struct sotto_census_options options = {.threads = threads};
	struct sotto_census_measurement m;
	double spent;

	nation_build(&w, plan, counties);
	check(sotto_census_measurement_init(&m, &w.schema, &w.shape, w.truth, key), "laws");
	spent = seconds();
	check(sotto_census_execute(&w.plan, &w.schema, &w.shape, &m, &options, &sink, &draws),
	      name);
	spent = seconds() - spent;
	printf("  %-18s %8zu cells %7zu blocks %10.1f M draws %9.1f M entries in %8.1f CPU s\n",
	       name, w.schema.cells, w.truth->leaves, (double)draws / 1e6,
	       (double)released / 1e6, spent);
	fflush(stdout);
	sotto_census_measurement_release(&m);
	nation_release(&w);
	return spent;
}

int main(int argc, char **argv)
{
	size_t counties = argc > 1 ? strtoul(argv[1], NULL, 10) : 4;
	unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
	double td, people, units;

	printf("census-dhc: %zu counties\n", counties);
	td = run("pl94-us-persons",
		 "profile: pl94-us-persons\nestimate: {mode: topdown}\n"
		 "bounds: [{level: Block, query: hhgq, lower: 0, upper: 1}]\n",
		 counties, threads);
	people = run("dhc-shape", "profile: dhc-shape\n", counties, threads);
	units = run("dhc-shape-units", "profile: dhc-shape-units\n", counties, threads);
	printf("  people take %.1f TD (good 60, target 10), households %.1f\n", people / td,
	       units / td);
	return 0;
}
