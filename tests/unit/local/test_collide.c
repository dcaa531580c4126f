/*
 * Where users share hash functions: how often intervals miss on either side, over many
 * collections of the same users, each with hash functions of its own, at small alphas too.
 */
#include "local/decode/collide.h"

#include <math.h>

#include "local/decode/special.h"
#include "local/protocol/design.h"
#include "sotto/decode.h"
#include "sotto/local.h"
#include "testlib/effort.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { LISTED = 3, VALUES = 40 };

/* The first are asked about, and others that hardly anybody has; the last may be heavy. */
struct crowd {
	uint64_t listed[LISTED], heavy, rest;
};

struct misses {
	int of;
	int above[2], below[2]; /* the truth, at each alpha */
};

static const double alphas[2] = {.05, .002};

static void
count_misses(struct sotto_local_aggregate *a, const struct crowd *crowd, struct misses *m)
{
	static const void *const names[LISTED] = {"v1", "v2", "v3"};
	static const size_t lengths[LISTED] = {2, 2, 2};
	struct sotto_local_candidates c = {
		.count = LISTED, .strings = names, .lengths = lengths};

	for (int k = 0; k < 2; k++) {
		struct sotto_local_options o = {.alpha = alphas[k],
						.post = SOTTO_LOCAL_POST_NONE};
		struct sotto_local_estimate e[LISTED];

		REQUIRE(sotto_local_decode(a, &c, &o, e, NULL) == SOTTO_OK);
		for (int i = 0; i < LISTED; i++) {
			m->above[k] += e[i].low > (double)crowd->listed[i];
			m->below[k] += e[i].high < (double)crowd->listed[i];
		}
	}
	m->of += LISTED;
}

static void visit_worlds(struct sotto_client_params p, const struct crowd *crowd, int worlds,
			 struct misses *out)
{
	struct sotto_rng *rng = stream_open(p.protocol);
	uint64_t holders[VALUES] = {0};
	struct misses m = {.of = 0};

	for (int i = 0; i < VALUES - 1; i++)
		holders[i] =
			i < LISTED ? crowd->listed[i] : crowd->rest / (VALUES - LISTED - 1);
	holders[VALUES - 1] = crowd->heavy;
	for (int world = 0; world < worlds; world++) {
		struct sotto_local_aggregate *a = NULL;

		p.salt = (uint64_t)world;
		REQUIRE(sotto_local_aggregate_new(&p, &a) == SOTTO_OK);
		REQUIRE(sotto_local_simulate(a, holders, VALUES, rng, NULL) == SOTTO_OK);
		count_misses(a, crowd, &m);
		sotto_local_aggregate_free(a);
	}
	stream_close(rng);
	*out = m;
}

/*
 * Misses of one side are at most alpha/2 of all; those of one world may go together.  Six
 * deviations more than that has a chance below 1e-8, and one in ten is for the estimated pairs.
 */
static bool are_few(const struct misses *m, int misses, double alpha)
{
	double mean = 1.1 * alpha / 2 * m->of;

	return misses <= mean + 6 * sqrt(mean * LISTED) + 1;
}

static void try_crowd(const struct crowd *crowd, const char *epsilon, uint32_t rows,
		      uint32_t columns, int worlds)
{
	static const uint32_t protocols[] = {SOTTO_CLIENT_CMS, SOTTO_CLIENT_HCMS,
					     SOTTO_CLIENT_FLH};

	for (size_t i = 0; i < 3; i++) {
		struct sotto_client_params p = {.protocol = protocols[i], .groups = rows};
		struct misses m = {.of = 0};

		p.hashes = p.protocol == SOTTO_CLIENT_FLH ? columns : 0;
		p.width = p.protocol == SOTTO_CLIENT_FLH ? 0 : columns;
		REQUIRE(sotto_local_design(&p, ratio(epsilon), NULL, NULL, NULL) == SOTTO_OK);
		if (p.protocol == SOTTO_CLIENT_FLH)
			worlds /= 5; /* its users are drawn one by one */
		visit_worlds(p, crowd, effort() == EFFORT_SANITIZED ? worlds / 10 : worlds, &m);
		tap_note("%s: of %d above %d and %d, below %d and %d",
			 sotto_local_protocol_name(p.protocol), m.of, m.above[0], m.above[1],
			 m.below[0], m.below[1]);
		for (int k = 0; k < 2; k++) {
			CHECK(are_few(&m, m.above[k], alphas[k]));
			CHECK(are_few(&m, m.below[k], alphas[k]));
		}
	}
}

static void intervals_hold_for_few_reports(void)
{
	try_crowd(&(struct crowd){{0, 2, 0}, 0, 36}, "8", 64, 64, 1500);
}

/* The heavy value meets another in a fourth of a row: mostly in none, sometimes in two. */
static void intervals_hold_where_a_heavy_value_meets_few(void)
{
	try_crowd(&(struct crowd){{500, 20, 0}, 6000, 3600}, "4", 4, 16, 500);
}

static void intervals_hold_where_all_meet_many(void)
{
	try_crowd(&(struct crowd){{200, 20, 0}, 0, 3600}, "2", 64, 32, 60);
}

/* A single value with so many users as the pairs say, and nobody who holds the candidate. */
static double
false_alarms(const struct sotto_collisions *x, uint64_t n, double p, double q, double alpha)
{
	struct sotto_meetings m = sotto_meetings_of(x, alpha);
	double heavy = sqrt(x->pairs), sum = 0;
	double off = q - (p - q) / (x->columns - 1); /* of who does not meet it */

	for (uint64_t met = 0; met <= (uint64_t)x->rows; met++) {
		double way = sotto_binomial_mass((uint64_t)x->rows, 1 / x->columns, met);
		double rate = off + (p - off) * (double)met / x->rows;

		for (uint64_t c = 0; c <= n && way > 1e-12; c++) {
			struct sotto_local_estimate e = {.count = 0};
			double mass = 0;

			for (uint64_t own = 0; own <= c && own <= (uint64_t)heavy; own++)
				mass += sotto_binomial_mass((uint64_t)heavy, rate, own) *
					sotto_binomial_mass(n - (uint64_t)heavy, q, c - own);
			sotto_local_estimate_collide(&e, x, &m, n, c, p, q);
			sum += e.p_value <= alpha ? way * mass : 0;
		}
	}
	return sum;
}

static void nobody_is_found_no_more_often_than_stated(void)
{
	static const double rates[][2] = {{.88, .12}, {.98, .5}, {.9, .25}};
	static const double rows[] = {1, 4, 64, 100}, columns[] = {4, 32};
	double worst = 0;

	for (size_t i = 0; i < 3 * 4 * 2; i++) {
		double p = rates[i / 8][0], off = rates[i / 8][1], m = columns[i % 2];
		struct sotto_collisions x = {rows[i / 2 % 4], m, 30 * 30};

		for (double alpha = .05; alpha > 1e-5; alpha /= 20)
			worst = fmax(worst,
				     false_alarms(&x, 50, p, off + (p - off) / m, alpha) /
					     alpha);
	}
	tap_note("found at most %.2f times as often as stated", worst);
	CHECK(worst <= 1);
}

int main(void)
{
	RUN(nobody_is_found_no_more_often_than_stated);
	RUN(intervals_hold_for_few_reports);
	RUN(intervals_hold_where_a_heavy_value_meets_few);
	RUN(intervals_hold_where_all_meet_many);
	return tap_done();
}
