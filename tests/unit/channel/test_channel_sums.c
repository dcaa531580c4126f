/* Utilities by other ways, made channels and refusals of readers: each against a slow oracle. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_graph_named.h"
#include "channel/matrix/channel_matrix.h"
#include "channel/verify/channel_verify_doubles.h"
#include "sotto/channel.h"
#include "testlib/fixture/channels.h"
#include "testlib/tap.h"

/* ---- utility ------------------------------------------------------------------------------- */

static const char *const gains[] = {"identity",  "distance",     "squared", "weighted",
				    "window(1)", "threshold(3)", "parity"};
enum { GAINS = sizeof gains / sizeof gains[0] };

static void sums_over_one_denominator_are_those_of_the_definition(void)
{
	unsigned long state = 41;
	struct sotto_rational want;

	sotto_rational_init(&want);
	for (int i = 0; i < 60; i++) {
		struct sotto_user_case p =
			channels_problem("path", 5, "ln2", "binomial(2/7)", gains[i % GAINS]);
		struct sotto_matrix *m = channels_random(&state, 5, 4, i % 2);
		struct sotto_use u;

		REQUIRE(sotto_use_find(m, p.prior, p.gain, &u) == SOTTO_OK);
		channels_slow_utility(m, &p, &want);
		CHECK(sotto_rational_compare(&u.utility, &want) == 0);
		sotto_use_release(&u);
		sotto_matrix_free(m);
		sotto_user_case_release(&p);
	}
	sotto_rational_release(&want);
}

static void sweeps_in_doubles_find_the_exact_utility(void)
{
	static const char *const priors[] = {"uniform", "triangular", "bimodal",
					     "binomial(0.3)"};
	static const char *const epsilons[] = {"0.1", "ln2", "1", "5"};

	for (size_t i = 0; i < GAINS * 16; i++) {
		struct sotto_user_case p =
			channels_problem("path", i % 5 ? 6 + i % 14 : 1, epsilons[i / 4 % 4],
					 priors[i % 4], gains[i / 16]);
		struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
		struct sotto_leakage l;
		struct sotto_path_use fast;
		struct sotto_use u;

		REQUIRE(sotto_use_find(m, p.prior, p.gain, &u) == SOTTO_OK);
		REQUIRE(sotto_leakage_find(m, p.prior, &l) == SOTTO_OK);
		REQUIRE(sotto_path_use_find(p.prior, gains[i / 16], p.eps, &fast, NULL) ==
			SOTTO_OK);
		CHECK(fabs(fast.utility - channels_near(&u.utility)) <
		      1e-12 * (1 + fabs(fast.utility)));
		CHECK(fast.has_raw == u.has_raw);
		CHECK(!u.has_raw ||
		      fabs(fast.raw - channels_near(&u.raw)) < 1e-12 * (1 + fabs(fast.raw)));
		CHECK(fabs(fast.prior_value - channels_near(&u.prior_value)) <
		      1e-12 * (1 + fabs(fast.prior_value)));
		CHECK(fabs(fast.bayes_risk - l.bayes_risk) < 1e-12);
		CHECK(fabs(fast.min_entropy - l.min_entropy) < 1e-11);
		CHECK(fabs(fast.capacity - l.capacity) < 1e-11);
		sotto_path_use_release(&fast);
		sotto_use_release(&u);
		sotto_matrix_free(m);
		sotto_user_case_release(&p);
	}
}

static void what_would_take_minutes_is_refused(void)
{
	struct sotto_user_case p = channels_problem("path", 300, "0.1", "uniform", "distance");
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
	struct sotto_use u;

	CHECK(sotto_use_find(m, p.prior, p.gain, &u) == SOTTO_ERANGE);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

/* ---- doubles -------------------------------------------------------------------------------- */

static double near_one(unsigned long *state)
{
	return 1 + (double)channels_below(state, 1u << 30) * 0x1p-31 +
	       (double)channels_below(state, 1u << 20) * 0x1p-52;
}

/* The sign of a d - b c, exactly. */
static int sign_of_ratios(double a, double b, double c, double d)
{
	mpq_t x, y, z;
	int sign;

	mpq_inits(x, y, z, (mpq_ptr)0);
	mpq_set_d(x, a);
	mpq_set_d(y, d);
	mpq_mul(x, x, y);
	mpq_set_d(y, b);
	mpq_set_d(z, c);
	mpq_mul(y, y, z);
	sign = mpq_cmp(x, y);
	mpq_clears(x, y, z, (mpq_ptr)0);
	return sign;
}

/* Two columns whose ratios agree to the last bit or nearly so, at usual and at tiny sizes. */
static void ratios_that_differ_below_a_double_are_told_apart(void)
{
	struct sotto_user_case p = channels_problem("path", 2, "1", NULL, NULL);
	unsigned long state = 5;
	size_t close = 0;

	for (int i = 0; i < 4000; i++) {
		double small = i % 3 == 0 ? 0x1p-900 : 1, factor = near_one(&state);
		double first = 4 * near_one(&state), second = near_one(&state);
		const double cells[4] = {first, first * factor * small, second,
					 second * factor * small};
		struct sotto_witness w;
		bool infinite;
		int sign = sign_of_ratios(cells[1] / small, cells[3] / small, first, second);

		REQUIRE(sotto_verify_doubles(cells, 2, 2, p.graph, &w, &infinite) == SOTTO_OK);
		CHECK(!infinite && w.row == 0 && w.column == (sign > 0));
		close += sign != 0 && cells[1] / small * second == first * (cells[3] / small);
	}
	CHECK(close > 200); /* cases that a product of doubles does not decide */
	sotto_user_case_release(&p);
}

/* ---- readers ------------------------------------------------------------------------------------ */

static void numbers_are_read_as_what_they_are(void)
{
	struct sotto_matrix *m =
		channels_matrix("# head\n 3/16 ,\"0.1\",1e-3\t\r\n0x1.8p-3,-2,007 # tail\n\n");

	CHECK(sotto_matrix_rows(m) == 2 && sotto_matrix_columns(m) == 3);
	CHECK(channels_cell_is(m, 0, 0, "3/16"));
	CHECK(channels_cell_is(m, 0, 1, "1/10"));
	CHECK(channels_cell_is(m, 0, 2, "1/1000"));
	CHECK(channels_cell_is(m, 1, 0, "3/16"));
	CHECK(channels_cell_is(m, 1, 1, "-2"));
	CHECK(channels_cell_is(m, 1, 2, "7"));
	sotto_matrix_free(m);
}

/* strtod makes 0 of the first two, and of the third what 53 digits can hold. */
static void hexadecimal_numbers_are_exact_beyond_doubles(void)
{
	struct sotto_matrix *m =
		channels_matrix("0x1p-1080,1\n0x1p-1100,1\n"
				"0x1.00000000000008p0,-0xA.8\n0X1P+3,+0x.8p1\n");
	struct sotto_rational ratio;

	CHECK(channels_cell_is(m, 2, 0, "9007199254740993/9007199254740992"));
	CHECK(channels_cell_is(m, 2, 1, "-21/2"));
	CHECK(channels_cell_is(m, 3, 0, "8"));
	CHECK(channels_cell_is(m, 3, 1, "1"));
	sotto_rational_init(&ratio);
	CHECK_INT(sotto_matrix_get(m, 0, 0, &ratio), SOTTO_OK);
	CHECK_INT(sotto_rational_sign(&ratio), 1);
	sotto_rational_release(&ratio);
	sotto_matrix_free(m);
}

static void a_refusal_names_its_line(void)
{
	static const struct {
		const char *text, *start;
	} bad[] = {{"1,2\n3,x\n", "m.csv:2:"},  {"1,2\n\n#\n3\n", "m.csv:4:"},
		   {"1,,2\n", "m.csv:1:"},      {"", "m.csv:0:"},
		   {"1/0\n", "m.csv:1:"},       {"inf\n", "m.csv:1:"},
		   {"0x1p99999\n", "m.csv:1:"}, {"1\n2\n3 4\n", "m.csv:3:"},
		   {"0x\n", "m.csv:1:"},        {"0x1p\n", "m.csv:1:"},
		   {"0x1.2.3\n", "m.csv:1:"},   {"0x1p 3\n", "m.csv:1:"}};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct sotto_matrix *m = NULL;
		struct sotto_error err = {""};

		CHECK(sotto_matrix_parse(bad[i].text, strlen(bad[i].text), "m.csv", &m, &err) ==
			      SOTTO_EPARSE &&
		      !m);
		CHECK(strncmp(err.text, bad[i].start, strlen(bad[i].start)) == 0);
	}
}

static void a_query_has_the_graph_of_its_shape(void)
{
	static const struct {
		const char *query, *shape;
		size_t answers, edges;
	} same[] = {{"count", "path", 6, 5},
		    {"sum 3", "power 3", 6, 12},
		    {"category", "complete", 5, 10},
		    {"counts 3x4", "grid 3x4", 12, 17},
		    {"counts 2x3x4", "grid 2x3x4", 24, 46},
		    {"bits 3", "grid 2x2x2", 8, 12}};

	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
		struct sotto_user_case a =
			channels_problem(same[i].query, same[i].answers, "1", NULL, "distance");
		struct sotto_user_case b =
			channels_problem(same[i].shape, same[i].answers, "1", NULL, "distance");
		char *x = NULL, *y = NULL;

		CHECK_INT(a.graph->edge_count, same[i].edges);
		CHECK(sotto_matrix_format(a.gain, &x) == SOTTO_OK &&
		      sotto_matrix_format(b.gain, &y) == SOTTO_OK && strcmp(x, y) == 0);
		free(x);
		free(y);
		sotto_user_case_release(&a);
		sotto_user_case_release(&b);
	}
}

static void graphs_that_are_too_large_are_refused_at_once(void)
{
	static const char *const bad[] = {"grid 2x35555555555555555555",
					  "grid 99999x99999",
					  "grid 100x100x100",
					  "grid 9000x9000x9000x9000x9000x9000",
					  "grid 1x2x3x4x5x6x7x8x9",
					  "bits 64",
					  "hypercube 64",
					  "hypercube 9999999999",
					  "grid 0x4",
					  "grid 101x100",
					  "power 99999999999999999999",
					  "complete 3",
					  "grid",
					  "line x",
					  "path 3",
					  ""};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		for (size_t n = 0; n < 2; n++) {
			struct sotto_error err = {""};
			struct sotto_graph *g = NULL;
			enum sotto_status st = sotto_graph_named(bad[i], 2 * n, &g, &err);

			CHECK(st != SOTTO_OK && !g && err.text[0]);
		}
	{
		struct sotto_error err = {""};
		struct sotto_graph *g = NULL;

		CHECK(sotto_graph_named("complete", 9000, &g, &err) == SOTTO_ERANGE && !g);
	}
}

int main(void)
{
	RUN(sums_over_one_denominator_are_those_of_the_definition);
	RUN(sweeps_in_doubles_find_the_exact_utility);
	RUN(what_would_take_minutes_is_refused);
	RUN(ratios_that_differ_below_a_double_are_told_apart);
	RUN(numbers_are_read_as_what_they_are);
	RUN(hexadecimal_numbers_are_exact_beyond_doubles);
	RUN(a_refusal_names_its_line);
	RUN(a_query_has_the_graph_of_its_shape);
	RUN(graphs_that_are_too_large_are_refused_at_once);
	return tap_done();
}
