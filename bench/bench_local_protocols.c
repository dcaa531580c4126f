/*
 * Every local protocol: what one report costs to make, to count and to decode;
 * counting as a share of what reading the report costs; and the Python libraries
 * that do the same, where they are installed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "local/protocol/design.h"
#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/discover.h"
#include "sotto/local.h"
#include "testlib/fixture/local.h"
#include "testlib/ratio.h"
#include "timing.h"

#define SYMBOLS 1024
#define ENCODED 2000
#define SUMMED ((size_t)1 << 20)

static volatile uint64_t sink;

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK) {
		fprintf(stderr, "bench: %s\n", sotto_status_text(st));
		exit(1);
	}
}

struct subject {
	struct sotto_client_params params;
	size_t stride;
	uint8_t *reports; /* SUMMED of them */
	struct sotto_local_aggregate *aggregate;
};

/* 1024 symbols at epsilon 1 where there are symbols; the sample's sizes elsewhere. */
static struct sotto_client_params parameters(uint32_t protocol)
{
	struct sotto_client_params p = local_sample(protocol), q = p;

	q.size = SYMBOLS;
	q.hashes = protocol == SOTTO_CLIENT_DBITFLIP ? 8 : 0;
	q.width = 0;
	q.groups = protocol == SOTTO_CLIENT_FLH ? 1024 : 0;
	q.memoize = p.memoize = 0;
	switch (protocol) {
	case SOTTO_CLIENT_GRR:
	case SOTTO_CLIENT_SUE:
	case SOTTO_CLIENT_OUE:
	case SOTTO_CLIENT_OLH:
	case SOTTO_CLIENT_FLH:
	case SOTTO_CLIENT_HR:
	case SOTTO_CLIENT_SUBSET:
	case SOTTO_CLIENT_DBITFLIP:
		must(sotto_local_design(&q, ratio("1"), NULL, NULL, NULL));
		return q;
	default:
		return p;
	}
}

static void run_encode(void *context)
{
	const struct subject *s = context;
	uint8_t key[32] = {1}, out[4096];
	uint64_t seed = 1;
	struct sotto_client_secrets secrets = {
		.key = key, .fill = local_fill, .context = &seed};
	struct sotto_client c;
	size_t used;

	must(sotto_client_init(&c, &s->params, &secrets));
	for (unsigned i = 0; i < ENCODED; i++)
		must(local_encode(&c, i & 1, out, sizeof out, &used));
}

static void run_sum(void *context)
{
	struct subject *s = context;
	struct sotto_local_aggregate *a = NULL;

	must(sotto_local_aggregate_new(&s->params, &a));
	must(sotto_local_aggregate_add(a, s->reports, SUMMED));
	sink = sotto_local_aggregate_counts(a).reports;
	sotto_local_aggregate_free(s->aggregate);
	s->aggregate = a;
}

static void run_read(void *context)
{
	const struct subject *s = context;
	uint64_t sum = 0, word;

	for (size_t i = 0; i + 8 <= SUMMED * s->stride; i += 8) {
		memcpy(&word, s->reports + i, 8);
		sum += word;
	}
	sink = sum;
}

static struct sotto_local_estimate estimates[SYMBOLS];

/* False for protocols that are decoded as a mean, a regression or a search. */
static bool decodes(const struct subject *s, size_t *candidates)
{
	struct sotto_local_candidates c = {.count = s->params.size};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};

	*candidates = c.count;
	return s->params.protocol != SOTTO_CLIENT_OLH &&
	       sotto_local_decode(s->aggregate, &c, &o, estimates, NULL) == SOTTO_OK;
}

static void run_decode(void *context)
{
	size_t candidates;

	if (!decodes(context, &candidates))
		must(SOTTO_ESTATE);
}

static void make_reports(struct subject *s)
{
	const size_t some = 1 << 10; /* different ones, then the same again */
	uint8_t *r = local_reports(&s->params, some, 1);

	s->stride = sotto_client_report_bytes(&s->params);
	s->reports = malloc(SUMMED * s->stride);
	if (!r || !s->reports)
		must(SOTTO_ENOMEM);
	for (size_t i = 0; i < SUMMED; i += some)
		memcpy(s->reports + i * s->stride, r, some * s->stride);
	free(r);
}

/* The rows of one step against the libraries that have it. */
static void against_peers(const char *what, const char *protocol, const char *step, double ns)
{
	static const struct {
		const char *key, *name;
	} peers[] = {{"pure_ldp", "pure-LDP"}, {"multi_freq", "multi-freq-ldpy"}};

	for (size_t i = 0; i < 2; i++) {
		char key[64];
		double peer;

		snprintf(key, sizeof key, "%s.%s.%s", peers[i].key, protocol, step);
		peer = bench_peer(key);
		if (!isnan(peer))
			bench_row(what, ns, peers[i].name, peer, BENCH_FASTER, 1, 10);
	}
}

static void bench_protocol(uint32_t protocol)
{
	const char *name = sotto_local_protocol_name(protocol);
	struct subject s = {.params = parameters(protocol)};
	char what[64];
	size_t candidates;
	double ns;

	make_reports(&s);
	ns = bench_best(run_encode, &s, ENCODED);
	snprintf(what, sizeof what, "%s: make a report (%.3g M/s, %zu B)", name, 1e3 / ns,
		 s.stride);
	bench_note(what, ns, "", NAN);
	against_peers(what, name, "encode", ns);
	ns = bench_best(run_sum, &s, (double)SUMMED);
	snprintf(what, sizeof what, "%s: count a report (%.3g M/s)", name, 1e3 / ns);
	bench_note(what, ns, "reading it", bench_best(run_read, &s, (double)SUMMED));
	if (protocol != SOTTO_CLIENT_OLH) /* which only keeps it, for later */
		against_peers(what, name, "sum", ns);
	if (decodes(&s, &candidates)) {
		snprintf(what, sizeof what, "%s: decode a candidate", name);
		bench_note(what, bench_best(run_decode, &s, (double)candidates), "", NAN);
	}
	free(s.reports);
	sotto_local_aggregate_free(s.aggregate);
}

/* As many devices as reports: what a simulation, a test or a relay of others' values does. */
static void run_devices(void *context)
{
	const struct subject *s = context;
	uint8_t key[32], out[64];
	uint64_t seed = 1;
	struct sotto_client_secrets secrets = {
		.key = key, .fill = local_fill, .context = &seed};
	struct sotto_client c;
	size_t used;

	(void)local_fill(&seed, key, sizeof key);
	must(sotto_client_init(&c, &s->params, &secrets));
	for (unsigned i = 0; i < ENCODED; i++) {
		(void)local_fill(&seed, key, sizeof key);
		sotto_client_renew(&c);
		must(local_encode(&c, i & 1, out, sizeof out, &used));
	}
}

/* Many devices of one value each, and strings with thresholds that no few bits hold. */
static void bench_devices(void)
{
	struct subject grr = {.params = parameters(SOTTO_CLIENT_GRR)},
		       strings = {.params = {.width = 128, .hashes = 2, .groups = 64}};
	double ns = bench_best(run_devices, &grr, ENCODED);

	bench_note("grr: a new device and its report", ns, "", NAN);
	against_peers("grr: a new device and its report", "grr", "encode", ns);
	must(sotto_local_design_rappor(&strings.params, ratio("1/3"), ratio("0.21"),
				       ratio("0.77"), NULL));
	bench_row("rappor: a string, k=128, f=1/3, p=.21, q=.77",
		  bench_best(run_encode, &strings, ENCODED), "200 000 a second", 5000,
		  BENCH_FASTER, 1, 1);
	bench_note("rappor: a new device and its report",
		   bench_best(run_devices, &strings, ENCODED), "", NAN);
}

/* OLH does its work when it is decoded: all candidates, per report. */
static void bench_olh(void)
{
	struct subject s = {.params = parameters(SOTTO_CLIENT_OLH)};
	struct sotto_local_candidates c = {.count = SYMBOLS};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};
	const size_t n = 100000;
	double start, ns;

	make_reports(&s);
	must(sotto_local_aggregate_new(&s.params, &s.aggregate));
	must(sotto_local_aggregate_add(s.aggregate, s.reports, n));
	start = bench_now_ns();
	must(sotto_local_decode(s.aggregate, &c, &o, estimates, NULL));
	ns = (bench_now_ns() - start) / (double)n;
	bench_note("olh: decode 1024 candidates, a report", ns, "", NAN);
	against_peers("olh: decode 1024 candidates, a report", "olh", "sum", ns);
	against_peers("olh: decode 1024 candidates, a report", "olh", "decode", ns);
	bench_row("olh: decode, a report for one of 1024 candidates", ns / SYMBOLS,
		  "reading the report", bench_best(run_read, &s, (double)SUMMED), BENCH_AT_MOST,
		  2, 1);
	free(s.reports);
	sotto_local_aggregate_free(s.aggregate);
}

int main(void)
{
	bench_open("local protocols");
	if (isnan(bench_peer("pure_ldp.grr.encode")))
		printf("skipped: pure-LDP (not installed)\n");
	if (isnan(bench_peer("multi_freq.grr.encode")))
		printf("skipped: multi-freq-ldpy (not installed)\n");
	LOCAL_EACH_PROTOCOL(protocol)
	bench_protocol(protocol);
	bench_devices();
	bench_olh();
	return bench_close();
}
