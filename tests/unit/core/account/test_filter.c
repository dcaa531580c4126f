/* Filters and odometers: exact to the last unit, and usable after a refusal. */
#include "core/account/cost/cost_inside.h"
#include "core/account/cost/filter.h"
#include "sotto/cost.h"

#include <stdlib.h>

#include "testlib/accountant/closed_form.h"
#include "testlib/number.h"
#include "testlib/tap.h"

static void set(struct sotto_rational *r, const char *text)
{
	if (sotto_rational_parse(r, text, NULL) != SOTTO_OK)
		abort();
}

static struct sotto_rational number(const char *text)
{
	struct sotto_rational r;

	sotto_rational_init(&r);
	set(&r, text);
	return r;
}

static void make(struct sotto_filter *f, const char *epsilon, const char *delta)
{
	struct sotto_rational e = number(epsilon), d = number(delta);

	if (sotto_filter_init(f, &e, &d, NULL) != SOTTO_OK)
		abort();
	sotto_rational_release(&e);
	sotto_rational_release(&d);
}

enum kind { PURE, APPROX, ZCDP, GAUSSIAN, RANGE };

/* a is epsilon, rho or sigma^2; b is delta or nothing */
static void price(struct sotto_cost *c, enum kind kind, const char *a, const char *b)
{
	struct sotto_rational x = number(a), y = number(b);
	enum sotto_status st = SOTTO_EINVAL;
	struct sotto_rational one = number("1");

	switch (kind) {
	case PURE:
		st = sotto_cost_set_pure(c, &x);
		break;
	case APPROX:
		st = sotto_cost_set_approx(c, &x, &y);
		break;
	case ZCDP:
		st = sotto_cost_set_zcdp(c, &x, &y);
		break;
	case GAUSSIAN:
		st = sotto_cost_set_discrete_gaussian(c, &x, &one);
		break;
	case RANGE:
		st = sotto_cost_set_bounded_range(c, &x);
		break;
	}
	if (st != SOTTO_OK)
		abort();
	sotto_rational_release(&x);
	sotto_rational_release(&y);
	sotto_rational_release(&one);
}

/* How many equal costs fit. */
static int admitted(struct sotto_filter *f, const struct sotto_cost *c, int most)
{
	int n = 0;

	while (n < most && sotto_filter_admit(f, c, NULL) == SOTTO_OK)
		n++;
	return n;
}

static void equal_shares_exhaust_a_budget_exactly(void)
{
	static const int shares[] = {1, 3, 7, 10, 49, 365, 1000, 9973};
	struct sotto_filter f;
	struct sotto_cost c;
	char text[32];

	sotto_cost_init(&c);
	for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
		make(&f, "0.7", "0");
		(void)snprintf(text, sizeof text, "0.7/%d", shares[i]);
		price(&c, PURE, text, "0");
		CHECK_INT(admitted(&f, &c, 20000), shares[i]);
		CHECK_INT(sotto_rational_compare(&f.spent.epsilon, &f.epsilon), 0);
		sotto_filter_release(&f);
	}
	sotto_cost_release(&c);
}

static void ten_tenths_fit_and_the_eleventh_does_not(void)
{
	struct sotto_filter f;
	struct sotto_cost c;
	struct sotto_error err = {""};

	sotto_cost_init(&c);
	make(&f, "1", "0");
	price(&c, PURE, "0.1", "0");
	CHECK_INT(admitted(&f, &c, 100), 10);
	CHECK_INT(sotto_filter_would_admit(&f, &c, &err), SOTTO_EBUDGET);
	CHECK(strstr(err.text, "epsilon") != NULL);
	price(&c, PURE, "0", "0");
	CHECK_INT(sotto_filter_admit(&f, &c, NULL), SOTTO_OK);
	sotto_filter_release(&f);
	sotto_cost_release(&c);
}

static void gaussian_shares_exhaust_a_rho_budget_exactly(void)
{
	struct sotto_rational rho = number("1/3"), zero = number("0");
	struct sotto_filter f;
	struct sotto_cost c;

	sotto_cost_init(&c);
	CHECK_INT(sotto_filter_init_zcdp(&f, &rho, &zero, NULL), SOTTO_OK);
	price(&c, GAUSSIAN, "16.5", "0"); /* rho = 1/33 */
	CHECK_INT(admitted(&f, &c, 100), 11);
	CHECK_INT(sotto_rational_compare(&f.spent.rho, &f.rho), 0);
	sotto_filter_release(&f);
	sotto_cost_release(&c);
	sotto_rational_release(&rho);
	sotto_rational_release(&zero);
}

static void a_refusal_costs_nothing_and_the_filter_goes_on(void)
{
	struct sotto_filter f;
	struct sotto_cost big, small;

	sotto_cost_init(&big);
	sotto_cost_init(&small);
	make(&f, "1", "0");
	price(&big, PURE, "2", "0");
	price(&small, PURE, "1/2", "0");
	CHECK_INT(sotto_filter_admit(&f, &small, NULL), SOTTO_OK);
	for (int i = 0; i < 5; i++)
		CHECK_INT(sotto_filter_admit(&f, &big, NULL), SOTTO_EBUDGET);
	CHECK(mpq_cmp_ui(f.spent.epsilon.q, 1, 2) == 0);
	CHECK_INT(sotto_filter_admit(&f, &small, NULL), SOTTO_OK);
	CHECK_INT((long long)f.admitted, 2);
	sotto_filter_release(&f);
	sotto_cost_release(&big);
	sotto_cost_release(&small);
}

static void many_small_costs_go_on_through_the_zcdp_branch(void)
{
	struct sotto_filter f;
	struct sotto_cost c;
	int n;

	sotto_cost_init(&c);
	make(&f, "1", "1e-6");
	price(&c, PURE, "0.001", "0");
	n = admitted(&f, &c, 200000);
	/* basic alone would stop at 1000; rho_max/(eps tanh(eps/2)) = 45874.897 */
	CHECK_INT(n, 45874);
	CHECK(sotto_rational_compare(&f.spent.rho, &f.rho) <= 0);
	sotto_filter_release(&f);
	sotto_cost_release(&c);
}

static void a_gaussian_closes_the_basic_branch_for_good(void)
{
	struct sotto_filter f;
	struct sotto_cost c;
	struct sotto_error err = {""};

	sotto_cost_init(&c);
	make(&f, "1", "1e-6");
	price(&c, GAUSSIAN, "1e12", "0");
	CHECK_INT(sotto_filter_admit(&f, &c, NULL), SOTTO_OK);
	price(&c, PURE, "0.9", "0"); /* fits the epsilon, not the rho */
	CHECK_INT(sotto_filter_would_admit(&f, &c, &err), SOTTO_EBUDGET);
	CHECK(strstr(err.text, "rho") != NULL);
	sotto_filter_release(&f);
	make(&f, "1", "1e-6");
	CHECK_INT(sotto_filter_would_admit(&f, &c, NULL), SOTTO_OK);
	sotto_filter_release(&f);
	sotto_cost_release(&c);
}

static void delta_guards_both_branches(void)
{
	struct sotto_filter f;
	struct sotto_cost c;
	struct sotto_error err = {""};

	sotto_cost_init(&c);
	make(&f, "1", "1e-6");
	price(&c, APPROX, "0.0001", "1e-7");
	CHECK_INT(admitted(&f, &c, 100), 5); /* half of delta is for releases */
	CHECK_INT(sotto_filter_would_admit(&f, &c, &err), SOTTO_EBUDGET);
	CHECK(strstr(err.text, "delta") != NULL);
	sotto_filter_release(&f);
	make(&f, "1", "0");
	price(&c, APPROX, "0", "1e-300");
	CHECK_INT(sotto_filter_would_admit(&f, &c, NULL), SOTTO_EBUDGET);
	price(&c, GAUSSIAN, "1e300", "0");
	CHECK_INT(sotto_filter_would_admit(&f, &c, NULL), SOTTO_EBUDGET);
	sotto_filter_release(&f);
	sotto_cost_release(&c);
}

/* epsilon(rho_max, delta/2) <= epsilon, and one unit of 2^-64 more is not. */
static void the_rho_limit_is_the_largest_on_its_grid(void)
{
	struct sotto_filter f;
	struct sotto_rational want = number("0.5");

	/* the conversion of rho = .5 at delta 1e-6 */
	make(&f, "5.2215344445301690", "2e-6");
	CHECK(fabs(sotto_rational_double_down(&f.rho) - 0.5) < 1e-14);
	CHECK(mpz_sizeinbase(mpq_denref(f.rho.q), 2) <= 65);
	sotto_filter_release(&f);
	make(&f, "5.2215344445301680", "2e-6");
	CHECK_INT(sotto_rational_compare(&f.rho, &want), -1);
	sotto_filter_release(&f);
	sotto_rational_release(&want);
}

/* Epsilon, delta and rho of one history of odd fractions: none of the sums gets long. */
static bool are_short(const struct sotto_cost *sums)
{
	const size_t most = 4096 + 200;

	return mpz_sizeinbase(mpq_denref(sums->epsilon.q), 2) <= most &&
	       mpz_sizeinbase(mpq_denref(sums->delta.q), 2) <= most &&
	       mpz_sizeinbase(mpq_denref(sums->rho.q), 2) <= most;
}

/* The i-th cost: a fraction as no other in epsilon and in delta; its rho has twice the digits. */
static void set_odd_cost(struct sotto_cost *c, unsigned i)
{
	struct sotto_rational epsilon = rational_of("0"), delta = rational_of("0");

	mpq_set_ui(epsilon.q, 1, 1000000007u + 2 * i);
	mpq_set_ui(delta.q, 1, 2000000011u + 2 * i);
	CHECK_INT(sotto_cost_set_approx(c, &epsilon, &delta), SOTTO_OK);
	mpq_mul(c->rho.q, epsilon.q, epsilon.q);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&delta);
}

/* (Kills: any one of the three sums kept exactly.) */
static void running_denominators_stay_bounded(void)
{
	struct sotto_filter f;
	struct sotto_cost c;

	sotto_cost_init(&c);
	make(&f, "100", "0.5");
	for (unsigned i = 0; i < 1000; i++) {
		set_odd_cost(&c, i);
		CHECK_INT(sotto_filter_admit(&f, &c, NULL), SOTTO_OK);
	}
	CHECK(are_short(&f.spent));
	sotto_filter_release(&f);
	sotto_cost_release(&c);
}

static void what_is_left_would_be_admitted(void)
{
	struct sotto_filter f;
	struct sotto_filter_left left;
	struct sotto_cost c;

	sotto_cost_init(&c);
	sotto_filter_left_init(&left);
	make(&f, "1", "1e-6");
	for (int i = 0; i < 400; i++) {
		price(&c, PURE, "0.0021", "0");
		CHECK_INT(sotto_filter_admit(&f, &c, NULL), SOTTO_OK);
		if (i % 50)
			continue;
		sotto_filter_left(&f, &left);
		CHECK_INT(sotto_cost_set_pure(&c, &left.epsilon), SOTTO_OK);
		CHECK_INT(sotto_filter_would_admit(&f, &c, NULL), SOTTO_OK);
		mpq_set_d(c.epsilon.q, 0x1p-30);
		sotto_rational_add(&left.epsilon, &left.epsilon, &c.epsilon);
		CHECK_INT(sotto_cost_set_pure(&c, &left.epsilon), SOTTO_OK);
		CHECK_INT(sotto_filter_would_admit(&f, &c, NULL), SOTTO_EBUDGET);
	}
	sotto_filter_release(&f);
	sotto_filter_left_release(&left);
	sotto_cost_release(&c);
}

static void one_unit_more_than_what_is_left_is_refused(void)
{
	static const struct {
		const char *epsilon, *delta, *spent;
		enum kind kind;
	} cases[] = {
		{"1000000", "0", "1", PURE},     {"1e300", "0", "1", PURE},
		{"1", "1e-6", "0.5", PURE},      {"1", "0", "1e-9", PURE},
		{"40", "1e-9", "7", RANGE},      {"2.4", "0", "0.1", PURE},
		{"3", "1e-7", "0.02", ZCDP},     {"1e-5", "1e-9", "1e-13", ZCDP},
		{"1e-9", "1e-9", "1e-30", ZCDP}, {"700", "1e-9", "100", ZCDP},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct sotto_filter f;
		struct sotto_filter_left left;
		struct sotto_cost c;

		sotto_cost_init(&c);
		sotto_filter_left_init(&left);
		make(&f, cases[i].epsilon, cases[i].delta);
		price(&c, cases[i].kind, cases[i].spent, "0");
		CHECK_INT(sotto_filter_admit(&f, &c, NULL), SOTTO_OK);
		sotto_filter_left(&f, &left);
		CHECK(sotto_rational_sign(&left.epsilon) > 0);
		CHECK_INT(sotto_cost_set_pure(&c, &left.epsilon), SOTTO_OK);
		CHECK_INT(sotto_filter_would_admit(&f, &c, NULL), SOTTO_OK);
		mpq_set_d(c.epsilon.q, 0x1p-64);
		sotto_rational_add(&left.epsilon, &left.epsilon, &c.epsilon);
		CHECK_INT(sotto_cost_set_pure(&c, &left.epsilon), SOTTO_OK);
		CHECK_INT(sotto_filter_would_admit(&f, &c, NULL), SOTTO_EBUDGET);
		sotto_filter_release(&f);
		sotto_filter_left_release(&left);
		sotto_cost_release(&c);
	}
}

static void bad_budgets_are_refused(void)
{
	static const char *const bad[][2] = {
		{"-1", "0"}, {"1", "-1e-9"}, {"1", "1"}, {"1", "2"}};
	struct sotto_filter f;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct sotto_rational e = number(bad[i][0]), d = number(bad[i][1]);

		CHECK_INT(sotto_filter_init(&f, &e, &d, NULL), SOTTO_EINVAL);
		sotto_rational_release(&e);
		sotto_rational_release(&d);
	}
}

static void the_renyi_filter_stops_when_no_order_has_room(void)
{
	const double orders[] = {2, 4, 8, 16, 32, 64};
	struct sotto_rational e = number("2"), d = number("1e-6");
	struct sotto_renyi_filter *f = NULL;
	double r[6], nan_cost[6] = {NAN};
	int n = 0;

	CHECK_INT(sotto_renyi_filter_new(orders, 6, &e, &d, &f), SOTTO_OK);
	for (int j = 0; j < 6; j++)
		r[j] = 0.001 * orders[j];
	CHECK_INT(sotto_renyi_filter_admit(f, nan_cost), SOTTO_EINVAL);
	while (n < 1000 && sotto_renyi_filter_admit(f, r) == SOTTO_OK)
		n++;
	/* order 16: (2 + 0.0645 + (log(1e-6/6) + log 16)/15)/0.016 = 75.9 */
	CHECK_INT(n, 75);
	r[0] = r[1] = r[2] = r[3] = r[4] = r[5] = 0;
	CHECK_INT(sotto_renyi_filter_admit(f, r), SOTTO_OK);
	sotto_renyi_filter_free(f);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
}

static void the_ladder_reports_the_level_above_the_sum(void)
{
	struct sotto_rational d = number("1e-6");
	struct sotto_odometer o;
	struct sotto_cost c;

	sotto_cost_init(&c);
	CHECK_INT(sotto_odometer_init(&o, &d), SOTTO_OK);
	price(&c, ZCDP, "0.25", "0");
	CHECK_INT(sotto_odometer_add(&o, &c), SOTTO_OK);
	CHECK_INT(sotto_odometer_add(&o, &c), SOTTO_OK);
	CHECK_REL(sotto_odometer_epsilon_up(&o), 6.00797908137, 1e-11);
	price(&c, ZCDP, "1e-9", "0");
	CHECK_INT(sotto_odometer_add(&o, &c), SOTTO_OK); /* next level: 5/8 */
	CHECK(sotto_odometer_epsilon_up(&o) > 6.5 && sotto_odometer_epsilon_up(&o) < 7);
	price(&c, ZCDP, "14", "0");
	CHECK_INT(sotto_odometer_add(&o, &c), SOTTO_OK);
	CHECK(isinf(sotto_odometer_epsilon_up(&o)));
	sotto_odometer_release(&o);
	sotto_cost_release(&c);
	sotto_rational_release(&d);
}

static void the_direct_filter_and_the_mixture_have_their_values(void)
{
	struct sotto_rational V = number("1"), d = number("1e-6"), g = number("1");
	double epsilon;

	CHECK_INT(sotto_filter_direct_up(&V, &d, &epsilon), SOTTO_OK);
	CHECK_REL(epsilon, 5.7565217697569320, 1e-15);
	CHECK_INT(sotto_odometer_mixture_up(&V, &g, &d, &epsilon), SOTTO_OK);
	CHECK_REL(epsilon, sqrt(4 * (0.5 * log(2) + 6 * log(10))) + 0.5, 1e-14);
	set(&g, "0");
	CHECK_INT(sotto_odometer_mixture_up(&V, &g, &d, &epsilon), SOTTO_EINVAL);
	sotto_rational_release(&V);
	sotto_rational_release(&d);
	sotto_rational_release(&g);
}

/* A long history of odd fractions does not make the numbers long. */
static void an_odometers_numbers_stay_short(void)
{
	struct sotto_rational delta = rational_of("1e-6");
	struct sotto_odometer o;
	struct sotto_cost c;

	sotto_cost_init(&c);
	CHECK_INT(sotto_odometer_init(&o, &delta), SOTTO_OK);
	for (unsigned i = 0; i < 1000; i++) {
		set_odd_cost(&c, i);
		CHECK_INT(sotto_odometer_add(&o, &c), SOTTO_OK);
	}
	CHECK(are_short(&o.spent));
	sotto_odometer_release(&o);
	sotto_cost_release(&c);
	sotto_rational_release(&delta);
}

int main(void)
{
	RUN(equal_shares_exhaust_a_budget_exactly);
	RUN(ten_tenths_fit_and_the_eleventh_does_not);
	RUN(gaussian_shares_exhaust_a_rho_budget_exactly);
	RUN(a_refusal_costs_nothing_and_the_filter_goes_on);
	RUN(many_small_costs_go_on_through_the_zcdp_branch);
	RUN(a_gaussian_closes_the_basic_branch_for_good);
	RUN(delta_guards_both_branches);
	RUN(the_rho_limit_is_the_largest_on_its_grid);
	RUN(running_denominators_stay_bounded);
	RUN(what_is_left_would_be_admitted);
	RUN(one_unit_more_than_what_is_left_is_refused);
	RUN(bad_budgets_are_refused);
	RUN(the_renyi_filter_stops_when_no_order_has_room);
	RUN(the_ladder_reports_the_level_above_the_sum);
	RUN(the_direct_filter_and_the_mixture_have_their_values);
	RUN(an_odometers_numbers_stay_short);
	return tap_done();
}
