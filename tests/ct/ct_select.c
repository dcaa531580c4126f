/*
 * Every mechanism that reads a secret, run on data that must look alike from outside.
 *
 *	ct_select secret    for memcheck: data and random bytes are undefined, so that a
 *	                    jump or an address that depends on one is reported
 *	ct_select count     for callgrind: one dump of the instruction count for each
 *	                    mechanism, tape and data set, named "mechanism tape data"
 *	ct_select names     the mechanisms
 *
 * Further arguments name mechanisms; without them all run.  constant_time.t decides what the reports mean.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/callgrind.h>
#include <valgrind/memcheck.h>

#include "core/mechanism/quantile/mode.h"
#include "core/mechanism/quantile/quantile.h"
#include "core/mechanism/quantile/rank_tree.h"
#include "sotto/choose.h"
#include "sotto/noise.h"
#include "sotto/stream.h"
#include "testlib/tape.h"

enum { N = 61, DATA_SETS = 7, TAPES = 4, TAPE_BYTES = 1 << 17 };

static bool counting;

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK) {
		printf("# status %d\n", (int)st);
		exit(2);
	}
}

/* ---- memory ----------------------------------------------------------------------- */

/*
 * How many steps the allocator of libc takes depends on everything that happened before;
 * this one takes the same number always, and nothing back.
 */
static _Alignas(64) uint8_t arena[1 << 26];
static size_t arena_used;

SOTTO_API void *malloc(size_t n)
{
	size_t *block = (size_t *)(void *)(arena + arena_used);
	size_t size = (n + 63) / 64 * 64 + 64;

	if (size > sizeof arena - arena_used)
		abort();
	arena_used += size;
	*block = n;
	return block + 8;
}

SOTTO_API void *calloc(size_t n, size_t size)
{
	return malloc(n * size); /* the arena starts as zeros */
}

SOTTO_API void *realloc(void *old, size_t n)
{
	void *new = malloc(n);
	size_t had = old ? ((size_t *)old)[-8] : 0;

	if (had > 0)
		memcpy(new, old, had < n ? had : n);
	return new;
}

SOTTO_API void free(void *old)
{
	(void)old;
}

/* ---- data ------------------------------------------------------------------------- */

/* Scores: equal, a neighbour of those, spread, far apart, and at the ends of the range. */
static int64_t score(int set, size_t i)
{
	switch (set) {
	case 0:
		return 0;
	case 1:
		return i == 7;
	case 2:
		return (int64_t)(i * i);
	case 3:
		return i == 3 ? INT64_C(1) << 61 : 0;
	case 4:
		return i % 2 ? INT64_MAX : INT64_MIN;
	case 5:
		return i == N - 1 ? INT64_MAX : -(int64_t)i;
	default:
		return (int64_t)(i * UINT64_C(0x9e3779b97f4a7c15));
	}
}

static void scores_of(int set, struct sotto_exact *scores)
{
	for (size_t i = 0; i < N; i++)
		scores[i] = sotto_exact_of(score(set, i));
	if (!counting)
		VALGRIND_MAKE_MEM_UNDEFINED(scores, N * sizeof *scores);
}

/* Values on a grid from -1000 to 100000: side by side, apart, at either end, at both. */
static void histogram_of(int set, struct sotto_exact *values, struct sotto_exact *counts)
{
	for (size_t i = 0; i < N; i++) {
		int64_t k = (int64_t)i, v = set == 0 ? k : set == 1 ? 1500 * k : 3 * k * k;

		v = set == 3 ? k - 1000 : set == 4 ? 100000 - N + 1 + k : v;
		if (set >= 5)
			v = i == 0 ? -1000 : i == N - 1 ? 100000 : k * (set == 5 ? 1 : 100);
		values[i] = sotto_exact_of(v);
		counts[i] = sotto_exact_of(set % 2 ? 1 : INT64_C(1) << (i % 30));
	}
	if (!counting) {
		VALGRIND_MAKE_MEM_UNDEFINED(values, N * sizeof *values);
		VALGRIND_MAKE_MEM_UNDEFINED(counts, N * sizeof *counts);
	}
}

/* ---- the start and the end of what is looked at -------------------------------------- */

static struct sotto_rational parsed(const char *text)
{
	struct sotto_rational r;

	sotto_rational_init(&r);
	must(sotto_rational_parse(&r, text, NULL));
	return r;
}

static char label_of_dump[80]; /* made before, for its digits take time as well */

static void from_here(int set, int tape, const char *name)
{
	snprintf(label_of_dump, sizeof label_of_dump, "%s %d %d", name, tape, set);
	if (counting)
		CALLGRIND_ZERO_STATS;
}

static void until_here(void)
{
	if (counting)
		CALLGRIND_DUMP_STATS_AT(label_of_dump);
}

/* Were the outcome not secret to valgrind, its silence would mean nothing. */
static void must_be_secret(const void *bytes, size_t n)
{
	uint8_t undefined[64];

	if (counting)
		return;
	if (n > sizeof undefined || VALGRIND_GET_VBITS(bytes, undefined, n) != 1)
		exit(4);
	for (size_t i = 0; i < n; i++)
		if (undefined[i])
			return;
	exit(4);
}

/* ---- mechanisms ------------------------------------------------------------------- */

static struct sotto_rational epsilon, sensitivity;

static struct sotto_selection selection(bool least)
{
	return (struct sotto_selection){
		.epsilon = &epsilon, .sensitivity = &sensitivity, .least = least};
}

#define CHOOSE(name_, least_)                                                                  \
	static void run_##name_##least_(int set, int tape, struct sotto_rng *rng,              \
					const char *label)                                     \
	{                                                                                      \
		struct sotto_selection s = selection(least_);                                  \
		struct sotto_exact scores[N];                                                  \
		struct sotto_##name_ *m = NULL;                                                \
		size_t index;                                                                  \
                                                                                               \
		scores_of(set, scores);                                                        \
		must(sotto_##name_##_new(&s, &m, NULL));                                       \
		from_here(set, tape, label);                                                   \
		must(sotto_##name_##_select(m, rng, scores, N, &index));                       \
		until_here();                                                                  \
		must_be_secret(&index, sizeof index);                                          \
		sotto_##name_##_free(m);                                                       \
	}

CHOOSE(exponential, 0)
CHOOSE(exponential, 1)
CHOOSE(permute_and_flip, 0)
CHOOSE(permute_and_flip, 1)

static void noisy_max(int set, int tape, struct sotto_rng *rng, const char *label, size_t top,
		      bool with_gap)
{
	struct sotto_selection s = selection(set % 2);
	struct sotto_exact scores[N];
	struct sotto_noisy_max *m = NULL;
	struct sotto_noisy gap;
	size_t indices[3];

	scores_of(set, scores);
	must(sotto_noisy_max_new(&s, top, &m, NULL));
	from_here(set, tape, label);
	must(with_gap ? sotto_noisy_max_select_gap(m, rng, scores, N, indices, &gap)
		      : sotto_noisy_max_select(m, rng, scores, N, indices));
	until_here();
	must_be_secret(indices, sizeof *indices);
	sotto_noisy_max_free(m);
}

static void run_noisy_max(int set, int tape, struct sotto_rng *rng, const char *label)
{
	noisy_max(set, tape, rng, label, 1, false);
}

static void run_noisy_max_gap(int set, int tape, struct sotto_rng *rng, const char *label)
{
	noisy_max(set, tape, rng, label, 1, true);
}

static void run_noisy_max_top(int set, int tape, struct sotto_rng *rng, const char *label)
{
	noisy_max(set, tape, rng, label, 3, false);
}

static const struct sotto_rank median = {1, 2, 0, 0, 0}, minimum = {0, 1, -1, 9, 0};

static void quantile(int set, int tape, struct sotto_rng *rng, const char *label,
		     const struct sotto_rank *rank)
{
	struct sotto_exact values[N], counts[N];
	struct sotto_histogram h = {values, counts, N, -1000, 100000};
	struct sotto_quantile *m = NULL;
	struct sotto_noisy out;

	histogram_of(set, values, counts);
	must(sotto_quantile_new(rank, 1, &epsilon, &m));
	from_here(set, tape, label);
	must(sotto_quantile_publish(m, rng, &h, &out));
	until_here();
	must_be_secret(&out, sizeof out);
	sotto_quantile_free(m);
}

static void run_median(int set, int tape, struct sotto_rng *rng, const char *label)
{
	quantile(set, tape, rng, label, &median);
}

static void run_minimum(int set, int tape, struct sotto_rng *rng, const char *label)
{
	quantile(set, tape, rng, label, &minimum);
}

static void run_mode(int set, int tape, struct sotto_rng *rng, const char *label)
{
	struct sotto_selection s = selection(false);
	struct sotto_exact values[N], counts[N];
	struct sotto_histogram h = {values, counts, N, -1000, 100000};
	struct sotto_exponential *m = NULL;
	struct sotto_noisy out;

	s.monotone = true;
	histogram_of(set, values, counts);
	must(sotto_exponential_new(&s, &m, NULL));
	from_here(set, tape, label);
	must(sotto_mode_publish(m, rng, &h, &out));
	until_here();
	must_be_secret(&out, sizeof out);
	sotto_exponential_free(m);
}

/* Its time follows the noisy counts, which are as good as published: no count of steps. */
static void run_rank_tree(int set, int tape, struct sotto_rng *rng, const char *label)
{
	struct sotto_exact values[N], counts[N];
	struct sotto_histogram h = {values, counts, N, -1000, 100000};
	struct sotto_rank_tree tree = sotto_rank_tree_best(101001, false);
	struct sotto_rank_noise noise = {NULL, NULL};
	struct sotto_laplace *laplace = NULL;
	struct sotto_noisy out[2];

	(void)tape;
	(void)label;
	if (counting)
		return;
	histogram_of(set, values, counts);
	must(sotto_laplace_new(&epsilon, tree.height + 1, &laplace));
	noise.laplace = laplace;
	must(sotto_rank_tree_publish(&tree, &noise, rng, &h,
				     (const struct sotto_rank[]){median, minimum}, 2, out));
	sotto_laplace_free(laplace);
}

/* All below the threshold, or the first above it: the answers, which are published, agree. */
static void sparse(int set, int tape, struct sotto_rng *rng, const char *label, bool above)
{
	struct sotto_sparse_vector_options o = {.epsilon = &epsilon,
						.threshold =
							above ? INT64_MIN / 2 : INT64_MAX / 2,
						.sensitivity = 1,
						.positives = 2,
						.numeric = true};
	struct sotto_exact queries[N];
	struct sotto_sparse_vector *s = NULL;
	struct sotto_sparse_answer answer;
	size_t asked;

	for (size_t i = 0; i < N; i++)
		queries[i] = sotto_exact_of(score(set, i) / 8);
	if (!counting)
		VALGRIND_MAKE_MEM_UNDEFINED(queries, sizeof queries);
	must(sotto_sparse_vector_new(&o, &s, NULL));
	from_here(set, tape, label);
	must(sotto_sparse_vector_scan(s, rng, queries, N, &asked, &answer));
	must(sotto_sparse_vector_ask(s, rng, queries[N - 1], &answer));
	until_here();
	if (answer.above != above)
		exit(3);
	sotto_sparse_vector_free(s);
}

static void run_sparse_below(int set, int tape, struct sotto_rng *rng, const char *label)
{
	sparse(set, tape, rng, label, false);
}

static void run_sparse_above(int set, int tape, struct sotto_rng *rng, const char *label)
{
	sparse(set, tape, rng, label, true);
}

/* Into which bin a value falls is an address: 129 counters are told apart by it. */
static void run_bounds_count(int set, int tape, struct sotto_rng *rng, const char *label)
{
	struct sotto_exact values[N], counts[SOTTO_BOUNDS_BINS];

	(void)rng;
	scores_of(set, values);
	from_here(set, tape, label);
	sotto_bounds_count(values, N, counts);
	until_here();
}

/* Both walks end in the first bin, whatever lies in the others. */
static void run_bounds(int set, int tape, struct sotto_rng *rng, const char *label)
{
	struct sotto_bounds_options o = {.epsilon = &epsilon, .contributions = 1, .beta = 0.05};
	struct sotto_exact counts[SOTTO_BOUNDS_BINS];
	struct sotto_bounds out;

	for (size_t i = 0; i < SOTTO_BOUNDS_BINS; i++) {
		bool end = i == 0 || i == SOTTO_BOUNDS_BINS - 1;

		counts[i] = sotto_exact_of(end ? 1000000 + score(set, i) / 1000000
					       : (int64_t)((uint64_t)score(set, i) >> 20));
	}
	if (set == 4 || set == 6)
		counts[0] = counts[SOTTO_BOUNDS_BINS - 1] = sotto_exact_of(INT64_C(1) << 40);
	if (!counting)
		VALGRIND_MAKE_MEM_UNDEFINED(counts, sizeof counts);
	from_here(set, tape, label);
	must(sotto_bounds_find(&o, rng, counts, &out, NULL));
	until_here();
}

#define PUBLISH(name_, value_, ...)                                                            \
	static void run_##name_(int set, int tape, struct sotto_rng *rng, const char *label)   \
	{                                                                                      \
		struct sotto_exact x = sotto_exact_of(value_);                                 \
		struct sotto_##name_ *m = NULL;                                                \
		struct sotto_noisy out;                                                        \
                                                                                               \
		if (!counting)                                                                 \
			VALGRIND_MAKE_MEM_UNDEFINED(&x, sizeof x);                             \
		must(sotto_##name_##_new(__VA_ARGS__));                                        \
		from_here(set, tape, label);                                                   \
		must(sotto_##name_##_publish(m, rng, x, &out));                                \
		until_here();                                                                  \
		must_be_secret(&out, sizeof out);                                              \
		sotto_##name_##_free(m);                                                       \
	}

PUBLISH(laplace, score(set, 3), &epsilon, 1, &m)
PUBLISH(gaussian, score(set, 3), &sensitivity, &m)
PUBLISH(staircase, score(set, 3), &epsilon, 5, 2, &m, NULL)
PUBLISH(truncated, score(set, 3), &epsilon, 1, ((struct sotto_range){-5, 1000}), &m, NULL)
PUBLISH(kary_response, set, &epsilon, DATA_SETS, &m, NULL)

static void run_randomized_response(int set, int tape, struct sotto_rng *rng, const char *label)
{
	struct sotto_exact x = sotto_exact_of(set % 2);
	struct sotto_randomized_response m;
	struct sotto_rational p = parsed("1/3"), r = parsed("1/2");
	struct sotto_noisy out;

	if (!counting)
		VALGRIND_MAKE_MEM_UNDEFINED(&x, sizeof x);
	must(sotto_randomized_response_init(&m, &p, &r, NULL));
	from_here(set, tape, label);
	must(sotto_randomized_response_publish(&m, rng, x, &out));
	until_here();
	must_be_secret(&out, sizeof out);
	sotto_randomized_response_release(&m);
	sotto_rational_release(&p);
	sotto_rational_release(&r);
}

/* ---- controls: what the test must see ------------------------------------------------ */

static __attribute__((noinline)) void planted(uint64_t *sum, uint64_t i)
{
	*sum += i;
}

static void run_planted(int set, int tape, struct sotto_rng *rng, const char *label)
{
	struct sotto_exact scores[N];
	uint64_t sum = 0;

	(void)rng;
	scores_of(set, scores);
	from_here(set, tape, label);
	for (size_t i = 0; i < N; i++)
		if (scores[i].secret > 0)
			planted(&sum, i);
	until_here();
	if (counting && sum > N * N * N)
		exit(5);
}

struct mechanism {
	const char *name;
	void (*run)(int set, int tape, struct sotto_rng *rng, const char *label);
};

static const struct mechanism mechanisms[] = {
	{"exponential", run_exponential0},
	{"exponential-least", run_exponential1},
	{"permute-and-flip", run_permute_and_flip0},
	{"permute-and-flip-least", run_permute_and_flip1},
	{"noisy-max", run_noisy_max},
	{"noisy-max-gap", run_noisy_max_gap},
	{"noisy-max-top", run_noisy_max_top},
	{"median", run_median},
	{"minimum", run_minimum},
	{"mode", run_mode},
	{"rank-tree", run_rank_tree},
	{"sparse-below", run_sparse_below},
	{"sparse-above", run_sparse_above},
	{"bounds-count", run_bounds_count},
	{"bounds", run_bounds},
	{"laplace", run_laplace},
	{"gaussian", run_gaussian},
	{"staircase", run_staircase},
	{"truncated", run_truncated},
	{"randomized-response", run_randomized_response},
	{"kary-response", run_kary_response},
	{"planted-branch", run_planted},
};

static void run_on_data(const struct mechanism *m, int tape)
{
	static uint8_t bytes[TAPE_BYTES];

	tape_noise((uint64_t)tape + 1, bytes, sizeof bytes);
	for (int set = 0; set < DATA_SETS; set++) {
		size_t mark = arena_used; /* copying takes other steps at other addresses */
		struct tape *t = tape_open(bytes, sizeof bytes, 0);

		if (!counting)
			VALGRIND_MAKE_MEM_UNDEFINED(t->rng.next,
						    (size_t)(t->rng.end - t->rng.next));
		m->run(set, tape, &t->rng, m->name);
		tape_close(t);
		if (tape == 0)
			continue; /* constants that are made once stay */
		memset(arena + mark, 0, arena_used - mark);
		arena_used = mark;
	}
}

static bool wanted(const char *name, int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc <= 2;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	bool names = strcmp(what, "names") == 0;

	counting = strcmp(what, "count") == 0;
	if (!names && !counting && strcmp(what, "secret") != 0)
		return puts("# unknown argument"), 2;
	if (!names && !RUNNING_ON_VALGRIND)
		return puts("# only useful under valgrind"), 2;
	epsilon = parsed("0.3");
	sensitivity = parsed("1");
	for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
		if (names)
			puts(mechanisms[i].name);
		if (names || !wanted(mechanisms[i].name, argc, argv))
			continue;
		for (int tape = 0; tape < (counting ? TAPES : 1); tape++)
			run_on_data(&mechanisms[i], tape);
	}
	sotto_rational_release(&epsilon);
	sotto_rational_release(&sensitivity);
	return 0;
}
