/*
 * Standard errors where values share hash functions, against the spread of the estimates over
 * many collections of the same users, each with hash functions of its own: few seeds or rows,
 * many candidates, even and uneven populations.  And tests and intervals where noise is rare.
 */
#include "sotto/decode.h"

#include <math.h>
#include <stdlib.h>

#include "local/protocol/design.h"
#include "sotto/local.h"
#include "testlib/effort.h"
#include "testlib/number.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { VALUES = 120, USERS = 3000, WORLDS = 60 };

struct sums {
	double off, stated; /* squared errors, and those that were stated */
	double first_off, first_stated; /* of the most frequent value alone */
};

static char names[VALUES][8];

/* One collection: errors and stated variances of all candidates are added. */
static void collect(const struct sotto_client_params *p, const uint64_t *holders,
		    enum sotto_local_target target, struct sotto_rng *rng, struct sums *s)
{
	struct sotto_local_options o = {.alpha = .05, .target = target};
	struct sotto_local_estimate e[VALUES];
	struct sotto_local_aggregate *a = NULL;
	const void *strings[VALUES];
	size_t lengths[VALUES];
	struct sotto_local_candidates c = {.count = VALUES};

	for (size_t i = 0; i < VALUES; i++) {
		snprintf(names[i], sizeof names[i], "v%zu", i + 1);
		strings[i] = names[i];
		lengths[i] = strlen(names[i]);
	}
	if (p->size == 0) {
		c.strings = strings;
		c.lengths = lengths;
	}
	REQUIRE(sotto_local_aggregate_new(p, &a) == SOTTO_OK);
	REQUIRE(sotto_local_simulate(a, holders, VALUES, rng, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_decode(a, &c, &o, e, NULL) == SOTTO_OK);
	for (size_t i = 0; i < VALUES; i++) {
		double off = e[i].count - (double)holders[i];

		s->off += off * off;
		s->stated += e[i].sd * e[i].sd;
		s->first_off += i ? 0 : off * off;
		s->first_stated += i ? 0 : e[i].sd * e[i].sd;
	}
	sotto_local_aggregate_free(a);
}

static void collect_many(struct sotto_client_params p, const char *distribution,
			 uint64_t worlds, struct sums *s)
{
	struct sotto_rng *rng = stream_open(7);
	uint64_t holders[VALUES];

	*s = (struct sums){0};
	REQUIRE(sotto_local_population(distribution, VALUES, USERS, 1, holders, NULL) ==
		SOTTO_OK);
	for (uint64_t world = 0; world < worlds; world++) {
		p.salt = 1000 + world;
		collect(&p, holders, SOTTO_LOCAL_SAMPLE, rng, s);
	}
	stream_close(rng);
}

static void check(const char *what, struct sotto_client_params p, const char *distribution)
{
	struct sums s;
	double over;

	collect_many(p, distribution, WORLDS, &s);
	over = sqrt(s.stated / s.off);
	tap_note("%s, %s: stated over true standard error %.3f", what, distribution, over);
	CHECK(over > .92 && over < 1.1);
}

static struct sotto_client_params flh(uint32_t seeds, uint32_t range)
{
	return (struct sotto_client_params){.protocol = SOTTO_CLIENT_FLH,
					    .size = VALUES,
					    .groups = seeds,
					    .hashes = range,
					    .keep = {UINT64_C(0xb000000000000000), false}};
}

static void errors_of_few_seeds_are_those_stated(void)
{
	check("4 seeds, range 4", flh(4, 4), "unif");
	check("4 seeds, range 4", flh(4, 4), "zipf1.5");
	check("16 seeds, range 3", flh(16, 3), "unif");
	check("200 seeds, range 4", flh(200, 4), "spike");
}

/*
 * A value's own users collide with nobody of its own: what they would add is left out, which is
 * most of the error that others have where nearly all hold that value.
 */
static void the_error_of_a_frequent_value_leaves_its_own_users_out(void)
{
	struct sums s;
	double over;

	collect_many(flh(4, 4), "zipf1.5", (effort() == EFFORT_SANITIZED ? 1 : 10) * WORLDS,
		     &s);
	over = sqrt(s.first_stated / s.first_off);
	tap_note("4 seeds, range 4, zipf1.5, the first: stated over true standard error %.3f",
		 over);
	CHECK(over > .85 && over < 1.15);
}

static void errors_of_few_rows_are_those_stated(void)
{
	static const uint32_t protocols[] = {SOTTO_CLIENT_CMS, SOTTO_CLIENT_HCMS};

	for (size_t i = 0; i < 2; i++) {
		struct sotto_client_params p = {.protocol = protocols[i],
						.groups = 4,
						.width = 16,
						.flip = {UINT64_C(0x1800000000000000), false}};
		const char *name = i ? "hcms, 4 rows of 16" : "cms, 4 rows of 16";

		check(name, p, "unif");
		check(name, p, "zipf1.5");
		check(name, p, "spike");
	}
}

enum { FEW_VALUES = 12, MANY_WORLDS = 300 };

/* Worlds in which a value that nobody holds was found, and intervals that missed. */
static void collect_few(const struct sotto_client_params *p, struct sotto_rng *rng,
			int *false_worlds, int *missed)
{
	static const uint64_t holders[FEW_VALUES] = {160, 80, 30, 12, 6, 4, 3, 2, 2, 1};
	struct sotto_local_options o = {.alpha = .05};
	struct sotto_local_candidates c = {.count = FEW_VALUES};
	struct sotto_local_estimate e[FEW_VALUES];
	struct sotto_local_aggregate *a = NULL;
	bool found = false;

	REQUIRE(sotto_local_aggregate_new(p, &a) == SOTTO_OK);
	REQUIRE(sotto_local_simulate(a, holders, FEW_VALUES, rng, NULL) == SOTTO_OK);
	REQUIRE(sotto_local_decode(a, &c, &o, e, NULL) == SOTTO_OK);
	for (size_t i = 0; i < FEW_VALUES; i++) {
		found |= holders[i] == 0 && e[i].significant;
		*missed += e[i].low > (double)holders[i] || e[i].high < (double)holders[i];
	}
	*false_worlds += found;
	sotto_local_aggregate_free(a);
}

/* With a large epsilon a wrong report is rare: no law of noise is near the normal one. */
static void tests_and_intervals_hold_where_noise_is_rare(void)
{
	struct sotto_client_params all[] = {
		{.protocol = SOTTO_CLIENT_HR, .size = FEW_VALUES},
		{.protocol = SOTTO_CLIENT_FLH, .size = FEW_VALUES, .groups = 1024},
		{.protocol = SOTTO_CLIENT_DBITFLIP, .size = FEW_VALUES, .hashes = 2}};
	struct sotto_rng *rng = stream_open(9);

	for (size_t i = 0; i < 3; i++) {
		int false_worlds = 0, missed = 0;

		REQUIRE(sotto_local_design(&all[i], ratio("8"), NULL, NULL, NULL) == SOTTO_OK);
		for (uint64_t world = 0; world < MANY_WORLDS; world++) {
			all[i].salt = world;
			collect_few(&all[i], rng, &false_worlds, &missed);
		}
		tap_note(
			"%s: %d of %d worlds with a false discovery, %d of %d intervals missed",
			sotto_local_protocol_name(all[i].protocol), false_worlds, MANY_WORLDS,
			missed, MANY_WORLDS * FEW_VALUES);
		CHECK(false_worlds <= .08 * MANY_WORLDS);
		CHECK(missed <= .065 * MANY_WORLDS * FEW_VALUES);
	}
	stream_close(rng);
}

int main(void)
{
	RUN(errors_of_few_seeds_are_those_stated);
	RUN(the_error_of_a_frequent_value_leaves_its_own_users_out);
	RUN(errors_of_few_rows_are_those_stated);
	RUN(tests_and_intervals_hold_where_noise_is_rare);
	return tap_done();
}
