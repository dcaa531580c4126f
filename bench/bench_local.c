/*
 * Local privacy: encoding per protocol, bit sums as a share of memory bandwidth,
 * the collect path against a checksum sweep, scattered increments, decoding.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/bytes.h"
#include "local/bitsum.h"
#include "local/crc32c.h"
#include "local/fwht.h"
#include "local/scatter.h"
#include "local/supports.h"
#include "sotto/local.h"
#include "testlib/local.h"
#include "testlib/ratio.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* others may use the machine too */
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static volatile uint64_t sink;

/* A 64-bit read-and-add sweep: what the memory gives one core. */
static double read_sweep(const uint8_t *bytes, size_t n)
{
	double start = now();
	uint64_t sum = 0, word;

	for (size_t i = 0; i < n; i += 8) {
		memcpy(&word, bytes + i, 8);
		sum += word;
	}
	sink = sum;
	return (double)n / (now() - start);
}

static double kernel_rate(sotto_bitsum_kernel kernel, const uint8_t *bytes, size_t n,
			  size_t width, int repeat)
{
	static uint64_t counters[1024];
	double start = now();

	for (int i = 0; i < repeat; i++)
		kernel(counters, width, bytes, n / width);
	sink = counters[3];
	return (double)n * repeat / (now() - start);
}

static void bench_bitsum(void)
{
	size_t n = (size_t)1 << 30;
	uint8_t *bytes = malloc(n);
	uint64_t seed = 1;
	double sweep, dram, naive, l2, l2_sweep = 0;

	if (!bytes)
		return;
	local_fill(&seed, bytes, n);
	sweep = read_sweep(bytes, n);
	dram = kernel_rate(sotto_bitsum_add, bytes, n, 16, 1);
	naive = kernel_rate(sotto_bitsum_naive, bytes, n / 32, 16, 1);
	l2 = kernel_rate(sotto_bitsum_add, bytes, 1 << 18, 16, 4000);
	for (int i = 0; i < 2000; i++)
		l2_sweep += read_sweep(bytes, 1 << 18) / 2000;
	printf("bit sums, k=128, 1 GiB: %.1f GB/s = %.2f of a read sweep (%.1f), %.0f x "
	       "naive\n",
	       dram / 1e9, dram / sweep, sweep / 1e9, dram / naive);
	printf("bit sums, k=128, 256 KiB: %.1f GB/s = %.2f of a read sweep there (%.1f)\n",
	       l2 / 1e9, l2 / l2_sweep, l2_sweep / 1e9);
	printf("  portable kernel: %.1f GB/s\n",
	       kernel_rate(sotto_bitsum_portable, bytes, n / 4, 16, 1) / 1e9);
	free(bytes);
}

/* Parse, check, deduplicate and sum RAPPOR batches in memory, against a CRC sweep of the same bytes. */
static void bench_collect(void)
{
	struct sotto_client_params p = local_sample(SOTTO_CLIENT_RAPPOR);
	size_t stride = sotto_client_report_bytes(&p), count = 1 << 20, n;
	struct sotto_local_batch b = {.params = p, .reports = count};
	struct sotto_local_aggregate *a = NULL;
	uint8_t *reports = malloc(count * stride), *batch = NULL;
	enum sotto_local_reason reason;
	uint64_t seed = 1;
	double crc, collect, start;

	local_fill(&seed, reports, count * stride);
	for (size_t i = 0; i < count; i++)
		reports[i * stride] &= 63;
	if (sotto_local_batch_make(&b, reports, &batch, &n) != SOTTO_OK ||
	    sotto_local_aggregate_new(&p, &a) != SOTTO_OK)
		return;
	start = now();
	for (int i = 0; i < 20; i++)
		sink = sotto_crc32c(batch, n);
	crc = 20.0 * (double)n / (now() - start);
	start = now();
	for (int i = 0; i < 20; i++)
		if (sotto_local_batch_reports(batch, n, reports, &reason) != SOTTO_OK ||
		    sotto_local_aggregate_add(a, reports, count) != SOTTO_OK)
			return;
	(void)sotto_local_aggregate_counts(a);
	collect = 20.0 * (double)n / (now() - start);
	printf("collect path, RAPPOR k=128 m=64: %.2f GB/s, %.1f M reports/s = %.2f of a CRC "
	       "sweep (%.1f "
	       "GB/s)\n",
	       collect / 1e9, collect / (double)stride / 1e6, collect / crc, crc / 1e9);
	free(reports);
	free(batch);
	sotto_local_aggregate_free(a);
}

static void bench_scatter(void)
{
	size_t cells = (size_t)1 << 25, n = 20000000;
	uint64_t *table = calloc(cells, 8), seed = 3;
	uint32_t *at = malloc(n * sizeof *at);
	struct sotto_scatter *s = NULL;
	double direct, sorted, start;

	local_fill(&seed, (uint8_t *)at, n * sizeof *at);
	if (sotto_scatter_new(cells, &s) != SOTTO_OK)
		return;
	memset(table, 0, cells * 8);
	start = now();
	for (size_t i = 0; i < n; i++)
		table[at[i] & (cells - 1)]++;
	direct = (double)n / (now() - start);
	start = now();
	for (size_t i = 0; i < n; i++)
		sotto_scatter_add(s, table, at[i] & (uint32_t)(cells - 1), 0);
	sotto_scatter_flush(s, table);
	sorted = (double)n / (now() - start);
	printf("increments over 256 MiB: %.0f M/s = %.1f x direct (%.0f)\n", sorted / 1e6,
	       sorted / direct, direct / 1e6);
	sotto_scatter_free(s);
	free(table);
	free(at);
}

static void plain_fwht(int32_t *x, size_t n)
{
	for (size_t h = 1; h < n; h *= 2)
		for (size_t i = 0; i < n; i += 2 * h)
			for (size_t j = i; j < i + h; j++) {
				int32_t a = x[j], b = x[j + h];

				x[j] = a + b;
				x[j + h] = a - b;
			}
}

static double fwht_time(void (*f)(int32_t *, size_t), size_t n)
{
	static int32_t x[1024];
	double start = now();

	for (int i = 0; i < 100000; i++) {
		f(x, n);
		x[i % 1024] = i;
	}
	sink = (uint64_t)x[5];
	return (now() - start) / 100000;
}

static void bench_decode(void)
{
	struct sotto_client_params p = {.protocol = SOTTO_CLIENT_OLH, .size = 1024};
	size_t n = 20000;
	uint8_t *reports;
	static uint64_t keys[1024], out[1024];
	double start, rate;

	if (sotto_local_design(&p, ratio("1"), NULL, NULL, NULL) != SOTTO_OK)
		return;
	reports = local_reports(&p, n, 5);
	for (size_t i = 0; i < 1024; i++)
		keys[i] = i;
	start = now();
	sotto_olh_count(reports, n, sotto_client_report_bytes(&p), p.hashes, keys, 1024, out);
	rate = (double)n / (now() - start);
	printf("OLH counting, d=1024: %.2f us per report\n", 1e6 / rate);
	printf("Hadamard transform, 1024 int32: %.2f us = %.1f x plain (%.2f us)\n",
	       1e6 * fwht_time(sotto_fwht_i32, 1024),
	       fwht_time(plain_fwht, 1024) / fwht_time(sotto_fwht_i32, 1024),
	       1e6 * fwht_time(plain_fwht, 1024));
	free(reports);
}

static void bench_encode(void)
{
	LOCAL_EACH_PROTOCOL(protocol)
	{
		struct sotto_client_params p = local_sample(protocol);
		uint8_t key[32] = {1}, out[1024];
		uint64_t seed = 1;
		struct sotto_client_secrets s = {
			.key = key, .fill = local_fill, .context = &seed};
		struct sotto_client c;
		double start;
		size_t used;

		p.memoize = 0;
		if (sotto_client_open(&c, &p, &s) != SOTTO_OK)
			continue;
		start = now();
		for (unsigned i = 0; i < 100000; i++)
			if (local_encode(&c, i & 1, out, sizeof out, &used) != SOTTO_OK)
				return;
		printf("encode %-9s %7.2f us per report, %zu bytes\n",
		       sotto_local_protocol_name(protocol), (now() - start) * 10, used);
	}
}

int main(void)
{
	bench_bitsum();
	bench_collect();
	bench_scatter();
	bench_decode();
	bench_encode();
	return 0;
}
