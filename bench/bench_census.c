/*
 * Hierarchical release on a made-up nation: time against references of the same run, peak
 * memory, and error per level against independent noise.
 *
 *	build/bench/bench_census [COUNTIES] [THREADS]	(default 30 and 2; the whole nation is 3143)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "census/solve/census_feasible.h"
#include "census/generate/census_generate.h"
#include "census/account/census_predict.h"
#include "census/solve/census_run.h"
#include "census/exact/census_tree.h"
#include "census/measure/census_truth.h"
#include "census/measure/census_world.h"

enum { LEVELS = 6 };
static const char plan_text[] = "profile: pl94-us-persons\n"
				"bounds: [{level: Block, query: hhgq, lower: 0, upper: 1}]\n";

/* Processor time of all threads: what other programs take is not counted. */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static void check(enum sotto_status st, const char *what)
{
	if (st == SOTTO_OK)
		return;
	fprintf(stderr, "bench_census: %s: %s\n", what, sotto_status_name(st));
	exit(1);
}

/* ---- building the nation in memory ------------------------------------------------------------ */

struct builder {
	struct sotto_census_world *w;
	uint32_t *counts[LEVELS]; /* children of each node, by level */
	size_t n[LEVELS], room[LEVELS];
	struct sotto_nation_block last;
	uint64_t entries, entry_room;
	uint32_t *cells, *people;
	uint64_t *starts;
	uint8_t (*facilities)[SOTTO_NATION_GQ];
	size_t leaf_room;
};

static void add_node(struct builder *b, size_t level)
{
	if (b->n[level] == b->room[level]) {
		b->room[level] = 2 * b->room[level] + 64;
		b->counts[level] =
			must(realloc(b->counts[level], b->room[level] * sizeof(uint32_t)));
	}
	b->counts[level][b->n[level]++] = 0;
	if (level > 0)
		b->counts[level - 1][b->n[level - 1] - 1]++;
}

static enum sotto_status take_block(void *context, const struct sotto_nation_block *k)
{
	struct builder *b = context;
	const uint32_t now[] = {0, k->state, k->county, k->tract, k->group, k->block};
	const uint32_t was[] = {
		0, b->last.state, b->last.county, b->last.tract, b->last.group, b->last.block};
	size_t level = 1;

	if (b->n[0] == 0) {
		add_node(b, 0);
		b->last.state = UINT32_MAX;
		return take_block(context, k);
	}
	while (level < LEVELS - 1 && now[level] == was[level])
		level++;
	for (; level < LEVELS; level++)
		add_node(b, level);
	b->last = *k;
	if (b->n[5] + 1 >= b->leaf_room) {
		b->leaf_room = 2 * b->leaf_room + 1024;
		b->starts = must(realloc(b->starts, b->leaf_room * sizeof *b->starts));
		b->facilities =
			must(realloc(b->facilities, b->leaf_room * sizeof *b->facilities));
	}
	if (b->entries + k->n > b->entry_room) {
		b->entry_room = (b->entry_room + k->n) * 3 / 2 + 4096;
		b->cells = must(realloc(b->cells, b->entry_room * sizeof *b->cells));
		b->people = must(realloc(b->people, b->entry_room * sizeof *b->people));
	}
	b->starts[b->n[5] - 1] = b->entries;
	for (size_t i = 0; i < k->n; i++) {
		b->cells[b->entries] = k->cells[i];
		b->people[b->entries++] = k->counts[i];
	}
	b->starts[b->n[5]] = b->entries;
	for (size_t q = 0; q < SOTTO_NATION_GQ; q++)
		b->facilities[b->n[5] - 1][q] =
			(uint8_t)(k->facilities[q] < 255 ? k->facilities[q] : 255);
	return SOTTO_OK;
}

/* The plan's cells are hhgq first and then votingage, hispanic, cenrace: as the nation's. */
static void set_shape(struct builder *b)
{
	struct sotto_census_shape *s = &b->w->shape;
	size_t n = 0;

	s->level_count = LEVELS;
	s->groups = SOTTO_NATION_GQ;
	for (size_t l = 0; l < LEVELS; l++) {
		s->plan_level[l] = l;
		s->start[l] = n;
		n += b->n[l];
	}
	s->start[LEVELS] = n;
	s->first = must(calloc(n + 1, sizeof *s->first));
	s->count = must(calloc(n + 1, sizeof *s->count));
	s->parent = must(calloc(n + 1, sizeof *s->parent));
	s->labels = must(calloc(n + 1, sizeof *s->labels));
	s->total_low = must(calloc(n + 1, sizeof *s->total_low));
	s->total_high = must(malloc((n + 1) * sizeof *s->total_high));
	s->low = must(calloc((n + 1) * s->groups, sizeof *s->low));
	s->high = must(malloc((n + 1) * s->groups * sizeof *s->high));
	for (size_t v = 0; v < n; v++)
		s->total_high[v] = sotto_census_unlimited;
	for (size_t i = 0; i < n * s->groups; i++)
		s->high[i] = sotto_census_unlimited;
	for (size_t l = 0; l + 1 < LEVELS; l++) {
		size_t child = s->start[l + 1];

		for (size_t i = 0; i < b->n[l]; i++) {
			size_t v = s->start[l] + i;

			s->first[v] = (uint32_t)child;
			s->count[v] = b->counts[l][i];
			for (size_t c = 0; c < s->count[v]; c++)
				s->parent[child++] = (uint32_t)v;
		}
	}
	for (size_t i = 0; i < b->n[5]; i++)
		for (size_t q = 0; q < s->groups; q++) {
			size_t at = (s->start[5] + i) * s->groups + q;

			s->low[at] = q > 0 ? b->facilities[i][q] : 0;
			s->high[at] = INT64_C(99999) * b->facilities[i][q];
		}
}

static void build(struct sotto_census_world *w, size_t counties)
{
	struct builder b = {.w = w};
	const struct sotto_nation nation = {.counties = counties, .mixing = 15, .seed = 1};

	memset(w, 0, sizeof *w);
	check(sotto_census_plan_parse(&w->plan, "bench", plan_text, sizeof plan_text - 1, NULL),
	      "plan");
	check(sotto_census_schema_init(&w->schema, &w->plan, NULL), "schema");
	check(sotto_nation_generate(&nation, take_block, &b), "generate");
	w->truth = must(malloc(sizeof *w->truth));
	*w->truth = (struct sotto_census_truth){
		.leaves = b.n[5], .starts = b.starts, .cells = b.cells, .counts = b.people};
	set_shape(&b);
	w->has_shape = true;
	for (size_t v = w->shape.start[1]; v < w->shape.start[2]; v++) {
		size_t first, end;
		int64_t people = 0;

		sotto_census_leaf_range(&w->shape, v, &first, &end);
		for (uint64_t i = b.starts[first]; i < b.starts[end]; i++)
			people += b.people[i];
		w->shape.total_low[v] = w->shape.total_high[v] = people;
	}
	check(sotto_census_constrain(&w->shape, &w->schema, NULL), "constraints");
	for (size_t l = 0; l < LEVELS; l++)
		free(b.counts[l]);
	free(b.facilities);
}

/* ---- error ------------------------------------------------------------------------------------------ */

struct errors {
	const struct sotto_census_world *w;
	double sum[LEVELS];
};

static enum sotto_status begin(void *context, void **batch)
{
	(void)context;
	*batch = must(calloc(LEVELS, sizeof(double)));
	return SOTTO_OK;
}

static enum sotto_status node(void *context, void *batch, size_t v, const uint32_t *cells,
			      const int64_t *counts, size_t n)
{
	const struct errors *e = context;
	const struct sotto_census_truth *t = e->w->truth;
	size_t first, end;
	int64_t difference = 0;

	(void)cells;
	for (size_t k = 0; k < n; k++)
		difference += counts[k];
	sotto_census_leaf_range(&e->w->shape, v, &first, &end);
	for (uint64_t i = t->starts[first]; i < t->starts[end]; i++)
		difference -= t->counts[i];
	((double *)batch)[sotto_census_level_of(&e->w->shape, v)] += fabs((double)difference);
	return SOTTO_OK;
}

static enum sotto_status end(void *context, void *batch)
{
	struct errors *e = context;

	for (size_t l = 0; l < LEVELS; l++)
		e->sum[l] += ((double *)batch)[l];
	free(batch);
	return SOTTO_OK;
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static double peak_gib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss / (1 << 20);
}

/* The run's draws alone, at the noise of the blocks' detailed query. */
static double time_draws(const struct sotto_census_measurement *m, uint64_t draws)
{
	enum { AT_ONCE = 2016 };
	struct sotto_noise *noise;
	int64_t out[AT_ONCE];
	double start = seconds();

	check(sotto_noise_open(m->key, &noise), "noise");
	for (uint64_t done = 0; done < draws; done += AT_ONCE)
		check(sotto_noise_draw(
			      noise, m->laws[5][m->schema->plan->levels[5].measure_count - 1],
			      (struct sotto_noise_place){.node = (uint32_t)(done / AT_ONCE)},
			      NULL, 0, AT_ONCE, out),
		      "draw");
	sotto_noise_close(noise);
	return seconds() - start;
}

static void run(struct sotto_census_world *w, enum sotto_census_mode mode, unsigned threads)
{
	static const char *const names[] = {"naive", "topdown", "gls"};
	static const uint8_t key[SOTTO_NOISE_KEY_BYTES] = {1};
	struct errors e = {.w = w};
	const struct sotto_census_sink sink = {
		.context = &e, .begin = begin, .node = node, .end = end};
	const struct sotto_census_options options = {.threads = threads};
	struct sotto_census_measurement m;
	uint64_t draws = 0;
	double start, spent, reference;

	w->plan.mode = mode;
	check(sotto_census_measurement_init(&m, &w->schema, &w->shape, w->truth, key), "laws");
	start = seconds();
	check(sotto_census_execute(&w->plan, &w->schema, &w->shape, &m, &options, &sink,
				   &draws),
	      "run");
	spent = seconds() - start;
	reference = time_draws(&m, draws);
	printf("%-8s %8.2f CPU s  %11llu draws  %6.1f DRAW  peak %.2f GiB  MAE of total:",
	       names[mode], spent, (unsigned long long)draws, spent / reference, peak_gib());
	for (size_t l = 0; l < LEVELS; l++)
		printf(" %s %.3f", w->plan.levels[l].name,
		       e.sum[l] / (double)(w->shape.start[l + 1] - w->shape.start[l]));
	printf("\n");
	sotto_census_measurement_release(&m);
}

/* Least squares on the scalar tree against a pass over three arrays. */
static void run_scalar(const struct sotto_census_world *w)
{
	size_t n = sotto_census_node_count(&w->shape);
	const struct sotto_tree tree = {
		.n = n, .first = w->shape.first, .count = w->shape.count};
	double *y = must(malloc(5 * n * sizeof *y)), *s = y + n, *x = s + n, *v = x + n,
	       *a = v + n;
	double start, triad, spent;

	for (size_t i = 0; i < n; i++) {
		y[i] = (double)(i % 97);
		s[i] = 1 + (double)(i % 5);
		x[i] = v[i] = a[i] = 0;
	}
	start = seconds();
	for (int r = 0; r < 10; r++)
		for (size_t i = 0; i < n; i++)
			a[i] = y[i] + 0.5 * s[i] + (double)r;
	triad = (seconds() - start) / 10;
	start = seconds();
	check(sotto_tree_gls(&tree, y, s, x, v), "scalar tree");
	spent = seconds() - start;
	printf("scalar tree of %zu nodes: %.4f s, %.1f TRIAD (%.0f)\n", n, spent, spent / triad,
	       a[n / 2]);
	free(y);
}

static void print_predictions(const struct sotto_census_world *w)
{
	static const char *const names[] = {"naive", "topdown", "gls"};
	struct sotto_census_predictions p;

	check(sotto_census_predict(w, &p), "prediction");
	for (size_t mode = 0; mode < 3; mode++) {
		printf("predicted MAE of total, %s:", names[mode]);
		for (size_t l = 0; l < LEVELS; l++)
			printf(" %s %.3f", w->plan.levels[l].name, p.levels[l][mode].mae);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	size_t counties = argc > 1 ? strtoul(argv[1], NULL, 10) : 30;
	unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
	static struct sotto_census_world w;
	double start = seconds();
	int64_t people = 0;

	build(&w, counties);
	for (uint64_t i = 0; i < w.truth->starts[w.truth->leaves]; i++)
		people += w.truth->counts[i];
	printf("%zu counties, %zu blocks, %lld people, %.1f non-empty cells a block: generated "
	       "in %.1f s\n",
	       counties, w.truth->leaves, (long long)people,
	       (double)w.truth->starts[w.truth->leaves] / (double)w.truth->leaves,
	       seconds() - start);
	run_scalar(&w);
	print_predictions(&w);
	if (!getenv("GLS_ONLY"))
		run(&w, SOTTO_CENSUS_TOPDOWN, threads);
	run(&w, SOTTO_CENSUS_GLS, threads);
	return 0;
}
