/* Joint distributions from two RAPPOR metrics: right shares, honest errors, a test with its level. */
#include "sotto/discover.h"

#include <stdlib.h>

#include "local/plan/simulation_rng.h"
#include "testlib/tap.h"

#define COHORTS 16
#define BITS 8
#define HASHES 2
#define VALUES 3
#define USERS 10000

static uint32_t cells[2][VALUES * COHORTS * HASHES];
static struct sotto_local_joint_report reports[USERS];
static const double p = .25, q = .75;

static struct sotto_local_map map_of(int v, size_t candidates)
{
	return (struct sotto_local_map){.candidates = candidates,
					.cohorts = COHORTS,
					.hashes = HASHES,
					.cells = cells[v]};
}

static uint64_t
report_of(struct sotto_simulation_rng *d, int v, unsigned value, uint32_t cohort)
{
	const uint32_t *at = cells[v] + (value * COHORTS + cohort) * HASHES;
	uint64_t bits = 0;

	for (uint32_t b = 0; b < BITS; b++) {
		bool set = at[0] == b || at[1] == b;

		bits |= (uint64_t)(sotto_simulation_unit(d) < (set ? q : p)) << b;
	}
	return bits;
}

static void make_reports(struct sotto_simulation_rng *d, const double joint[9])
{
	for (int v = 0; v < 2; v++)
		for (size_t i = 0; i < VALUES * COHORTS * HASHES; i++)
			cells[v][i] = (uint32_t)(sotto_simulation_word(d) % BITS);
	for (size_t i = 0; i < USERS; i++) {
		double u = sotto_simulation_unit(d);
		unsigned c = 0;

		while (c < 8 && u > joint[c])
			u -= joint[c++];
		reports[i].cohort = (uint32_t)(sotto_simulation_word(d) % COHORTS);
		reports[i].bits[0] = report_of(d, 0, c / 3, reports[i].cohort);
		reports[i].bits[1] = report_of(d, 1, c % 3, reports[i].cohort);
	}
}

static struct sotto_local_joint fit(size_t candidates, bool other)
{
	struct sotto_local_map maps[2] = {map_of(0, candidates), map_of(1, candidates)};
	struct sotto_local_variable v[2] = {{BITS, p, q, &maps[0], other},
					    {BITS, p, q, &maps[1], other}};
	struct sotto_local_joint j = {.cells = 0};

	CHECK_INT(sotto_local_associate(v, 2, reports, USERS, 1000, &j, NULL), SOTTO_OK);
	return j;
}

static void a_joint_distribution_comes_back_within_its_errors(void)
{
	const double joint[9] = {.3, .05, .05, .05, .2, .05, .05, .05, .2};
	struct sotto_simulation_rng d = {1};
	double z2 = 0, n = 0;

	for (int run = 0; run < 8; run++) {
		struct sotto_local_joint j;

		make_reports(&d, joint);
		j = fit(VALUES, false);
		REQUIRE(j.cells == 9);
		CHECK(j.distinct < USERS);
		CHECK(j.independence_p < 1e-6);
		for (int c = 0; c < 9; c++) {
			double z = (j.share[c] - joint[c]) / j.sd[c];

			CHECK(j.sd[c] > .0005 && j.sd[c] < .09);
			CHECK(fabs(z) < 5);
			z2 += z * z;
			n++;
		}
		sotto_local_joint_release(&j);
	}
	tap_note("mean squared z %.3f", z2 / n);
	CHECK(z2 / n > .6 && z2 / n < 1.5);
}

static void independent_variables_are_rarely_called_dependent(void)
{
	double joint[9];
	struct sotto_simulation_rng d = {2};
	int rejected = 0;

	for (int c = 0; c < 9; c++)
		joint[c] = (c / 3 == 0 ? .5 : .25) * (c % 3 == 0 ? .6 : .2);
	for (int run = 0; run < 20; run++) {
		struct sotto_local_joint j;

		make_reports(&d, joint);
		j = fit(VALUES, false);
		rejected += j.independence_p < .05;
		sotto_local_joint_release(&j);
	}
	tap_note("%d of 20 at level .05", rejected);
	CHECK(rejected <= 5); /* 99.9 % of the time under the null */
}

static void unknown_values_go_to_other(void)
{
	const double joint[9] = {.4, .1, 0, .1, .2, 0, 0, 0, .2};
	struct sotto_simulation_rng d = {3};
	struct sotto_local_joint j;

	make_reports(&d, joint);
	j = fit(2, true); /* the third candidate of each is not on the list */
	REQUIRE(j.cells == 9);
	CHECK(j.share[8] > .08);
	CHECK(j.share[0] > .3 && j.share[0] < .5);
	sotto_local_joint_release(&j);
}

/* Three variables: the third copies the first, the second is on its own. */
static void three_variables_come_back(void)
{
	struct sotto_local_map maps[3] = {map_of(0, 2), map_of(1, 2), map_of(0, 2)};
	struct sotto_local_variable v[3] = {{BITS, p, q, &maps[0], false},
					    {BITS, p, q, &maps[1], false},
					    {BITS, p, q, &maps[2], false}};
	const double joint[9] = {.35, .35, 0, .15, .15, 0, 0, 0, 0};
	struct sotto_simulation_rng d = {4};
	struct sotto_local_joint j;
	double sum = 0;

	make_reports(&d, joint);
	for (size_t i = 0; i < USERS; i++) {
		/* a second report of the value that the first best fits would do; draw it from it */
		const uint32_t *a = cells[0] + reports[i].cohort * HASHES;
		const uint32_t *b = cells[0] + (COHORTS + reports[i].cohort) * HASHES;
		int fits = (int)(reports[i].bits[0] >> a[0] & 1) -
			   (int)(reports[i].bits[0] >> b[0] & 1);

		reports[i].bits[2] = report_of(&d, 0, fits >= 0 ? 0 : 1, reports[i].cohort);
	}
	CHECK_INT(sotto_local_associate(v, 3, reports, USERS, 1000, &j, NULL), SOTTO_OK);
	CHECK_INT(j.cells, 8);
	CHECK_REL(j.degrees, 4, 1e-12); /* 7 less three margins */
	CHECK(j.independence_p < 1e-6);
	for (int c = 0; c < 8; c++)
		sum += j.share[c];
	CHECK_REL(sum, 1, 1e-6);
	CHECK(j.settled && j.iterations < 1000);
	/* the margin of the second variable: one half */
	CHECK(fabs(j.share[0] + j.share[1] + j.share[4] + j.share[5] - .5) < .05);
	sotto_local_joint_release(&j);
}

static void a_maximization_that_stops_at_its_limit_says_so(void)
{
	struct sotto_simulation_rng d = {5};
	double joint[9] = {.3, .1, 0, .1, .3, 0, 0, 0, .2};
	struct sotto_local_map maps[2] = {map_of(0, VALUES), map_of(1, VALUES)};
	struct sotto_local_variable v[2] = {{BITS, p, q, &maps[0], false},
					    {BITS, p, q, &maps[1], false}};
	struct sotto_local_joint j;

	make_reports(&d, joint);
	CHECK_INT(sotto_local_associate(v, 2, reports, USERS, 2, &j, NULL), SOTTO_OK);
	CHECK(!j.settled && j.iterations == 2);
	sotto_local_joint_release(&j);
	CHECK_INT(sotto_local_associate(v, 2, reports, USERS, 1000, &j, NULL), SOTTO_OK);
	CHECK(j.settled);
	sotto_local_joint_release(&j);
}

static void the_bare_maximization_knows_likelihoods(void)
{
	double rows[6] = {.9, .1, .9, .1, .2, .8}, share[2], zero[2] = {0, 0},
	       wrong[2] = {-1, 2};
	unsigned iterations = 0;
	bool settled = true;

	CHECK_INT(sotto_local_em(rows, 3, 2, 2, share, &iterations, &settled), SOTTO_OK);
	CHECK(iterations == 2 && !settled);
	CHECK_INT(sotto_local_em(rows, 3, 2, 1000, share, &iterations, &settled), SOTTO_OK);
	CHECK(settled && iterations > 1 && fabs(share[0] + share[1] - 1) < 1e-9);
	/* the maximum of 2 ln(.1 + .8 x) + ln(.8 - .6 x): 1.6/(.1 + .8 x) = .6/(.8 - .6 x) */
	CHECK(fabs(share[0] - 1.22 / 1.44) < 1e-4);
	CHECK_INT(sotto_local_em(zero, 1, 2, 10, share, &iterations, &settled), SOTTO_EINVAL);
	CHECK_INT(sotto_local_em(wrong, 1, 2, 10, share, &iterations, &settled), SOTTO_EINVAL);
	CHECK_INT(sotto_local_em(rows, 0, 2, 10, share, &iterations, &settled), SOTTO_EINVAL);
}

static void bad_input_is_refused(void)
{
	struct sotto_local_map map = map_of(0, VALUES);
	struct sotto_local_variable v[2] = {{BITS, p, q, &map, false},
					    {BITS, p, p, &map, false}};
	struct sotto_local_joint j;

	CHECK_INT(sotto_local_associate(v, 1, reports, USERS, 1000, &j, NULL), SOTTO_EINVAL);
	CHECK_INT(sotto_local_associate(v, 2, reports, USERS, 1000, &j, NULL), SOTTO_EINVAL);
	v[1] = v[0];
	CHECK_INT(sotto_local_associate(v, 2, reports, 0, 1000, &j, NULL), SOTTO_EINVAL);
	reports[0].cohort = COHORTS;
	CHECK_INT(sotto_local_associate(v, 2, reports, USERS, 1000, &j, NULL), SOTTO_EINVAL);
}

int main(void)
{
	RUN(a_joint_distribution_comes_back_within_its_errors);
	RUN(independent_variables_are_rarely_called_dependent);
	RUN(unknown_values_go_to_other);
	RUN(three_variables_come_back);
	RUN(a_maximization_that_stops_at_its_limit_says_so);
	RUN(the_bare_maximization_knows_likelihoods);
	RUN(bad_input_is_refused);
	return tap_done();
}
