/* What must hold for any matrix, graph and user, on many small random ones, exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"
#include "channel/verify/channel_verify_doubles.h"
#include "sotto/channel.h"
#include "testlib/fixture/channels.h"
#include "testlib/tap.h"

static const char *const graphs[] = {"path", "cycle",   "complete", "star",
				     "tree", "power 2", "grid 2x3", "line 0 1 3 4 6 9"};
enum { GRAPHS = sizeof graphs / sizeof graphs[0], NODES = 6 };

static const char *const epsilons[] = {"ln2", "ln(3/2)", "ln3", "0.5", "1", "alpha=9/10"};
enum { EPSILONS = sizeof epsilons / sizeof epsilons[0] };

static struct sotto_user_case random_problem(unsigned long *state)
{
	return channels_problem(graphs[channels_below(state, GRAPHS)], NODES,
				epsilons[channels_below(state, EPSILONS)], "uniform",
				channels_below(state, 2) ? "identity" : "distance");
}

/* ---- verification ------------------------------------------------------------------------------- */

/* The definition, without any shortcut, on a path. */
static bool slow_is_private(const struct sotto_matrix *m, const struct sotto_rational *bound)
{
	struct sotto_rational p, q;
	bool fine = true;

	sotto_rational_init(&p);
	sotto_rational_init(&q);
	for (size_t y = 0; y + 1 < sotto_matrix_rows(m); y++)
		for (size_t z = 0; z < sotto_matrix_columns(m); z++)
			for (int way = 0; way < 2; way++) {
				if (sotto_matrix_get(m, y + (size_t)way, z, &p) != SOTTO_OK ||
				    sotto_matrix_get(m, y + (size_t)!way, z, &q) != SOTTO_OK)
					return false;
				sotto_rational_multiply(&q, &q, bound);
				fine = fine && sotto_rational_compare(&p, &q) <= 0;
			}
	sotto_rational_release(&p);
	sotto_rational_release(&q);
	return fine;
}

static void the_ratio_is_the_least_that_bounds_all_edges(void)
{
	struct sotto_user_case p = channels_problem("path", 4, "1", NULL, NULL);
	unsigned long state = 7;

	for (int i = 0; i < 300; i++) {
		struct sotto_matrix *m =
			channels_random(&state, 4, 1 + channels_below(&state, 5), false);
		struct sotto_verdict v;
		struct sotto_rational less;

		sotto_verdict_init(&v);
		sotto_rational_init(&less);
		REQUIRE(sotto_verify_epsilon(m, p.graph, &v) == SOTTO_OK);
		CHECK(!v.infinite && slow_is_private(m, &v.ratio));
		REQUIRE(sotto_rational_set_ratio(&less, 999999, 1000000) == SOTTO_OK);
		sotto_rational_multiply(&less, &less, &v.ratio);
		CHECK(v.witness.row == v.witness.neighbour || !slow_is_private(m, &less));
		sotto_rational_release(&less);
		sotto_verdict_release(&v);
		sotto_matrix_free(m);
	}
	sotto_user_case_release(&p);
}

static void doubles_have_the_witness_of_their_fractions(void)
{
	struct sotto_user_case p = channels_problem("path", 5, "1", NULL, NULL);
	unsigned long state = 11;

	for (int i = 0; i < 300; i++) {
		double cells[20];
		struct sotto_matrix *m = channels_random(&state, 5, 4, i % 3 == 0);
		struct sotto_witness w;
		struct sotto_verdict v;
		struct sotto_rational cell;
		bool infinite;

		sotto_rational_init(&cell);
		sotto_verdict_init(&v);
		for (size_t k = 0; k < 20; k++) { /* the doubles' own fractions go back in */
			REQUIRE(sotto_matrix_get(m, k / 4, k % 4, &cell) == SOTTO_OK);
			cells[k] = channels_near(&cell) * (i % 2 ? 1 : 0x1p-1040);
			REQUIRE(sotto_rational_set_double(&cell, cells[k]) == SOTTO_OK);
			REQUIRE(sotto_matrix_set(m, k / 4, k % 4, &cell) == SOTTO_OK);
		}
		REQUIRE(sotto_verify_epsilon(m, p.graph, &v) == SOTTO_OK);
		REQUIRE(sotto_verify_doubles(cells, 5, 4, p.graph, &w, &infinite) == SOTTO_OK);
		CHECK(infinite == v.infinite);
		CHECK(w.row == v.witness.row && w.neighbour == v.witness.neighbour &&
		      w.column == v.witness.column);
		sotto_rational_release(&cell);
		sotto_verdict_release(&v);
		sotto_matrix_free(m);
	}
	sotto_user_case_release(&p);
}

/* delta at the factor of a delta is that delta, or less where the factor is already 1. */
static void delta_and_its_inverse_fit_together(void)
{
	struct sotto_user_case p = channels_problem("cycle", 4, "1", NULL, NULL);
	unsigned long state = 13;

	for (int i = 0; i < 200; i++) {
		struct sotto_matrix *m = channels_random(&state, 4, 5, i % 2);
		struct sotto_rational delta, back;
		struct sotto_verdict v;

		sotto_rational_init(&delta);
		sotto_rational_init(&back);
		sotto_verdict_init(&v);
		REQUIRE(sotto_rational_set_ratio(&delta, channels_below(&state, 20), 40) ==
			SOTTO_OK);
		REQUIRE(sotto_verify_epsilon_at(m, p.graph, &delta, &v) == SOTTO_OK);
		if (!v.infinite) {
			REQUIRE(sotto_verify_delta(m, p.graph, &v.ratio, &back) == SOTTO_OK);
			CHECK(sotto_rational_compare(&back, &delta) <= 0);
			CHECK(sotto_rational_compare(&back, &delta) == 0 ||
			      channels_is(&v.ratio, "1"));
		}
		sotto_rational_release(&delta);
		sotto_rational_release(&back);
		sotto_verdict_release(&v);
		sotto_matrix_free(m);
	}
	sotto_user_case_release(&p);
}

static void post_processing_never_hurts_privacy_nor_helps_utility(void)
{
	unsigned long state = 17;

	for (int i = 0; i < 200; i++) {
		struct sotto_user_case p = random_problem(&state);
		struct sotto_matrix *m = channels_random(&state, NODES, 4, false), *after;
		struct sotto_matrix *remap = channels_random(&state, 4, 3, true);
		struct sotto_verdict first, second;
		struct sotto_use before, then;

		sotto_verdict_init(&first);
		sotto_verdict_init(&second);
		REQUIRE(sotto_matrix_product(m, remap, &after) == SOTTO_OK);
		REQUIRE(sotto_verify_epsilon(m, p.graph, &first) == SOTTO_OK);
		REQUIRE(sotto_verify_epsilon(after, p.graph, &second) == SOTTO_OK);
		CHECK(second.epsilon_down <= first.epsilon_up);
		REQUIRE(sotto_use_find(m, p.prior, p.gain, &before) == SOTTO_OK);
		REQUIRE(sotto_use_find(after, p.prior, p.gain, &then) == SOTTO_OK);
		CHECK(sotto_rational_compare(&then.utility, &before.utility) <= 0);
		CHECK(sotto_rational_compare(&then.prior_value, &then.utility) <= 0);
		sotto_use_release(&before);
		sotto_use_release(&then);
		sotto_verdict_release(&first);
		sotto_verdict_release(&second);
		sotto_matrix_free(m);
		sotto_matrix_free(remap);
		sotto_matrix_free(after);
		sotto_user_case_release(&p);
	}
}

/* ---- mechanisms --------------------------------------------------------------------------------------- */

static void every_mechanism_is_private_at_its_epsilon(void)
{
	for (size_t g = 0; g < GRAPHS; g++)
		for (size_t e = 0; e < EPSILONS; e++)
			for (enum sotto_build b = 0; b < SOTTO_BUILD_COUNT; b++) {
				struct sotto_user_case p = channels_problem(
					graphs[g], NODES, epsilons[e], NULL, NULL);
				struct sotto_matrix *m = NULL;
				bool private = false;

				if (sotto_channel_build(b, p.graph, p.eps, &m, NULL) ==
				    SOTTO_OK) {
					CHECK(sotto_matrix_is_stochastic(m));
					CHECK(sotto_verify_private(m, p.graph, p.eps, NULL,
								   &private) == SOTTO_OK);
					CHECK(private);
				}
				sotto_matrix_free(m);
				sotto_user_case_release(&p);
			}
}

/* ---- optimality ---------------------------------------------------------------------------------------- */

/* The improving column is private and earns more than the prices say: so the other is better. */
static void a_mechanism_that_is_not_best_is_shown_a_better_column(void)
{
	unsigned long state = 29;
	int found = 0;

	for (int i = 0; i < 60; i++) {
		struct sotto_user_case p = channels_problem("path", 4, "ln2", NULL, NULL);
		struct sotto_matrix *gain = channels_gain(&state, 3, 4);
		struct sotto_matrix *prior = channels_random(&state, 1, 4, false);
		struct sotto_certificate c;

		REQUIRE(sotto_certificate_find(p.graph, p.eps, SOTTO_ALPHA_UP, prior, gain,
					       &c) == SOTTO_OK);
		if (!c.optimal) {
			struct sotto_rational x, y, two;

			found++;
			sotto_rational_init(&x);
			sotto_rational_init(&y);
			sotto_rational_init(&two);
			REQUIRE(sotto_rational_set_ratio(&two, 2, 1) == SOTTO_OK);
			for (size_t k = 0; k + 1 < 4;
			     k++) { /* neighbours differ by exactly 2 */
				REQUIRE(sotto_matrix_get(c.column, k, 0, &x) == SOTTO_OK);
				REQUIRE(sotto_matrix_get(c.column, k + 1, 0, &y) == SOTTO_OK);
				REQUIRE(sotto_rational_divide(&x, &x, &y) == SOTTO_OK);
				CHECK(channels_is(&x, "2") || channels_is(&x, "1/2"));
			}
			sotto_rational_release(&x);
			sotto_rational_release(&y);
			sotto_rational_release(&two);
		}
		sotto_certificate_release(&c);
		sotto_matrix_free(gain);
		sotto_matrix_free(prior);
		sotto_user_case_release(&p);
	}
	CHECK(found > 5);
}

/* The identity made from the geometric mechanism: the remap is its inverse. */
static void the_inverse_of_the_geometric_mechanism_has_three_diagonals(void)
{
	static const char *const want[] = {"2", "-1", "0",  "0", "0",  "-2", "5", "-2", "0",
					   "0", "0",  "-2", "5", "-2", "0",  "0", "0",  "-2",
					   "5", "-2", "0",  "0", "0",  "-1", "2"};
	struct sotto_matrix *identity =
		channels_matrix("1,0,0,0,0\n0,1,0,0,0\n0,0,1,0,0\n0,0,0,1,0\n0,0,0,0,1\n");
	struct sotto_derivation d;
	struct sotto_rational half;

	sotto_rational_init(&half);
	REQUIRE(sotto_rational_set_ratio(&half, 1, 2) == SOTTO_OK);
	REQUIRE(sotto_derive(identity, &half, &d) == SOTTO_OK);
	CHECK(!d.derivable);
	for (size_t i = 0; i < 25; i++)
		CHECK(channels_cell_is(d.remap, i / 5, i % 5, want[i]));
	sotto_derivation_release(&d);
	sotto_rational_release(&half);
	sotto_matrix_free(identity);
}

/* ---- degenerate sizes ------------------------------------------------------------------------------------ */

static void one_answer_tells_nothing(void)
{
	struct sotto_user_case p = channels_problem("path", 1, "ln2", "uniform", "identity");
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
	struct sotto_verdict v;
	struct sotto_optimal o;

	sotto_verdict_init(&v);
	REQUIRE(sotto_verify_epsilon(m, p.graph, &v) == SOTTO_OK);
	CHECK(channels_is(&v.ratio, "1") && v.epsilon_up == 0);
	REQUIRE(sotto_optimal_find(p.graph, p.eps, p.prior, p.gain, SOTTO_WAYS_ALL, &o, NULL) ==
		SOTTO_OK);
	CHECK(channels_is(&o.lower, "1"));
	sotto_optimal_release(&o);
	sotto_verdict_release(&v);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

static void at_epsilon_zero_the_prior_is_all_there_is(void)
{
	static const char *const zero[] = {"0", "ln1", "alpha=1"};

	for (size_t i = 0; i < 3; i++) {
		struct sotto_user_case p =
			channels_problem("path", 5, zero[i], "triangular", "distance");
		struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
		struct sotto_optimal o;
		struct sotto_use u;

		REQUIRE(sotto_use_find(m, p.prior, p.gain, &u) == SOTTO_OK);
		CHECK(sotto_rational_compare(&u.utility, &u.prior_value) == 0);
		REQUIRE(sotto_optimal_find(p.graph, p.eps, p.prior, p.gain, SOTTO_WAYS_ALL, &o,
					   NULL) == SOTTO_OK);
		CHECK(sotto_rational_compare(&o.lower, &u.prior_value) == 0 &&
		      sotto_rational_compare(&o.upper, &u.prior_value) == 0);
		sotto_optimal_release(&o);
		sotto_use_release(&u);
		sotto_matrix_free(m);
		sotto_user_case_release(&p);
	}
}

static void a_huge_epsilon_keeps_its_size(void)
{
	struct sotto_user_case p = channels_problem("path", 4, "500", "uniform", "identity");
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
	struct sotto_verdict v;

	sotto_verdict_init(&v);
	REQUIRE(sotto_verify_epsilon(m, p.graph, &v) == SOTTO_OK);
	CHECK(v.epsilon_up <= 500 && v.epsilon_down > 499.999999999);
	sotto_verdict_release(&v);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

/* Near 0 and far beyond what a solver's doubles hold, on a tree and on a circle. */
static void tiny_and_huge_epsilons_have_their_limits(void)
{
	static const struct {
		const char *epsilon;
		double utility;
	} ends[] = {{"1e-30", 0.5}, {"1e-900", 0.5}, {"1e-1500", 0.5}, {"60", 1}, {"10000", 1}};

	for (size_t i = 0; i < 4 * sizeof ends / sizeof ends[0]; i++) {
		struct sotto_user_case p =
			channels_problem(i % 2 ? "path" : "cycle", 4, ends[i / 4].epsilon,
					 "uniform", i % 4 < 2 ? "parity" : "threshold(2)");
		struct sotto_optimal o;
		bool private = false;

		if (channels_has_solver() || i % 2) {
			enum sotto_status st = sotto_optimal_find(
				p.graph, p.eps, p.prior, p.gain, SOTTO_WAYS_ALL, &o, NULL);

			CHECK(st == SOTTO_OK ||
			      (st == SOTTO_EMISSING && !channels_has_solver()));
			if (st == SOTTO_OK) {
				CHECK(fabs(channels_near(&o.lower) - ends[i / 4].utility) <
				      1e-9);
				CHECK(fabs(channels_near(&o.upper) - ends[i / 4].utility) <
				      1e-9);
				CHECK(sotto_verify_private(o.channel, p.graph, p.eps, NULL,
							   &private) == SOTTO_OK &&
				      private);
				sotto_optimal_release(&o);
			}
		}
		sotto_user_case_release(&p);
	}
}

static void parts_of_a_graph_without_a_way_are_independent(void)
{
	struct sotto_matrix *edges = channels_matrix("0,1\n2,3\n");
	struct sotto_matrix *m =
		channels_matrix("1/2,1/2,0,0\n1/3,2/3,0,0\n0,0,1/2,1/2\n0,0,1/3,2/3\n");
	struct sotto_graph *g = NULL;
	struct sotto_verdict v;
	struct sotto_optimal o;
	struct sotto_user_case p = channels_problem("path", 4, "ln2", "uniform", "identity");

	sotto_verdict_init(&v);
	REQUIRE(sotto_graph_of_matrix(edges, 4, &g, NULL) == SOTTO_OK);
	REQUIRE(sotto_verify_epsilon(m, g, &v) == SOTTO_OK);
	CHECK(!v.infinite && channels_is(&v.ratio, "3/2"));
	REQUIRE(sotto_optimal_find(g, p.eps, p.prior, p.gain, SOTTO_WAYS_ALL, &o, NULL) ==
		SOTTO_OK);
	CHECK(channels_is(&o.lower, "2/3")); /* each pair by itself: 2/3 of the answers right */
	sotto_optimal_release(&o);
	sotto_graph_free(g);
	sotto_verdict_release(&v);
	sotto_matrix_free(m);
	sotto_matrix_free(edges);
	sotto_user_case_release(&p);
}

static void answers_of_no_prior_stay_protected(void)
{
	struct sotto_user_case p = channels_problem("path", 4, "ln2", NULL, "identity");
	struct sotto_matrix *prior = channels_matrix("1/2,0,0,1/2");
	struct sotto_optimal o;
	bool private = false;

	REQUIRE(sotto_optimal_find(p.graph, p.eps, prior, p.gain, SOTTO_WAYS_ALL, &o, NULL) ==
		SOTTO_OK);
	CHECK(sotto_verify_private(o.channel, p.graph, p.eps, NULL, &private) == SOTTO_OK &&
	      private);
	/* without the two in the middle it would be 8/9; their rows allow 5/6 */
	CHECK(channels_is(&o.lower, "5/6"));
	sotto_optimal_release(&o);
	sotto_matrix_free(prior);
	sotto_user_case_release(&p);
}

static void every_best_guess_is_reported(void)
{
	struct sotto_user_case p = channels_problem("complete", 3, "0", "uniform", "identity");
	struct sotto_matrix *m = channels_matrix("1\n1\n1\n");
	struct sotto_use u;

	REQUIRE(sotto_use_find(m, p.prior, p.gain, &u) == SOTTO_OK);
	CHECK(u.remap[0] == 0 && u.best[0] && u.best[1] && u.best[2]);
	CHECK(!u.has_raw);
	sotto_use_release(&u);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

int main(void)
{
	RUN(the_ratio_is_the_least_that_bounds_all_edges);
	RUN(doubles_have_the_witness_of_their_fractions);
	RUN(delta_and_its_inverse_fit_together);
	RUN(post_processing_never_hurts_privacy_nor_helps_utility);
	RUN(every_mechanism_is_private_at_its_epsilon);
	RUN(a_mechanism_that_is_not_best_is_shown_a_better_column);
	RUN(the_inverse_of_the_geometric_mechanism_has_three_diagonals);
	RUN(one_answer_tells_nothing);
	RUN(at_epsilon_zero_the_prior_is_all_there_is);
	RUN(a_huge_epsilon_keeps_its_size);
	RUN(tiny_and_huge_epsilons_have_their_limits);
	RUN(parts_of_a_graph_without_a_way_are_independent);
	RUN(answers_of_no_prior_stay_protected);
	RUN(every_best_guess_is_reported);
	return tap_done();
}
