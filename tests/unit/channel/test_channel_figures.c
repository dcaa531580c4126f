/* Published and hand-checked figures, in exact fractions where the epsilon allows it. */
#include <stdlib.h>

#include "channel/matrix/channel_matrix.h"
#include "testlib/fixture/channels.h"
#include "testlib/tap.h"

#define CHECK_CLOSE(got, want, slack)                                                          \
	((void)tap_check(fabs((got) - (want)) <= (slack), __FILE__, __LINE__,                  \
			 "%s = %.13g, not %.13g", #got, (double)(got), (double)(want)))

/* ---- the best mechanism ------------------------------------------------------------------------ */

static const struct {
	const char *graph;
	size_t answers;
	const char *epsilon, *prior, *gain;
	const char *exact; /* or NULL */
	double near;
	enum sotto_optimal_method method;
} best[] = {
	{"path", 6, "ln2", "uniform", "identity", "4/9", 4. / 9, SOTTO_OPTIMAL_CERTIFICATE},
	{"path", 6, "ln2", "uniform", "distance", "197/48", 197. / 48,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"path", 6, "ln2", "binomial 0.3", "distance", "2092879/480000", 2092879. / 480000,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"path", 6, "ln2", "triangular", "distance", "1403/336", 1403. / 336,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"path", 6, "ln2", "uniform", "squared", "563/24", 563. / 24,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"path", 6, "1", "binomial 0.3", "identity", NULL, 0.5286751259,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"path", 6, "1", "binomial(0.3)", "window 1", NULL, 0.9471190233,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"path", 11, "0.5", "uniform", "distance", NULL, 8.5826442609,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"path", 11, "ln3", "bimodal", "identity", "157/250", 0.628, SOTTO_OPTIMAL_CERTIFICATE},
	{"path", 21, "0.1", "uniform", "distance", NULL, 15.5969162592,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"cycle", 4, "ln2", "uniform", "identity", "4/9", 4. / 9, SOTTO_OPTIMAL_TIGHT},
	{"cycle", 4, "1", "uniform", "identity", NULL, 0.5344466454, SOTTO_OPTIMAL_REPAIRED},
	{"cycle", 4, "ln2", "uniform", "distance", "4/3", 4. / 3, SOTTO_OPTIMAL_VERTEX},
	{"cycle", 4, "1", "uniform", "distance", NULL, 2 - 0.5378828427,
	 SOTTO_OPTIMAL_REPAIRED},
	{"complete", 3, "ln2", "uniform", "identity", "1/2", 0.5, SOTTO_OPTIMAL_TIGHT},
	{"complete", 3, "1", "uniform", "identity", NULL, 0.5761168848, SOTTO_OPTIMAL_REPAIRED},
	{"complete", 5, "ln2", "uniform", "identity", "1/3", 1. / 3, SOTTO_OPTIMAL_TIGHT},
	{"complete", 5, "1", "uniform", "identity", NULL, 0.4046096752, SOTTO_OPTIMAL_REPAIRED},
	{"star", 4, "ln2", "uniform", "identity", "1/2", 0.5, SOTTO_OPTIMAL_TIGHT},
	{"star", 4, "1", "uniform", "identity", NULL, 0.5965878679, SOTTO_OPTIMAL_CERTIFICATE},
	{"star", 4, "1", "uniform", "distance", NULL, 2 - 0.5518191618,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"hypercube 3", 8, "ln2", "uniform", "identity", "8/27", 8. / 27, SOTTO_OPTIMAL_TIGHT},
	{"hypercube 3", 8, "1", "uniform", "identity", NULL, 0.3907118049,
	 SOTTO_OPTIMAL_REPAIRED},
	{"hypercube 3", 8, "ln2", "uniform", "distance", "2", 2, SOTTO_OPTIMAL_VERTEX},
	{"hypercube 3", 8, "1", "uniform", "distance", NULL, 3 - 0.8068242641,
	 SOTTO_OPTIMAL_REPAIRED},
	{"line 0 2 3 7", 4, "ln2", "uniform", "identity", "359/510", 359. / 510,
	 SOTTO_OPTIMAL_CERTIFICATE},
	{"line 0 2 3 7", 4, "ln2", "uniform", "distance", "26111/4080", 26111. / 4080,
	 SOTTO_OPTIMAL_CERTIFICATE},
};

static bool needs_solver(enum sotto_optimal_method m)
{
	return m == SOTTO_OPTIMAL_VERTEX || m == SOTTO_OPTIMAL_REPAIRED;
}

static void the_best_mechanisms_are_the_published_ones(void)
{
	bool solver = channels_has_solver();

	if (!solver)
		tap_note("skipped: linear programs, COIN-OR Clp is not installed");
	for (size_t i = 0; i < sizeof best / sizeof best[0]; i++) {
		if (needs_solver(best[i].method) && !solver)
			continue;
		struct sotto_user_case p =
			channels_problem(best[i].graph, best[i].answers, best[i].epsilon,
					 best[i].prior, best[i].gain);
		struct sotto_error err = {""};
		struct sotto_optimal o;
		bool private = false;

		REQUIRE(sotto_optimal_find(p.graph, p.eps, p.prior, p.gain, SOTTO_WAYS_ALL, &o,
					   &err) == SOTTO_OK);
		CHECK_INT(o.method, best[i].method);
		CHECK_CLOSE(channels_near(&o.lower), best[i].near, 1e-9);
		CHECK_CLOSE(channels_near(&o.upper), best[i].near, 1e-9);
		if (best[i].exact)
			CHECK(channels_is(&o.lower, best[i].exact) &&
			      channels_is(&o.upper, best[i].exact));
		CHECK(sotto_verify_private(o.channel, p.graph, p.eps, NULL, &private) ==
			      SOTTO_OK &&
		      private);
		sotto_optimal_release(&o);
		sotto_user_case_release(&p);
	}
}

static void a_guess_about_the_middle_has_a_better_mechanism_than_the_geometric(void)
{
	struct sotto_user_case p = channels_problem("path", 3, "ln2", "uniform", "distance");
	struct sotto_matrix *prior = channels_matrix("1/4,1/2,1/4");
	struct sotto_matrix *gain = channels_matrix("0,1,0\n1,0,1\n");
	struct sotto_certificate c;
	struct sotto_optimal o;

	REQUIRE(sotto_certificate_find(p.graph, p.eps, SOTTO_ALPHA_UP, prior, gain, &c) ==
		SOTTO_OK);
	CHECK(c.applies && !c.optimal && c.column);
	CHECK(channels_is(&c.utility, "7/12"));
	REQUIRE(sotto_optimal_find(p.graph, p.eps, prior, gain, SOTTO_WAYS_ALL, &o, NULL) ==
		SOTTO_OK);
	CHECK(channels_is(&o.lower, "2/3") && channels_is(&o.upper, "2/3"));
	sotto_optimal_release(&o);
	sotto_certificate_release(&c);
	sotto_matrix_free(prior);
	sotto_matrix_free(gain);
	sotto_user_case_release(&p);
}

/* ---- uniform prior on a path ---------------------------------------------------------------------- */

static const struct {
	size_t answers;
	const char *epsilon;
	double identity, loss, raw_loss; /* raw 0: the same */
} uniform[] = {
	{2, "0.1", 0.5249791875, 0.4750208125, 0},
	{2, "ln2", 2. / 3, 1. / 3, 0},
	{2, "1", 0.7310585786, 0.2689414214, 0},
	{2, "ln3", 0.75, 0.25, 0},
	{3, "0.1", 0.3666389166, 0.6666666667, 0.9199054870},
	{3, "ln2", 5. / 9, 5. / 9, 0},
	{3, "1", 0.6414114382, 0.4245472417, 0},
	{3, "ln3", 2. / 3, 7. / 18, 0},
	{6, "0.1", 0.2082986458, 1.4312505219, 2.0944456822},
	{6, "ln2", 4. / 9, 43. / 48, 0},
	{6, "1", 0.5517642977, 0.6271188067, 0},
	{6, "ln3", 7. / 12, 0.5627572016, 0},
	{100, "ln2", 0.34, 1.3066666667, 0},
	{100, "ln3", 0.505, 0.73875, 0},
};

static void
use_geometric(size_t answers, const char *epsilon, const char *gain, struct sotto_use *out)
{
	struct sotto_user_case p = channels_problem("path", answers, epsilon, "uniform", gain);
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p);

	REQUIRE(sotto_use_find(m, p.prior, p.gain, out) == SOTTO_OK);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

static void the_geometric_mechanism_has_its_closed_forms(void)
{
	for (size_t i = 0; i < sizeof uniform / sizeof uniform[0]; i++) {
		double far = (double)(uniform[i].answers - 1);
		double raw = uniform[i].raw_loss > 0 ? uniform[i].raw_loss : uniform[i].loss;
		struct sotto_use u;

		use_geometric(uniform[i].answers, uniform[i].epsilon, "identity", &u);
		CHECK_CLOSE(channels_near(&u.utility), uniform[i].identity, 1e-9);
		sotto_use_release(&u);
		use_geometric(uniform[i].answers, uniform[i].epsilon, "distance", &u);
		CHECK_CLOSE(far - channels_near(&u.utility), uniform[i].loss, 1e-9);
		CHECK_CLOSE(far - channels_near(&u.raw), raw, 1e-9);
		sotto_use_release(&u);
	}
}

static void remaps_are_the_published_ones(void)
{
	static const size_t want[] = {5,  5,  6,  6,  7,  7,  8,  8,  9,  9, 10,
				      11, 11, 12, 12, 13, 13, 14, 14, 15, 15};
	struct sotto_use u;

	use_geometric(21, "0.1", "distance", &u);
	for (size_t z = 0; z < 21; z++)
		CHECK_INT(u.remap[z], want[z]);
	sotto_use_release(&u);
	use_geometric(6, "ln2", "squared", &u);
	CHECK(u.remap[0] == 1 && u.remap[1] == 1 && u.remap[4] == 4 && u.remap[5] == 4);
	sotto_use_release(&u);
}

/* ---- other mechanisms --------------------------------------------------------------------------------- */

static void other_mechanisms_have_their_figures(void)
{
	static const struct {
		enum sotto_build b;
		double epsilon, identity, distance;
	} want[] = {{SOTTO_BUILD_LAPLACE, 0.6931471806, 0.4107443490, 4.0626796244},
		    {SOTTO_BUILD_RESPONSE, 0.6931471806, 2. / 7, 25. / 7},
		    {SOTTO_BUILD_EXPONENTIAL, 0.5099842055, 0.2948051838, 3.7354119435}};

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
		for (int d = 0; d < 2; d++) {
			struct sotto_user_case p = channels_problem(
				"path", 6, "ln2", "uniform", d ? "distance" : "identity");
			struct sotto_matrix *m = channels_build(want[i].b, &p);
			struct sotto_verdict v;
			struct sotto_use u;

			sotto_verdict_init(&v);
			REQUIRE(sotto_use_find(m, p.prior, p.gain, &u) == SOTTO_OK);
			REQUIRE(sotto_verify_epsilon(m, p.graph, &v) == SOTTO_OK);
			CHECK_CLOSE(v.epsilon_up, want[i].epsilon, 1e-9);
			CHECK_CLOSE(channels_near(&u.utility),
				    d ? want[i].distance : want[i].identity, 1e-9);
			CHECK(sotto_matrix_is_stochastic(m));
			sotto_use_release(&u);
			sotto_verdict_release(&v);
			sotto_matrix_free(m);
			sotto_user_case_release(&p);
		}
}

static void a_retuned_exponential_uses_the_whole_epsilon_and_no_more(void)
{
	struct sotto_user_case p = channels_problem("path", 6, "ln2", "uniform", "distance");
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_RETUNED, &p);
	struct sotto_verdict v;
	bool private = false;

	sotto_verdict_init(&v);
	REQUIRE(sotto_verify_epsilon(m, p.graph, &v) == SOTTO_OK);
	CHECK_CLOSE(v.epsilon_up, log(2), 1e-8);
	CHECK(sotto_verify_private(m, p.graph, p.eps, NULL, &private) == SOTTO_OK && private);
	sotto_verdict_release(&v);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

static void leakage_has_its_figures(void)
{
	struct sotto_user_case p = channels_problem("path", 6, "ln2", "uniform", "identity");
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
	struct sotto_leakage l;

	REQUIRE(sotto_leakage_find(m, p.prior, &l) == SOTTO_OK);
	CHECK_CLOSE(l.entropy_after, 2.0776156491, 1e-9);
	CHECK_CLOSE(l.information, 0.5073468516, 1e-9);
	CHECK_CLOSE(l.guessing_before, 3.5, 1e-12);
	CHECK_CLOSE(l.guessing_after, 13. / 6, 1e-12);
	CHECK_CLOSE(l.bayes_risk, 5. / 9, 1e-12);
	CHECK_CLOSE(l.capacity, 8. / 3, 1e-12);
	CHECK_CLOSE(l.min_entropy, 1.4150374993, 1e-9);
	CHECK(l.information <= l.shannon_capacity_up + 1e-12);
	CHECK(l.shannon_capacity_up - l.shannon_capacity <= 1e-12);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

static void post_processing_has_its_figures(void)
{
	struct sotto_user_case p = channels_problem("path", 6, "ln2", "uniform", "identity");
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p), *after;
	struct sotto_matrix *clamp = channels_matrix("0,1,0,0,0,0\n0,1,0,0,0,0\n0,0,1,0,0,0\n"
						     "0,0,0,1,0,0\n0,0,0,0,1,0\n0,0,0,0,1,0\n");
	struct sotto_matrix *constant = channels_matrix("1\n1\n1\n1\n1\n1\n");
	struct sotto_verdict v;
	struct sotto_use u;

	sotto_verdict_init(&v);
	REQUIRE(sotto_matrix_product(m, clamp, &after) == SOTTO_OK);
	REQUIRE(sotto_use_find(after, p.prior, p.gain, &u) == SOTTO_OK);
	CHECK(channels_is(&u.utility, "7/18"));
	sotto_use_release(&u);
	sotto_matrix_free(after);
	REQUIRE(sotto_matrix_product(m, constant, &after) == SOTTO_OK);
	REQUIRE(sotto_use_find(after, p.prior, p.gain, &u) == SOTTO_OK);
	REQUIRE(sotto_verify_epsilon(after, p.graph, &v) == SOTTO_OK);
	CHECK(channels_is(&u.utility, "1/6") && channels_is(&v.ratio, "1"));
	sotto_use_release(&u);
	sotto_matrix_free(after);
	sotto_matrix_free(m);
	sotto_matrix_free(clamp);
	sotto_matrix_free(constant);
	sotto_verdict_release(&v);
	sotto_user_case_release(&p);
}

/* ---- verification ------------------------------------------------------------------------------------- */

static void a_small_matrix_has_its_exact_epsilon(void)
{
	struct sotto_user_case p = channels_problem("path", 2, "1", NULL, NULL);
	struct sotto_matrix *m = channels_matrix(".8,.2\n.3,.7\n");
	struct sotto_verdict v;

	sotto_verdict_init(&v);
	REQUIRE(sotto_verify_epsilon(m, p.graph, &v) == SOTTO_OK);
	CHECK(channels_is(&v.ratio, "7/2"));
	CHECK_INT(v.witness.row, 1);
	CHECK_INT(v.witness.neighbour, 0);
	CHECK_INT(v.witness.column, 1);
	CHECK_CLOSE(v.epsilon_up, 1.252762968495368, 1e-15);
	sotto_verdict_release(&v);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

static void integer_tables_have_their_exact_epsilon(void)
{
	struct sotto_user_case six = channels_problem("path", 6, "1", NULL, NULL);
	struct sotto_user_case sixteen = channels_problem("path", 16, "1", NULL, NULL);
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &six), *table;
	struct sotto_verdict v;

	sotto_verdict_init(&v);
	REQUIRE(sotto_channel_table(m, 16, &table) == SOTTO_OK);
	REQUIRE(sotto_verify_epsilon(table, six.graph, &v) == SOTTO_OK);
	CHECK(channels_is(&v.ratio, "6484/2385"));
	CHECK_CLOSE(v.epsilon_up, 1.000138479533, 1e-12);
	sotto_matrix_free(m);
	sotto_matrix_free(table);
	m = channels_build(SOTTO_BUILD_GEOMETRIC, &sixteen);
	REQUIRE(sotto_channel_table(m, 16, &table) == SOTTO_OK);
	REQUIRE(sotto_verify_epsilon(table, sixteen.graph, &v) == SOTTO_OK);
	CHECK(v.infinite);
	sotto_matrix_free(m);
	sotto_matrix_free(table);
	sotto_verdict_release(&v);
	sotto_user_case_release(&six);
	sotto_user_case_release(&sixteen);
}

static void delta_of_the_geometric_mechanism_has_its_closed_form(void)
{
	struct sotto_user_case p = channels_problem("path", 6, "1", NULL, NULL);
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
	struct sotto_rational factor, delta;

	sotto_rational_init(&factor);
	sotto_rational_init(&delta);
	REQUIRE(sotto_rational_set_double(&factor, exp(0.25)) == SOTTO_OK);
	REQUIRE(sotto_verify_delta(m, p.graph, &factor, &delta) == SOTTO_OK);
	CHECK_CLOSE(channels_near(&delta), 0.3857309580, 1e-9);
	sotto_rational_release(&factor);
	sotto_rational_release(&delta);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

/* ---- minimax, derivability, two users ------------------------------------------------------------------- */

static void a_weaker_geometric_mechanism_is_derivable(void)
{
	static const int want[] = {40, 4, 2, 2, 10, 28, 5, 5, 5, 5, 28, 10, 2, 2, 4, 40};
	struct sotto_user_case p = channels_problem("path", 4, "ln2", NULL, NULL);
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_GEOMETRIC, &p);
	struct sotto_derivation d;
	struct sotto_rational alpha;

	sotto_rational_init(&alpha);
	REQUIRE(sotto_rational_set_ratio(&alpha, 1, 3) == SOTTO_OK);
	REQUIRE(sotto_derive(m, &alpha, &d) == SOTTO_OK);
	CHECK(d.derivable);
	for (size_t i = 0; i < 16; i++) {
		char text[16];

		(void)snprintf(text, sizeof text, "%d/48", want[i]);
		CHECK(channels_cell_is(d.remap, i / 4, i % 4, text));
	}
	sotto_derivation_release(&d);
	sotto_rational_release(&alpha);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

static void randomized_response_is_not_derivable_on_a_path(void)
{
	struct sotto_user_case p = channels_problem("path", 6, "ln2", NULL, NULL);
	struct sotto_matrix *m = channels_build(SOTTO_BUILD_RESPONSE, &p);
	struct sotto_derivation d;
	struct sotto_rational alpha;

	sotto_rational_init(&alpha);
	REQUIRE(sotto_eps_alpha(p.eps, &alpha));
	REQUIRE(sotto_derive(m, &alpha, &d) == SOTTO_OK);
	CHECK(!d.derivable && channels_cell_is(d.remap, d.row, d.column, "-1/7"));
	sotto_derivation_release(&d);
	sotto_rational_release(&alpha);
	sotto_matrix_free(m);
	sotto_user_case_release(&p);
}

int main(void)
{
	RUN(the_best_mechanisms_are_the_published_ones);
	RUN(a_guess_about_the_middle_has_a_better_mechanism_than_the_geometric);
	RUN(the_geometric_mechanism_has_its_closed_forms);
	RUN(remaps_are_the_published_ones);
	RUN(other_mechanisms_have_their_figures);
	RUN(a_retuned_exponential_uses_the_whole_epsilon_and_no_more);
	RUN(leakage_has_its_figures);
	RUN(post_processing_has_its_figures);
	RUN(a_small_matrix_has_its_exact_epsilon);
	RUN(integer_tables_have_their_exact_epsilon);
	RUN(delta_of_the_geometric_mechanism_has_its_closed_form);
	RUN(a_weaker_geometric_mechanism_is_derivable);
	RUN(randomized_response_is_not_derivable_on_a_path);
	return tap_done();
}
