/* Linear programs: against certificates, published figures and each other. */
#include <math.h>

#include "sotto/channel.h"
#include "testlib/fixture/channels.h"
#include "testlib/tap.h"

#define CHECK_CLOSE(got, want, slack)                                                          \
	((void)tap_check(fabs((got) - (want)) <= (slack), __FILE__, __LINE__,                  \
			 "%s = %.13g, not %.13g", #got, (double)(got), (double)(want)))

static void the_program_agrees_with_the_certificate(void)
{
	static const struct {
		size_t answers;
		const char *epsilon, *prior, *gain;
	} users[] = {
		{6, "ln2", "uniform", "identity"},      {6, "ln2", "uniform", "distance"},
		{6, "ln2", "binomial 0.3", "distance"}, {6, "ln2", "triangular", "distance"},
		{6, "ln2", "uniform", "squared"},       {6, "1", "binomial 0.3", "identity"},
		{6, "1", "binomial(0.3)", "window 1"},  {11, "0.5", "uniform", "distance"},
		{11, "ln3", "bimodal", "identity"},     {21, "0.1", "uniform", "distance"}};

	for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
		struct sotto_user_case p =
			channels_problem("path", users[i].answers, users[i].epsilon,
					 users[i].prior, users[i].gain);
		struct sotto_optimal closed, program;

		REQUIRE(sotto_optimal_find(p.graph, p.eps, p.prior, p.gain, SOTTO_WAYS_CLOSED,
					   &closed, NULL) == SOTTO_OK);
		REQUIRE(sotto_optimal_find(p.graph, p.eps, p.prior, p.gain, SOTTO_WAYS_PROGRAM,
					   &program, NULL) == SOTTO_OK);
		CHECK_INT(closed.method, SOTTO_OPTIMAL_CERTIFICATE);
		CHECK_CLOSE(channels_near(&program.lower), channels_near(&closed.lower), 1e-9);
		CHECK_CLOSE(channels_near(&program.upper), channels_near(&closed.upper), 1e-9);
		CHECK(sotto_rational_compare(&program.lower, &closed.upper) <= 0);
		CHECK(sotto_rational_compare(&closed.lower, &program.upper) <= 0);
		sotto_optimal_release(&closed);
		sotto_optimal_release(&program);
		sotto_user_case_release(&p);
	}
}

static void the_least_worst_losses_are_the_published_ones(void)
{
	static const struct {
		size_t answers;
		const char *epsilon, *gain;
		double loss;
	} want[] = {{3, "ln2", "distance", 4. / 7},     {3, "1", "distance", 0.4597275888},
		    {3, "ln3", "distance", 3. / 7},     {4, "ln2", "distance", 28. / 39},
		    {4, "1", "distance", 0.5563079840}, {4, "ln3", "distance", 0.5131578947},
		    {3, "ln2", "squared", 5. / 6},      {4, "ln2", "squared", 5. / 4},
		    {3, "ln2", "identity", 1. / 2},     {4, "ln2", "identity", 5. / 9}};

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		struct sotto_user_case p = channels_problem(
			"path", want[i].answers, want[i].epsilon, NULL, want[i].gain);
		struct sotto_error err = {""};
		struct sotto_minimax m;
		bool private = false;

		REQUIRE(sotto_minimax_find(p.graph, p.eps, p.gain, NULL, &m, &err) == SOTTO_OK);
		CHECK_CLOSE(channels_near(&m.loss), want[i].loss, 1e-9);
		CHECK_CLOSE(channels_near(&m.lower), want[i].loss, 1e-9);
		CHECK(sotto_rational_compare(&m.lower, &m.loss) <= 0);
		CHECK(sotto_verify_private(m.channel, p.graph, p.eps, NULL, &private) ==
			      SOTTO_OK &&
		      private);
		sotto_minimax_release(&m);
		sotto_user_case_release(&p);
	}
}

static void the_best_random_remap_of_four_answers_is_the_published_one(void)
{
	static const double want[4][4] = {{10. / 13, 3. / 13, 0, 0},
					  {0, 1, 0, 0},
					  {0, 0, 1, 0},
					  {0, 0, 3. / 13, 10. / 13}};
	struct sotto_user_case p = channels_problem("path", 4, "ln2", NULL, "distance");
	struct sotto_rational cell;
	struct sotto_minimax m;

	sotto_rational_init(&cell);
	REQUIRE(sotto_minimax_find(p.graph, p.eps, p.gain, NULL, &m, NULL) == SOTTO_OK);
	REQUIRE(m.remap);
	for (size_t i = 0; i < 16; i++) {
		REQUIRE(sotto_matrix_get(m.remap, i / 4, i % 4, &cell) == SOTTO_OK);
		CHECK_CLOSE(channels_near(&cell), want[i / 4][i % 4], 1e-9);
	}
	sotto_rational_release(&cell);
	sotto_minimax_release(&m);
	sotto_user_case_release(&p);
}

/*
 * Off monotone losses the best remap of the geometric output need not be the best channel:
 * it loses 8/25 here, where 1/5 can be had.
 */
static void losses_that_are_not_monotone_have_their_least_worst_loss_too(void)
{
	struct sotto_user_case p = channels_problem("path", 5, "ln4", NULL, NULL);
	struct sotto_matrix *gain = channels_matrix("0,1,0,1,0\n0,1,1,0,1\n");
	struct sotto_minimax m;
	bool private = false;

	REQUIRE(sotto_minimax_find(p.graph, p.eps, gain, NULL, &m, NULL) == SOTTO_OK);
	CHECK_CLOSE(channels_near(&m.loss), 0.2, 1e-9);
	CHECK_CLOSE(channels_near(&m.lower), 0.2, 1e-9);
	CHECK(sotto_verify_private(m.channel, p.graph, p.eps, NULL, &private) == SOTTO_OK &&
	      private);
	sotto_minimax_release(&m);
	sotto_matrix_free(gain);
	sotto_user_case_release(&p);
}

static void two_users_of_a_triangle_cannot_both_have_the_best(void)
{
	struct sotto_user_case p =
		channels_problem("complete", 3, "ln2", "uniform", "identity");
	struct sotto_matrix *pair = channels_matrix("1/2,1/2,0");
	const struct sotto_reader readers[2] = {{p.prior, p.gain}, {pair, p.gain}};
	struct sotto_gap g;

	REQUIRE(sotto_gap_find(p.graph, p.eps, readers, &g, NULL) == SOTTO_OK);
	CHECK(channels_is(&g.solo[0], "1/2") && channels_is(&g.solo[1], "2/3"));
	CHECK(channels_is(&g.joint, "9/8") && channels_is(&g.joint_upper, "9/8"));
	sotto_gap_release(&g);
	sotto_matrix_free(pair);
	sotto_user_case_release(&p);
}

static void two_users_of_a_path_can(void)
{
	static const char *const priors[] = {"1/2,1/2,0,0", "0,1/3,1/3,1/3", "1/4,1/4,1/4,1/4",
					     "1/2,0,0,1/2"};

	for (size_t i = 0; i < 16; i++) {
		struct sotto_user_case p =
			channels_problem("path", 4, i % 2 ? "ln3" : "ln2", NULL,
					 i % 3 ? "identity" : "distance");
		struct sotto_matrix *a = channels_matrix(priors[i / 4]);
		struct sotto_matrix *b = channels_matrix(priors[i % 4]);
		const struct sotto_reader readers[2] = {{a, p.gain}, {b, p.gain}};
		struct sotto_rational sum;
		struct sotto_gap g;

		sotto_rational_init(&sum);
		REQUIRE(sotto_gap_find(p.graph, p.eps, readers, &g, NULL) == SOTTO_OK);
		sotto_rational_add(&sum, &g.solo[0], &g.solo[1]);
		CHECK_CLOSE(channels_near(&sum), channels_near(&g.joint), 1e-9);
		sotto_rational_release(&sum);
		sotto_gap_release(&g);
		sotto_matrix_free(a);
		sotto_matrix_free(b);
		sotto_user_case_release(&p);
	}
}

static void programs_and_certificates_agree_on_random_users(void)
{
	unsigned long state = 23;

	for (int i = 0; i < 60; i++) {
		struct sotto_user_case p = channels_problem(
			i % 2 ? "path" : "tree", 4,
			(const char *[]){"ln2", "ln(3/2)", "ln3"}[i % 3], NULL, NULL);
		struct sotto_matrix *gain =
			channels_gain(&state, 2 + channels_below(&state, 3), 4);
		struct sotto_matrix *prior = channels_random(&state, 1, 4, true);
		struct sotto_certificate c;
		struct sotto_optimal o;
		bool private = false;

		REQUIRE(sotto_certificate_find(p.graph, p.eps, SOTTO_ALPHA_UP, prior, gain,
					       &c) == SOTTO_OK);
		REQUIRE(sotto_optimal_find(p.graph, p.eps, prior, gain, SOTTO_WAYS_PROGRAM, &o,
					   NULL) == SOTTO_OK);
		CHECK(sotto_verify_private(o.channel, p.graph, p.eps, NULL, &private) ==
			      SOTTO_OK &&
		      private);
		CHECK(sotto_rational_compare(&o.lower, &o.upper) <= 0);
		if (c.applies) {
			CHECK(sotto_rational_compare(&c.utility, &o.upper) <= 0);
			if (c.optimal)
				CHECK(sotto_rational_compare(&o.lower, &c.utility) <= 0);
			else
				CHECK(sotto_rational_compare(&o.upper, &c.utility) > 0);
		}
		sotto_certificate_release(&c);
		sotto_optimal_release(&o);
		sotto_matrix_free(gain);
		sotto_matrix_free(prior);
		sotto_user_case_release(&p);
	}
}

static void intervals_are_narrow_on_every_graph(void)
{
	static const char *const larger[] = {"grid 4x4", "hypercube 4", "cycle", "complete"};

	for (size_t i = 0; i < 4; i++) {
		struct sotto_user_case p = channels_problem(larger[i], 16, "0.7", "uniform",
							    i % 2 ? "identity" : "distance");
		struct sotto_rational width;
		struct sotto_optimal o;
		bool private = false;

		sotto_rational_init(&width);
		REQUIRE(sotto_optimal_find(p.graph, p.eps, p.prior, p.gain, SOTTO_WAYS_ALL, &o,
					   NULL) == SOTTO_OK);
		sotto_rational_subtract(&width, &o.upper, &o.lower);
		CHECK(sotto_rational_sign(&width) >= 0 && channels_near(&width) <= 1e-9);
		CHECK(sotto_verify_private(o.channel, p.graph, p.eps, NULL, &private) ==
			      SOTTO_OK &&
		      private);
		sotto_rational_release(&width);
		sotto_optimal_release(&o);
		sotto_user_case_release(&p);
	}
}

int main(void)
{
	if (!channels_has_solver())
		return tap_skip_all("COIN-OR Clp is not installed");
	RUN(the_program_agrees_with_the_certificate);
	RUN(the_least_worst_losses_are_the_published_ones);
	RUN(the_best_random_remap_of_four_answers_is_the_published_one);
	RUN(losses_that_are_not_monotone_have_their_least_worst_loss_too);
	RUN(two_users_of_a_triangle_cannot_both_have_the_best);
	RUN(two_users_of_a_path_can);
	RUN(programs_and_certificates_agree_on_random_users);
	RUN(intervals_are_narrow_on_every_graph);
	return tap_done();
}
