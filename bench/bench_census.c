/*
 * Hierarchical release on a made-up nation: time against references of the same run, peak
 * memory, and error per level against independent noise.
 *
 *	build/bench/bench_census [COUNTIES] [THREADS] [NOISES] [all]
 *		(default 3143, the whole nation; 2; 3 different noises; all: up_levels too)
 *
 * TRIAD: a = b + k c over as many doubles as nodes.  QSORT: libc's, of as many.  CSPRNG: 8 bytes of AES-256 in counter mode.
 * DRAW: the run's draws alone, by the sampler that the run uses.  TD: the run of topdown.
 */
#include <math.h>
#include <openssl/evp.h>
#include <sys/resource.h>
#include <time.h>

#include "census/account/census_predict.h"
#include "census/tree/census_tree.h"
#include "census/solve/census_execute.h"
#include "census_accuracy.h"
#include "census_clp.h"
#include "census_nation.h"

enum { PARTS = 126, TRACT = 3, NOISES_MAX = 1000 }; /* cells of hispanic*cenrace */
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
	struct accuracy *accuracy; /* NULL: not asked for, since it takes time */
};

struct errors {
	const struct sotto_census_world *w;
	const uint32_t *map; /* of hispanic*cenrace */
	struct sums sums;
};

static enum sotto_status begin(void *context, void **batch)
{
	const struct errors *e = context;
	struct sums *sums = must(calloc(1, sizeof *sums));

	if (e->sums.accuracy)
		sums->accuracy = accuracy_new(e->w);
	*batch = sums;
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
	if (sums->accuracy)
		accuracy_add(sums->accuracy, e->w, v, e->map,
			     &(struct node_cells){
				     .cells = cells,
				     .counts = counts,
				     .n = n,
				     .true_cells = t->cells + t->starts[first],
				     .true_counts = t->counts + t->starts[first],
				     .true_n = (size_t)(t->starts[end] - t->starts[first])});
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
	if (from->accuracy) {
		accuracy_join(e->sums.accuracy, from->accuracy);
		accuracy_free(from->accuracy);
	}
	free(batch);
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

/* accuracy: filled, if it is not NULL */
static struct result run(struct sotto_census_world *w, enum sotto_census_mode mode,
			 unsigned threads, struct accuracy *accuracy)
{
	struct errors e = {.w = w, .map = map_of_parts(w), .sums.accuracy = accuracy};
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

/* One number per node, as the blocks' totals are measured: states are known exactly. */
struct scalar {
	struct sotto_tree tree;
	double *y, *s, *x, *v, *spare;
};

static double gauss(uint64_t *dice)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		*dice = *dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
		sum += (double)(*dice >> 11) * 0x1p-53;
	}
	return sum;
}

static double variance_of_total(const struct sotto_census_world *w, size_t level)
{
	const struct sotto_census_level *l = &w->plan.levels[level];

	for (size_t i = 0; i < l->measure_count; i++)
		if (w->plan.queries[l->measures[i].query].cells == 1)
			return 1 / l->measures[i].weight;
	return INFINITY;
}

static void scalar_init(struct scalar *t, const struct sotto_census_world *w)
{
	size_t n = sotto_census_node_count(&w->shape), leaf = w->shape.start[LEVELS - 1];
	uint64_t dice = 1;

	t->tree = (struct sotto_tree){.n = n, .first = w->shape.first, .count = w->shape.count};
	t->y = must(calloc(5 * n, sizeof *t->y));
	t->s = t->y + n;
	t->x = t->s + n;
	t->v = t->x + n;
	t->spare = t->v + n;
	for (size_t v = n; v-- > 0;) {
		size_t first = v >= leaf ? v - leaf : 0;
		uint64_t end = v >= leaf ? w->truth->starts[first + 1] : 0;

		for (uint64_t i = v >= leaf ? w->truth->starts[first] : 0; i < end; i++)
			t->y[v] += w->truth->counts[i];
		if (v > 0)
			t->y[w->shape.parent[v]] += t->y[v];
	}
	for (size_t v = 0; v < n; v++) {
		size_t level = sotto_census_level_of(&w->shape, v);

		t->s[v] = level == 1 ? 0 : variance_of_total(w, level);
		if (isfinite(t->s[v]))
			t->y[v] += round(sqrt(t->s[v]) * gauss(&dice));
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;

	return (l > r) - (l < r);
}

static double time_triad(struct scalar *t)
{
	volatile double used;
	double start = 0;

	for (int r = 0; r < 11; r++) { /* the first one warms up */
		if (r == 1)
			start = seconds();
		for (size_t i = 0; i < t->tree.n; i++)
			t->spare[i] = t->y[i] + 0.5 * t->s[i] + (double)r;
		used = t->spare[(size_t)r * (t->tree.n / 11)];
	}
	(void)used;
	return (seconds() - start) / 10;
}

static double time_qsort(struct scalar *t)
{
	uint64_t dice = 2;
	double start;

	for (size_t i = 0; i < t->tree.n; i++) {
		dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
		t->spare[i] = (double)(dice >> 11) * 0x1p-53;
	}
	start = seconds();
	qsort(t->spare, t->tree.n, sizeof *t->spare, compare_doubles);
	return seconds() - start;
}

/* Least squares, the non-negative optimum, whole numbers, and intervals in place of x and v. */
static double time_whole(struct scalar *t, int64_t *whole)
{
	const struct sotto_tree_measures m = {.y = t->y, .s = t->s};
	double start = seconds();
	size_t bad;

	check(sotto_tree_gls(&t->tree, t->y, t->s, t->x, t->v), "scalar tree");
	for (size_t i = 0; i < t->tree.n; i++) {
		double half = 1.959963985 * sqrt(t->v[i]);

		t->v[i] = t->x[i] + half;
		t->x[i] = fmax(t->x[i] - half, 0);
	}
	check(sotto_tree_nnls(&t->tree, &m, t->spare, &bad), "optimum");
	check(sotto_tree_round(&t->tree, &m, t->spare, NULL, whole), "whole numbers");
	return seconds() - start;
}

/* Does every node have the sum of its children, and nobody less than none? */
static bool adds_up(const struct sotto_tree *tree, const int64_t *whole)
{
	for (size_t v = 0; v < tree->n; v++) {
		int64_t sum = 0;

		for (size_t c = tree->first[v]; c < tree->first[v] + tree->count[v]; c++)
			sum += whole[c];
		if (whole[v] < 0 || (tree->count[v] > 0 && sum != whole[v]))
			return false;
	}
	return true;
}

/* One number per node against a pass over three arrays, and against sorting them. */
static void run_scalar(const struct sotto_census_world *w)
{
	struct scalar t;
	double triad, sort, spent;
	int64_t *whole;

	scalar_init(&t, w);
	triad = time_triad(&t);
	memset(t.x, 1, 2 * t.tree.n * sizeof *t.x); /* warm, as the arrays of TRIAD are */
	spent = seconds();
	check(sotto_tree_gls(&t.tree, t.y, t.s, t.x, t.v), "scalar tree");
	spent = seconds() - spent;
	print_row("scalar tree: GLS and variances", spent, spent / triad, "TRIAD", "30", "8");
	sort = time_qsort(&t);
	whole = must(malloc(t.tree.n * sizeof *whole));
	spent = time_whole(&t, whole);
	print_row("and exact optimum, whole numbers, intervals", spent, spent / sort, "QSORT",
		  "7", "1.5");
	check(adds_up(&t.tree, whole) ? SOTTO_OK : SOTTO_ESTATE, "sums");
	free(whole);
	free(t.y);
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

/* A row of numbers from the counties on. */
static void print_levels(const char *mode, const char *what, const double *values)
{
	printf("\n  %-8s %-25s", mode, what);
	for (size_t l = 2; l < LEVELS; l++)
		printf(" %8.3f", values[l]);
}

/* The mean over the noises, its standard error, and how far each noise is off, in percent. */
static void print_mode(const char *name, const double *predicted, const struct result *results,
		       size_t noises)
{
	double mean[LEVELS] = {0}, error[LEVELS] = {0};
	char what[40];

	for (size_t l = 2; l < LEVELS; l++) {
		for (size_t i = 0; i < noises; i++) {
			mean[l] += results[i].mae[l] / (double)noises;
			error[l] += results[i].spread[l] * results[i].spread[l];
		}
		error[l] = sqrt(error[l]) / (double)noises;
	}
	print_levels(name, "predicted", predicted);
	snprintf(what, sizeof what, "measured, %zu noises", noises);
	print_levels(name, what, mean);
	print_levels(name, "(standard error)", error);
	for (size_t i = 0; i < noises && i < 10; i++) {
		double off[LEVELS] = {0};

		for (size_t l = 2; l + 1 < LEVELS; l++)
			off[l] = predicted[l] > 0 ? 100 * (results[i].mae[l] / predicted[l] - 1)
						  : 0;
		snprintf(what, sizeof what, "noise %zu: %% off", i + 1);
		print_levels(name, what, off);
	}
}

static void print_errors(const struct sotto_census_world *w,
			 struct result results[3][NOISES_MAX], size_t noises)
{
	struct sotto_census_predictions p;
	const struct sotto_census_level *tract = &w->plan.levels[TRACT];
	double predicted[LEVELS];

	check(sotto_census_predict(w, &p), "prediction");
	printf("\nmean absolute error of released totals\n  %-34s", "");
	for (size_t l = 2; l < LEVELS; l++)
		printf(" %8s", w->plan.levels[l].name);
	for (size_t mode = SOTTO_CENSUS_NAIVE; mode <= SOTTO_CENSUS_GLS; mode++) {
		for (size_t l = 0; l < LEVELS; l++)
			predicted[l] = p.levels[l][mode].mae;
		if (mode == SOTTO_CENSUS_NAIVE)
			print_levels(mode_names[mode], "independent noise", predicted);
		else
			print_mode(mode_names[mode], predicted, results[mode], noises);
	}
	for (size_t i = 0; i < tract->measure_count; i++)
		if (w->schema.maps[tract->measures[i].query] == map_of_parts(w))
			printf("\nhispanic*cenrace at tracts: independent noise %.3f, topdown "
			       "%.3f, gls %.3f\n",
			       0.7978845608 / sqrt(tract->measures[i].weight),
			       results[SOTTO_CENSUS_TOPDOWN][0].parts,
			       results[SOTTO_CENSUS_GLS][0].parts);
}

/* What only children and their parents sharing measurements is worth to the counties. */
static void print_bypass(struct sotto_census_world *w)
{
	struct sotto_census_predictions p;
	bool bypass = w->plan.bypass;

	w->plan.bypass = false;
	check(sotto_census_predict(w, &p), "prediction");
	w->plan.bypass = bypass;
	printf("topdown without bypass: predicted error of county totals %.3f\n",
	       p.levels[2][SOTTO_CENSUS_TOPDOWN].mae);
	fflush(stdout);
}

static void print_nation(const struct sotto_census_world *w, size_t counties)
{
	const struct sotto_census_truth *t = w->truth;
	double people = 0;

	for (uint64_t i = 0; i < t->n; i++)
		people += t->counts[i];
	printf("census: %zu counties, %.2f M blocks, %.1f M people, %zu cells, %.1f of them "
	       "not empty in a block; generated in %.0f s\n",
	       counties, (double)t->leaves / 1e6, people / 1e6, w->schema.cells,
	       (double)t->n / (double)t->leaves, seconds());
	printf("  %-46s %9s %17s %6s %7s\n", "", "CPU s", "ratio", "good", "target");
}

/* Every measurement of the blocks counts for what is above them: all draws are made. */
static void run_all_levels(struct sotto_census_world *w, unsigned threads)
{
	struct result r;

	w->plan.up_all = true;
	r = run(w, SOTTO_CENSUS_GLS, threads, NULL);
	printf("\n");
	print_run("gls, up_levels: all", &r, r.cpu / r.draw, "DRAW", "70", "12");
	printf("peak memory %.2f GiB of 4\n", peak_gib());
	w->plan.up_all = false;
}

/* Time against the size of the nation, and two threads against one, by the clock. */
static void run_scaling(size_t counties)
{
	static struct sotto_census_world small, large;
	struct result one, two, ten;
	double blocks;

	nation_build(&small, plan_text, counties / 10);
	nation_build(&large, plan_text, counties);
	one = run(&small, SOTTO_CENSUS_TOPDOWN, 1, NULL);
	two = run(&small, SOTTO_CENSUS_TOPDOWN, 2, NULL);
	ten = run(&large, SOTTO_CENSUS_TOPDOWN, 1, NULL);
	blocks = (double)large.truth->leaves / (double)small.truth->leaves;
	printf("\n%.1f times the blocks take %.1f times the time (at most %.1f); two threads "
	       "take %.2f of the time of one by the clock (at most 0.6, on an idle machine)\n",
	       blocks, ten.cpu / one.cpu, 1.1 * blocks, two.wall / one.wall);
	nation_release(&small);
	nation_release(&large);
}

/* Another noise; the second one is looked at in every way, which its time includes. */
static void run_again(struct sotto_census_world *w, unsigned threads, size_t which,
		      struct result *td, struct result *gls)
{
	struct result *results[] = {[SOTTO_CENSUS_TOPDOWN] = td, [SOTTO_CENSUS_GLS] = gls};

	key[0] = (uint8_t)(which + 1);
	key[1] = (uint8_t)((which + 1) >> 8);
	for (enum sotto_census_mode mode = SOTTO_CENSUS_TOPDOWN; mode <= SOTTO_CENSUS_GLS;
	     mode++) {
		struct accuracy *accuracy = which == 1 ? accuracy_new(w) : NULL;

		*results[mode] = run(w, mode, threads, accuracy);
		if (!accuracy)
			continue;
		printf("\nmode %s, another noise", mode_names[mode]);
		accuracy_print(accuracy, w);
		accuracy_free(accuracy);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	size_t counties = argc > 1 ? strtoul(argv[1], NULL, 10) : 3143;
	unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2;
	size_t noises = argc > 3 ? strtoul(argv[3], NULL, 10) : 3;
	static struct sotto_census_world w;
	static struct result r[3][NOISES_MAX];
	struct result *td = r[SOTTO_CENSUS_TOPDOWN], *gls = r[SOTTO_CENSUS_GLS];

	if (noises < 1 || noises > NOISES_MAX)
		return 2;
	nation_build(&w, plan_text, counties);
	print_nation(&w, counties);
	print_bypass(&w);
	run_scalar(&w);
	run_clp(&w);
	run_draws(&w);
	td[0] = run(&w, SOTTO_CENSUS_TOPDOWN, threads, NULL);
	print_run("topdown", &td[0], td[0].cpu / td[0].draw, "DRAW", "50", "10");
	gls[0] = run(&w, SOTTO_CENSUS_GLS, threads, NULL);
	print_run("gls", &gls[0], gls[0].cpu / td[0].cpu, "TD", "5", "2");
	printf("peak memory %.2f GiB of 2, with the counts and the tree\n", peak_gib());
	for (size_t i = 1; i < noises; i++)
		run_again(&w, threads, i, &td[i], &gls[i]);
	print_errors(&w, r, noises);
	if (argc > 4 && strcmp(argv[4], "all") == 0)
		run_all_levels(&w, threads);
	nation_release(&w);
	if (counties >= 20)
		run_scaling(counties < 200 ? counties : 200);
	return 0;
}
