/* Gaussian noise: what is promised against numpy and the rejection oracle. */
#include "rng_either.h"

#include "core/random/gaussian/dgauss_block.h"
#include "core/random/gaussian/dgauss_law.h"
#include "core/random/laplace/dlaplace.h"
#include "testlib/sampler/cks20.h"
#include "timing.h"

enum { VALUES = 1000000, SINGLES = 100000, ORACLE = 100000, LAWS = 200, SMALL = 64 };

static int64_t *out;

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK) {
		fprintf(stderr, "%s\n", sotto_status_text(st));
		exit(1);
	}
}

struct law {
	const char *name;
	const char *sigma2;
	uint64_t oracle; /* sigma2 for the oracle, which searches its root; 0: not asked */
	bool promised; /* from sigma = 5 on */
};

static const struct law laws[] = {
	{"1", "1", 1, false},
	{"5", "25", 25, true},
	{"100", "10000", 10000, true},
	{"1000", "1000000", 0, true},
	{"2^20", "1099511627776", 0, true},
	{"2^48", "79228162514264337593543950336", 0, true},
};
enum { COUNT = sizeof laws / sizeof laws[0] };

struct job {
	struct sotto_dgauss *law;
	struct sotto_rng *rng;
	uint64_t oracle;
};

static void job_open(struct job *j, const struct law *l, bool by_openssl)
{
	struct sotto_rational sigma2;

	sotto_rational_init(&sigma2);
	must(sotto_rational_parse(&sigma2, l->sigma2, NULL));
	must(sotto_dgauss_new(&sigma2, &j->law));
	sotto_rational_release(&sigma2);
	rng_by_openssl = by_openssl;
	must(sotto_rng_open(&j->rng));
	j->oracle = l->oracle;
}

static void job_close(struct job *j)
{
	sotto_dgauss_free(j->law);
	sotto_rng_close(j->rng);
}

static void run_bulk(void *context)
{
	struct job *j = context;

	must(sotto_dgauss_fill(j->law, j->rng, out, VALUES));
}

static void run_small(void *context)
{
	struct job *j = context;

	for (int i = 0; i < 1000; i++)
		must(sotto_dgauss_fill(j->law, j->rng, out, SMALL));
}

static void run_single(void *context)
{
	struct job *j = context;

	for (size_t i = 0; i < SINGLES; i++)
		must(sotto_dgauss_draw(j->law, j->rng, &out[i]));
}

static void run_oracle(void *context)
{
	struct job *j = context;

	for (size_t i = 0; i < ORACLE; i++)
		must(cks20_gaussian(j->rng, j->oracle, 1, &out[i]));
}

static void run_new(void *context)
{
	const struct sotto_rational *sigma2 = context;
	struct sotto_dgauss *g;

	for (int i = 0; i < LAWS; i++) {
		must(sotto_dgauss_new(sigma2, &g));
		sotto_dgauss_free(g);
	}
}

static void run_new_scale(void *context)
{
	const struct sotto_rational *eps = context;
	struct sotto_dlaplace *d;

	for (int i = 0; i < LAWS; i++) {
		must(sotto_dlaplace_new(eps, &d));
		sotto_dlaplace_free(d);
	}
}

struct way {
	const struct sotto_dgauss_path *path;
	bool by_openssl;
	const char *name;
	bool promised;
};

static void bulk_rows(const struct way *w, const struct law *l)
{
	const double normal = bench_peer("numpy.normal");
	char what[80];
	struct job j;
	double ns;

	job_open(&j, l, w->by_openssl);
	j.law->path = w->path;
	ns = bench_best(run_bulk, &j, VALUES);
	snprintf(what, sizeof what, "bulk Gaussian, sigma = %s, %s", l->name, w->name);
	if (!w->promised || !l->promised)
		bench_note(what, ns, "numpy normal", normal);
	else
		bench_row(what, ns, "numpy normal", normal, BENCH_FASTER, 1.1, 1.6);
	if (w->promised && l->promised && l->oracle)
		bench_row("", ns, "CKS20 oracle", bench_best(run_oracle, &j, ORACLE),
			  BENCH_FASTER, 8, 12);
	/* What a table indexed by secrets was to reach; no such mode is needed. */
	if (w->promised && l->promised && l->oracle && l->oracle <= 10000)
		bench_row("  as fast as a table mode", ns, "numpy normal", normal, BENCH_FASTER,
			  2.5, 4.5);
	job_close(&j);
}

static void all_bulk_rows(void)
{
	struct way ways[3] = {{&sotto_dgauss_portable, true, "portable", false}};
	size_t n = 1;

#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		ways[n++] = (struct way){&sotto_dgauss_avx2, true, "AVX2", true};
	if (sotto_dgauss_path_best() == &sotto_dgauss_avx512)
		ways[n++] = (struct way){&sotto_dgauss_avx512, false, "AVX-512", true};
#endif
	for (size_t w = 0; w < n; w++)
		for (size_t i = 0; i < COUNT; i++)
			bulk_rows(&ways[w], &laws[i]);
}

static void other_rows(const struct law *l)
{
	struct sotto_rational sigma2, eps;
	char what[80];
	struct job j;

	job_open(&j, l, false);
	snprintf(what, sizeof what, "single Gaussian draw, sigma = %s", l->name);
	bench_note(what, bench_best(run_single, &j, SINGLES), "CKS20 oracle",
		   bench_best(run_oracle, &j, ORACLE));
	bench_note("Gaussian fills of 64", bench_best(run_small, &j, 1000 * SMALL),
		   "CKS20 oracle", bench_best(run_oracle, &j, ORACLE));
	job_close(&j);
	sotto_rational_init(&sigma2);
	sotto_rational_init(&eps);
	must(sotto_rational_parse(&sigma2, l->sigma2, NULL));
	must(sotto_rational_set_ratio(&eps, 1, 101));
	bench_note("new Gaussian law", bench_best(run_new, &sigma2, LAWS), "new Laplace scale",
		   bench_best(run_new_scale, &eps, LAWS));
	sotto_rational_release(&eps);
	sotto_rational_release(&sigma2);
}

int main(void)
{
	out = malloc(VALUES * sizeof *out);
	if (!out)
		return 1;
	memset(out, 1, VALUES * sizeof *out);
	bench_open("gauss");
	all_bulk_rows();
	other_rows(&laws[2]);
	free(out);
	return bench_close();
}
