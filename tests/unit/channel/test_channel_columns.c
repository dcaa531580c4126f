/* Exact columns on trees, symmetries, and certificates of long paths. */
#include <stdlib.h>
#include <string.h>

#include "channel/matrix/channel_graph.h"
#include "channel/optimal/channel_symmetry.h"
#include "sotto/channel.h"
#include "testlib/fixture/channels.h"
#include "testlib/tap.h"

/* ---- columns -------------------------------------------------------------------------------- */

/* A tree, a user and an epsilon, all of them random. */
struct random_case {
	struct sotto_user_case p;
	struct sotto_matrix *prior, *gain;
};

static struct random_case random_case(unsigned long *state, size_t answers, const char *epsilon)
{
	static const char *const trees[] = {"path", "star", "tree"};
	struct random_case c = {
		.p = channels_problem(trees[channels_below(state, 3)], answers, epsilon, NULL,
				      NULL),
		.prior = channels_random(state, 1, answers, true),
	};

	c.gain = channels_gain(state, 2 + channels_below(state, 3), answers);
	return c;
}

static void random_case_release(struct random_case *c)
{
	sotto_user_case_release(&c->p);
	sotto_matrix_free(c->prior);
	sotto_matrix_free(c->gain);
}

static enum sotto_status
find(const struct random_case *c, enum sotto_optimal_ways ways, struct sotto_optimal *o)
{
	return sotto_optimal_find(c->p.graph, c->p.eps, c->prior, c->gain, ways, o, NULL);
}

/* Its outputs are guesses, so what it is worth with its best remap is what it was found for. */
static void a_channel_of_columns_is_private_and_worth_what_is_said(void)
{
	static const char *const epsilons[] = {"ln2", "ln(3/2)", "0.5"};
	unsigned long state = 61;

	for (int i = 0; i < 60; i++) {
		struct random_case c = random_case(&state, 5, epsilons[i % 3]);
		struct sotto_optimal o;
		struct sotto_use u;
		bool private = false;

		REQUIRE(find(&c, SOTTO_WAYS_COLUMNS, &o) == SOTTO_OK);
		CHECK(o.method == SOTTO_OPTIMAL_COLUMNS &&
		      sotto_matrix_is_stochastic(o.channel));
		CHECK(sotto_verify_private(o.channel, c.p.graph, c.p.eps, NULL, &private) ==
			      SOTTO_OK &&
		      private);
		REQUIRE(sotto_use_find(o.channel, c.prior, c.gain, &u) == SOTTO_OK);
		CHECK(sotto_rational_compare(&u.utility, &o.lower) == 0);
		CHECK(sotto_rational_compare(&u.raw, &o.lower) == 0);
		CHECK(sotto_rational_compare(&o.lower, &o.upper) <= 0 &&
		      channels_near(&o.upper) - channels_near(&o.lower) < 1e-15);
		sotto_use_release(&u);
		sotto_optimal_release(&o);
		random_case_release(&c);
	}
}

/* Two ways that share nothing but the problem come to the same fraction. */
static void columns_and_certificates_come_to_the_same_fraction(void)
{
	unsigned long state = 67;
	size_t optimal = 0, beaten = 0;

	for (int i = 0; i < 80; i++) {
		struct random_case c = random_case(&state, 5, i % 2 ? "ln3" : "ln2");
		struct sotto_certificate certificate;
		struct sotto_optimal o;

		REQUIRE(find(&c, SOTTO_WAYS_COLUMNS, &o) == SOTTO_OK);
		REQUIRE(sotto_certificate_find(c.p.graph, c.p.eps, SOTTO_ALPHA_UP, c.prior,
					       c.gain, &certificate) == SOTTO_OK);
		if (certificate.applies) {
			int sign = sotto_rational_compare(&o.lower, &certificate.utility);

			CHECK(certificate.optimal ? sign == 0 : sign > 0);
			optimal += certificate.optimal;
			beaten += !certificate.optimal;
		}
		sotto_certificate_release(&certificate);
		sotto_optimal_release(&o);
		random_case_release(&c);
	}
	CHECK(optimal > 20 && beaten > 5);
}

static void columns_and_programs_come_to_the_same_fraction(void)
{
	unsigned long state = 71;

	for (int i = 0; i < 40; i++) {
		struct random_case c = random_case(&state, 6, i % 2 ? "ln3" : "ln2");
		struct sotto_optimal columns, program;

		REQUIRE(find(&c, SOTTO_WAYS_COLUMNS, &columns) == SOTTO_OK);
		REQUIRE(find(&c, SOTTO_WAYS_PROGRAM, &program) == SOTTO_OK);
		CHECK(sotto_rational_compare(&program.lower, &columns.lower) <= 0);
		CHECK(sotto_rational_compare(&columns.lower, &program.upper) <= 0);
		sotto_optimal_release(&columns);
		sotto_optimal_release(&program);
		random_case_release(&c);
	}
}

static void columns_are_refused_off_small_trees(void)
{
	struct sotto_user_case cycle = channels_problem("cycle", 4, "ln2", NULL, NULL);
	struct sotto_user_case large = channels_problem("path", 100, "0.5", NULL, NULL);
	struct sotto_optimal o;

	CHECK(sotto_optimal_find(cycle.graph, cycle.eps, cycle.prior, cycle.gain,
				 SOTTO_WAYS_COLUMNS, &o, NULL) == SOTTO_EREFUSED);
	CHECK(sotto_optimal_find(large.graph, large.eps, large.prior, large.gain,
				 SOTTO_WAYS_COLUMNS, &o, NULL) == SOTTO_EREFUSED);
	sotto_user_case_release(&cycle);
	sotto_user_case_release(&large);
}

/* ---- symmetries ------------------------------------------------------------------------------- */

static void symmetries_leave_as_many_variables_as_they_should(void)
{
	static const struct {
		const char *graph;
		size_t answers;
		const char *prior, *gain;
		size_t cells, rows; /* orbits */
	} want[] = {
		{"path", 6, "uniform", "distance", 18, 3}, /* reflection halves */
		{"path", 7, "uniform", "distance", 25, 4}, /* the middle cell is fixed */
		{"path", 6, "triangular", "distance", 36, 6},
		{"path", 6, "uniform", "threshold(2)", 12, 6},
		{"path", 6, "uniform", "threshold(3)", 6, 3}, /* no becomes yes */
		{"cycle", 8, "uniform", "distance", 5, 1}, /* one for each distance */
		{"complete", 7, "uniform", "identity", 2, 1},
		{"hypercube 4", 16, "uniform", "distance", 5, 1},
		{"star", 6, "uniform", "distance", 5, 2},
		{"grid 3x3", 9, "uniform", "distance", 15, 3},
		{"line 0 1 3 4", 4, "uniform", "identity", 8, 2},
		{"line 0 1 3 5", 4, "uniform", "identity", 16, 4},
	};

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		struct sotto_user_case p = channels_problem(want[i].graph, want[i].answers,
							    "ln2", want[i].prior, want[i].gain);
		struct sotto_symmetry s;

		REQUIRE(sotto_symmetry_find(p.graph, p.prior, p.gain, &s) == SOTTO_OK);
		CHECK_INT(s.cell_orbits, want[i].cells);
		CHECK_INT(s.answer_orbits, want[i].rows);
		sotto_symmetry_release(&s);
		sotto_user_case_release(&p);
	}
}

/* Cells of one orbit have the same prior times gain, so no other is averaged into it. */
static void cells_of_an_orbit_are_worth_the_same(void)
{
	unsigned long state = 73;

	for (int i = 0; i < 60; i++) {
		struct sotto_user_case p =
			channels_problem(i % 2 ? "cycle" : "grid 2x3", 6, "ln2", NULL, NULL);
		struct sotto_matrix *prior = channels_random(&state, 1, 6, true);
		struct sotto_matrix *gain =
			channels_gain(&state, 1 + channels_below(&state, 3), 6);
		struct sotto_symmetry s;
		struct sotto_rational a, b;
		size_t guesses = sotto_matrix_rows(gain);

		sotto_rational_init(&a);
		sotto_rational_init(&b);
		REQUIRE(sotto_symmetry_find(p.graph, prior, gain, &s) == SOTTO_OK);
		for (size_t j = 0; j < 6 * guesses; j++)
			for (size_t k = 0; k < j; k++) {
				if (s.cell[j] != s.cell[k])
					continue;
				CHECK(sotto_matrix_get(gain, j % guesses, j / guesses, &a) ==
					      SOTTO_OK &&
				      sotto_matrix_get(gain, k % guesses, k / guesses, &b) ==
					      SOTTO_OK &&
				      sotto_rational_compare(&a, &b) == 0);
				CHECK(s.answer[j / guesses] == s.answer[k / guesses]);
			}
		sotto_rational_release(&a);
		sotto_rational_release(&b);
		sotto_symmetry_release(&s);
		sotto_matrix_free(prior);
		sotto_matrix_free(gain);
		sotto_user_case_release(&p);
	}
}

/* Neighbours on a torus of 4 x 4: along rows and columns, or (Shrikhande) along a diagonal too. */
static bool is_neighbour(size_t a, size_t b, bool rook)
{
	size_t row = (b / 4 + 4 - a / 4) % 4, column = (b % 4 + 4 - a % 4) % 4;

	if (rook)
		return (row == 0) != (column == 0);
	return (row == 0 && column % 2) || (column == 0 && row % 2) ||
	       (row == column && row % 2);
}

/*
 * Both graphs look the same from every node at first (16 nodes, 6 neighbours, 2 shared by any
 * two), and no renaming takes one to the other: a renaming by colours alone would.
 */
static void graphs_that_look_alike_are_not_renamed_into_each_other(void)
{
	char text[2000] = "";
	struct sotto_user_case p = channels_problem("path", 32, "1", "uniform", "identity");
	struct sotto_matrix *edges, *gain = NULL;
	struct sotto_rational one;
	struct sotto_graph *g = NULL;
	struct sotto_symmetry s;

	sotto_rational_init(&one);
	REQUIRE(sotto_rational_set_ratio(&one, 1, 1) == SOTTO_OK);
	REQUIRE(sotto_matrix_new(1, 32, &gain) == SOTTO_OK);
	for (size_t y = 0; y < 32; y++)
		REQUIRE(sotto_matrix_set(gain, 0, y, &one) == SOTTO_OK);
	for (size_t i = 0; i < 2 * 16 * 16; i++) {
		size_t a = i / 16 % 16, b = i % 16, first = i / 256 * 16;

		if (a < b && is_neighbour(a, b, first == 0))
			(void)snprintf(text + strlen(text), sizeof text - strlen(text),
				       "%zu,%zu\n", first + a, first + b);
	}
	edges = channels_matrix(text);
	CHECK_INT(sotto_matrix_rows(edges), 2 * 16 * 6 / 2);
	REQUIRE(sotto_graph_of_matrix(edges, 32, &g, NULL) == SOTTO_OK);
	REQUIRE(sotto_symmetry_find(g, p.prior, gain, &s) == SOTTO_OK);
	CHECK(s.answer_orbits < 8); /* most renamings within each are found */
	for (size_t i = 0; i < 256; i++)
		CHECK(s.answer[i / 16] != s.answer[16 + i % 16]);
	sotto_symmetry_release(&s);
	sotto_rational_release(&one);
	sotto_graph_free(g);
	sotto_matrix_free(edges);
	sotto_matrix_free(gain);
	sotto_user_case_release(&p);
}

/* ---- long paths ---------------------------------------------------------------------------------- */

static void a_certificate_without_a_table_is_that_of_the_table(void)
{
	static const char *const gains[] = {"identity",      "distance",       "squared",
					    "weighted",      "window(3/2)",    "window(-1)",
					    "threshold(3)",  "threshold(5/2)", "threshold(99)",
					    "threshold(-3)", "parity"};
	static const char *const priors[] = {"uniform", "triangular", "binomial(0.3)"};
	enum { GAINS = sizeof gains / sizeof gains[0] };

	for (size_t i = 0; i < 6 * GAINS; i++) {
		struct sotto_user_case p =
			channels_problem("path", 2 + i % 5, i % 2 ? "ln(3/2)" : "0.5",
					 priors[i / GAINS % 3], gains[i % GAINS]);
		struct sotto_certificate table, rule;
		enum sotto_alpha_side side = i / GAINS / 3 ? SOTTO_ALPHA_DOWN : SOTTO_ALPHA_UP;

		REQUIRE(sotto_certificate_find(p.graph, p.eps, side, p.prior, p.gain, &table) ==
			SOTTO_OK);
		REQUIRE(sotto_path_certificate_find(p.prior, gains[i % GAINS], p.eps, side,
						    &rule, NULL) == SOTTO_OK);
		CHECK(rule.applies && rule.optimal == table.optimal);
		CHECK(sotto_rational_compare(&rule.utility, &table.utility) == 0);
		CHECK((rule.column != NULL) == (table.column != NULL));
		for (size_t z = 0; z < sotto_graph_answers(p.graph); z++)
			CHECK(rule.remap[z] == table.remap[z]);
		sotto_certificate_release(&table);
		sotto_certificate_release(&rule);
		sotto_user_case_release(&p);
	}
}

/* U = (N - (N-2)a)/(N(1+a)), also where a table of gains would have a million cells */
static void a_long_path_has_its_closed_form(void)
{
	struct sotto_matrix *prior;
	struct sotto_eps *eps;
	struct sotto_certificate c;

	REQUIRE(sotto_prior_named("uniform", 700, &prior, NULL) == SOTTO_OK);
	REQUIRE(sotto_eps_new("ln2", &eps, NULL) == SOTTO_OK);
	REQUIRE(sotto_path_certificate_find(prior, "identity", eps, SOTTO_ALPHA_UP, &c, NULL) ==
		SOTTO_OK);
	CHECK(c.optimal && channels_is(&c.utility, "351/1050"));
	sotto_certificate_release(&c);
	sotto_matrix_free(prior);
	sotto_eps_free(eps);
}

static void a_certificate_that_would_take_minutes_is_refused(void)
{
	struct sotto_error err = {""};
	struct sotto_matrix *prior;
	struct sotto_eps *eps;
	struct sotto_certificate c;

	REQUIRE(sotto_prior_named("uniform", 9000, &prior, NULL) == SOTTO_OK);
	REQUIRE(sotto_eps_new("0.1", &eps, NULL) == SOTTO_OK);
	CHECK(sotto_path_certificate_find(prior, "distance", eps, SOTTO_ALPHA_UP, &c, &err) ==
		      SOTTO_ERANGE &&
	      err.text[0]);
	CHECK(sotto_path_certificate_find(prior, "nearness", eps, SOTTO_ALPHA_UP, &c, &err) ==
	      SOTTO_EPARSE);
	sotto_matrix_free(prior);
	sotto_eps_free(eps);
}

int main(void)
{
	RUN(a_channel_of_columns_is_private_and_worth_what_is_said);
	RUN(columns_and_certificates_come_to_the_same_fraction);
	if (channels_has_solver())
		RUN(columns_and_programs_come_to_the_same_fraction);
	else
		tap_note("skipped: linear programs, COIN-OR Clp is not installed");
	RUN(columns_are_refused_off_small_trees);
	RUN(symmetries_leave_as_many_variables_as_they_should);
	RUN(cells_of_an_orbit_are_worth_the_same);
	RUN(graphs_that_look_alike_are_not_renamed_into_each_other);
	RUN(a_certificate_without_a_table_is_that_of_the_table);
	RUN(a_long_path_has_its_closed_form);
	RUN(a_certificate_that_would_take_minutes_is_refused);
	return tap_done();
}
