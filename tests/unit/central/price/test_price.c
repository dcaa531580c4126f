/*
 * Prices by hand: what one unit can move, how epsilon and rho are divided, and what is
 * charged, as exact fractions.
 */
#include "central/price/plan_price.h"

#include <math.h>
#include <stdio.h>

#include "central/session/session.h"
#include "testlib/fixture/clinic.h"
#include "testlib/number.h"
#include "testlib/tap.h"

static const char policy[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 3\n    max_rows: 2\n"
	"    columns:\n      x: {bounds: [-30, 100], type: integer}\n      ward: {keys: [a, "
	"b]}\n";

struct priced {
	const char *sql;
	int groups, measures;
	int per_group[3]; /* what one unit moves of each measure in a group */
	bool private_keys;
};

static const struct priced cases[] = {
	{"SELECT COUNT(DISTINCT id) FROM visits", 1, 1, {1}, false},
	{"SELECT COUNT(*) FROM visits", 1, 1, {2}, false},
	{"SELECT COUNT(DISTINCT note) FROM visits", 1, 1, {2}, false},
	{"SELECT SUM(x) FROM visits", 1, 1, {200}, false},
	{"SELECT SUM(x), SUM(DISTINCT x) FROM visits", 1, 2, {200, 200}, false},
	{"SELECT SUM(-x) FROM visits", 1, 1, {200}, false},
	{"SELECT SUM(x), COUNT(*) FROM visits", 1, 2, {200, 2}, false},
	{"SELECT ward, SUM(x), COUNT(*) FROM visits GROUP BY ward", 2, 2, {200, 2}, false},
	{"SELECT note, COUNT(*) FROM visits GROUP BY note", 3, 2, {2, 1}, true},
	{"SELECT note, SUM(x), COUNT(*) FROM visits GROUP BY note", 3, 3, {200, 2, 1}, true},
};

static bool equals(const mpq_t x, long numerator, unsigned long denominator)
{
	mpq_t want;
	bool same;

	mpq_init(want);
	mpq_set_si(want, numerator, denominator);
	mpq_canonicalize(want);
	same = mpq_equal(x, want);
	mpq_clear(want);
	return same;
}

static bool plan_of(struct clinic *c, const struct priced *p, struct sotto_plan *plan)
{
	struct sotto_rational e = rational_of("1/2"), d = rational_of("1/1000");
	struct sotto_question q = {.sql = p->sql, .epsilon = &e, .delta = &d};
	bool done = sotto_session_plan(c->session, &q, plan, &c->err) == SOTTO_OK;

	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return tap_check(done, __FILE__, __LINE__, "%s: %s", p->sql, c->err.text);
}

static bool price(struct sotto_plan *plan, const char *epsilon, const char *delta, bool wish)
{
	struct sotto_rational e = rational_of(epsilon), d = rational_of(delta);
	enum sotto_status st = sotto_plan_price(plan, &e, &d, wish, NULL);

	sotto_rational_release(&e);
	sotto_rational_release(&d);
	return st == SOTTO_OK;
}

static void check_moves(const struct priced *p, const struct sotto_plan *plan)
{
	CHECK_INT(plan->groups, p->groups);
	CHECK_INT(plan->measure_count, p->measures);
	CHECK(plan->public_keys == !p->private_keys);
	for (int i = 0; i < p->measures; i++)
		CHECK_INT(plan->measures[i].per_group, p->per_group[i]);
}

/* Even shares that add up to epsilon; delta is charged for private keys, and only then. */
static void check_laplace(const struct priced *p, struct sotto_plan *plan)
{
	REQUIRE(price(plan, "3/7", "1/1000", false));
	CHECK_INT(plan->noise, SOTTO_NOISE_LAPLACE);
	for (int i = 0; i < p->measures; i++)
		CHECK(equals(plan->measures[i].noise->laplace.epsilon.q, 3,
			     7ul * (unsigned)p->measures));
	CHECK(equals(plan->cost.epsilon.q, 3, 7));
	CHECK(equals(plan->cost.delta.q, p->private_keys, 1000));
	CHECK(equals(plan->epsilon->q, 3, 7));
	CHECK(equals(plan->delta->q, p->private_keys, 1000));
}

/* sigma^2 2 rho = groups per_group^2 shares, with the rho that is charged. */
static void check_gaussian(const struct priced *p, struct sotto_plan *plan)
{
	mpq_t moved;

	REQUIRE(price(plan, "1/10", "1/100", true));
	if (plan->noise != SOTTO_NOISE_GAUSSIAN)
		return;
	mpq_init(moved);
	for (int i = 0; i < p->measures; i++) {
		long each = p->per_group[i];

		mpq_mul(moved, plan->measures[i].noise->gaussian.sigma2.q, plan->cost.rho.q);
		mpq_mul_2exp(moved, moved, 1);
		CHECK(equals(moved, p->groups * each * each * p->measures, 1));
	}
	CHECK(equals(plan->cost.epsilon.q, 1, 10));
	CHECK(equals(plan->cost.delta.q, 1, 100));
	mpq_clear(moved);
}

static void units_move_what_the_policy_allows_and_shares_add_up(void)
{
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, NULL));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sotto_plan plan;

		if (!plan_of(&c, &cases[i], &plan))
			continue;
		check_moves(&cases[i], &plan);
		check_laplace(&cases[i], &plan);
		check_gaussian(&cases[i], &plan);
		sotto_plan_release(&plan);
	}
	clinic_close(&c);
}

/* Many measures make Gaussian noise the smaller one; half of a wished delta is its own. */
static void many_measures_are_gaussian_where_delta_is_wished(void)
{
	const struct priced *many = &cases[sizeof cases / sizeof *cases - 1];
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, NULL));
	REQUIRE(plan_of(&c, many, &plan));
	check_gaussian(many, &plan);
	CHECK_INT(plan.noise, SOTTO_NOISE_GAUSSIAN);
	REQUIRE(price(&plan, "1/10", "1/100", false));
	CHECK_INT(plan.noise, SOTTO_NOISE_LAPLACE);
	CHECK(!price(&plan, "1/10", "0", true)); /* private keys need a delta */
	sotto_plan_release(&plan);
	clinic_close(&c);
}

static const char many_rows[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 1\n    max_rows: 25\n"
	"    columns:\n      x: {bounds: [0, 100], type: integer}\n";

/* Units are counted with a fifth of the share of rows: the root of what they move. */
static void shares_follow_errors_where_that_errs_clearly_less(void)
{
	static const struct priced both = {
		.sql = "SELECT COUNT(*), COUNT(DISTINCT id) FROM visits"};
	static const struct priced alike = {.sql = "SELECT COUNT(*), SUM(x) FROM visits"};
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(clinic_open(&c, many_rows, NULL));
	REQUIRE(plan_of(&c, &both, &plan));
	REQUIRE(price(&plan, "6", "0", false));
	CHECK(equals(plan.measures[0].noise->laplace.epsilon.q, 5, 1));
	CHECK(equals(plan.measures[1].noise->laplace.epsilon.q, 1, 1));
	CHECK(equals(plan.cost.epsilon.q, 6, 1));
	sotto_plan_release(&plan);
	REQUIRE(plan_of(&c, &alike, &plan));
	REQUIRE(price(&plan, "6", "0", false));
	for (size_t i = 0; i < 2; i++)
		CHECK(equals(plan.measures[i].noise->laplace.epsilon.q, 3, 1));
	sotto_plan_release(&plan);
	clinic_close(&c);
}

static void weights_of_columns_decide_their_shares(void)
{
	static const struct priced both = {
		.sql = "SELECT COUNT(*) AS n, SUM(x) AS s FROM visits"};
	unsigned weights[] = {1, 3};
	struct sotto_plan plan;
	struct clinic c;
	size_t sum;

	REQUIRE(clinic_open(&c, many_rows, NULL));
	REQUIRE(plan_of(&c, &both, &plan));
	plan.output_weights = weights;
	REQUIRE(price(&plan, "4", "0", false));
	sum = plan.measures[0].kind == SOTTO_MEASURE_SUM ? 0 : 1;
	CHECK(equals(plan.measures[sum].noise->laplace.epsilon.q, 3, 1));
	CHECK(equals(plan.measures[1 - sum].noise->laplace.epsilon.q, 1, 1));
	CHECK(equals(plan.cost.epsilon.q, 4, 1));
	sotto_plan_release(&plan);
	clinic_close(&c);
}

/*
 * Two that a unit moves as far have one noise only as long as they have one share, also where they shared it in an
 * earlier price.  Laplace noises have the weights' shares of epsilon, Gaussian ones of rho.
 */
static void what_a_unit_moves_as_far_has_noise_of_its_own_share(void)
{
	static const struct priced both = {
		.sql = "SELECT COUNT(*) AS n, COUNT(x) AS m FROM visits"};
	unsigned weights[] = {1, 3};
	struct sotto_measure *m;
	struct sotto_plan plan;
	struct clinic c;
	mpq_t one, other;
	size_t n;

	REQUIRE(clinic_open(&c, many_rows, NULL));
	REQUIRE(plan_of(&c, &both, &plan));
	REQUIRE(plan.measure_count == 2 &&
		plan.measures[0].per_group == plan.measures[1].per_group);
	m = plan.measures;
	CHECK(m[0].noise == m[1].noise);
	plan.output_weights = weights;
	REQUIRE(price(&plan, "4", "0", false));
	CHECK(m[0].noise != m[1].noise);
	n = m[0].column == SIZE_MAX ? 0 : 1;
	CHECK(equals(m[n].noise->laplace.epsilon.q, 1, 1));
	CHECK(equals(m[1 - n].noise->laplace.epsilon.q, 3, 1));
	CHECK(equals(plan.cost.epsilon.q, 4, 1));
	plan.wanted_noise = SOTTO_NOISE_GAUSSIAN;
	REQUIRE(price(&plan, "1/10", "1/100", true) && plan.noise == SOTTO_NOISE_GAUSSIAN);
	mpq_inits(one, other, NULL);
	mpq_inv(one, m[0].noise->gaussian.sigma2.q);
	mpq_inv(other, m[1].noise->gaussian.sigma2.q);
	mpq_add(one, one, other); /* 25^2 / 2 of it is what both cost */
	mpq_set_ui(other, 25 * 25, 2);
	mpq_mul(one, one, other);
	CHECK(mpq_equal(one, plan.cost.rho.q));
	mpq_clears(one, other, NULL);
	sotto_plan_release(&plan);
	clinic_close(&c);
}

/* What is asked together is paid together. */
static void parts_have_even_shares_that_add_up(void)
{
	static const struct priced
		pair = {.sql = "SELECT a.n, b.n FROM (SELECT COUNT(*) AS n FROM visits) AS a, "
			       "(SELECT SUM(x) AS n FROM visits) AS b"},
		keys = {.sql = "SELECT note, COUNT(*) FROM visits GROUP BY note UNION ALL "
			       "SELECT "
			       "note, SUM(x) FROM visits GROUP BY note"};
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, NULL));
	REQUIRE(plan_of(&c, &pair, &plan));
	REQUIRE(price(&plan, "3/7", "0", false));
	CHECK_INT(plan.part_count, 2);
	for (size_t i = 0; i < plan.part_count; i++)
		CHECK(equals(plan.parts[i]->cost.epsilon.q, 3, 14));
	CHECK(equals(plan.cost.epsilon.q, 3, 7));
	sotto_plan_release(&plan);
	/* Each part shows private keys: so do their deltas. */
	REQUIRE(plan_of(&c, &keys, &plan));
	REQUIRE(price(&plan, "3/7", "1/1000", false));
	CHECK_INT(plan.part_count, 2);
	for (size_t i = 0; i < plan.part_count; i++)
		CHECK(equals(plan.parts[i]->cost.delta.q, 1, 2000));
	CHECK(equals(plan.cost.delta.q, 1, 1000));
	CHECK(equals(plan.delta->q, 1, 1000));
	sotto_plan_release(&plan);
	clinic_close(&c);
}

static const char two_tables[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits: {source: visits.csv, unit: id, max_groups: 1, max_rows: 4, columns: {ward: "
	"{keys: [a, b, c, d]}}}\n  others: {source: visits.csv, unit: {column: id, via: "
	"others.id -> visits.id}, max_groups: 3, "
	"max_rows: 2}\n";

/* Of two tables with several rows of a unit, the larger of each limit; of one that has one row, the other's. */
static void a_join_has_the_limits_of_the_table_that_allows_more(void)
{
	static const struct priced joins[] = {
		{"SELECT a.ward, COUNT(*) FROM visits a JOIN others b ON a.id = b.id GROUP BY "
		 "a.ward",
		 .groups = 3, .measures = 1, .per_group = {4}},
		{"SELECT b.ward, COUNT(*) FROM others a JOIN visits b ON a.id = b.id GROUP BY "
		 "b.ward",
		 .groups = 3, .measures = 1, .per_group = {4}},
		{"SELECT a.ward, COUNT(*) FROM visits a JOIN (SELECT id, COUNT(*) AS n FROM "
		 "others "
		 "GROUP BY id) AS b ON a.id = b.id GROUP BY a.ward",
		 .groups = 1, .measures = 1, .per_group = {4}},
	};

	for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) {
		struct sotto_plan plan;
		struct clinic c;

		REQUIRE(clinic_open(&c, two_tables, NULL));
		if (plan_of(&c, &joins[i], &plan)) {
			check_moves(&joins[i], &plan);
			sotto_plan_release(&plan);
		}
		clinic_close(&c);
	}
}

static const char one_row[] =
	"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: 0\ntables:\n"
	"  visits:\n    source: visits.csv\n    unit: id\n    max_groups: 1\n    max_rows: %d\n"
	"    columns:\n      x: {bounds: [-30, 100], type: integer}\n";

/* Prices a question with epsilon 1 and delta 1e-7, under so many rows of a unit in a group. */
static bool price_counts(struct clinic *c, int rows, const char *sql, struct sotto_plan *plan)
{
	const struct priced p = {.sql = sql};
	char text[sizeof one_row + 10];

	(void)snprintf(text, sizeof text, one_row, rows);
	return tap_check(clinic_open(c, text, NULL), __FILE__, __LINE__, "%s", c->err.text) &&
	       plan_of(c, &p, plan) && price(plan, "1", "1e-7", false);
}

/* With one row a unit and group, what shows a key is the count that the answer has. */
static void one_count_serves_the_threshold_and_the_answer(void)
{
	static const struct {
		const char *sql;
		size_t one, two; /* measures with one row, and with two */
	} counts[] = {
		{"SELECT note, COUNT(*) FROM visits GROUP BY note", 1, 2},
		{"SELECT note, COUNT(DISTINCT id), COUNT(*) FROM visits GROUP BY note", 1, 2},
		{"SELECT note, AVG(x), SUM(x), COUNT(*), COUNT(x) FROM visits GROUP BY note", 3,
		 4},
		{"SELECT note, COUNT(*) FILTER (WHERE x > 3) FROM visits GROUP BY note", 2, 2},
	};

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		for (int rows = 1; rows <= 2; rows++) {
			struct sotto_plan plan;
			struct clinic c;

			REQUIRE(price_counts(&c, rows, counts[i].sql, &plan));
			CHECK_INT(plan.measure_count,
				  rows == 1 ? counts[i].one : counts[i].two);
			sotto_plan_release(&plan);
			clinic_close(&c);
		}
}

/* +- 3 from 17 on, where two counts would have +- 6 from 33 on. */
static void a_shared_count_has_half_the_noise(void)
{
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(price_counts(&c, 1, "SELECT note, COUNT(*) FROM visits GROUP BY note", &plan));
	CHECK_INT(plan.measures[0].per_group, 1);
	CHECK_INT(plan.threshold.measure, 0);
	CHECK(equals(plan.measures[0].noise->laplace.scale.q, 1, 1));
	CHECK_INT(plan.measures[0].noise->errors[0], 3);
	CHECK_INT(plan.threshold.least, 17);
	CHECK(equals(plan.cost.epsilon.q, 1, 1) && equals(plan.cost.delta.q, 1, 10000000));
	sotto_plan_release(&plan);
	clinic_close(&c);
}

/* The ranks that are asked for decide, not the ends of their intervals. */
static void two_ranks_are_found_by_the_method_that_errs_less(void)
{
	static const struct priced two = {.sql = "SELECT MEDIAN(x), MAX(x) FROM visits"};
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, NULL));
	REQUIRE(plan_of(&c, &two, &plan));
	REQUIRE(price(&plan, "1/2", "0", false));
	REQUIRE(plan.choice_count == 1);
	CHECK_INT(plan.choices[0].quantiles.choice->method, SOTTO_RANKS_BY_CHOICE);
	CHECK(equals(plan.cost.epsilon.q, 1, 2));
	sotto_plan_release(&plan);
	clinic_close(&c);
}

static void a_choice_takes_its_share_from_the_sums(void)
{
	static const struct priced both = {.sql = "SELECT SUM(x), MEDIAN(x) FROM visits"};
	struct sotto_plan plan;
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, NULL));
	REQUIRE(plan_of(&c, &both, &plan));
	REQUIRE(price(&plan, "3/7", "0", false));
	REQUIRE(plan.measure_count == 1 && plan.choice_count == 1);
	CHECK(equals(plan.measures[0].noise->laplace.epsilon.q, 3, 14));
	CHECK(equals(plan.cost.epsilon.q, 3, 7));
	sotto_plan_release(&plan);
	clinic_close(&c);
}

#define TENTH(k) "PERCENTILE_CONT(0." #k ") WITHIN GROUP (ORDER BY x)"

static const struct
	priced medians = {.sql = "SELECT ward, MEDIAN(x) FROM visits GROUP BY ward"},
	       tenths = {
		       .sql = "SELECT ward, " TENTH(1) ", " TENTH(2) ", " TENTH(3) ", " TENTH(4) ", " TENTH(
			       5) ", " TENTH(6) ", " TENTH(7) ", " TENTH(8) ", " TENTH(9) " FRO"
											  "M "
											  "visi"
											  "ts "
											  "GROU"
											  "P "
											  "BY "
											  "war"
											  "d"};

/* A choice with epsilon is epsilon^2 / 8 of rho. */
static double rho_of_choices(const struct sotto_rank_choice *c)
{
	double point = mpq_get_d(c->choice.epsilon.q), end = mpq_get_d(c->choice.end_epsilon.q);

	return (point * point + 2 * end * end) / 8;
}

/* In each of two groups a value and the two ends of its interval. */
static void choices_cost_what_they_are_given(void)
{
	const struct sotto_rank_choice *choice;
	struct sotto_plan plan;
	struct clinic c;
	mpq_t all;

	REQUIRE(clinic_open(&c, policy, NULL));
	REQUIRE(plan_of(&c, &medians, &plan));
	REQUIRE(price(&plan, "3/7", "0", false));
	REQUIRE(plan.choice_count == 1);
	choice = plan.choices[0].quantiles.choice;
	REQUIRE(choice->method == SOTTO_RANKS_BY_CHOICE);
	mpq_init(all);
	mpq_add(all, choice->choice.end_epsilon.q, choice->choice.end_epsilon.q);
	mpq_add(all, all, choice->choice.epsilon.q);
	CHECK(equals(all, 3, 14));
	CHECK(equals(plan.cost.epsilon.q, 3, 7));
	REQUIRE(price(&plan, "1/10", "1/100", true));
	CHECK_INT(plan.noise, SOTTO_NOISE_GAUSSIAN);
	CHECK(rho_of_choices(choice) * 2 <= mpq_get_d(plan.cost.rho.q) * (1 + 1e-12));
	CHECK(rho_of_choices(choice) * 2 > mpq_get_d(plan.cost.rho.q) * (1 - 1e-4));
	mpq_clear(all);
	sotto_plan_release(&plan);
	clinic_close(&c);
}

static double ratio_of(const struct sotto_exponential *m, int64_t more)
{
	struct sotto_rational p[2];
	const int64_t scores[] = {0, more};
	double ratio = 0;

	sotto_rational_init(&p[0]);
	sotto_rational_init(&p[1]);
	if (sotto_exponential_probabilities_down(m, scores, 2, 100, p) == SOTTO_OK)
		ratio = mpq_get_d(p[1].q) / mpq_get_d(p[0].q);
	sotto_rational_release(&p[0]);
	sotto_rational_release(&p[1]);
	return ratio;
}

/* All counts of a unit's two rows rise together: a value that has two more is exp(epsilon) times as likely. */
static void the_most_frequent_value_is_chosen_by_all_rows_of_a_unit(void)
{
	static const struct priced mode = {.sql = "SELECT MODE(ward) FROM visits"},
				   modes = {.sql = "SELECT ward, MODE(ward) FROM visits GROUP "
						   "BY ward"};
	const struct priced *const both[] = {&mode, &modes};

	for (int i = 0; i < 2; i++) {
		const struct sotto_mode_choice *choice;
		struct sotto_plan plan;
		struct clinic c;

		REQUIRE(clinic_open(&c, policy, NULL));
		REQUIRE(plan_of(&c, both[i], &plan));
		REQUIRE(price(&plan, "3/7", "0", false));
		REQUIRE(plan.choice_count == 1 && plan.choices[0].kind == SOTTO_CHOICE_MODE);
		choice = plan.choices[0].mode.choice;
		CHECK_INT(plan.groups, i + 1);
		CHECK(equals(choice->epsilon.q, 3, 7ul * (unsigned)plan.groups));
		CHECK(equals(plan.cost.epsilon.q, 3, 7));
		CHECK(fabs(ratio_of(choice->mechanism, 2) -
			   exp(3.0 / 7 / (double)plan.groups)) < 1e-9);
		sotto_plan_release(&plan);
		clinic_close(&c);
	}
}

/* A score of noisy max moves by all that a unit adds to a group: two rows, or sums of up to 100 in each. */
static void groups_are_chosen_by_all_that_a_unit_adds_to_one(void)
{
	static const struct priced tops[] = {
		{.sql = "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1",
		 .per_group = {2}},
		{.sql = "SELECT ward FROM visits GROUP BY ward ORDER BY SUM(x) DESC LIMIT 1",
		 .per_group = {200}}};

	for (size_t i = 0; i < 2; i++) {
		struct sotto_plan plan;
		struct clinic c;

		REQUIRE(clinic_open(&c, policy, NULL));
		REQUIRE(plan_of(&c, &tops[i], &plan));
		REQUIRE(price(&plan, "3/7", "0", false));
		CHECK(plan.top.chosen);
		CHECK_INT(plan.top.moved, tops[i].per_group[0]);
		CHECK(plan.top.monotone == (i == 0)); /* values of both signs */
		CHECK(equals(plan.top.epsilon->q, 3, 7));
		CHECK(equals(plan.cost.epsilon.q, 3, 7));
		sotto_plan_release(&plan);
		clinic_close(&c);
	}
}

/*
 * A row is counted once on every level of the tree, and in the number of all: a unit moves
 * two rows on height + 1 levels in two groups.
 */
static void a_tree_has_noise_for_all_its_levels(void)
{
	const struct sotto_rank_choice *choice;
	struct sotto_plan plan;
	struct clinic c;
	mpq_t moved;
	long levels;

	REQUIRE(clinic_open(&c, policy, NULL));
	REQUIRE(plan_of(&c, &tenths, &plan));
	REQUIRE(price(&plan, "3/7", "0", false));
	REQUIRE(plan.choice_count == 1);
	choice = plan.choices[0].quantiles.choice;
	REQUIRE(choice->method == SOTTO_RANKS_BY_TREE);
	mpq_init(moved);
	mpq_mul(moved, choice->tree.noise->laplace.scale.q, plan.cost.epsilon.q);
	levels = (long)choice->tree.shape.height + 1;
	CHECK(equals(plan.cost.epsilon.q, 3, 7));
	CHECK(equals(moved, 2 * levels * 2, 1));
	REQUIRE(price(&plan, "1/10", "1/100", true));
	if (choice->method == SOTTO_RANKS_BY_TREE && plan.noise == SOTTO_NOISE_GAUSSIAN) {
		mpq_mul(moved, choice->tree.noise->gaussian.sigma2.q, plan.cost.rho.q);
		mpq_mul_2exp(moved, moved, 1);
		levels = (long)choice->tree.shape.height + 1;
		CHECK(equals(moved, 2 * 2 * levels * 2, 1));
	}
	CHECK_INT(plan.noise, SOTTO_NOISE_GAUSSIAN);
	CHECK(choice->method == SOTTO_RANKS_BY_TREE);
	mpq_clear(moved);
	sotto_plan_release(&plan);
	clinic_close(&c);
}

/* What lies above the lowest value and below the highest is moved by 130 together, in each of two rows. */
static void an_average_alone_has_one_share_for_its_two_sums(void)
{
	static const struct priced averages[] = {
		{"SELECT ward, AVG(x) FROM visits GROUP BY ward", 2, 2, {260, 260}, false},
		{"SELECT note, AVG(x) FROM visits GROUP BY note", 3, 3, {260, 260, 1}, true}};
	struct clinic c;

	REQUIRE(clinic_open(&c, policy, NULL));
	for (int i = 0; i < 2; i++) {
		struct sotto_plan plan;
		mpq_t moved;

		REQUIRE(plan_of(&c, &averages[i], &plan));
		check_moves(&averages[i], &plan);
		CHECK(!plan.measures[0].is_second && plan.measures[1].is_second);
		REQUIRE(price(&plan, "3/7", "1/1000", false));
		for (size_t k = 0; k < plan.measure_count; k++)
			CHECK(equals(plan.measures[k].noise->laplace.epsilon.q, 3, i ? 14 : 7));
		CHECK(equals(plan.cost.epsilon.q, 3, 7));
		REQUIRE(price(&plan, "1/10", "1/100", true));
		CHECK_INT(plan.noise, SOTTO_NOISE_GAUSSIAN);
		mpq_init(moved);
		mpq_mul(moved, plan.measures[1].noise->gaussian.sigma2.q, plan.cost.rho.q);
		mpq_mul_2exp(moved, moved, 1);
		CHECK(equals(moved, (long)averages[i].groups * 260 * 260 * (i + 1), 1));
		mpq_clear(moved);
		sotto_plan_release(&plan);
	}
	clinic_close(&c);
}

/* Where the count is paid for anyway, the pair would be noisier than a sum over that count. */
static void an_average_shares_a_count_that_is_there(void)
{
	static const char once[] =
		"ledger: ledger.db\nbudget: {epsilon: 1000, delta: 0.5}\ndiagnostics: "
		"0\ntables:\n"
		"  visits:\n    source: visits.csv\n    unit: id\n    columns:\n"
		"      x: {bounds: [-30, 100], type: integer, nullable: false}\n"
		"      ward: {keys: [a, b]}\n";
	static const struct {
		struct priced question;
		bool is_pair;
	} averages[] = {
		{{.sql = "SELECT AVG(x) FROM visits", .measures = 2}, true},
		{{.sql = "SELECT AVG(x), AVG(x) + 1 FROM visits", .measures = 2}, true},
		{{.sql = "SELECT ward, AVG(x) FROM visits GROUP BY ward HAVING AVG(x) > 3 "
			 "ORDER BY "
			 "AVG(x)",
		  .measures = 2},
		 true},
		{{.sql = "SELECT ward, AVG(x) FROM visits GROUP BY ward HAVING COUNT(*) > 3",
		  .measures = 2},
		 false},
		{{.sql = "SELECT ward, AVG(x) FROM visits GROUP BY ward ORDER BY COUNT(*)",
		  .measures = 2},
		 false},
		{{.sql = "SELECT AVG(x), COUNT(*) FROM visits", .measures = 2}, false},
		{{.sql = "SELECT note, AVG(x) FROM visits GROUP BY note", .measures = 2},
		 false},
	};
	struct clinic c;

	REQUIRE(clinic_open(&c, once, "id,x,ward,note\n1,5,a,u\n2,7,b,v\n"));
	for (size_t i = 0; i < sizeof averages / sizeof averages[0]; i++) {
		const struct priced *p = &averages[i].question;
		struct sotto_plan plan;

		REQUIRE(plan_of(&c, p, &plan));
		(void)tap_check(plan.measure_count == (size_t)p->measures &&
					plan.measures[1].is_second == averages[i].is_pair,
				__FILE__, __LINE__, "%s: %zu measures", p->sql,
				plan.measure_count);
		sotto_plan_release(&plan);
	}
	clinic_close(&c);
}

/* What one unit moves of all items, over their noise, is the share: also where two move alike. */
static void items_of_the_loss_vector_have_the_share_together(void)
{
	struct sotto_rational epsilon, rest, share;
	struct sotto_arena arena;

	sotto_rational_init(&epsilon);
	sotto_rational_init(&rest);
	sotto_rational_init(&share);
	CHECK_INT(sotto_rational_set_ratio(&epsilon, 1, 1), SOTTO_OK);
	CHECK_INT(sotto_rational_set_ratio(&share, 1, 20), SOTTO_OK);
	sotto_arena_init(&arena, 1 << 24);
	for (unsigned i = 0; i < 16 * 9; i++) {
		const struct sotto_loss_limits limits = {.units = true,
							 .rows = i & 1,
							 .groups = i & 2,
							 .values = i & 4,
							 .reads_rows = i & 8,
							 .max_rows = 1 + i / 16 % 3,
							 .max_groups = 1 + i / 48};
		struct sotto_loss_vector v = {.share = &share};
		struct sotto_cost cost;
		double lost = 0;

		sotto_cost_init(&cost);
		sotto_loss_shape(&v, &limits);
		CHECK_INT(sotto_loss_price(&v, &arena, &epsilon, &rest, &cost), SOTTO_OK);
		for (size_t k = 0; k < v.count; k++)
			lost += (double)v.items[k].moved /
				mpq_get_d(v.items[k].noise->laplace.scale.q);
		CHECK(v.count == 0 || fabs(lost - 0.05) < 1e-12);
		CHECK(v.count == 0 || equals(cost.epsilon.q, 1, 20));
		sotto_cost_release(&cost);
	}
	sotto_arena_release(&arena);
	sotto_rational_release(&epsilon);
	sotto_rational_release(&rest);
	sotto_rational_release(&share);
}

int main(void)
{
	RUN(items_of_the_loss_vector_have_the_share_together);
	RUN(an_average_shares_a_count_that_is_there);
	RUN(units_move_what_the_policy_allows_and_shares_add_up);
	RUN(many_measures_are_gaussian_where_delta_is_wished);
	RUN(shares_follow_errors_where_that_errs_clearly_less);
	RUN(weights_of_columns_decide_their_shares);
	RUN(what_a_unit_moves_as_far_has_noise_of_its_own_share);
	RUN(parts_have_even_shares_that_add_up);
	RUN(one_count_serves_the_threshold_and_the_answer);
	RUN(a_shared_count_has_half_the_noise);
	RUN(an_average_alone_has_one_share_for_its_two_sums);
	RUN(two_ranks_are_found_by_the_method_that_errs_less);
	RUN(a_choice_takes_its_share_from_the_sums);
	RUN(choices_cost_what_they_are_given);
	RUN(the_most_frequent_value_is_chosen_by_all_rows_of_a_unit);
	RUN(groups_are_chosen_by_all_that_a_unit_adds_to_one);
	RUN(a_join_has_the_limits_of_the_table_that_allows_more);
	RUN(a_tree_has_noise_for_all_its_levels);
	return tap_done();
}
