/*
 * Hierarchical release on a made-up nation: time against references of the same run, peak
 * memory, and error per level against independent noise.
 *
 *	build/bench/bench_census [COUNTIES] [THREADS] [KEY]
 *		(default 3143, the whole nation; 2; 1: other numbers give other noise)
 *
 * TRIAD: a = b + k c over as many doubles as nodes.  CSPRNG: 8 bytes of AES-256 in counter mode.
 * DRAW: the run's draws alone, by the sampler that the run uses.  TD: the run of topdown.
 */
#include <math.h>
#include <openssl/evp.h>
#include <sys/resource.h>
#include <time.h>

#include "census/account/census_predict.h"
#include "census/exact/census_tree.h"
#include "census/solve/census_execute.h"
#include "census_nation.h"

enum { PARTS = 126, TRACT = 3 }; /* cells of hispanic*cenrace */
static const char plan_text[] = "profile: pl94-us-persons\n"
				"bounds: [{level: Block, query: hhgq, lower: 0, upper: 1}]\n";
static uint8_t key[SOTTO_NOISE_KEY_BYTES] = {1};
static const char *const mode_names[] = {"naive", "topdown", "gls"};

static double clock_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of all threads: what other programs take is not counted. */
static double seconds(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static double peak_gib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss / (1 << 20);
}

/* ---- error ------------------------------------------------------------------------------------------ */

/* Sums of absolute errors: of totals by level, and of hispanic*cenrace at tracts. */
struct sums {
	double total[LEVELS], squares[LEVELS], parts;
};

struct errors {
	const struct sotto_census_world *w;
	const uint32_t *map; /* of hispanic*cenrace */
	struct sums sums;
};

static enum sotto_status begin(void *context, void **batch)
{
	(void)context;
	*batch = must(calloc(1, sizeof(struct sums)));
	return SOTTO_OK;
}

static enum sotto_status node(void *context, void *batch, size_t v, const uint32_t *cells,
			      const int64_t *counts, size_t n)
{
	const struct errors *e = context;
	const struct sotto_census_truth *t = e->w->truth;
	size_t first, end, level = sotto_census_level_of(&e->w->shape, v);
	int64_t difference = 0, parts[PARTS] = {0};
	struct sums *sums = batch;

	for (size_t k = 0; k < n; k++) {
		difference += counts[k];
		parts[e->map[cells[k]]] += counts[k];
	}
	sotto_census_leaf_range(&e->w->shape, v, &first, &end);
	for (uint64_t i = t->starts[first]; i < t->starts[end]; i++) {
		difference -= t->counts[i];
		parts[e->map[t->cells[i]]] -= t->counts[i];
	}
	sums->total[level] += fabs((double)difference);
	sums->squares[level] += (double)difference * (double)difference;
	for (size_t k = 0; level == TRACT && k < PARTS; k++)
		sums->parts += fabs((double)parts[k]);
	return SOTTO_OK;
}

static enum sotto_status end(void *context, void *batch)
{
	struct errors *e = context;
	const struct sums *from = batch;

	for (size_t l = 0; l < LEVELS; l++) {
		e->sums.total[l] += from->total[l];
		e->sums.squares[l] += from->squares[l];
	}
	e->sums.parts += from->parts;
	free(batch);
	return SOTTO_OK;
}

/* Nothing is looked at: for times alone. */
static enum sotto_status begin_none(void *context, void **batch)
{
	(void)context;
	*batch = NULL;
	return SOTTO_OK;
}

static enum sotto_status node_none(void *context, void *batch, size_t v, const uint32_t *cells,
				   const int64_t *counts, size_t n)
{
	(void)context;
	(void)batch;
	(void)v;
	(void)cells;
	(void)counts;
	(void)n;
	return SOTTO_OK;
}

static enum sotto_status end_none(void *context, void *batch)
{
	(void)context;
	(void)batch;
	return SOTTO_OK;
}

/* ---- a run -------------------------------------------------------------------------------------------- */

struct result {
	double cpu, wall, draw; /* seconds; of the run's draws alone */
	uint64_t draws;
	double mae[LEVELS], spread[LEVELS], parts; /* spread: the standard error of mae */
};

/* So many draws at the noise of the blocks' detailed query, on one core. */
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

static const uint32_t *map_of_parts(const struct sotto_census_world *w)
{
	for (size_t i = 0; i < w->plan.query_count; i++)
		if (strcmp(w->plan.queries[i].name, "hispanic*cenrace") == 0)
			return w->schema.maps[i];
	check(SOTTO_EMISSING, "hispanic*cenrace");
	return NULL;
}

static struct result
run(struct sotto_census_world *w, enum sotto_census_mode mode, unsigned threads)
{
	struct errors e = {.w = w, .map = map_of_parts(w)};
	const struct sotto_census_sink sink = {
		.context = &e, .begin = begin, .node = node, .end = end};
	const struct sotto_census_options options = {.threads = threads};
	struct sotto_census_measurement m;
	struct result r = {.draws = 0};
	double start, wall;

	w->plan.mode = mode;
	check(sotto_census_measurement_init(&m, &w->schema, &w->shape, w->truth, key), "laws");
	start = seconds();
	wall = clock_seconds(CLOCK_MONOTONIC);
	check(sotto_census_execute(&w->plan, &w->schema, &w->shape, &m, &options, &sink,
				   &r.draws),
	      "run");
	r.cpu = seconds() - start;
	r.wall = clock_seconds(CLOCK_MONOTONIC) - wall;
	r.draw = time_draws(&m, r.draws);
	for (size_t l = 0; l < LEVELS; l++) {
		double n = (double)(w->shape.start[l + 1] - w->shape.start[l]);

		r.mae[l] = e.sums.total[l] / n;
		r.spread[l] = sqrt(fmax(e.sums.squares[l] / n - r.mae[l] * r.mae[l], 0) / n);
	}
	r.parts = e.sums.parts / PARTS /
		  (double)(w->shape.start[TRACT + 1] - w->shape.start[TRACT]);
	sotto_census_measurement_release(&m);
	return r;
}

/* ---- rows of the table --------------------------------------------------------------------------------- */

static void print_row(const char *name, double cpu, double ratio, const char *unit,
		      const char *good, const char *target)
{
	printf("  %-46s %9.3f %9.1f %-7s %6s %7s\n", name, cpu, ratio, unit, good, target);
	fflush(stdout);
}

/* Least squares on the scalar tree against a pass over three arrays. */
static void run_scalar(const struct sotto_census_world *w)
{
	size_t n = sotto_census_node_count(&w->shape);
	const struct sotto_tree tree = {
		.n = n, .first = w->shape.first, .count = w->shape.count};
	double *y = must(malloc(5 * n * sizeof *y)), *s = y + n, *x = s + n, *v = x + n,
	       *a = v + n, start, triad, spent;
	volatile double used;

	for (size_t i = 0; i < n; i++) {
		y[i] = (double)(i % 97);
		s[i] = 1 + (double)(i % 5);
		x[i] = v[i] = a[i] = 0;
	}
	start = seconds();
	for (int r = 0; r < 10; r++) {
		for (size_t i = 0; i < n; i++)
			a[i] = y[i] + 0.5 * s[i] + (double)r;
		used = a[(size_t)r * (n / 10)];
	}
	(void)used;
	triad = (seconds() - start) / 10;
	start = seconds();
	check(sotto_tree_gls(&tree, y, s, x, v), "scalar tree");
	spent = seconds() - start;
	print_row("scalar tree: GLS and variances", spent, spent / triad, "TRIAD", "30", "8");
	free(y);
}

static void run_draws(const struct sotto_census_world *w)
{
	enum { BYTES = 1 << 16, ROUNDS = 500 };
	static uint8_t zeros[BYTES], out[BYTES];
	uint64_t draws = (uint64_t)ROUNDS * BYTES / 8;
	struct sotto_census_measurement m;
	EVP_CIPHER_CTX *cipher = must(EVP_CIPHER_CTX_new());
	double start, reference, spent;
	int length;

	check(sotto_census_measurement_init(&m, &w->schema, &w->shape, w->truth, key), "laws");
	EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), NULL, key, zeros);
	start = seconds();
	for (int i = 0; i < ROUNDS; i++)
		EVP_EncryptUpdate(cipher, out, &length, zeros, BYTES);
	reference = seconds() - start;
	EVP_CIPHER_CTX_free(cipher);
	spent = time_draws(&m, draws);
	print_row("4 M exact draws, sigma^2 = 10", spent, spent / reference, "CSPRNG", "50",
		  "5");
	sotto_census_measurement_release(&m);
}

static void print_run(const char *name, const struct result *r, double ratio, const char *unit,
		      const char *good, const char *target)
{
	char text[80];

	snprintf(text, sizeof text, "%s, %.0f M draws (%.1f s by the clock)", name,
		 (double)r->draws / 1e6, r->wall);
	print_row(text, r->cpu, ratio, unit, good, target);
}

static void print_errors(const struct sotto_census_world *w, const struct result *results)
{
	struct sotto_census_predictions p;
	const struct sotto_census_level *tract = &w->plan.levels[TRACT];

	check(sotto_census_predict(w, &p), "prediction");
	printf("\nmean absolute error of released totals\n  %-34s", "");
	for (size_t l = 2; l < LEVELS; l++)
		printf(" %8s", w->plan.levels[l].name);
	for (size_t mode = SOTTO_CENSUS_NAIVE; mode <= SOTTO_CENSUS_GLS; mode++) {
		printf("\n  %-8s %-25s", mode_names[mode],
		       mode == SOTTO_CENSUS_NAIVE ? "independent noise" : "predicted");
		for (size_t l = 2; l < LEVELS; l++)
			printf(" %8.3f", p.levels[l][mode].mae);
		if (mode == SOTTO_CENSUS_NAIVE)
			continue;
		printf("\n  %-8s %-25s", mode_names[mode], "measured");
		for (size_t l = 2; l < LEVELS; l++)
			printf(" %8.3f", results[mode].mae[l]);
		printf("\n  %-8s %-25s", "", "(standard error)");
		for (size_t l = 2; l < LEVELS; l++)
			printf(" %8.3f", results[mode].spread[l]);
	}
	for (size_t i = 0; i < tract->measure_count; i++)
		if (w->schema.maps[tract->measures[i].query] == map_of_parts(w))
			printf("\nhispanic*cenrace at tracts: independent noise %.3f, topdown "
			       "%.3f, gls %.3f\n",
			       0.7978845608 / sqrt(tract->measures[i].weight),
			       results[SOTTO_CENSUS_TOPDOWN].parts,
			       results[SOTTO_CENSUS_GLS].parts);
}

/* Time against the size of the nation, and two threads against one, by the clock. */
static void run_scaling(size_t counties)
{
	static struct sotto_census_world small, large;
	struct result one, two, ten;
	double blocks;

	nation_build(&small, plan_text, counties / 10);
	nation_build(&large, plan_text, counties);
	one = run(&small, SOTTO_CENSUS_TOPDOWN, 1);
	two = run(&small, SOTTO_CENSUS_TOPDOWN, 2);
	ten = run(&large, SOTTO_CENSUS_TOPDOWN, 1);
	blocks = (double)large.truth->leaves / (double)small.truth->leaves;
	printf("\n%.1f times the blocks take %.1f times the time (at most %.1f); two threads "
	       "take %.2f of the time of one by the clock (at most 0.6, on an idle machine)\n",
	       blocks, ten.cpu / one.cpu, 1.1 * blocks, two.wall / one.wall);
	nation_release(&small);
	nation_release(&large);
}

/* The cells of the demographic tables: 1.2 million, on so many counties. */
static void run_dhc(size_t counties)
{
	static struct sotto_census_world w;
	const struct sotto_census_sink sink = {
		.begin = begin_none, .node = node_none, .end = end_none};
	const struct sotto_census_options options = {.threads = 2};
	struct sotto_census_measurement m;
	uint64_t draws = 0;
	double start, spent;

	nation_build(&w, "profile: dhc-shape\nestimate: {mode: topdown}\n", counties);
	check(sotto_census_measurement_init(&m, &w.schema, &w.shape, w.truth, key), "laws");
	start = seconds();
	check(sotto_census_execute(&w.plan, &w.schema, &w.shape, &m, &options, &sink, &draws),
	      "dhc-shape");
	spent = seconds() - start;
	printf("\ndhc-shape, topdown: %zu cells, %zu county, %zu blocks, %.0f M draws: %.1f "
	       "CPU s, "
	       "most of them for the root's cells\n",
	       w.schema.cells, counties, w.truth->leaves, (double)draws / 1e6, spent);
	sotto_census_measurement_release(&m);
	nation_release(&w);
}

int main(int argc, char **argv)
{
	size_t counties = argc > 1 ? strtoul(argv[1], NULL, 10) : 3143;
	unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
	static struct sotto_census_world w;
	struct result r[3];
	double start = seconds(), people = 0;

	key[0] = argc > 3 ? (uint8_t)strtoul(argv[3], NULL, 10) : 1;
	nation_build(&w, plan_text, counties);
	for (uint64_t i = 0; i < w.truth->starts[w.truth->leaves]; i++)
		people += w.truth->counts[i];
	printf("census: %zu counties, %.2f M blocks, %.1f M people, %zu cells, %.1f of them "
	       "not "
	       "empty in a block; generated in %.0f s\n",
	       counties, (double)w.truth->leaves / 1e6, people / 1e6, w.schema.cells,
	       (double)w.truth->starts[w.truth->leaves] / (double)w.truth->leaves,
	       seconds() - start);
	printf("  %-46s %9s %17s %6s %7s\n", "", "CPU s", "ratio", "good", "target");
	run_scalar(&w);
	run_draws(&w);
	r[SOTTO_CENSUS_TOPDOWN] = run(&w, SOTTO_CENSUS_TOPDOWN, threads);
	print_run("topdown", &r[1], r[1].cpu / r[1].draw, "DRAW", "50", "10");
	r[SOTTO_CENSUS_GLS] = run(&w, SOTTO_CENSUS_GLS, threads);
	print_run("gls", &r[2], r[2].cpu / r[1].cpu, "TD", "5", "2");
	printf("peak memory %.2f GiB of 2, with the counts and the tree\n", peak_gib());
	print_errors(&w, r);
	nation_release(&w);
	if (counties >= 20) {
		run_scaling(counties < 200 ? counties : 200);
		run_dhc(1);
	}
	return 0;
}
