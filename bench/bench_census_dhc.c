/*
 * The cells of the demographic tables, 1.2 million for people and 1.6 million for households:
 * topdown on made-up counties, against the redistricting tables of the same counties.  What
 * these release of people is given to the demographic tables, which must agree with it in every
 * block.
 *
 *	build/bench/bench_census_dhc [COUNTIES] [THREADS]	(default 40, 2)
 */
#include <pthread.h>
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

/* What a release hands over: how much, and of the blocks what the next one is given. */
struct taken {
	const struct sotto_census_world *w;
	struct sotto_census_known_list *blocks; /* NULL: only counted */
	pthread_mutex_t lock;
	uint64_t entries;
};

static enum sotto_status begin(void *context, void **batch)
{
	*batch = context;
	return SOTTO_OK;
}

static enum sotto_status node(void *context, void *batch, size_t v, const uint32_t *cells,
			      const int64_t *counts, size_t n)
{
	struct taken *t = context;
	size_t leaf = t->w->shape.start[t->w->shape.level_count - 1];

	(void)batch;
	pthread_mutex_lock(&t->lock);
	t->entries += n;
	for (size_t k = 0; t->blocks && v >= leaf && k < n; k++)
		check(sotto_census_known_add(
			      t->blocks,
			      &(struct sotto_census_known_entry){(uint32_t)(v - leaf), cells[k],
								 counts[k]}),
		      "blocks");
	pthread_mutex_unlock(&t->lock);
	return SOTTO_OK;
}

static enum sotto_status end(void *context, void *batch)
{
	(void)context;
	(void)batch;
	return SOTTO_OK;
}

/* Gives the blocks what was released before. */
static void give(struct sotto_census_world *w, struct sotto_census_known_list *given)
{
	size_t leaf;

	check(sotto_census_known_build(&w->shape, w->plan.queries[w->schema.known].cells, given,
				       &leaf),
	      "known table");
	check(sotto_census_constrain(&w->shape, &w->schema, NULL), "constraints");
}

/* Processor time of one release. */
static double run(const char *name, const char *plan, size_t counties, unsigned threads,
		  struct sotto_census_known_list *given, struct sotto_census_known_list *blocks)
{
	static struct sotto_census_world w;
	struct taken taken = {.w = &w, .blocks = blocks, .lock = PTHREAD_MUTEX_INITIALIZER};
	const struct sotto_census_sink sink = {
		.context = &taken, .begin = begin, .node = node, .end = end};
	const struct sotto_census_options options = {.threads = threads};
	struct sotto_census_measurement m;
	uint64_t draws = 0;
	double spent;

	nation_build(&w, plan, counties);
	if (given)
		give(&w, given);
	check(sotto_census_measurement_init(&m, &w.schema, &w.shape, w.truth, key), "laws");
	spent = seconds();
	check(sotto_census_execute(&w.plan, &w.schema, &w.shape, &m, &options, &sink, &draws),
	      name);
	spent = seconds() - spent;
	printf("  %-24s %8zu cells %7zu blocks %10.1f M draws %9.1f M entries in %8.2f CPU s\n",
	       name, w.schema.cells, w.truth->leaves, (double)draws / 1e6,
	       (double)taken.entries / 1e6, spent);
	fflush(stdout);
	sotto_census_measurement_release(&m);
	nation_release(&w);
	return spent;
}

int main(int argc, char **argv)
{
	size_t counties = argc > 1 ? strtoul(argv[1], NULL, 10) : 40;
	unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
	struct sotto_census_known_list blocks = {0};
	double td, people, units;

	printf("census-dhc: %zu counties\n", counties);
	td = run("pl94-us-persons",
		 "profile: pl94-us-persons\nestimate: {mode: topdown}\n"
		 "bounds: [{level: Block, query: hhgq, lower: 0, upper: 1}]\n",
		 counties, threads, NULL, &blocks);
	people = run(
		"dhc-shape, blocks given",
		"profile: dhc-shape\n"
		"invariants: [{level: Block, query: \"hhgq*votingage*hispanic*cenrace\"}]\n",
		counties, threads, &blocks, NULL);
	printf("  people take %.1f TD (good 60, target 10)\n", people / td);
	units = run("dhc-shape-units", "profile: dhc-shape-units\n", counties, threads, NULL,
		    NULL);
	printf("  households take %.1f TD, with nothing given\n", units / td);
	sotto_census_known_list_release(&blocks);
	return 0;
}
