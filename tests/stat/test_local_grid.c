/*
 * The grid of google/rappor's regression tests: sizes of collections x distributions x
 * parameters and candidate lists.  Where every string is listed, false discoveries are
 * as rare as alpha says and intervals hold; where strings are missing, that is
 * noticed and does not turn into discoveries.  The short set has the small sizes.
 */
#include "local/protocol/design.h"
#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/discover.h"
#include "sotto/local.h"

#include <math.h>
#include <stdlib.h>

#include "testlib/effort.h"
#include "testlib/ratio.h"
#include "testlib/tap.h"

struct size {
	const char *name;
	size_t values;
	uint64_t users;
};

struct setting {
	const char *name;
	uint32_t bits, hashes, cohorts;
	const char *f, *p, *q;
	double extra; /* candidates that nobody holds, per value */
	bool missing; /* strings that end in 9 are not listed */
};

static const struct size sizes[] = {{"tiny", 100, 1000},
				    {"small", 100, 1000000},
				    {"medium", 1000, 10000000},
				    {"large", 10000, 100000000}};

static const char *const distributions[] = {"unif", "exp", "gauss", "zipf1", "zipf1.5"};

static const struct setting settings[] = {
	{"typical", 8, 2, 128, ".45", ".39", ".61", .2, true},
	{"sharp", 8, 2, 128, ".45", ".39", ".61", 0, false},
	{"loose", 8, 2, 128, "0", ".225", ".775", .2, true},
	{"over_x2", 8, 2, 128, ".45", ".39", ".61", 2, true},
	{"over_x10", 8, 2, 128, ".45", ".39", ".61", 10, true}};

struct names {
	char (*text)[12];
	const void **strings;
	size_t *lengths;
	uint64_t *truth; /* users of each */
	size_t count;
};

static void list_candidates(const struct setting *s, size_t values, const uint64_t *holders,
			    struct names *out)
{
	size_t all = values + (size_t)((double)values * s->extra);

	*out = (struct names){.text = malloc(all * sizeof *out->text),
			      .strings = malloc(all * sizeof *out->strings),
			      .lengths = malloc(all * sizeof *out->lengths),
			      .truth = malloc(all * sizeof *out->truth)};
	for (size_t i = 0; i < all; i++) {
		if (s->missing && (i + 1) % 10 == 9)
			continue;
		out->lengths[out->count] = (size_t)snprintf(out->text[out->count],
							    sizeof *out->text, "v%zu", i + 1);
		out->strings[out->count] = out->text[out->count];
		out->truth[out->count++] = i < values ? holders[i] : 0;
	}
}

static void release_names(struct names *n)
{
	free(n->text);
	free(n->strings);
	free(n->lengths);
	free(n->truth);
}

struct score {
	double found, wrong, missed, variation, allocated, covered;
};

static struct score
judge(const struct names *n, const struct sotto_local_estimate *e, double users)
{
	struct score s = {0};

	for (size_t i = 0; i < n->count; i++) {
		double truth = (double)n->truth[i];

		s.found += e[i].significant && truth > 0;
		s.wrong += e[i].significant && truth == 0;
		s.missed += !e[i].significant && truth > 0;
		s.variation += fabs(e[i].post - truth) / users / 2;
		s.allocated += e[i].significant ? e[i].count / users : 0;
		s.covered += (e[i].low <= truth && truth <= e[i].high) / (double)n->count;
	}
	return s;
}

/* One world, from people to scores. */
static bool one_world(const struct size *size, const char *distribution,
		      const struct setting *s, uint64_t seed, struct score *score,
		      struct sotto_local_fit *fit)
{
	struct sotto_client_params p = {
		.width = s->bits, .hashes = s->hashes, .groups = s->cohorts};
	struct sotto_local_options o = {.alpha = .05};
	uint64_t *holders = calloc(size->values, sizeof *holders);
	struct sotto_local_aggregate *a = NULL;
	struct sotto_local_estimate *e;
	struct sotto_local_cohorts data;
	struct sotto_local_map map;
	struct names names;
	bool ok;

	ok = sotto_local_design_rappor(&p, ratio(s->f), ratio(s->p), ratio(s->q), NULL) ==
		     SOTTO_OK &&
	     sotto_local_population(distribution, size->values, size->users, seed, holders,
				    NULL) == SOTTO_OK &&
	     sotto_local_aggregate_new(&p, &a) == SOTTO_OK &&
	     sotto_local_simulate_fast(a, holders, size->values, ~seed, NULL) == SOTTO_OK;
	list_candidates(s, size->values, holders, &names);
	e = calloc(names.count, sizeof *e);
	ok = ok && sotto_local_rappor_cohorts(a, &data) == SOTTO_OK &&
	     sotto_local_map_native(&p, names.strings, names.lengths, names.count, &map) ==
		     SOTTO_OK;
	if (ok) {
		ok = sotto_local_rappor_decode(&data, &map, &o, e, fit, NULL) == SOTTO_OK;
		sotto_local_map_release(&map);
	}
	*score = judge(&names, e, (double)size->users);
	free(e);
	free(holders);
	release_names(&names);
	sotto_local_aggregate_free(a);
	return ok;
}

static void check_cell(const struct size *size, const char *distribution,
		       const struct setting *s, double *families, double *worlds)
{
	struct sotto_local_fit fit;
	struct score score;

	CHECK(one_world(size, distribution, s, 11 + size->values, &score, &fit));
	tap_note("%-6s %-8s %-8s found %4.0f wrong %2.0f missed %5.0f variation %.3f "
		 "allocated %.3f covered %.3f dispersion %.2f",
		 size->name, distribution, s->name, score.found, score.wrong, score.missed,
		 score.variation, score.allocated, score.covered, fit.dispersion);
	CHECK(score.covered > .85);
	CHECK(score.allocated > -.01 && score.allocated < 1.1);
	/* a list without a tenth of the strings: few wrong ones among those found */
	CHECK(score.wrong <= 1 + .1 * score.found);
	*families += score.wrong > 0;
	*worlds += 1;
	if (strcmp(distribution, "zipf1.5") == 0 && size->users >= 1000000)
		CHECK(score.found >= 2);
}

static void the_grid_holds(void)
{
	size_t last = effort() == EFFORT_LONG ? 4 : effort() == EFFORT_SHORT ? 2 : 1;
	double families = 0, worlds = 0;

	for (size_t i = 0; i < last; i++)
		for (size_t d = 0; d < 5; d++)
			for (size_t s = 0; s < 5; s++)
				check_cell(&sizes[i], distributions[d], &settings[s], &families,
					   &worlds);
	tap_note("false discoveries in %.0f of %.0f worlds", families, worlds);
	/* alpha .05; 10^-9 of Binomial(worlds, .05) lies above mean + 6.5 deviations */
	CHECK(families <= .05 * worlds + 6.5 * sqrt(.0475 * worlds));
}

/* k = 32, h = 1, m = 64, 10^5 clients of 10 values each: one report per value. */
static void the_demos_hold(void)
{
	static const struct setting demo = {"demo", 32, 1, 64, ".5", ".25", ".75", .2, false};
	static const struct size people = {"demo", 100, 1000000};
	double families = 0, worlds = 0;

	for (size_t d = 0; d < 5; d++)
		check_cell(&people, distributions[d], &demo, &families, &worlds);
}

int main(void)
{
	RUN(the_grid_holds);
	RUN(the_demos_hold);
	return tap_done();
}
