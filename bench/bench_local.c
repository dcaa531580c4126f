/*
 * Local privacy, what the collector and the decoders promise: bit sums as a share
 * of memory bandwidth, the collect path as a share of a checksum sweep, increments
 * against plain ones, transforms and counting against plain loops, and work that
 * does not grow with the number of reports.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/aggregate/bitsum.h"
#include "local/aggregate/scatter.h"
#include "local/client/primitive/bytes.h"
#include "local/client/primitive/family.h"
#include "local/collect/collector.h"
#include "local/collect/crc32c.h"
#include "local/decode/kernel/fwht.h"
#include "local/decode/supports.h"
#include "local/protocol/design.h"
#include "local/rappor/regression/regression.h"
#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/discover.h"
#include "sotto/local.h"
#include "testlib/fixture/local.h"
#include "testlib/ratio.h"
#include "timing.h"

static volatile uint64_t sink;

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK) {
		fprintf(stderr, "bench: %s\n", sotto_status_text(st));
		exit(1);
	}
}

static void *memory(size_t bytes)
{
	void *p = calloc(1, bytes);

	if (!p)
		must(SOTTO_ENOMEM);
	memset(p, 1, bytes); /* pages are there before anything is timed */
	return p;
}

struct bytes {
	uint8_t *at;
	size_t n;
	size_t width; /* of a bit vector */
	int repeat;
};

/* A 64-bit read-and-add sweep: what the memory gives one core. */
static void run_sweep(void *context)
{
	const struct bytes *b = context;
	uint64_t sum = 0, word;

	for (size_t i = 0; i < b->n; i += 8) {
		memcpy(&word, b->at + i, 8);
		sum += word;
	}
	sink = sum;
}

/* All that the second cache gives: 256-bit reads, four at a time. */
typedef uint64_t wide __attribute__((vector_size(32), aligned(8), may_alias));

__attribute__((target("avx2"))) static void run_wide_sweep(void *context)
{
	const struct bytes *b = context;
	wide w = {0}, x = {0}, y = {0}, z = {0};

	for (int r = 0; r < b->repeat; r++)
		for (size_t i = 0; i < b->n; i += 4 * sizeof(wide)) {
			const wide *at = (const wide *)(b->at + i);

			w += at[0];
			x += at[1];
			y += at[2];
			z += at[3];
		}
	w += x + y + z;
	sink = w[0] + w[1] + w[2] + w[3];
}

static void run_bitsum(void *context)
{
	const struct bytes *b = context;
	static uint64_t counters[1024];

	for (int r = 0; r < b->repeat; r++)
		sotto_bitsum_add(counters, b->width, b->at, b->n / b->width);
	sink = counters[3];
}

static void run_naive(void *context)
{
	const struct bytes *b = context;
	static uint64_t counters[1024];

	sotto_bitsum_naive(counters, b->width, b->at, b->n / b->width);
	sink = counters[3];
}

static void bench_bitsum(void)
{
	struct bytes all = {memory((size_t)1 << 30), (size_t)1 << 30, 16, 1};
	struct bytes few = {all.at, (size_t)1 << 24, 16, 1}, l2 = {all.at, 1 << 18, 16, 2000};
	double kib = (double)all.n / 1024, l2_kib = 256.0 * l2.repeat, dram;
	uint64_t seed = 1;

	local_fill(&seed, all.at, all.n);
	dram = bench_best(run_bitsum, &all, kib);
	bench_row("bit sums, k=128, from 1 GiB, a KiB", dram, "64-bit read and add",
		  bench_best(run_sweep, &all, kib), BENCH_FASTER, .7, .7);
	bench_row("bit sums, k=128, from 1 GiB, a KiB", dram, "bit by bit",
		  bench_best(run_naive, &few, (double)few.n / 1024), BENCH_FASTER, 30, 30);
	if (__builtin_cpu_supports("avx2"))
		bench_row("bit sums, k=128, from 256 KiB, a KiB",
			  bench_best(run_bitsum, &l2, l2_kib), "256-bit read and add",
			  bench_best(run_wide_sweep, &l2, l2_kib), BENCH_FASTER, .2, .5);
	free(all.at);
}

/* ---- the collect path ---- */

struct batches {
	struct sotto_client_params params;
	uint8_t **batch;
	size_t count, length;
};

static void make_batches(struct batches *b, size_t count, size_t reports)
{
	size_t stride;
	uint64_t seed = 1;
	uint8_t *r;

	b->params = local_sample(SOTTO_CLIENT_RAPPOR);
	stride = sotto_client_report_bytes(&b->params);
	b->count = count;
	b->batch = memory(count * sizeof *b->batch);
	r = memory(reports * stride);
	for (size_t i = 0; i < count; i++) {
		struct sotto_local_batch head = {.params = b->params, .reports = reports};

		local_fill(&seed, r, reports * stride);
		local_fill(&seed, head.id, sizeof head.id);
		for (size_t j = 0; j < reports; j++)
			r[j * stride] &= 63;
		must(sotto_local_batch_make(&head, r, &b->batch[i], &b->length));
	}
	free(r);
}

static void run_checksums(void *context)
{
	const struct batches *b = context;

	for (size_t i = 0; i < b->count; i++)
		sink = sotto_crc32c(b->batch[i], b->length);
}

/* Parse, checksums, every report looked at, known ids, sums: all but the disk. */
static void run_collect(void *context)
{
	const struct batches *b = context;
	struct sotto_local_collector c = {.params = b->params};

	must(sotto_local_aggregate_new(&b->params, &c.aggregate));
	for (size_t i = 0; i < b->count; i++)
		must(sotto_collector_count(&c, b->batch[i], b->length));
	sink = sotto_local_aggregate_counts(c.aggregate).cells[3];
	sotto_collector_release(&c);
}

static void bench_collect(void)
{
	static const struct {
		size_t count, reports;
		const char *name;
	} sizes[] = {{4000, 4096, "collect, RAPPOR k=128 m=64, a report, 4096 a batch"},
		     {16, 1 << 20, "collect, the same, 2^20 a batch"}};

	for (size_t i = 0; i < 2; i++) {
		struct batches b = {0};
		double reports = (double)(sizes[i].count * sizes[i].reports), ns[2];

		make_batches(&b, sizes[i].count, sizes[i].reports);
		bench_best_of_two((void (*const[2])(void *)){run_collect, run_checksums}, &b,
				  reports, ns);
		bench_row(sizes[i].name, ns[0], "CRC-32C of the same bytes", ns[1],
			  BENCH_FASTER, .4, .4);
		for (size_t j = 0; j < b.count; j++)
			free(b.batch[j]);
		free(b.batch);
	}
}

/* ---- increments ---- */

#define SKETCH ((size_t)1 << 25) /* cells: 256 MiB */
#define STEPS ((size_t)50000000)
#define PASSES 4

struct increments {
	uint64_t *table;
	uint32_t *at;
	uint8_t *minus;
};

static void run_direct(void *context)
{
	struct increments *x = context;

	for (size_t i = 0; i < STEPS; i++)
		x->table[x->at[i]] += x->minus ? 1 - 2 * (uint64_t)x->minus[i] : 1;
}

static void run_scatter(void *context)
{
	struct increments *x = context;
	struct sotto_scatter *s = NULL;

	must(sotto_scatter_new(SKETCH, x->minus != NULL, &s));
	for (int pass = 0; pass < PASSES; pass++)
		sotto_scatter_add(s, x->table, x->at, x->minus, STEPS);
	sotto_scatter_flush(s, x->table);
	sotto_scatter_free(s);
}

static void bench_scatter(void)
{
	struct increments x = {memory(SKETCH * 8), memory(STEPS * sizeof *x.at), NULL};
	uint64_t seed = 3;

	local_fill(&seed, (uint8_t *)x.at, STEPS * sizeof *x.at);
	for (size_t i = 0; i < STEPS; i++)
		x.at[i] &= SKETCH - 1;
	bench_row("an increment somewhere in 256 MiB",
		  bench_best(run_scatter, &x, (double)STEPS * PASSES), "one by one",
		  bench_best(run_direct, &x, (double)STEPS), BENCH_FASTER, 5, 5);
	x.minus = memory(STEPS);
	local_fill(&seed, x.minus, STEPS);
	for (size_t i = 0; i < STEPS; i++)
		x.minus[i] &= 1;
	bench_row("the same, up or down (HCMS)",
		  bench_best(run_scatter, &x, (double)STEPS * PASSES), "one by one",
		  bench_best(run_direct, &x, (double)STEPS), BENCH_FASTER, 4, 5);
	free(x.table);
	free(x.at);
	free(x.minus);
}

/* ---- decoding ---- */

#define TRANSFORMS 20000
static int32_t row[1024];

__attribute__((optimize("O3"))) static void plain_fwht(int32_t *x, size_t n)
{
	for (size_t h = 1; h < n; h *= 2)
		for (size_t i = 0; i < n; i += 2 * h)
			for (size_t j = i; j < i + h; j++) {
				int32_t a = x[j], b = x[j + h];

				x[j] = a + b;
				x[j + h] = a - b;
			}
}

static void run_fwht(void *transform)
{
	void (*f)(int32_t *, size_t) = *(void (**)(int32_t *, size_t))transform;

	for (int i = 0; i < TRANSFORMS; i++) {
		row[i % 1024] = i;
		f(row, 1024);
		row[1] &= 1; /* sums stay small */
	}
	sink = (uint64_t)row[5];
}

static void bench_fwht(void)
{
	void (*fast)(int32_t *, size_t) = sotto_fwht_i32,
				(*plain)(int32_t *, size_t) = plain_fwht;

	bench_row("Hadamard transform of 1024 int32", bench_best(run_fwht, &fast, TRANSFORMS),
		  "plain loop at -O3", bench_best(run_fwht, &plain, TRANSFORMS), BENCH_FASTER,
		  5, 5);
}

struct hashed {
	struct sotto_client_params params;
	uint8_t *reports;
	size_t n;
	uint64_t keys[1024], out[1024];
};

static void run_olh(void *context)
{
	struct hashed *h = context;

	sotto_olh_count(h->reports, h->n, sotto_client_report_bytes(&h->params),
			h->params.hashes, h->keys, 1024, h->out);
}

/* One candidate after the other, one report after the other. */
__attribute__((optimize("no-tree-vectorize"))) static void run_olh_scalar(void *context)
{
	struct hashed *h = context;
	size_t stride = sotto_client_report_bytes(&h->params);

	for (size_t r = 0; r < h->n; r++) {
		const uint8_t *at = h->reports + r * stride;
		struct sotto_pair_hash hash = sotto_pair_hash_of_seed(load64_le(at));

		for (size_t i = 0; i < 1024; i++)
			h->out[i] += sotto_scale32(sotto_pair_hash_at(&hash, h->keys[i]),
						   h->params.hashes) == at[8];
	}
}

static void bench_olh(void)
{
	struct hashed *h = memory(sizeof *h);

	h->params = (struct sotto_client_params){.protocol = SOTTO_CLIENT_OLH, .size = 1024};
	must(sotto_local_design(&h->params, ratio("1"), NULL, NULL, NULL));
	h->n = 5000;
	h->reports = local_reports(&h->params, h->n, 5);
	for (size_t i = 0; i < 1024; i++)
		h->keys[i] = i;
	bench_row("OLH, an answer counted for 1024 candidates",
		  bench_best(run_olh, h, (double)h->n), "scalar loop",
		  bench_best(run_olh_scalar, h, (double)h->n), BENCH_FASTER, 4, 4);
	free(h->reports);
	free(h);
}

static struct sotto_local_estimate estimates[1024];

static void run_decode(void *context)
{
	struct sotto_local_candidates all = {.count = 1024};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};

	must(sotto_local_decode(context, &all, &o, estimates, NULL));
}

static struct sotto_local_aggregate *collected(const struct sotto_client_params *p, size_t n)
{
	struct sotto_local_aggregate *a = NULL;
	uint8_t *r = local_reports(p, 1000, 1);

	must(sotto_local_aggregate_new(p, &a));
	for (size_t i = 0; i < n; i += 1000)
		must(sotto_local_aggregate_add(a, r, 1000));
	free(r);
	return a;
}

static void bench_flh(void)
{
	struct sotto_client_params p = {
		.protocol = SOTTO_CLIENT_FLH, .size = 1024, .groups = 4096};
	struct sotto_local_aggregate *few, *many;

	must(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL));
	few = collected(&p, 1000000);
	many = collected(&p, 10000000);
	bench_row("FLH, 1024 estimates from 10^7 reports", bench_best(run_decode, many, 1),
		  "from 10^6", bench_best(run_decode, few, 1), BENCH_AT_MOST, 1.1, 1.1);
	sotto_local_aggregate_free(few);
	sotto_local_aggregate_free(many);
}

struct screen {
	struct sotto_rows rows;
	struct sotto_columns columns;
	double *score;
};

static void run_screen(void *context)
{
	struct screen *s = context;

	must(sotto_regress_screen(&s->rows, &s->columns, s->score));
}

static void run_read(void *context)
{
	const struct screen *s = context;
	uint64_t sum = 0;

	for (size_t i = 0; i < s->columns.start[s->columns.count]; i++)
		sum += s->columns.rows[i];
	sink = sum;
}

/* 128 cohorts of 128 bits, 15,000 candidates, two bits of each in every cohort. */
static void bench_screen(void)
{
	size_t rows = 128 * 128, candidates = 15000, each = 256;
	struct screen s = {{.count = rows, .y = memory(rows * 8), .weight = memory(rows * 8)},
			   {candidates, memory((candidates + 1) * sizeof *s.columns.start),
			    memory(candidates * each * sizeof *s.columns.rows)},
			   memory(candidates * sizeof *s.score)};
	uint64_t seed = 9;

	local_fill(&seed, (uint8_t *)s.columns.rows, candidates * each * 4);
	for (size_t i = 0; i < candidates * each; i++)
		s.columns.rows[i] =
			(uint32_t)(i % each / 2 * 128 + i % 2 * 64 + s.columns.rows[i] % 64);
	for (size_t i = 0; i <= candidates; i++)
		s.columns.start[i] = i * each;
	for (size_t i = 0; i < rows; i++) {
		s.rows.y[i] = 1.0 / (double)(1 + i);
		s.rows.weight[i] = 1;
	}
	bench_row("RAPPOR screen, an entry of 3.8 million",
		  bench_best(run_screen, &s, (double)(candidates * each)), "one read of them",
		  bench_best(run_read, &s, (double)(candidates * each)), BENCH_AT_MOST, 3, 3);
	free(s.rows.y);
	free(s.rows.weight);
	sotto_columns_release(&s.columns);
	free(s.score);
}

struct simulated {
	struct sotto_client_params params;
	uint64_t holders[100];
};

static void run_simulate(void *context)
{
	struct simulated *s = context;
	struct sotto_local_aggregate *a = NULL;

	must(sotto_local_aggregate_new(&s->params, &a));
	must(sotto_local_simulate_fast(a, s->holders, 100, 7, NULL));
	sotto_local_aggregate_free(a);
}

static void bench_simulate(void)
{
	static struct simulated few, many;

	few.params = local_sample(SOTTO_CLIENT_RAPPOR);
	must(sotto_local_population("zipf1", 100, 1000000, 1, few.holders, NULL));
	many.params = few.params;
	must(sotto_local_population("zipf1", 100, 100000000, 1, many.holders, NULL));
	bench_row("fast simulation, 10^8 users", bench_best(run_simulate, &many, 1),
		  "10^6 users", bench_best(run_simulate, &few, 1), BENCH_AT_MOST, 1.2, 1.2);
}

int main(void)
{
	bench_open("local");
	bench_bitsum();
	bench_collect();
	bench_scatter();
	bench_fwht();
	bench_olh();
	bench_flh();
	bench_screen();
	bench_simulate();
	return bench_close();
}
