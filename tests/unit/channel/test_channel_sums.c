/* Utilities by other ways, made channels and refusals of readers: each against a slow oracle. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/matrix/channel_graph_named.h"
#include "channel/matrix/channel_matrix.h"
#include "channel/verify/channel_verify_doubles.h"
#include "sotto/channel.h"
#include "testlib/channels.h"
#include "testlib/tap.h"

/* ---- utility ------------------------------------------------------------------------------- */

/* The definition: sum over z of max over w of sum over y, in fractions, cell by cell. */
static void slow_utility(const struct sotto_matrix *m, const struct sotto_user_case *p,
			 struct sotto_rational *out)
{
	size_t n = sotto_matrix_rows(m);
	mpq_t best, sum;
	struct sotto_rational a, b, c;

	mpq_inits(best, sum, (mpq_ptr)0);
	sotto_rational_init(&a);
	sotto_rational_init(&b);
	sotto_rational_init(&c);
	mpq_set_ui(out->q, 0, 1);
	for (size_t z = 0; z < sotto_matrix_columns(m); z++) {
		for (size_t w = 0; w < sotto_matrix_rows(p->gain); w++) {
			mpq_set_ui(sum, 0, 1);
			for (size_t y = 0; y < n; y++) {
				if (sotto_matrix_get(m, y, z, &a) != SOTTO_OK ||
				    sotto_matrix_get(p->prior, 0, y, &b) != SOTTO_OK ||
				    sotto_matrix_get(p->gain, w, y, &c) != SOTTO_OK)
					abort();
				mpq_mul(a.q, a.q, b.q);
				mpq_mul(a.q, a.q, c.q);
				mpq_add(sum, sum, a.q);
			}
			if (w == 0 || mpq_cmp(sum, best) > 0)
				mpq_set(best, sum);
		}
		mpq_add(out->q, out->q, best);
	}
	mpq_clears(best, sum, (mpq_ptr)0);
	sotto_rational_release(&a);
	sotto_rational_release(&b);
	sotto_rational_release(&c);
}

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
		slow_utility(m, &p, &want);
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

/* ---- made from another ---------------------------------------------------------------------- */

static bool is_same(const struct sotto_matrix *a, const struct sotto_matrix *b)
{
	char *x = NULL, *y = NULL;
	bool same = sotto_matrix_format(a, &x) == SOTTO_OK &&
		    sotto_matrix_format(b, &y) == SOTTO_OK && strcmp(x, y) == 0;

	free(x);
	free(y);
	return same;
}

static void a_product_is_derivable_and_its_remap_makes_it(void)
{
	unsigned long state = 7;

	for (int i = 0; i < 25; i++) {
		struct sotto_matrix *from =
			channels_random(&state, 4, 3 + (size_t)i % 3, i % 2);
		struct sotto_matrix *remap = channels_random(&state, 3 + (size_t)i % 3,
							     2 + (size_t)i % 2, i % 3 == 0);
		struct sotto_matrix *to, *again;
		struct sotto_refinement r;

		REQUIRE(sotto_matrix_product(from, remap, &to) == SOTTO_OK);
		REQUIRE(sotto_refine(from, to, &r, NULL) == SOTTO_OK);
		CHECK(r.derivable && r.remap && !r.gain);
		REQUIRE(sotto_matrix_product(from, r.remap, &again) == SOTTO_OK);
		CHECK(is_same(again, to) && sotto_matrix_is_stochastic(r.remap));
		sotto_refinement_release(&r);
		sotto_matrix_free(from);
		sotto_matrix_free(remap);
		sotto_matrix_free(to);
		sotto_matrix_free(again);
	}
}

/* Whatever is said of random pairs is proven: a remap, or a gain that M2 is better for. */
static void both_verdicts_carry_their_proof(void)
{
	unsigned long state = 23;
	size_t refused = 0;
	struct sotto_rational first, second;

	sotto_rational_init(&first);
	sotto_rational_init(&second);
	for (int i = 0; i < 40; i++) {
		struct sotto_user_case p =
			channels_problem("path", 3, "1", "uniform", "identity");
		struct sotto_matrix *a = channels_random(&state, 3, 3, true);
		struct sotto_matrix *b = channels_random(&state, 3, 3, false);
		struct sotto_refinement r;

		REQUIRE(sotto_refine(a, b, &r, NULL) == SOTTO_OK);
		if (!r.derivable) {
			sotto_matrix_free(p.gain);
			p.gain = r.gain;
			r.gain = NULL;
			slow_utility(a, &p, &first);
			slow_utility(b, &p, &second);
			CHECK(sotto_rational_compare(&second, &first) > 0);
			CHECK(sotto_rational_compare(&second, &r.to) == 0);
			refused++;
		}
		sotto_refinement_release(&r);
		sotto_matrix_free(a);
		sotto_matrix_free(b);
		sotto_user_case_release(&p);
	}
	CHECK(refused > 5);
	sotto_rational_release(&first);
	sotto_rational_release(&second);
}

static void the_general_test_agrees_with_the_inverse_of_the_geometric(void)
{
	unsigned long state = 99;
	struct sotto_user_case p = channels_problem("path", 4, "ln2", "uniform", "identity");
	struct sotto_matrix *g = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
	struct sotto_rational alpha;
	size_t yes = 0;

	sotto_rational_init(&alpha);
	REQUIRE(sotto_eps_alpha(p.eps, &alpha));
	for (int i = 0; i < 30; i++) {
		struct sotto_matrix *t = channels_random(&state, 4, 3, true);
		struct sotto_matrix *m = NULL;
		struct sotto_derivation d;
		struct sotto_refinement r;

		if (i % 2) {
			REQUIRE(sotto_matrix_product(g, t, &m) == SOTTO_OK);
			sotto_matrix_free(t);
		} else {
			m = t;
		}
		REQUIRE(sotto_derive(m, &alpha, &d) == SOTTO_OK);
		REQUIRE(sotto_refine(g, m, &r, NULL) == SOTTO_OK);
		CHECK(d.derivable == r.derivable);
		yes += r.derivable;
		sotto_derivation_release(&d);
		sotto_refinement_release(&r);
		sotto_matrix_free(m);
	}
	CHECK(yes >= 15 && yes < 30);
	sotto_rational_release(&alpha);
	sotto_matrix_free(g);
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

static void a_refusal_names_its_line(void)
{
	static const struct {
		const char *text, *start;
	} bad[] = {{"1,2\n3,x\n", "m.csv:2:"},  {"1,2\n\n#\n3\n", "m.csv:4:"},
		   {"1,,2\n", "m.csv:1:"},      {"", "m.csv:0:"},
		   {"1/0\n", "m.csv:1:"},       {"inf\n", "m.csv:1:"},
		   {"0x1p99999\n", "m.csv:1:"}, {"1\n2\n3 4\n", "m.csv:3:"}};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct sotto_matrix *m = NULL;
		struct sotto_error err = {""};

		CHECK(sotto_matrix_parse(bad[i].text, strlen(bad[i].text), "m.csv", &m, &err) ==
			      SOTTO_EPARSE &&
		      !m);
		CHECK(strncmp(err.text, bad[i].start, strlen(bad[i].start)) == 0);
	}
}

static void graphs_that_are_too_large_are_refused_at_once(void)
{
	static const char *const bad[] = {"grid 2x35555555555555555555",
					  "grid 99999x99999",
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
	RUN(a_product_is_derivable_and_its_remap_makes_it);
	RUN(both_verdicts_carry_their_proof);
	RUN(the_general_test_agrees_with_the_inverse_of_the_geometric);
	RUN(numbers_are_read_as_what_they_are);
	RUN(a_refusal_names_its_line);
	RUN(graphs_that_are_too_large_are_refused_at_once);
	return tap_done();
}
