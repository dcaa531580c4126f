/*
 * Filters and odometers against random, adaptive use: whatever an analyst does, the sums
 * stay within the limit, a refusal changes nothing, and replaying gives the same state.
 */
#include "core/account/cost/cost_inside.h"
#include "core/account/cost/filter.h"
#include "sotto/cost.h"

#include <stdlib.h>

#include "sotto/account.h"
#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/number.h"
#include "testlib/accountant/random_workload.h"
#include "testlib/tap.h"

enum { STEPS = 300 };

/* A cost whose size the analyst chooses after looking at what is left. */
static void choose_cost(struct sotto_cost *c, uint64_t *seed)
{
	struct sotto_rational a, b;
	enum sotto_status st = SOTTO_OK;

	sotto_rational_init(&a);
	sotto_rational_init(&b);
	mpq_set_ui(a.q, 1 + random_below(seed, 97), 1000 + random_below(seed, 3000));
	mpq_canonicalize(a.q);
	mpq_set_ui(b.q, random_below(seed, 3), 100000000);
	mpq_canonicalize(b.q);
	switch (random_below(seed, 6)) {
	case 0:
	case 1:
		st = sotto_cost_set_pure(c, &a);
		break;
	case 2:
		st = sotto_cost_set_approx(c, &a, &b);
		break;
	case 3:
		mpq_mul(a.q, a.q, a.q);
		st = sotto_cost_set_zcdp(c, &a, &b);
		break;
	case 4:
		st = sotto_cost_set_geometric(c, &a, 1 + random_below(seed, 3));
		break;
	default:
		st = sotto_cost_set_bounded_range(c, &a);
		break;
	}
	if (st != SOTTO_OK)
		abort();
	sotto_rational_release(&a);
	sotto_rational_release(&b);
}

static void make_filter(struct sotto_filter *f)
{
	struct sotto_rational e = rational_of("1"), d = rational_of("1e-6");

	if (sotto_filter_init(f, &e, &d, NULL) != SOTTO_OK)
		abort();
	sotto_rational_release(&e);
	sotto_rational_release(&d);
}

static bool same_cost(const struct sotto_cost *a, const struct sotto_cost *b)
{
	return a->bounded == b->bounded &&
	       (!a->bounded || mpq_equal(a->epsilon.q, b->epsilon.q)) &&
	       mpq_equal(a->delta.q, b->delta.q) && mpq_equal(a->rho.q, b->rho.q);
}

/* delta within its share, and at least one of the two branches within its limit */
static bool within_limits(const struct sotto_filter *f)
{
	bool basic = f->spent.bounded && mpq_cmp(f->spent.epsilon.q, f->epsilon.q) <= 0;

	return mpq_cmp(f->spent.delta.q, f->delta_mechanism.q) <= 0 &&
	       (basic || mpq_cmp(f->spent.rho.q, f->rho.q) <= 0);
}

static void whatever_is_admitted_stays_within_the_limit(void)
{
	struct sotto_cost c, before, sum;

	sotto_cost_init(&c);
	sotto_cost_init(&before);
	sotto_cost_init(&sum);
	for (uint64_t run = 1; run <= (effort() == EFFORT_LONG ? 200 : 20); run++) {
		struct sotto_filter f;
		uint64_t seed = run;
		int refused = 0;

		make_filter(&f);
		sotto_cost_release(&sum);
		sotto_cost_init(&sum);
		for (int i = 0; i < STEPS; i++) {
			enum sotto_status would, did;

			choose_cost(&c, &seed);
			sotto_cost_set(&before, &f.spent);
			would = sotto_filter_would_admit(&f, &c, NULL);
			CHECK(same_cost(&before, &f.spent));
			did = sotto_filter_admit(&f, &c, NULL);
			CHECK(would == did);
			if (did == SOTTO_OK) {
				sotto_cost_add(&sum, &c);
			} else {
				CHECK(did == SOTTO_EBUDGET && same_cost(&before, &f.spent));
				refused++;
			}
			CHECK(within_limits(&f));
		}
		CHECK(same_cost(&sum, &f.spent));
		CHECK(refused > 0 && refused < STEPS);
		sotto_filter_release(&f);
	}
	sotto_cost_release(&c);
	sotto_cost_release(&before);
	sotto_cost_release(&sum);
}

/* What was refused would indeed have passed every limit that could have let it in. */
static void a_refusal_is_never_more_careful_than_the_rule(void)
{
	struct sotto_filter f, tried;
	struct sotto_cost c;
	uint64_t seed = 77;

	sotto_cost_init(&c);
	make_filter(&f);
	make_filter(&tried);
	for (int i = 0; i < STEPS; i++) {
		choose_cost(&c, &seed);
		if (sotto_filter_admit(&f, &c, NULL) == SOTTO_OK)
			continue;
		sotto_cost_set(&tried.spent, &f.spent);
		sotto_cost_add(&tried.spent, &c);
		CHECK(!within_limits(&tried));
	}
	sotto_filter_release(&f);
	sotto_filter_release(&tried);
	sotto_cost_release(&c);
}

static void replaying_in_any_order_gives_the_same_sums(void)
{
	struct sotto_cost costs[40];
	struct sotto_filter forward, backward;
	uint64_t seed = 5;
	int n = 0;

	make_filter(&forward);
	make_filter(&backward);
	for (int i = 0; i < 40; i++) {
		sotto_cost_init(&costs[n]);
		choose_cost(&costs[n], &seed);
		if (sotto_filter_admit(&forward, &costs[n], NULL) == SOTTO_OK)
			n++;
		else
			sotto_cost_release(&costs[n]);
	}
	for (int i = n - 1; i >= 0; i--)
		CHECK_INT(sotto_filter_admit(&backward, &costs[i], NULL), SOTTO_OK);
	CHECK(same_cost(&forward.spent, &backward.spent));
	CHECK(forward.admitted == backward.admitted && n > 5);
	for (int i = 0; i < n; i++)
		sotto_cost_release(&costs[i]);
	sotto_filter_release(&forward);
	sotto_filter_release(&backward);
}

/* Pure costs that no longer fit the sum of epsilons may go on by the sum of rhos, and back. */
static void either_branch_alone_lets_a_release_in(void)
{
	struct sotto_filter f;
	struct sotto_rational big = rational_of("0.9"), small = rational_of("0.001");
	struct sotto_cost c;

	sotto_cost_init(&c);
	make_filter(&f);
	CHECK_INT(sotto_cost_set_pure(&c, &big), SOTTO_OK);
	CHECK_INT(sotto_filter_admit(&f, &c, NULL), SOTTO_OK); /* only the sum of epsilons */
	CHECK(mpq_cmp(f.spent.rho.q, f.rho.q) > 0);
	sotto_filter_reset(&f);
	CHECK_INT(sotto_cost_set_pure(&c, &small), SOTTO_OK);
	for (int i = 0; i < 2000; i++)
		CHECK_INT(sotto_filter_admit(&f, &c, NULL), SOTTO_OK); /* only that of rhos */
	CHECK(mpq_cmp(f.spent.epsilon.q, f.epsilon.q) > 0);
	sotto_filter_release(&f);
	sotto_cost_release(&c);
	sotto_rational_release(&big);
	sotto_rational_release(&small);
}

/* A filter's promise, priced once by the accountant: what it let in costs at most its limit. */
static void what_a_filter_lets_in_costs_at_most_its_budget(void)
{
	struct sotto_filter f;
	struct sotto_rational small = rational_of("0.01");
	struct sotto_account_answer a;
	struct sotto_cost c;
	char text[64];
	int n = 0;

	sotto_cost_init(&c);
	make_filter(&f);
	CHECK_INT(sotto_cost_set_pure(&c, &small), SOTTO_OK);
	while (n < 100000 && sotto_filter_admit(&f, &c, NULL) == SOTTO_OK)
		n++;
	CHECK(n > 150);
	(void)snprintf(text, sizeof text, "pure(epsilon=0.01)*%d", n);
	a = epsilon_at(text, "1e-6", SOTTO_PLD);
	CHECK(a.upper <= 1 && a.upper > 0.7);
	sotto_filter_release(&f);
	sotto_cost_release(&c);
	sotto_rational_release(&small);
}

/* Valid at any stopping time, so never less than the price of what was spent by then. */
static void an_odometer_never_reads_less_than_the_price(void)
{
	struct sotto_rational d = rational_of("1e-6"), e = rational_of("0.05");
	struct sotto_odometer o;
	struct sotto_cost c;
	double last = 0;

	sotto_cost_init(&c);
	CHECK_INT(sotto_cost_set_pure(&c, &e), SOTTO_OK);
	CHECK_INT(sotto_odometer_init(&o, &d), SOTTO_OK);
	for (int n = 1; n <= 400; n++) {
		double now;

		CHECK_INT(sotto_odometer_add(&o, &c), SOTTO_OK);
		now = sotto_odometer_epsilon_up(&o);
		CHECK(now >= last);
		last = now;
		if (n % 50 == 0) {
			char text[64];

			(void)snprintf(text, sizeof text, "pure(epsilon=0.05)*%d", n);
			CHECK(now >= epsilon_at(text, "1e-6", SOTTO_PLD).upper);
			CHECK(now <= 0.05 * n * (1 + 1e-12)); /* the sum always holds */
		}
	}
	sotto_odometer_release(&o);
	sotto_cost_release(&c);
	sotto_rational_release(&d);
	sotto_rational_release(&e);
}

int main(void)
{
	RUN(whatever_is_admitted_stays_within_the_limit);
	RUN(a_refusal_is_never_more_careful_than_the_rule);
	RUN(replaying_in_any_order_gives_the_same_sums);
	RUN(either_branch_alone_lets_a_release_in);
	RUN(what_a_filter_lets_in_costs_at_most_its_budget);
	RUN(an_odometer_never_reads_less_than_the_price);
	return tap_done();
}
