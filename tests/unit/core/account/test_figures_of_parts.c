/* Figures of selection, groups, shuffling, calibration and splitting. */
#include <stdio.h>

#include "sotto/account.h"

#include "sotto/cost.h"
#include "sotto/noise.h"
#include "sotto/stream.h"
#include "testlib/accountant/accounting.h"
#include "testlib/accountant/figures.h"
#include "testlib/number.h"
#include "testlib/tap.h"

static void selection_has_its_three_values(void)
{
	static const struct figure epsilons[] = {
		{"exponential(epsilon=0.1)*10", SOTTO_ZCDP, "1e-6", ".700153256373474"}};
	struct sotto_workload *w = workload_of("exponential(epsilon=0.1)*10");
	struct sotto_rational d = rational_of("1e-6");
	struct sotto_bounded_range r = {0};

	EPSILONS(epsilons);
	CHECK_INT(sotto_account_bounded_range(w, &d, &r), SOTTO_OK);
	figure_check_up("non-adaptive", r.nonadaptive, ".62863683877322");
	figure_check_up("adaptive", r.adaptive, ".700153256373474");
	figure_check_up("closed form", r.closed_form, ".84362733240915");
	sotto_rational_release(&d);
	sotto_workload_free(w);
}

static void a_group_of_three_costs_its_value(void)
{
	struct sotto_workload *w = workload_of("group(k=3, approx(epsilon=.5, delta=1e-6))");
	struct sotto_totals totals = {0};

	CHECK_INT(sotto_account_totals(w, 1, &totals), SOTTO_OK);
	CHECK_REL(totals.epsilon, 1.5, 0);
	figure_check_up("group delta", totals.delta, "5.3670030991591734e-6");
	sotto_workload_free(w);
}

static void shuffling_amplifies_by_its_clones(void)
{
	static const struct figure epsilons[] = {
		{"shuffle(n=10000, epsilon0=1)", SOTTO_PLD, "1e-6", ".0530053165"},
		{"shuffle(n=10000, epsilon0=1, randomizer=binary)", SOTTO_PLD, "1e-6",
		 ".0432061581"}};

	EPSILONS(epsilons);
}

/* The least noise: above the true value, by at most a billionth. */
static void
check_solved(const char *event, const char *target, const char *delta, const char *value)
{
	struct sotto_rational e = rational_of(target), d = rational_of(delta);
	struct sotto_problem problem = {.events = &event,
					.n_events = 1,
					.parameter = "sigma",
					.target_epsilon = &e,
					.delta = &d};
	struct sotto_solution s;
	struct sotto_error err = {""};

	sotto_rational_init(&s.value);
	CHECK_INT(sotto_account_solve(&problem, &s, &err), SOTTO_OK);
	figure_check_up(event, sotto_rational_double_up(&s.value), value);
	CHECK(s.answer.upper <= sotto_rational_double_up(&e));
	sotto_rational_release(&s.value);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
}

static void the_least_sigma_is_found(void)
{
	check_solved("gaussian(sigma=?)", "0.5", "1e-5", "7.0318266755824914");
	check_solved("gaussian(sigma=?)", "1", "1e-5", "3.7306316348159418");
	check_solved("gaussian(sigma=?)", "1", "1e-9", "5.4952661572382962");
	check_solved("gaussian(sigma=?)", "3", "1e-5", "1.3905934566745367");
	check_solved("sampled(rate=.01, gaussian(sigma=?))", "1", "1e-5", ".6737928925");
}

static void the_classical_sigma_has_its_value_and_its_range(void)
{
	struct sotto_rational e = rational_of("0.5"), d = rational_of("1e-5"), sigma2;

	sotto_rational_init(&sigma2);
	CHECK_INT(sotto_gaussian_classical_up(&e, &d, 1, 1, &sigma2, NULL), SOTTO_OK);
	figure_check_up("classical", sqrt(sotto_rational_double_up(&sigma2)),
			"9.6896105252107788");
	sotto_rational_release(&e);
	e = rational_of("1");
	CHECK_INT(sotto_gaussian_classical_up(&e, &d, 1, 1, &sigma2, NULL), SOTTO_EREFUSED);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	sotto_rational_release(&sigma2);
}

static void sparse_vector_splits_its_epsilon_best(void)
{
	struct sotto_rational one = rational_of("1"), threshold, query;
	struct sotto_sparse_vector_options o = {
		.epsilon = &one, .sensitivity = 1, .positives = 1, .optimized = true};
	struct sotto_sparse_vector *s = NULL;

	sotto_rational_init(&threshold);
	sotto_rational_init(&query);
	CHECK_INT(sotto_sparse_vector_new(&o, &s, NULL), SOTTO_OK);
	sotto_sparse_vector_scales(s, &threshold, &query, NULL);
	figure_check_up("threshold scale", sotto_rational_double_up(&threshold),
			"2.5874010519681995");
	figure_check_up("query scale", sotto_rational_double_up(&query), "3.2599210498948732");
	sotto_sparse_vector_free(s);
	sotto_rational_release(&threshold);
	sotto_rational_release(&query);
	sotto_rational_release(&one);
}

/* sup over s of log((E e^(s e) + e^(-s e) + k - 2)/(E + k - 1))/(s(s+1)), by walking up */
static double response_rho(double e, double k)
{
	double E = exp(e), best = e * (E - 1) / (E + k - 1);

	for (double s = 1e-4; s * e < 600; s *= 1.001)
		best = fmax(best, log1p((E * expm1(s * e) + expm1(-s * e)) / (E + k - 1)) /
					  (s * (s + 1)));
	return best;
}

static void rho_of_k_ary_response_is_tight_for_every_k(void)
{
	static const double epsilons[] = {0.01, 0.5, 1, 3, 10};
	static const unsigned ks[] = {3, 6, 7, 10, 50, 1000, 1000000};
	struct sotto_totals totals;

	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 7; j++) {
			struct sotto_workload *w;
			char text[80];
			double truth = response_rho(epsilons[i], ks[j]);

			(void)snprintf(text, sizeof text,
				       "randomized-response(epsilon=%g, k=%u)", epsilons[i],
				       ks[j]);
			w = workload_of(text);
			CHECK_INT(sotto_account_totals(w, 1, &totals), SOTTO_OK);
			CHECK(totals.rho >= truth * (1 - 1e-12) &&
			      totals.rho <= truth * (1 + 1e-6));
			sotto_workload_free(w);
		}
}

int main(void)
{
	RUN(selection_has_its_three_values);
	RUN(a_group_of_three_costs_its_value);
	RUN(shuffling_amplifies_by_its_clones);
	RUN(the_least_sigma_is_found);
	RUN(the_classical_sigma_has_its_value_and_its_range);
	RUN(sparse_vector_splits_its_epsilon_best);
	RUN(rho_of_k_ary_response_is_tight_for_every_k);
	return tap_done();
}
