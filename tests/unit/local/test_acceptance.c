/* Published figures and identities that no other test here has. */
#include "local/protocol/design.h"
#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/discover.h"
#include "sotto/local.h"

#include <math.h>
#include <stdlib.h>

#include "local/plan/simulation_rng.h"
#include "testlib/effort.h"
#include "testlib/fixture/local.h"
#include "testlib/fixture/rappor_world.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static void rappor_rates_are_the_published_ones(void)
{
	double p, q;

	sotto_local_rappor_rates(.5, .25, .75, &p, &q);
	CHECK_REL(p, .375, 1e-12);
	CHECK_REL(q, .625, 1e-12);
	sotto_local_rappor_rates(.5, .5, .75, &p, &q);
	CHECK_REL(p, .5625, 1e-12);
	CHECK_REL(q, .6875, 1e-12);
	CHECK_REL(q - p, (1 - .5) * (.75 - .5), 1e-12);
}

/* 8 bits x 32 cohorts, each bit of the map set with probability 1/4, zipf over 100 values. */
static void the_published_decoding_case_is_within_its_errors(void)
{
	enum { COHORTS = 32, BITS = 8, VALUES = 100 };
	static uint32_t cells[VALUES * COHORTS * BITS];
	static uint64_t reports[COHORTS], ones[COHORTS * BITS], holds[VALUES];
	static struct sotto_local_estimate e[VALUES];
	struct sotto_local_map map = {
		.candidates = VALUES, .cohorts = COHORTS, .hashes = BITS, .cells = cells};
	struct sotto_local_cohorts data = {
		.cohorts = COHORTS, .bits = BITS, .reports = reports, .ones = ones};
	struct sotto_local_options o = {.alpha = .05};
	struct sotto_local_fit fit;
	struct sotto_simulation_rng dice = {31};
	double share[VALUES], truth[VALUES] = {0}, l1 = 0, worst = 0, n = 1e6;

	sotto_local_rappor_rates(.5, .4, .6, &data.p, &data.q);
	rappor_zipf(share, VALUES);
	for (size_t i = 0; i < VALUES * COHORTS * BITS; i++)
		cells[i] = sotto_simulation_unit(&dice) < .25 ? (uint32_t)(i % BITS)
							      : SOTTO_LOCAL_NO_CELL;
	for (uint32_t c = 0; c < COHORTS; c++) {
		uint64_t set[BITS] = {0};

		reports[c] = (uint64_t)n / COHORTS;
		sotto_simulation_multinomial(&dice, reports[c], share, VALUES, holds);
		for (size_t s = 0; s < VALUES; s++) {
			truth[s] += (double)holds[s];
			for (uint32_t b = 0; b < BITS; b++)
				if (cells[(s * COHORTS + c) * BITS + b] == b)
					set[b] += holds[s];
		}
		for (uint32_t b = 0; b < BITS; b++)
			ones[c * BITS + b] =
				sotto_simulation_binomial(&dice, set[b], data.q) +
				sotto_simulation_binomial(&dice, reports[c] - set[b], data.p);
	}
	REQUIRE(sotto_local_rappor_decode(&data, &map, &o, e, &fit, NULL) == SOTTO_OK);
	for (size_t s = 0; s < VALUES; s++) {
		l1 += fabs(e[s].count - truth[s]) / 2;
		worst = fmax(worst, fabs(e[s].count - truth[s]));
	}
	tap_note("L1/2 %.0f of %.0f, greatest error %.0f of %.0f", l1, 300 * sqrt(n), worst,
		 100 * sqrt(truth[0]));
	CHECK(l1 < 300 * sqrt(n));
	CHECK(worst < 100 * sqrt(truth[0]));
}

/* p = E P w, q = P (E u + w - u), P = 1/((E - 1) w + K) with w = K/2, u = K/4. */
static void hadamard_response_of_one_block_is_a_design(void)
{
	static const char *const eps[] = {".5", "1", "3"};

	for (int i = 0; i < 3; i++) {
		struct sotto_client_params p = {
			.protocol = SOTTO_CLIENT_HR, .size = 13, .groups = 1};
		double e = exp(mpq_get_d(ratio(eps[i])->q)), k = 16, w = k / 2, u = k / 4;
		double mass = 1 / ((e - 1) * w + k);
		struct sotto_local_aggregate *a = NULL;
		uint64_t cells[16], n = 0;
		struct sotto_local_options o = {.alpha = .05};
		struct sotto_local_candidates all = {.count = 13};
		struct sotto_local_estimate est[13];

		REQUIRE(sotto_local_design(&p, ratio(eps[i]), NULL, NULL, NULL) == SOTTO_OK);
		CHECK_INT(p.width, 16);
		CHECK_REL(sotto_local_chance(p.keep), e * mass * w, 1e-12);
		CHECK_REL(mass * (e * u + w - u), .5, 1e-12);
		for (int y = 0; y < 16; y++)
			n += cells[y] = (uint64_t)(1000 + 37 * y * y % 211);
		REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
		REQUIRE(sotto_local_aggregate_import(a, n, NULL, cells) == SOTTO_OK);
		REQUIRE(sotto_local_decode(a, &all, &o, est, NULL) == SOTTO_OK);
		for (unsigned v = 0; v < 13; v++) { /* as a pure protocol has it */
			double supports = 0, x = (double)n;

			for (unsigned y = 0; y < 16; y++)
				supports +=
					__builtin_parity(y & (v + 1)) ? 0 : (double)cells[y];
			CHECK_REL(est[v].count, (supports - x / 2) / (e * mass * w - .5), 1e-9);
		}
		sotto_local_aggregate_free(a);
	}
}

static void subset_selection_of_one_is_grr(void)
{
	struct sotto_client_params one = {
		.protocol = SOTTO_CLIENT_SUBSET, .size = 16, .hashes = 1};
	struct sotto_client_params grr = {.protocol = SOTTO_CLIENT_GRR, .size = 16};
	struct sotto_local_aggregate *a = NULL, *b = NULL;
	uint64_t cells[16];
	struct sotto_local_options o = {.alpha = .05};
	struct sotto_local_candidates all = {.count = 16};
	struct sotto_local_estimate x[16], y[16];

	REQUIRE(sotto_local_design(&one, ratio("1"), NULL, NULL, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_design(&grr, ratio("1"), NULL, NULL, NULL) == SOTTO_OK);
	CHECK(one.keep.numerator == grr.keep.numerator);
	for (uint64_t i = 0; i < 16; i++)
		cells[i] = 100 + i;
	REQUIRE(sotto_local_aggregate_new(&one, &a) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_new(&grr, &b) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_import(a, 1720, NULL, cells) == SOTTO_OK);
	REQUIRE(sotto_local_aggregate_import(b, 1720, NULL, cells) == SOTTO_OK);
	REQUIRE(sotto_local_decode(a, &all, &o, x, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_decode(b, &all, &o, y, NULL) == SOTTO_OK);
	for (int i = 0; i < 16; i++) {
		CHECK_REL(x[i].count, y[i].count, 1e-9);
		CHECK_REL(x[i].sd, y[i].sd, 1e-9);
	}
	sotto_local_aggregate_free(a);
	sotto_local_aggregate_free(b);
}

/* GRR beats OUE exactly when d < 3 e^eps + 2. */
static void grr_beats_oue_in_small_domains_only(void)
{
	for (uint32_t d = 3; d < 40; d++) {
		double e = exp(1), grr = (d - 2 + e) / (e - 1) / (e - 1);
		double oue = 4 * e / (e - 1) / (e - 1);

		CHECK((grr < oue) == (d < 3 * e + 2));
	}
}

/* Sums and squares of the first cells over many runs. */
struct law {
	double sum[4], squares[4];
};

static void one_run(const struct sotto_client_params *p, bool fast, uint64_t run,
		    struct sotto_rng *rng, struct law *law)
{
	static const uint64_t holders[2] = {60, 40};
	struct sotto_local_aggregate *a = NULL;
	struct sotto_local_counts c;

	REQUIRE(sotto_local_aggregate_new(p, &a) == SOTTO_OK);
	if (fast)
		REQUIRE(sotto_local_simulate_fast(a, holders, 2, run, NULL) == SOTTO_OK);
	else
		REQUIRE(sotto_local_simulate(a, holders, 2, rng, NULL) == SOTTO_OK);
	c = sotto_local_aggregate_counts(a);
	for (size_t i = 0; i < 4 && i < c.cell_count; i++) {
		law->sum[i] += (double)c.cells[i];
		law->squares[i] += (double)c.cells[i] * (double)c.cells[i];
	}
	sotto_local_aggregate_free(a);
}

static struct sotto_client_params small_params(uint32_t protocol)
{
	struct sotto_client_params p = {.protocol = protocol, .size = 4};

	if (protocol == SOTTO_CLIENT_RR) {
		CHECK_INT(sotto_local_design_coin(&p, ratio(".5"), ratio(".4"), NULL),
			  SOTTO_OK);
	} else if (protocol == SOTTO_CLIENT_RAPPOR) {
		p = (struct sotto_client_params){.width = 8, .hashes = 2, .groups = 2};
		CHECK_INT(sotto_local_design_rappor(&p, ratio(".5"), ratio(".25"), ratio(".75"),
						    NULL),
			  SOTTO_OK);
	} else {
		if (protocol == SOTTO_CLIENT_CMS) {
			p.size = 0;
			p.width = 4;
			p.groups = 2;
		}
		CHECK_INT(sotto_local_design(&p, ratio("1"), NULL, NULL, NULL), SOTTO_OK);
	}
	return p;
}

static void fast_and_slow_simulation_agree_in_law(void)
{
	static const uint32_t protocols[] = {SOTTO_CLIENT_RR,          SOTTO_CLIENT_GRR,
					     SOTTO_CLIENT_SUE,         SOTTO_CLIENT_OUE,
					     SOTTO_CLIENT_RAPPOR,      SOTTO_CLIENT_CMS,
					     SOTTO_CLIENT_ONE_BIT_MEAN};
	double runs = effort() == EFFORT_LONG ? 4000 : effort() == EFFORT_SHORT ? 600 : 100;
	struct sotto_rng *rng = stream_open(1);

	REQUIRE(rng);
	for (size_t k = 0; k < sizeof protocols / sizeof protocols[0]; k++) {
		struct sotto_client_params p = small_params(protocols[k]);
		struct law fast = {.sum = {0}}, slow = {.sum = {0}};

		for (uint64_t run = 0; run < (uint64_t)runs; run++) {
			one_run(&p, true, run, rng, &fast);
			one_run(&p, false, run, rng, &slow);
		}
		for (int i = 0; i < 4; i++) {
			double m1 = fast.sum[i] / runs, m2 = slow.sum[i] / runs;
			double v1 = fast.squares[i] / runs - m1 * m1;
			double v2 = slow.squares[i] / runs - m2 * m2;

			if (fast.sum[i] == 0 && slow.sum[i] == 0)
				continue;
			/* 6.5 standard errors: one false alarm in 10^9 checks or fewer */
			CHECK(fabs(m1 - m2) < 6.5 * sqrt((v1 + v2) / runs) + 1e-9);
			CHECK(fabs(log(v1 / v2)) < 6.5 * sqrt(4.5 / runs));
		}
	}
	stream_close(rng);
}

int main(void)
{
	RUN(rappor_rates_are_the_published_ones);
	RUN(the_published_decoding_case_is_within_its_errors);
	RUN(hadamard_response_of_one_block_is_a_design);
	RUN(subset_selection_of_one_is_grr);
	RUN(grr_beats_oue_in_small_domains_only);
	RUN(fast_and_slow_simulation_agree_in_law);
	return tap_done();
}
