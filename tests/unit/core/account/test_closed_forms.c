/* The closed forms: figures computed elsewhere, their edges, and what is refused. */
#include "testlib/accountant/closed_form.h"
#include "testlib/accountant/closed_renyi.h"
#include "testlib/accountant/tradeoff.h"
#include "sotto/account.h"

#include <math.h>

#include "testlib/accountant/accounting.h"
#include "testlib/accountant/figures.h"
#include "testlib/number.h"
#include "testlib/tap.h"

/* Bounds of numbers written as text; a NaN where the bound is refused. */
typedef enum sotto_status (*two_numbers)(const struct sotto_rational *,
					 const struct sotto_rational *, double *);

static double of_two(two_numbers bound, const char *a, const char *b)
{
	struct sotto_rational x = rational_of(a), y = rational_of(b);
	double out = NAN;

	if (bound(&x, &y, &out) != SOTTO_OK)
		out = NAN;
	sotto_rational_release(&x);
	sotto_rational_release(&y);
	return out;
}

static double kov(const char *events, const char *delta)
{
	struct sotto_workload *w = workload_of(events);
	struct sotto_rational d = rational_of(delta);
	double out = NAN;

	CHECK_INT(sotto_closed_kov_up(w, &d, &out), SOTTO_OK);
	sotto_rational_release(&d);
	sotto_workload_free(w);
	return out;
}

static enum sotto_status
try_grid(const char *epsilon, const char *delta0, uint64_t k, const char *delta, double *out)
{
	struct sotto_rational e = rational_of(epsilon), d0 = rational_of(delta0),
			      d = rational_of(delta);
	enum sotto_status st = sotto_closed_kov_grid_up(&e, &d0, k, &d, out);

	sotto_rational_release(&e);
	sotto_rational_release(&d0);
	sotto_rational_release(&d);
	return st;
}

static double grid(const char *epsilon, const char *delta0, uint64_t k, const char *delta)
{
	double out = NAN;

	CHECK_INT(try_grid(epsilon, delta0, k, delta, &out), SOTTO_OK);
	return out;
}

static enum sotto_status
try_shuffle(const char *epsilon0, uint64_t n, const char *delta, double *out)
{
	struct sotto_rational e = rational_of(epsilon0), d = rational_of(delta);
	enum sotto_status st = sotto_closed_shuffle_up(&e, n, &d, out);

	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return st;
}

static enum sotto_status
try_blanket(const char *epsilon0, uint64_t n, uint64_t answers, const char *delta, double *out)
{
	struct sotto_rational e = rational_of(epsilon0), d = rational_of(delta);
	enum sotto_status st = sotto_closed_blanket_up(&e, n, answers, &d, out);

	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return st;
}

static double blanket(const char *epsilon0, uint64_t n, uint64_t answers, const char *delta)
{
	double out = NAN;

	CHECK_INT(try_blanket(epsilon0, n, answers, delta, &out), SOTTO_OK);
	return out;
}

static double exponential(const char *epsilon, uint64_t k, const char *delta)
{
	struct sotto_rational e = rational_of(epsilon), d = rational_of(delta);
	double out = NAN;

	if (sotto_closed_exponential_up(&e, k, &d, &out) != SOTTO_OK)
		out = NAN;
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return out;
}

static enum sotto_status try_renyi(const double *orders, const double *divergences, size_t n,
				   const char *delta, struct sotto_closed_renyi *out)
{
	struct sotto_rational d = rational_of(delta);
	enum sotto_status st = sotto_closed_renyi_up(orders, divergences, n, &d, out);

	sotto_rational_release(&d);
	return st;
}

static double tradeoff(const char *epsilon, const char *delta, const char *fpr)
{
	struct sotto_rational e = rational_of(epsilon), d = rational_of(delta),
			      a = rational_of(fpr);
	double out = NAN;

	if (sotto_closed_tradeoff_down(&e, &d, &a, &out) != SOTTO_OK)
		out = NAN;
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	sotto_rational_release(&a);
	return out;
}

static void kov_has_its_figures(void)
{
	figure_check_up("pure", kov("pure(epsilon=0.1)*100", "1e-6"), "5.7561055193357317");
	figure_check_up("a large delta", kov("pure(epsilon=0.1)*10", ".1"), ".645214942920144");
	figure_check_up("two kinds, one with deltas",
			kov("approx(epsilon=.05, delta=1e-9)*200; pure(epsilon=.1)*50", "1e-5"),
			"5.3024740195342");
}

/* The form with the constant under its first logarithm left open. */
static double kov_with(double constant, double e, double k, double delta)
{
	double s = k * e * e, b = k * e * tanh(e / 2);
	double l = fmin(log(constant + sqrt(s) / delta), log(1 / delta));

	return fmin(k * e, b + sqrt(2 * s * l));
}

static void epsilon_in_place_of_eulers_number_is_seen(void)
{
	double got = kov("pure(epsilon=0.1)*10", ".1");

	CHECK_REL(got, kov_with(exp(1), .1, 10, .1), 1e-12);
	CHECK(fabs(got - kov_with(.1, .1, 10, .1)) > .1);
}

static void kov_at_its_edges(void)
{
	CHECK_REL(kov("pure(epsilon=0.5)*2", "0"), 1, 0);
	CHECK_REL(kov("pure(epsilon=0.5)*2", "1"), 0, 0);
	CHECK_REL(kov("pure(epsilon=0)*7", "1e-6"), 0, 0);
	/* the events' own deltas are all that there is */
	CHECK_REL(kov("approx(epsilon=1, delta=1e-7)*10", "1e-6"), 10, 0);
	CHECK(isinf(kov("approx(epsilon=1, delta=1e-6)*2", "1e-6")));
	CHECK(isinf(kov("approx(epsilon=1, delta=1)", ".5")));
	CHECK(isfinite(kov("pure(epsilon=0.001)*1000", "1e-300")));
	CHECK_REL(kov("pure(epsilon=1e5)", "1e-6"), 1e5, 0);
}

static void kov_is_of_black_boxes_only(void)
{
	static const char *const others[] = {"laplace(epsilon=1)", "zcdp(rho=1)",
					     "pure(epsilon=1); gaussian(sigma=1)"};
	struct sotto_rational d = rational_of("1e-6"), minus = rational_of("-1e-6");
	struct sotto_workload *w;
	double bulk = 1, out;

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		w = workload_of(others[i]);
		CHECK_INT(sotto_closed_kov_up(w, &d, &out), SOTTO_EREFUSED);
		sotto_workload_free(w);
	}
	w = workload_of("pure(epsilon=1)");
	CHECK_INT(sotto_closed_kov_up(w, &minus, &out), SOTTO_EINVAL);
	CHECK_INT(sotto_workload_add_laplaces(w, &bulk, 1), SOTTO_OK);
	CHECK_INT(sotto_closed_kov_up(w, &d, &out), SOTTO_EREFUSED);
	sotto_workload_free(w);
	sotto_rational_release(&d);
	sotto_rational_release(&minus);
}

static void the_grid_has_its_figures(void)
{
	figure_check_up("pure", grid(".1", "0", 100, "1e-6"), "4.8");
	figure_check_up("with deltas", grid(".2", "1e-9", 30, "1e-6"), "5.2");
	CHECK_REL(grid("1", "0", 7, ".01"), 7, 0);
	CHECK_REL(grid("1", "0", 0, "0"), 0, 0);
	CHECK_REL(grid("1", "0", 3, "0"), 3, 0);
	CHECK_REL(grid("1", "1/10", 3, ".3"), 3, 0);
	CHECK(isinf(grid("1", "1e-6", 2, "1e-6")));
	CHECK_REL(grid("1000", "0", 1001, "1e-6"), 1001000, 0);
}

/* It is a coarser look at what kov has: never below it, at most two steps above. */
static void the_grid_is_next_to_the_optimum(void)
{
	static const char *const deltas[] = {"1e-3", "1e-6", "1e-12", "1e-100"};

	for (size_t i = 0; i < sizeof deltas / sizeof deltas[0]; i++) {
		double optimum = epsilon_at("pure(epsilon=.1)*100", deltas[i], SOTTO_KOV).upper;
		double coarse = grid(".1", "0", 100, deltas[i]);

		CHECK(coarse >= optimum - 1e-12 && coarse <= optimum + .2 + 1e-9);
	}
}

static void the_grid_refuses_what_it_cannot_do(void)
{
	double out;

	CHECK_INT(try_grid("-1", "0", 1, "1e-6", &out), SOTTO_EINVAL);
	CHECK_INT(try_grid("1", "-1", 1, "1e-6", &out), SOTTO_EINVAL);
	CHECK_INT(try_grid("1", "1.5", 1, "1e-6", &out), SOTTO_EINVAL);
	CHECK_INT(try_grid("1", "0", 1, "-1e-6", &out), SOTTO_EINVAL);
	CHECK_INT(try_grid("1", "0", 1000001, "1e-6", &out), SOTTO_ERANGE);
	CHECK_INT(try_grid("1e7", "0", 1, "1e-6", &out), SOTTO_ERANGE);
}

static void conversions_have_their_figures(void)
{
	figure_check_up("older zCDP", of_two(sotto_closed_zcdp_up, ".5", "1e-6"),
			"5.7565217697569320");
	CHECK_REL(of_two(sotto_closed_zcdp_up, "0", "0"), 0, 0);
	CHECK_REL(of_two(sotto_closed_zcdp_up, "1", "2"), 0, 0);
	CHECK(isinf(of_two(sotto_closed_zcdp_up, "1", "0")));
	CHECK(isnan(of_two(sotto_closed_zcdp_up, "-1", "1e-6")));
	CHECK(isnan(of_two(sotto_closed_zcdp_up, "1", "-1e-6")));
	figure_check_up("exponential", exponential(".1", 10, "1e-6"), ".70020510460121");
	CHECK_REL(exponential("1", 2, "0"), 2, 0);
	CHECK_REL(exponential("1", 2, "1"), 0, 0);
	CHECK_REL(exponential("1", 0, "1e-6"), 0, 0);
	CHECK(isnan(exponential("-1", 2, "1e-6")));
	CHECK(isnan(exponential("1", 2, "-1")));
}

enum { ORDERS = 31 };

static void a_list_of_orders_has_its_figure_and_its_edge(void)
{
	double orders[ORDERS], flat[ORDERS], linear[ORDERS];
	struct sotto_closed_renyi r = {0};

	for (int i = 0; i < ORDERS; i++) {
		orders[i] = i + 2;
		flat[i] = 1.1;
		linear[i] = .5 * orders[i];
	}
	CHECK_INT(try_renyi(orders, flat, ORDERS, "1e-5", &r), SOTTO_OK);
	CHECK(r.best == ORDERS - 1 && r.edge);
	CHECK_REL(r.epsilon, 1.3278380617554359, 1e-9);
	/* .5-zCDP is best at 5.907, whose value is 5.2215344445301690 */
	CHECK_INT(try_renyi(orders, linear, ORDERS, "1e-6", &r), SOTTO_OK);
	CHECK(orders[r.best] == 6 && !r.edge);
	CHECK(r.epsilon > 5.221534444 && r.epsilon < 5.2226);
	linear[r.best] = INFINITY;
	CHECK_INT(try_renyi(orders, linear, ORDERS, "1e-6", &r), SOTTO_OK);
	CHECK(orders[r.best] == 7 && r.epsilon > 5.324);
	CHECK_INT(try_renyi(orders, flat, 1, "0", &r), SOTTO_OK);
	CHECK(isinf(r.epsilon));
	CHECK_INT(try_renyi(orders, flat, 1, ".9", &r), SOTTO_OK);
	CHECK(r.epsilon == 0 && !r.edge); /* .81 >= 1 - exp(-1.1) */
}

static void a_list_that_is_none_is_refused(void)
{
	static const double good[] = {2, 3}, one[] = {1, 2}, falling[] = {3, 2},
			    endless[] = {2, INFINITY}, nothing[] = {NAN, 2}, below[] = {1, -1};
	struct sotto_closed_renyi r;

	CHECK_INT(try_renyi(good, good, 0, "1e-6", &r), SOTTO_EINVAL);
	CHECK_INT(try_renyi(one, good, 2, "1e-6", &r), SOTTO_EINVAL);
	CHECK_INT(try_renyi(falling, good, 2, "1e-6", &r), SOTTO_EINVAL);
	CHECK_INT(try_renyi(endless, good, 2, "1e-6", &r), SOTTO_EINVAL);
	CHECK_INT(try_renyi(nothing, good, 2, "1e-6", &r), SOTTO_EINVAL);
	CHECK_INT(try_renyi(good, nothing, 2, "1e-6", &r), SOTTO_EINVAL);
	CHECK_INT(try_renyi(good, below, 2, "1e-6", &r), SOTTO_EINVAL);
	CHECK_INT(try_renyi(good, good, 2, "-1e-6", &r), SOTTO_EINVAL);
}

static void shuffling_has_its_figures(void)
{
	double out = NAN;

	CHECK_INT(try_shuffle("1", 10000, "1e-6", &out), SOTTO_OK);
	figure_check_up("clones", out, ".21402565193");
	CHECK_INT(try_shuffle("1", 1000000, "1e-8", &out), SOTTO_OK);
	figure_check_up("clones of a million", out, ".026775163");
	CHECK_INT(try_shuffle("0", 10000, "1e-6", &out), SOTTO_OK);
	CHECK_REL(out, 0, 0);
}

/* n = 10^4, delta = 1e-6: up to log(10000/(16 log(4e6))) = 3.7163... */
static void the_clones_form_ends_where_its_theorem_does(void)
{
	double out;

	CHECK_INT(try_shuffle("3.7", 10000, "1e-6", &out), SOTTO_OK);
	CHECK_INT(try_shuffle("3.73", 10000, "1e-6", &out), SOTTO_EREFUSED);
	CHECK_INT(try_shuffle("1e5", 10000, "1e-6", &out), SOTTO_EREFUSED);
	CHECK_INT(try_shuffle("-1", 10000, "1e-6", &out), SOTTO_EINVAL);
	CHECK_INT(try_shuffle("1", 0, "1e-6", &out), SOTTO_EINVAL);
	CHECK_INT(try_shuffle("1", 10000, "0", &out), SOTTO_EINVAL);
	CHECK_INT(try_shuffle("1", 10000, "1", &out), SOTTO_EINVAL);
}

static void the_blanket_has_its_figures(void)
{
	figure_check_up("generic", blanket("1", 10000, 0, "1e-6"), ".166634363");
	figure_check_up("binary", blanket("1", 10000, 2, "1e-6"), ".050666552");
	figure_check_up("ten answers", blanket("2", 100000, 10, "1e-7"), ".07230101461572");
	CHECK_REL(blanket("0", 10, 0, "1e-6"), 0, 0);
	CHECK_REL(blanket("1", 1, 0, "1e-6"), 1, 0); /* nobody to hide among */
	CHECK_REL(blanket("1000", 10, 3, "1e-6"), 1000, 0);
}

static void the_blanket_refuses_what_is_none(void)
{
	double out;

	CHECK_INT(try_blanket("1", 10, 1, "1e-6", &out), SOTTO_EINVAL);
	CHECK_INT(try_blanket("-1", 10, 0, "1e-6", &out), SOTTO_EINVAL);
	CHECK_INT(try_blanket("1", 0, 0, "1e-6", &out), SOTTO_EINVAL);
	CHECK_INT(try_blanket("1", 10, 0, "0", &out), SOTTO_EINVAL);
	CHECK_INT(try_blanket("1", 10, 0, "1", &out), SOTTO_EINVAL);
	CHECK_INT(try_blanket("1e7", 10, 0, "1e-6", &out), SOTTO_ERANGE);
}

static void power_under_gdp_has_its_figures(void)
{
	figure_check_up("mu 1", of_two(sotto_closed_gaussian_tpr_up, "1", ".1"),
			".38914369164536097");
	figure_check_up("mu 2", of_two(sotto_closed_gaussian_tpr_up, "2", ".001"),
			".13780541289830");
	CHECK_REL(of_two(sotto_closed_gaussian_tpr_up, "0", ".3"), .3, 1e-15);
	CHECK_REL(of_two(sotto_closed_gaussian_tpr_up, "5", "0"), 0, 0);
	CHECK_REL(of_two(sotto_closed_gaussian_tpr_up, "0", "1"), 1, 0);
	CHECK_REL(of_two(sotto_closed_gaussian_tpr_up, "0", "1e-300"), 1e-300, 1e-12);
	CHECK_REL(of_two(sotto_closed_gaussian_tpr_up, "1", "1e-300"), 7.65717206478e-285,
		  1e-9);
	CHECK_REL(of_two(sotto_closed_gaussian_tpr_up, "100", ".1"), 1, 0);
	CHECK(isnan(of_two(sotto_closed_gaussian_tpr_up, "-1", ".1")));
	CHECK(isnan(of_two(sotto_closed_gaussian_tpr_up, "1", "1.1")));
	CHECK(isnan(of_two(sotto_closed_gaussian_tpr_up, "1", "-.1")));
}

static void a_rate_next_to_one_still_has_a_quantile(void)
{
	struct sotto_rational mu = rational_of("1"), one = rational_of("1"),
			      fpr = rational_of("1e-300");
	double out = 0;

	sotto_rational_subtract(&fpr, &one, &fpr);
	CHECK_INT(sotto_closed_gaussian_tpr_up(&mu, &fpr, &out), SOTTO_OK);
	CHECK_REL(out, 1, 0);
	sotto_rational_release(&mu);
	sotto_rational_release(&one);
	sotto_rational_release(&fpr);
}

static void the_tradeoff_has_its_three_parts(void)
{
	CHECK_REL(tradeoff("1", ".05", ".01"), .9228171817154095, 1e-14);
	CHECK_REL(tradeoff("1", ".05", ".3"), .2391216367614375, 1e-14);
	CHECK_REL(tradeoff("1", ".05", ".9"), .018393972058572093, 1e-14);
	CHECK_REL(tradeoff("1", ".05", ".97"), 0, 0);
	CHECK_REL(tradeoff("0", "0", ".25"), .75, 0);
	CHECK_REL(tradeoff("1e6", "0", ".5"), 0, 0);
	CHECK(tradeoff("0", "0", "9/10") <= .1); /* rounded down */
	CHECK(isnan(tradeoff("-1", "0", ".5")));
	CHECK(isnan(tradeoff("1", "1.5", ".5")));
	CHECK(isnan(tradeoff("1", "0", "-.5")));
}

int main(void)
{
	RUN(kov_has_its_figures);
	RUN(epsilon_in_place_of_eulers_number_is_seen);
	RUN(kov_at_its_edges);
	RUN(kov_is_of_black_boxes_only);
	RUN(the_grid_has_its_figures);
	RUN(the_grid_is_next_to_the_optimum);
	RUN(the_grid_refuses_what_it_cannot_do);
	RUN(conversions_have_their_figures);
	RUN(a_list_of_orders_has_its_figure_and_its_edge);
	RUN(a_list_that_is_none_is_refused);
	RUN(shuffling_has_its_figures);
	RUN(the_clones_form_ends_where_its_theorem_does);
	RUN(the_blanket_has_its_figures);
	RUN(the_blanket_refuses_what_is_none);
	RUN(power_under_gdp_has_its_figures);
	RUN(a_rate_next_to_one_still_has_a_quantile);
	RUN(the_tradeoff_has_its_three_parts);
	return tap_done();
}
