/* Accuracy both ways, the choice between Laplace and Gauss, and closed-form calibrations. */
#include "sotto/accuracy.h"

#include "sotto/choose.h"
#include "sotto/noise.h"
#include "testlib/number.h"
#include "testlib/tap.h"

static struct sotto_accuracy laplace(const char *epsilon, const char *l1, size_t n, double beta)
{
	struct sotto_rational e = rational_of(epsilon), d = rational_of(l1);
	struct sotto_accuracy a = {0};

	CHECK_INT(sotto_accuracy_laplace(&e, &d, n, beta, &a), SOTTO_OK);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return a;
}

static void the_worked_examples_have_their_numbers(void)
{
	struct sotto_accuracy names = laplace("1", "1", 10000, 0.05);
	struct sotto_accuracy one = laplace("0.1", "1", 1, 0.05);

	CHECK_REL(names.error, 12.2060726455, 1e-10);
	CHECK_REL(one.scale, 10, 1e-12);
	CHECK_REL(one.deviation, 14.1421356237, 1e-10);
	CHECK_REL(one.mean_error, 10, 1e-12);
	CHECK_REL(sotto_accuracy_laplace_tail(one.scale, 10), 0.3678794412, 1e-9);
}

static void epsilon_for_an_error_is_the_inverse(void)
{
	static const char *const errors[] = {"1", "10", "1/3", "12345.678"};

	for (size_t i = 0; i < 4; i++) {
		struct sotto_rational error = rational_of(errors[i]), l1 = rational_of("3");
		struct sotto_rational epsilon, less;
		struct sotto_accuracy a;

		sotto_rational_init(&epsilon);
		sotto_rational_init(&less);
		CHECK_INT(sotto_accuracy_laplace_epsilon_up(&error, &l1, 50, 0.01, &epsilon),
			  SOTTO_OK);
		CHECK_INT(sotto_accuracy_laplace(&epsilon, &l1, 50, 0.01, &a), SOTTO_OK);
		CHECK(a.error <= rational_double(&error) * (1 + 1e-14));
		mpq_set_ui(less.q, 1, 1);
		mpq_div_2exp(less.q, less.q, 31);
		mpq_sub(less.q, epsilon.q, less.q);
		CHECK_INT(sotto_accuracy_laplace(&less, &l1, 50, 0.01, &a), SOTTO_OK);
		CHECK(a.error > rational_double(&error));
		sotto_rational_release(&error);
		sotto_rational_release(&l1);
		sotto_rational_release(&epsilon);
		sotto_rational_release(&less);
	}
}

/* P[|noise| > steps] of discrete Laplace noise: 2 a^(steps+1) / (1+a), a = exp(-per_step) */
static double discrete_tail(double per_step, int64_t steps)
{
	return 2 * exp(-per_step * ((double)steps + 1)) / (1 + exp(-per_step));
}

/* The exact bound on the grid is at most the real one, rounded up, plus a step. */
static void the_bound_on_the_grid_is_near_the_real_one(void)
{
	static const char *const epsilons[] = {"0.01", "0.3", "1", "4"};
	struct sotto_rational beta = rational_of("0.05");

	for (size_t i = 0; i < 4; i++)
		for (size_t n = 1; n <= 100000; n *= 10) {
			struct sotto_rational e = rational_of(epsilons[i]);
			struct sotto_laplace *m = NULL;
			int64_t error = -1;
			double real = laplace(epsilons[i], "1", n, 0.05).error;

			CHECK_INT(sotto_laplace_new(&e, 1, &m), SOTTO_OK);
			CHECK_INT(sotto_laplace_error_up(m, n, &beta, &error), SOTTO_OK);
			CHECK((double)error <= real + 1 && (double)error >= real - 2);
			CHECK((double)n * discrete_tail(rational_double(&e), error) <=
			      0.05 * (1 + 1e-12));
			sotto_laplace_free(m);
			sotto_rational_release(&e);
		}
	sotto_rational_release(&beta);
}

static void gaussian_errors_are_those_of_the_normal_table(void)
{
	struct sotto_rational one = rational_of("1"), d = rational_of("1e-6"),
			      l2 = rational_of("2");
	struct sotto_accuracy_choice a;

	CHECK_INT(sotto_accuracy_choose(&one, &d, &l2, &l2, 1, 0.05, &a), SOTTO_OK);
	CHECK_REL(a.gaussian.error, a.gaussian.scale * 1.959963984540054, 1e-12);
	CHECK_REL(a.gaussian.mean_error, a.gaussian.scale * 0.7978845608028654, 1e-12);
	CHECK_REL(sotto_accuracy_gaussian_tail(a.gaussian.scale, a.gaussian.error), 0.05,
		  1e-12);
	CHECK_INT(sotto_accuracy_choose(&one, &d, &l2, &l2, 0, 0.05, &a), SOTTO_EINVAL);
	CHECK_INT(sotto_accuracy_choose(&one, &d, &l2, &l2, 1, 1, &a), SOTTO_EINVAL);
	sotto_rational_release(&one);
	sotto_rational_release(&d);
	sotto_rational_release(&l2);
}

static bool gaussian_wins(const char *l1, const char *l2, size_t n)
{
	struct sotto_rational e = rational_of("1"), d = rational_of("1e-6");
	struct sotto_rational a = rational_of(l1), b = rational_of(l2);
	struct sotto_accuracy_choice c = {.gaussian_wins = false};

	CHECK_INT(sotto_accuracy_choose(&e, &d, &a, &b, n, 0.05, &c), SOTTO_OK);
	CHECK(c.laplace.error > 0 && c.gaussian.error > 0);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	sotto_rational_release(&a);
	sotto_rational_release(&b);
	return c.gaussian_wins;
}

static void gauss_wins_for_long_vectors_and_laplace_for_short_ones(void)
{
	CHECK(!gaussian_wins("1", "1", 1));
	CHECK(!gaussian_wins("1", "1", 10000)); /* a histogram: one cell moves */
	CHECK(gaussian_wins("1000", "31.7", 1000)); /* 1000 counts that all move */
	CHECK(!gaussian_wins("3", "1.8", 3));
}

/* ---- calibrations ---- */

static void the_classical_formula_is_refused_from_one_on(void)
{
	static const char *const refused[] = {"1", "1.0000001", "5"};
	struct sotto_rational delta = rational_of("1e-5"), half = rational_of("1/2"), sigma2,
			      best;
	struct sotto_error err = {""};

	sotto_rational_init(&sigma2);
	sotto_rational_init(&best);
	for (size_t i = 0; i < 3; i++) {
		struct sotto_rational e = rational_of(refused[i]);

		CHECK_INT(sotto_gaussian_classical_up(&e, &delta, 1, 1, &sigma2, &err),
			  SOTTO_EREFUSED);
		CHECK(strstr(err.text, "analytic") != NULL);
		sotto_rational_release(&e);
	}
	CHECK_INT(sotto_gaussian_classical_up(&half, &delta, 3, 1, &sigma2, &err), SOTTO_OK);
	CHECK_REL(rational_double(&sigma2), 2 * log(1.25e5) * 9 / 0.25, 1e-12);
	CHECK_INT(sotto_gaussian_calibrate_up(&half, &delta, 3, 1, &best), SOTTO_OK);
	CHECK_INT(sotto_rational_compare(&best, &sigma2), -1); /* analytic is better */
	sotto_rational_release(&delta);
	sotto_rational_release(&half);
	sotto_rational_release(&sigma2);
	sotto_rational_release(&best);
}

static void zcdp_calibration_is_exact(void)
{
	struct sotto_rational rho = rational_of("0.1"), zero = rational_of("0"), sigma2;

	sotto_rational_init(&sigma2);
	CHECK_INT(sotto_gaussian_zcdp(&rho, 3, &sigma2), SOTTO_OK);
	CHECK(rational_is(sigma2.q, "45"));
	CHECK_INT(sotto_gaussian_zcdp(&zero, 3, &sigma2), SOTTO_EINVAL);
	CHECK_INT(sotto_gaussian_zcdp(&rho, 0, &sigma2), SOTTO_EINVAL);
	sotto_rational_release(&rho);
	sotto_rational_release(&zero);
	sotto_rational_release(&sigma2);
}

static void costs_are_those_of_the_law_that_is_sampled(void)
{
	struct sotto_rational e = rational_of("1/3"), sigma2 = rational_of("50");
	struct sotto_laplace *laplace = NULL;
	struct sotto_gaussian *gaussian = NULL;
	struct sotto_cost cost, pure;

	sotto_cost_init(&cost);
	sotto_cost_init(&pure);
	CHECK_INT(sotto_laplace_new(&e, 6, &laplace), SOTTO_OK);
	CHECK_INT(sotto_laplace_cost(laplace, 6, &cost), SOTTO_OK);
	CHECK_INT(sotto_cost_set_pure(&pure, &e), SOTTO_OK);
	CHECK(cost.bounded && rational_is(cost.epsilon.q, "1/3"));
	CHECK_INT(sotto_rational_compare(&cost.rho, &pure.rho), -1);
	CHECK_INT(sotto_laplace_cost(laplace, 12, &cost), SOTTO_OK);
	CHECK(rational_is(cost.epsilon.q, "2/3"));
	CHECK_INT(sotto_laplace_cost(laplace, 0, &cost), SOTTO_EINVAL);
	CHECK_INT(sotto_gaussian_new(&sigma2, &gaussian), SOTTO_OK);
	CHECK_INT(sotto_gaussian_cost(gaussian, 5, &cost), SOTTO_OK);
	CHECK(!cost.bounded && rational_is(cost.rho.q, "1/4"));
	CHECK_INT(sotto_gaussian_cost(gaussian, 0, &cost), SOTTO_EINVAL);
	sotto_laplace_free(laplace);
	sotto_gaussian_free(gaussian);
	sotto_cost_release(&cost);
	sotto_cost_release(&pure);
	sotto_rational_release(&e);
	sotto_rational_release(&sigma2);
}

/* ---- choosing mechanisms ---- */

static void the_error_of_a_choice_goes_both_ways(void)
{
	struct sotto_rational e = rational_of("0.5"), d = rational_of("2"), error, back;
	struct sotto_selection s = {.epsilon = &e, .sensitivity = &d};
	double bound;

	sotto_rational_init(&error);
	sotto_rational_init(&back);
	CHECK_INT(sotto_selection_error(&s, 100, 1, 0.05, &bound), SOTTO_OK);
	CHECK_REL(bound, 2 * 2 / 0.5 * log(100 / 0.05), 1e-12);
	s.monotone = true;
	CHECK_INT(sotto_selection_error(&s, 100, 3, 0.05, &bound), SOTTO_OK);
	CHECK_REL(bound, 3 * 2 / 0.5 * log(100 / 0.05), 1e-12);
	CHECK_INT(sotto_rational_set_double(&error, bound), SOTTO_OK);
	CHECK_INT(sotto_selection_epsilon_up(&s, 100, 3, 0.05, &error, &back), SOTTO_OK);
	CHECK(rational_double(&back) >= 0.5 - 1e-12 && rational_double(&back) < 0.5 + 1e-9);
	CHECK_INT(sotto_selection_error(&s, 2, 3, 0.05, &bound), SOTTO_EINVAL);
	CHECK_INT(sotto_selection_error(&s, 2, 0, 0.05, &bound), SOTTO_EINVAL);
	CHECK_INT(sotto_selection_error(&s, 2, 1, 0, &bound), SOTTO_EINVAL);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	sotto_rational_release(&error);
	sotto_rational_release(&back);
}

int main(void)
{
	RUN(the_worked_examples_have_their_numbers);
	RUN(epsilon_for_an_error_is_the_inverse);
	RUN(the_bound_on_the_grid_is_near_the_real_one);
	RUN(gaussian_errors_are_those_of_the_normal_table);
	RUN(gauss_wins_for_long_vectors_and_laplace_for_short_ones);
	RUN(the_classical_formula_is_refused_from_one_on);
	RUN(zcdp_calibration_is_exact);
	RUN(costs_are_those_of_the_law_that_is_sampled);
	RUN(the_error_of_a_choice_goes_both_ways);
	return tap_done();
}
