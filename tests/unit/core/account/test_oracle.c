/* The tests' own accountant, against figures that were computed elsewhere. */
#include "testlib/accountant/oracle.h"

#include <stdlib.h>

#include "testlib/tap.h"

struct known {
	const char *what;
	struct oracle_event events[3];
	size_t n;
	double at, value;
};

static const struct known deltas[] = {
	{"gaussian", {{ORACLE_GAUSSIAN, "1", .count = 1}}, 1, 1, 0.12693673750664395},
	{"laplace", {{ORACLE_LAPLACE, "1", .count = 1}}, 1, 0.3, 0.29531191028128657},
	{"two laplaces", {{ORACLE_LAPLACE, "1", .count = 2}}, 1, 0.5, 0.35049598998110478},
	{"discrete gaussian",
	 {{ORACLE_DISCRETE_GAUSSIAN, "1", .n = 1, .count = 1}},
	 1,
	 1,
	 .14135133940562191},
	{"geometric",
	 {{ORACLE_GEOMETRIC, "1.5", .n = 3, .count = 1}},
	 1,
	 .2,
	 .49132100259148415}};

/* where delta was asked for and epsilon found: at is that epsilon */
static const struct known inverted[] = {
	{"pure", {{ORACLE_PURE, "0.1", .count = 100}}, 1, 4.7745675881079862, 1e-6},
	{"laplace", {{ORACLE_LAPLACE, "0.1", .count = 10}}, 1, 0.99897808944721984, 1e-6},
	{"mixed",
	 {{ORACLE_LAPLACE, "0.1", .count = 10},
	  {ORACLE_GAUSSIAN, "10", .count = 10},
	  {ORACLE_RESPONSE, "0.2", .n = 2, .count = 5}},
	 3,
	 2.62687048040772,
	 1e-6},
	{"sampled response",
	 {{ORACLE_RESPONSE, "1", .n = 2, .rate = "0.1", .count = 50}},
	 1,
	 3.6232987996016837,
	 1e-6}};

static void the_oracle_gives_the_known_deltas(void)
{
	for (size_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++)
		CHECK_REL(oracle_worst_delta(deltas[i].events, deltas[i].n, deltas[i].at),
			  deltas[i].value, 1e-15);
}

static double one_way(const struct known *k, enum direction direction)
{
	struct oracle *o = oracle_new(k->events, k->n, direction);
	double delta;
	mpfr_t d;

	mpfr_init2(d, 64);
	oracle_delta(o, k->at, d);
	delta = mpfr_get_d(d, MPFR_RNDN);
	mpfr_clear(d);
	oracle_free(o);
	return delta;
}

static void the_oracle_gives_the_known_epsilons(void)
{
	for (size_t i = 0; i < sizeof inverted / sizeof inverted[0]; i++)
		CHECK_REL(one_way(&inverted[i], REMOVE), inverted[i].value, 1e-12);
}

static void the_oracle_knows_both_directions(void)
{
	struct known added = inverted[3];

	added.at = 2.8044435257079342;
	CHECK_REL(one_way(&added, ADD), 1e-6, 1e-12);
	CHECK(one_way(&added, REMOVE) > 1e-5);
}

int main(void)
{
	RUN(the_oracle_gives_the_known_deltas);
	RUN(the_oracle_gives_the_known_epsilons);
	RUN(the_oracle_knows_both_directions);
	return tap_done();
}
