/*
 * Runs under valgrind with every random byte undefined: a jump or an address
 * that depends on one is reported.  The argument picks what runs; constant_time.t
 * decides what the reports mean.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <valgrind/memcheck.h>

#include "core/random/coin/bernoulli.h"
#include "core/random/gaussian/dgauss_block.h"
#include "core/random/gaussian/dgauss_law.h"
#include "core/random/laplace/dlaplace.h"
#include "core/random/laplace/sampler_block.h"
#include "sotto/rng.h"
#include "testlib/tape.h"

enum { MOST = 4096 + 64 + 3 };

static int64_t out[MOST];

/* For the generator of the product: its entropy is secret from the start. */
ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
	ssize_t got = syscall(SYS_getrandom, buf, n, flags);

	VALGRIND_MAKE_MEM_UNDEFINED(buf, n);
	return got;
}

static enum sotto_status (*renew_in_the_clear)(struct sotto_rng *rng);

static enum sotto_status renew_poisoned(struct sotto_rng *rng)
{
	enum sotto_status st = renew_in_the_clear(rng);

	VALGRIND_MAKE_MEM_UNDEFINED(rng->next, (size_t)(rng->end - rng->next));
	return st;
}

static struct sotto_rng *poisoned_open(void)
{
	struct sotto_rng *rng = stream_open(1);

	renew_in_the_clear = rng->renew;
	rng->renew = renew_poisoned;
	return rng;
}

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK)
		exit(2);
}

static void scale_init(const char *eps, bool has_sign, struct sotto_planes *p)
{
	struct sotto_rational r;

	sotto_rational_init(&r);
	must(sotto_rational_parse(&r, eps, NULL));
	must(sotto_planes_init(p, &r, has_sign));
	sotto_rational_release(&r);
}

/* Were the outcome not secret to valgrind, its silence would mean nothing. */
static void must_be_secret(const void *bytes, size_t n)
{
	uint8_t undefined[64];

	if (n > sizeof undefined || VALGRIND_GET_VBITS(bytes, undefined, n) != 1)
		exit(4);
	for (size_t i = 0; i < n; i++)
		if (undefined[i])
			return;
	exit(4);
}

static void run_core(const struct sotto_planes *p, struct sotto_rng *rng)
{
	for (int i = 0; i < 100; i++)
		must(sotto_planes_draw(p, rng, &out[i]));
	if (p->value_bits + p->has_sign > 0)
		must_be_secret(&out[99], sizeof out[0]);
}

static void run_block(const struct sotto_planes *p, struct sotto_rng *rng)
{
	must(sotto_planes_fill(p, rng, out, 64));
	must(sotto_planes_fill(p, rng, out, 200));
	must(sotto_planes_fill(p, rng, out, MOST));
	if (p->value_bits + p->has_sign > 0)
		must_be_secret(&out[4095], sizeof out[0]);
}

static void run_on_scales(const struct sotto_block_path *path,
			  void (*run)(const struct sotto_planes *, struct sotto_rng *))
{
	static const char *const scales[] = {"1024", "30",     "1",
					     "0.1",  "1/1000", "1/1125899906842624"};
	struct sotto_rng *rng = poisoned_open();

	for (size_t i = 0; i < 2 * sizeof scales / sizeof scales[0]; i++) {
		struct sotto_planes p;

		scale_init(scales[i / 2], i % 2, &p);
		p.path = path;
		run(&p, rng);
		sotto_planes_release(&p);
	}
	stream_close(rng);
}

static void run_coins(void)
{
	struct sotto_rng *rng = poisoned_open();
	struct sotto_rational third;
	uint64_t word;
	bool coin;

	sotto_rational_init(&third);
	must(sotto_rational_set_ratio(&third, 1, 3));
	for (int i = 0; i < 100; i++) {
		must(sotto_bernoulli_ratio(rng, 1, 3, &coin));
		must(sotto_bernoulli_rational(rng, &third, &coin));
		must_be_secret(&coin, sizeof coin);
		must(sotto_bernoulli_exp(rng, &third, &coin));
		must_be_secret(&coin, sizeof coin);
		must(sotto_uniform_below(rng, 1000, &word));
		must_be_secret(&word, sizeof word);
	}
	sotto_rational_release(&third);
	stream_close(rng);
}

static void run_gauss_single(const struct sotto_dgauss *g, struct sotto_rng *rng)
{
	for (int i = 0; i < 30; i++) {
		must(sotto_dgauss_draw(g, rng, &out[i]));
		must_be_secret(&out[i], sizeof out[i]);
	}
}

static void run_gauss_bulk(const struct sotto_dgauss *g, struct sotto_rng *rng)
{
	must(sotto_dgauss_fill(g, rng, out, 5));
	must(sotto_dgauss_fill(g, rng, out, 200));
	must(sotto_dgauss_fill(g, rng, out, 4000));
	must_be_secret(&out[3999], sizeof out[0]);
}

static void run_on_sigmas(const struct sotto_dgauss_path *path,
			  void (*run)(const struct sotto_dgauss *, struct sotto_rng *))
{
	static const char *const sigmas[] = {"0.09", "25", "10000", "1e10",
					     "79228162514264337593543950336"};
	struct sotto_rng *rng = poisoned_open();

	for (size_t i = 0; i < sizeof sigmas / sizeof sigmas[0]; i++) {
		struct sotto_rational sigma2;
		struct sotto_dgauss *g;

		sotto_rational_init(&sigma2);
		must(sotto_rational_parse(&sigma2, sigmas[i], NULL));
		must(sotto_dgauss_new(&sigma2, &g));
		g->path = path;
		run(g, rng);
		sotto_dgauss_free(g);
		sotto_rational_release(&sigma2);
	}
	stream_close(rng);
}

/* From undefined entropy through the cipher to noise. */
static void run_generator(void)
{
	struct sotto_rational eps;
	struct sotto_dlaplace *d;
	struct sotto_rng *rng;

	sotto_rational_init(&eps);
	must(sotto_rational_set_ratio(&eps, 1, 10));
	must(sotto_dlaplace_new(&eps, &d));
	must(sotto_rng_open(&rng));
	must(sotto_dlaplace_fill_strict(d, rng, out, 300));
	must(sotto_rng_reseed(rng));
	must(sotto_dlaplace_fill_strict(d, rng, out, 300));
	must_be_secret(&out[299], sizeof out[0]);
	sotto_rng_close(rng);
	sotto_dlaplace_free(d);
	sotto_rational_release(&eps);
}

/* Positive controls: each is what the test must see. */
static __attribute__((noinline)) int branch_on_noise(int64_t z)
{
	if (z > 0)
		return puts("# positive") > 0;
	return 0;
}

static void run_planted_branch(const struct sotto_planes *p, struct sotto_rng *rng)
{
	int sum = 0;

	must(sotto_planes_fill(p, rng, out, 64));
	for (int i = 0; i < 64; i++)
		sum += branch_on_noise(out[i]);
	if (sum < 0)
		exit(5);
}

static void run_planted_address(const struct sotto_planes *p, struct sotto_rng *rng)
{
	static volatile uint8_t table[256];

	must(sotto_planes_draw(p, rng, &out[0]));
	(void)table[out[0] & 255];
}

static const struct sotto_block_path *path_named(const char *name)
{
	if (strcmp(name, "portable") == 0)
		return &sotto_block_portable;
#if defined(__x86_64__)
	if (strcmp(name, "avx2") == 0 && __builtin_cpu_supports("avx2"))
		return &sotto_block_avx2;
#endif
	puts("# this machine has no such path");
	exit(3);
}

static const struct sotto_dgauss_path *gauss_path_named(const char *name)
{
#if defined(__x86_64__)
	if (path_named(name) == &sotto_block_avx2)
		return &sotto_dgauss_avx2;
#endif
	return &sotto_dgauss_portable;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *path = argc > 2 ? argv[2] : "portable";

	if (!RUNNING_ON_VALGRIND)
		return puts("# only useful under valgrind"), 2;
	if (strcmp(what, "core") == 0)
		run_on_scales(path_named(path), run_core);
	else if (strcmp(what, "block") == 0)
		run_on_scales(path_named(path), run_block);
	else if (strcmp(what, "gauss-single") == 0)
		run_on_sigmas(gauss_path_named(path), run_gauss_single);
	else if (strcmp(what, "gauss-bulk") == 0)
		run_on_sigmas(gauss_path_named(path), run_gauss_bulk);
	else if (strcmp(what, "coins") == 0)
		run_coins();
	else if (strcmp(what, "generator") == 0)
		run_generator();
	else if (strcmp(what, "planted-branch") == 0)
		run_on_scales(path_named(path), run_planted_branch);
	else if (strcmp(what, "planted-address") == 0)
		run_on_scales(path_named(path), run_planted_address);
	else
		return puts("# unknown argument"), 2;
	return 0;
}
