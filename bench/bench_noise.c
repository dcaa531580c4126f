/* The noise core: what is promised against numpy, the rejection oracle and raw AES. */
#include "rng_either.h"

#include <mpfr.h>

#include "core/random/laplace/dlaplace.h"
#include "core/random/laplace/sampler_block.h"
#include "testlib/sampler/cks20.h"
#include "timing.h"

enum { VALUES = 1000000, SINGLES = 200000, ORACLE = 200000, SLICE = 16384 };

static int64_t *out;

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK) {
		fprintf(stderr, "%s\n", sotto_status_text(st));
		exit(1);
	}
}

struct scale {
	const char *name;
	const char *eps;
	uint64_t den; /* eps = 1/den, for the oracle */
};

static const struct scale scales[] = {{"1", "1", 1},
				      {"1000", "1/1000", 1000},
				      {"2^40", "1/1099511627776", UINT64_C(1) << 40}};
enum { SCALES = sizeof scales / sizeof scales[0] };

struct job {
	struct sotto_planes planes;
	struct sotto_rng *rng;
	uint64_t den;
};

static void job_open(struct job *j, const struct scale *s, bool by_openssl)
{
	struct sotto_rational eps;

	sotto_rational_init(&eps);
	must(sotto_rational_parse(&eps, s->eps, NULL));
	must(sotto_planes_init(&j->planes, &eps, true));
	sotto_rational_release(&eps);
	rng_by_openssl = by_openssl;
	must(sotto_rng_open(&j->rng));
	j->den = s->den;
}

static void job_close(struct job *j)
{
	sotto_planes_release(&j->planes);
	sotto_rng_close(j->rng);
}

/* ---- what is timed ---- */

static void run_bulk(void *context)
{
	struct job *j = context;

	must(sotto_planes_fill(&j->planes, j->rng, out, VALUES));
}

static void run_single(void *context)
{
	struct job *j = context;

	for (size_t i = 0; i < SINGLES; i++) {
		must(sotto_source_ready(j->rng));
		must(sotto_planes_draw(&j->planes, j->rng, &out[i]));
	}
}

static void run_oracle(void *context)
{
	struct job *j = context;

	for (size_t i = 0; i < ORACLE; i++)
		must(cks20_laplace(j->rng, 1, j->den, &out[i]));
}

static void run_generator(void *context)
{
	static uint8_t bytes[SLICE];
	struct job *j = context;

	for (size_t done = 0; done < (size_t)64 << 20; done += SLICE)
		must(sotto_rng_fill(j->rng, bytes, SLICE));
}

/* Plain EVP AES-256-CTR, no key erasure. */
static void run_raw(void *context)
{
	static uint8_t bytes[SLICE];
	EVP_CIPHER_CTX *c = context;
	int n;

	for (size_t done = 0; done < (size_t)64 << 20; done += SLICE)
		if (EVP_EncryptUpdate(c, bytes, &n, bytes, SLICE) != 1)
			exit(1);
}

static void run_new_scale(void *context)
{
	struct sotto_planes p;

	for (int i = 0; i < 200; i++) {
		must(sotto_planes_init(&p, context, true));
		sotto_planes_release(&p);
	}
}

/* One exponential and one division per plane, the way without a recurrence. */
static void run_exp_per_plane(void *context)
{
	const struct sotto_rational *eps = context;
	mpfr_t x, p;

	mpfr_inits2(640, x, p, NULL);
	for (int i = 0; i < 20; i++)
		for (int k = 0; k < 48; k++) {
			mpfr_set_q(x, eps->q, MPFR_RNDN);
			mpfr_mul_2ui(x, x, (unsigned long)k, MPFR_RNDN);
			mpfr_exp(x, x, MPFR_RNDN);
			mpfr_add_ui(x, x, 1, MPFR_RNDN);
			mpfr_ui_div(p, 1, x, MPFR_RNDN);
		}
	mpfr_clears(x, p, NULL);
}

/* ---- rows ---- */

static double raw_ns_per_byte(void)
{
	static const uint8_t key[32], counter[16];
	EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
	double ns;

	if (!c || EVP_EncryptInit_ex(c, EVP_aes_256_ctr(), NULL, key, counter) != 1)
		exit(1);
	ns = bench_best(run_raw, c, (double)((size_t)64 << 20));
	EVP_CIPHER_CTX_free(c);
	return ns;
}

static double bytes_per_bulk_draw(const struct sotto_planes *p)
{
	double lanes = SOTTO_BLOCK_LANES, count = p->count;

	return (lanes * count + 8 * (2 * ceil(lanes * count / 256) + 64)) / lanes;
}

struct way {
	const struct sotto_block_path *path;
	bool by_openssl;
	const char *name;
	double floor[SCALES], goal[SCALES]; /* against numpy; 0: no promise */
};

static void bulk_row(const struct way *w, size_t i, double raw)
{
	const double laplace = bench_peer("numpy.laplace");
	char what[80];
	struct job j;
	double ns;

	job_open(&j, &scales[i], w->by_openssl);
	j.planes.path = w->path;
	ns = bench_best(run_bulk, &j, VALUES);
	snprintf(what, sizeof what, "bulk discrete Laplace, b = %s, %s", scales[i].name,
		 w->name);
	if (w->floor[i] > 0)
		bench_row(what, ns, "numpy laplace", laplace, BENCH_FASTER, w->floor[i],
			  w->goal[i]);
	else
		bench_note(what, ns, "numpy laplace", laplace);
	if (w->floor[i] > 0)
		bench_row("", ns, "raw AES bytes", raw * bytes_per_bulk_draw(&j.planes),
			  BENCH_AT_MOST, 1.9, w->by_openssl ? 1.45 : 0.95);
	if (w->floor[i] > 0 && scales[i].den == 1000)
		bench_row("", ns, "CKS20 oracle", bench_best(run_oracle, &j, ORACLE),
			  BENCH_FASTER, 9, 12);
	job_close(&j);
}

static void bulk_rows(double raw)
{
	struct way ways[4] = {{&sotto_block_portable, true, "portable", {0}, {0}}};
	size_t n = 1;

#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		ways[n++] = (struct way){
			&sotto_block_avx2, true, "AVX2", {7, 3.8, 1.4}, {9, 5, 1.9}};
	if (sotto_block_path_best() == &sotto_block_avx512) {
		ways[n++] =
			(struct way){&sotto_block_avx512, true, "AVX-512, OpenSSL", {0}, {0}};
		ways[n++] = (struct way){
			&sotto_block_avx512, false, "AVX-512", {7, 4.2, 1.5}, {11, 5.2, 2}};
	}
#endif
	for (size_t w = 0; w < n; w++)
		for (size_t i = 0; i < SCALES; i++)
			bulk_row(&ways[w], i, raw);
}

static void single_rows(double raw)
{
	for (size_t i = 0; i < 2; i++) {
		char what[80];
		struct job j;
		double ns, oracle;

		job_open(&j, &scales[i], false);
		ns = bench_best(run_single, &j, SINGLES);
		oracle = bench_best(run_oracle, &j, ORACLE);
		snprintf(what, sizeof what, "single draw, b = %s", scales[i].name);
		bench_row(what, ns, "CKS20 oracle", oracle, BENCH_AT_MOST, 1.1, 0.8);
		bench_row("", ns, "raw AES bytes", 8 * j.planes.count * raw, BENCH_AT_MOST, 2.5,
			  2.5);
		job_close(&j);
	}
}

static void generator_rows(double raw)
{
	for (int by_openssl = 1; by_openssl >= 0; by_openssl--) {
		struct job j;
		double ns;

		job_open(&j, &scales[0], by_openssl);
		ns = bench_best(run_generator, &j, (double)((size_t)64 << 20));
		bench_row(by_openssl ? "generator, 16 KiB fills, OpenSSL, 1 KiB"
				     : "generator, 16 KiB fills, 1 KiB",
			  1024 * ns, "raw AES bytes", 1024 * raw, BENCH_FASTER, 0.9, 0.95);
		job_close(&j);
	}
}

static void table_row(void)
{
	struct sotto_rational eps;
	double ns, slow;

	sotto_rational_init(&eps);
	must(sotto_rational_parse(&eps, scales[2].eps, NULL));
	ns = bench_best(run_new_scale, &eps, 200);
	slow = bench_best(run_exp_per_plane, &eps, 20);
	bench_row("new scale, 48 planes", ns, "mpfr_exp per plane", slow, BENCH_FASTER, 20, 40);
	sotto_rational_release(&eps);
}

int main(void)
{
	double raw;

	out = malloc(VALUES * sizeof *out);
	if (!out)
		return 1;
	memset(out, 1, VALUES * sizeof *out);
	bench_open("noise");
	raw = raw_ns_per_byte();
	bulk_rows(raw);
	single_rows(raw);
	generator_rows(raw);
	table_row();
	free(out);
	return bench_close();
}
