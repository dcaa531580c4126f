/* Bad parameters are refused, through text and through the structures alike. */
#include <string.h>

#include "core/account/cost/cost_inside.h"
#include "core/account/event/event.h"
#include "sotto/account.h"

#include <stdlib.h>

#include "sotto/cost.h"
#include "testlib/accountant/accounting.h"
#include "testlib/number.h"
#include "testlib/tap.h"

struct refusal {
	const char *text;
	enum sotto_status status;
	const char *words; /* in the message */
};

static void check_refused(const struct refusal *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sotto_event *e = NULL;
		struct sotto_error err = {""};
		enum sotto_status st = sotto_event_parse(list[i].text, NULL, NULL, &e, &err);

		(void)tap_check(st == list[i].status && !e, __FILE__, __LINE__, "%s: %s",
				list[i].text, sotto_status_text(st));
		(void)tap_check(strstr(err.text, list[i].words) != NULL, __FILE__, __LINE__,
				"%s: \"%s\" does not say \"%s\"", list[i].text, err.text,
				list[i].words);
	}
}

#define REFUSED(list) check_refused(list, sizeof list / sizeof list[0])

static void numbers_out_of_range_are_refused(void)
{
	static const struct refusal list[] = {
		{"pure(epsilon=-0.1)", SOTTO_EINVAL, "epsilon"},
		{"laplace(epsilon=-1)", SOTTO_EINVAL, "epsilon"},
		{"laplace(scale=-1)", SOTTO_EINVAL, "scale"},
		{"laplace(scale=1, sensitivity=-1)", SOTTO_EINVAL, "sensitivity"},
		{"gaussian(sigma=-1e-9)", SOTTO_EINVAL, "sigma"},
		{"gaussian(sigma=1, sensitivity=-2)", SOTTO_EINVAL, "sensitivity"},
		{"discrete-gaussian(sigma=-1)", SOTTO_EINVAL, "sigma"},
		{"discrete-gaussian(sigma=1, sensitivity=1.5)", SOTTO_EINVAL, "integer"},
		{"discrete-gaussian(sigma=1, sensitivity=-1)", SOTTO_EINVAL, "sensitivity"},
		{"geometric(epsilon=1, sensitivity=1/2)", SOTTO_EINVAL, "integer"},
		{"geometric(epsilon=1, sensitivity=0)", SOTTO_EINVAL, "sensitivity"},
		{"geometric(epsilon=-1)", SOTTO_EINVAL, "epsilon"},
		{"randomized-response(epsilon=-1)", SOTTO_EINVAL, "epsilon"},
		{"randomized-response(epsilon=1, k=1)", SOTTO_EINVAL, "k must be at least 2"},
		{"randomized-response(epsilon=1, k=2.5)", SOTTO_EINVAL, "integer"},
		{"randomized-response(p=-0.1)", SOTTO_EINVAL, "p"},
		{"randomized-response(p=1.1)", SOTTO_EINVAL, "p"},
		{"exponential(epsilon=-1)", SOTTO_EINVAL, "epsilon"},
		{"permute-and-flip(epsilon=-1)", SOTTO_EINVAL, "epsilon"},
		{"approx(epsilon=-1, delta=0)", SOTTO_EINVAL, "epsilon"},
		{"approx(epsilon=1, delta=-1e-30)", SOTTO_EINVAL, "delta"},
		{"approx(epsilon=1, delta=1.0000001)", SOTTO_EINVAL, "delta"},
		{"zcdp(rho=-1)", SOTTO_EINVAL, "rho"},
		{"sampled(rate=1.0000001, pure(epsilon=1))", SOTTO_EINVAL, "rate"},
		{"sampled(rate=-0.1, pure(epsilon=1))", SOTTO_EINVAL, "rate"},
		{"group(k=0, pure(epsilon=1))", SOTTO_EINVAL, "k"},
		{"group(k=1.5, pure(epsilon=1))", SOTTO_EINVAL, "integer"},
		{"shuffle(n=0, epsilon0=1)", SOTTO_EINVAL, "n"},
		{"shuffle(n=10, epsilon0=-1)", SOTTO_EINVAL, "epsilon0"},
		{"parallel(pure(epsilon=1), pure(epsilon=-1))", SOTTO_EINVAL, "epsilon"}};

	REFUSED(list);
}

static void what_is_no_event_is_refused_with_its_place(void)
{
	static const struct refusal list[] = {
		{"", SOTTO_EPARSE, "character 1"},
		{"pure", SOTTO_EPARSE, "character 5"},
		{"pure(epsilon=nan)", SOTTO_EPARSE, "character 14"},
		{"pure(epsilon=inf)", SOTTO_EPARSE, "character 14"},
		{"pure(epsilon=0x10)", SOTTO_EPARSE, "character 14"},
		{"pure(epsilon=1/0)", SOTTO_EPARSE, "character 14"},
		{"pure(epsilon=1,)", SOTTO_EPARSE, "character 16"},
		{"pure(epsilon=1", SOTTO_EPARSE, "character 15"},
		{"pure(epsilon=1)*2*3", SOTTO_EPARSE, "character 18"},
		{"pure(epsilon=1)*-1", SOTTO_EPARSE, "character"},
		{"pure(epsilon=1)*1/2", SOTTO_EPARSE, "character"},
		{"pure(epsilon=1)*9007199254740993", SOTTO_EPARSE, "2^53"},
		{"pure(epsilon=?)", SOTTO_EPARSE, "?"},
		{"gaussian(sigma=1, mean=2)", SOTTO_EPARSE, "unknown parameter"},
		{"gaussian(epsilon=1)", SOTTO_EPARSE, "epsilon"},
		{"gaussian(sigma=1, sigma=1)", SOTTO_EPARSE, "twice"},
		{"laplace(epsilon=1, sensitivity=2)", SOTTO_EPARSE, "sensitivity"},
		{"shuffle(n=10, epsilon0=1, randomizer=any)", SOTTO_EPARSE, "randomizer"},
		{"pure(epsilon=1) x", SOTTO_EPARSE, "character 17"}};

	REFUSED(list);
}

static void wrappings_need_the_right_children(void)
{
	static const char *const bad[] = {"sampled(rate=0.1)",
					  "sampled(rate=0.1, pure(epsilon=1), pure(epsilon=1))",
					  "sampled(pure(epsilon=1))",
					  "group(k=2)",
					  "parallel()",
					  "pure(epsilon=1, pure(epsilon=1))",
					  "parallel(epsilon=1)"};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct sotto_event *e = NULL;
		struct sotto_error err = {""};
		enum sotto_status st = sotto_event_parse(bad[i], NULL, NULL, &e, &err);

		(void)tap_check(st != SOTTO_OK && !e && err.text[0], __FILE__, __LINE__,
				"%s was read", bad[i]);
	}
}

static void nesting_and_size_have_limits(void)
{
	struct sotto_event *e = NULL;
	struct sotto_error err = {""};
	char deep[1024] = "", long_word[6000];

	for (int i = 0; i < 17; i++)
		strcat(deep, "group(k=1, ");
	strcat(deep, "pure(epsilon=1)");
	for (int i = 0; i < 17; i++)
		strcat(deep, ")");
	CHECK(sotto_event_parse(deep, NULL, NULL, &e, &err) != SOTTO_OK && !e);
	memset(long_word, '1', sizeof long_word);
	memcpy(long_word, "pure(epsilon=", 13);
	memcpy(long_word + sizeof long_word - 2, ")", 2);
	CHECK(sotto_event_parse(long_word, NULL, NULL, &e, &err) != SOTTO_OK && !e);
	CHECK(sotto_event_parse("pure(epsilon=1e9999)", NULL, NULL, &e, &err) != SOTTO_OK &&
	      !e);
	CHECK(sotto_event_parse("gaussian(sigma=1e-9999)", NULL, NULL, &e, &err) != SOTTO_OK &&
	      !e);
}

/* The same checks stand before a structure that was filled by hand. */
static void a_structure_is_checked_like_text(void)
{
	struct sotto_workload *w = workload_of("pure(epsilon=1)");
	struct sotto_event *e = NULL;
	struct sotto_error err = {""};

	CHECK_INT(sotto_event_new(SOTTO_EVENT_PURE, &e), SOTTO_OK);
	mpq_set_si(e->epsilon.q, -1, 1);
	CHECK_INT(sotto_event_check(e, &err), SOTTO_EINVAL);
	CHECK_INT(sotto_workload_add(w, e, 1, &err), SOTTO_EINVAL);
	sotto_event_free(e);
	CHECK_INT(sotto_event_new(SOTTO_EVENT_RANDOMIZED_RESPONSE, &e), SOTTO_OK);
	mpq_set_si(e->epsilon.q, 1, 1);
	e->answers = 1;
	CHECK_INT(sotto_workload_add(w, e, 1, &err), SOTTO_EINVAL);
	sotto_event_free(e);
	CHECK_INT(sotto_event_new(SOTTO_EVENT_SAMPLED, &e), SOTTO_OK);
	mpq_set_si(e->rate.q, 1, 2);
	CHECK_INT(sotto_workload_add(w, e, 1, &err), SOTTO_EINVAL); /* of nothing */
	sotto_event_free(e);
	CHECK_INT((long long)sotto_workload_size(w), 1);
	sotto_workload_free(w);
}

static void huge_counts_are_refused_and_change_nothing(void)
{
	struct sotto_workload *w = workload_of("pure(epsilon=1e-9)*9007199254740992");
	struct sotto_event *e = NULL;
	struct sotto_error err = {""};
	uint64_t count = 0;

	CHECK_INT(sotto_event_parse("pure(epsilon=1e-9)", NULL, NULL, &e, &err), SOTTO_OK);
	CHECK_INT(sotto_workload_add(w, e, 1, &err), SOTTO_ERANGE);
	CHECK_INT(sotto_workload_add(w, e, UINT64_MAX, &err), SOTTO_ERANGE);
	e->count = UINT64_MAX;
	CHECK_INT(sotto_workload_add(w, e, 2, &err), SOTTO_ERANGE);
	(void)sotto_workload_at(w, 0, &count);
	CHECK(count == UINT64_C(1) << 53);
	CHECK(epsilon_of(w, "0", SOTTO_BASIC).upper >= 9007199.254740992);
	sotto_event_free(e);
	sotto_workload_free(w);
}

static void the_two_neighbour_relations_are_never_mixed(void)
{
	struct sotto_workload *sampled = workload_of("sampled(rate=.1, pure(epsilon=1))");
	struct sotto_workload *shuffled = workload_of("shuffle(n=100, epsilon0=1)");
	struct sotto_error err = {""};

	CHECK_INT(sotto_workload_add_text(sampled, "shuffle(n=9, epsilon0=1)", &err),
		  SOTTO_EINVAL);
	CHECK_INT(sotto_workload_merge(sampled, shuffled, &err), SOTTO_EINVAL);
	CHECK_INT(sotto_workload_merge(shuffled, sampled, &err), SOTTO_EINVAL);
	CHECK_INT(sotto_workload_set_neighbours(sampled, SOTTO_REPLACE, &err), SOTTO_EINVAL);
	CHECK_INT(sotto_workload_set_neighbours(shuffled, SOTTO_ADD_REMOVE, &err),
		  SOTTO_EINVAL);
	CHECK_INT((long long)sotto_workload_size(sampled), 1);
	CHECK_INT((long long)sotto_workload_size(shuffled), 1);
	CHECK_INT(sotto_workload_add_text(
			  sampled, "parallel(pure(epsilon=1), shuffle(n=9, epsilon0=1))", &err),
		  SOTTO_EINVAL);
	sotto_workload_free(sampled);
	sotto_workload_free(shuffled);
}

/* A cost below 0 would give budget back. */
static void negative_costs_are_refused(void)
{
	struct sotto_rational minus = rational_of("-1/7"), one = rational_of("1"),
			      delta = rational_of("1e-6");
	struct sotto_odometer o;
	struct sotto_filter f;

	CHECK_INT(sotto_filter_init(&f, &one, &delta, NULL), SOTTO_OK);
	CHECK_INT(sotto_odometer_init(&o, &delta), SOTTO_OK);
	for (int i = 0; i < 3; i++) {
		struct sotto_error err = {""};
		struct sotto_cost c;

		sotto_cost_init(&c);
		sotto_rational_set(i == 0 ? &c.epsilon : i == 1 ? &c.delta : &c.rho, &minus);
		CHECK_INT(sotto_filter_would_admit(&f, &c, NULL), SOTTO_EINVAL);
		CHECK_INT(sotto_filter_admit(&f, &c, &err), SOTTO_EINVAL);
		CHECK(strcmp(err.text, "a cost must not be negative") == 0);
		CHECK_INT(sotto_odometer_add(&o, &c), SOTTO_EINVAL);
		sotto_cost_release(&c);
	}
	CHECK_INT((int)f.admitted, 0);
	CHECK(mpq_sgn(o.spent.rho.q) == 0 && mpq_sgn(f.spent.epsilon.q) == 0);
	sotto_filter_release(&f);
	sotto_odometer_release(&o);
	sotto_rational_release(&minus);
	sotto_rational_release(&one);
	sotto_rational_release(&delta);
}

static void questions_out_of_range_are_refused(void)
{
	struct sotto_workload *w = workload_of("gaussian(sigma=1)");
	struct sotto_rational minus = rational_of("-1e-9");
	struct sotto_account_answer a;
	double bad[] = {NAN, INFINITY, -1}, low, high, r;

	CHECK_INT(sotto_account_epsilon(w, &minus, SOTTO_PLD, &a), SOTTO_EINVAL);
	CHECK_INT(sotto_account_delta(w, &minus, SOTTO_PLD, &a), SOTTO_EINVAL);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(sotto_account_curve(w, &bad[i], 1, &low, &high), SOTTO_EINVAL);
		CHECK_INT(sotto_account_renyi(w, bad[i], &r), SOTTO_EINVAL);
	}
	CHECK_INT(sotto_account_renyi(w, 1, &r), SOTTO_EINVAL);
	sotto_rational_release(&minus);
	sotto_workload_free(w);
}

static void doubles_in_bulk_are_checked(void)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY, -1e-300, 0x1p500, 0x1p-500};
	struct sotto_workload *w = workload_of("pure(epsilon=1)");
	double before = epsilon_of(w, "1e-6", SOTTO_PLD).upper;

	for (int i = 0; i < 6; i++) {
		double list[3] = {0.5, bad[i], 0.5};

		CHECK(sotto_workload_add_laplaces(w, list, 3) != SOTTO_OK);
		CHECK(sotto_workload_add_gaussians(w, list, 3) != SOTTO_OK);
		CHECK(sotto_workload_add_zcdps(w, list, 3) != SOTTO_OK);
	}
	CHECK(epsilon_of(w, "1e-6", SOTTO_PLD).upper == before);
	sotto_workload_free(w);
}

static void costs_and_odometers_refuse_bad_numbers(void)
{
	struct sotto_rational minus = rational_of("-1"), two = rational_of("2"),
			      one = rational_of("1"), zero = rational_of("0");
	struct sotto_odometer o;
	struct sotto_cost c;

	sotto_cost_init(&c);
	CHECK_INT(sotto_cost_set_pure(&c, &minus), SOTTO_EINVAL);
	CHECK_INT(sotto_cost_set_approx(&c, &one, &two), SOTTO_EINVAL);
	CHECK_INT(sotto_cost_set_approx(&c, &one, &minus), SOTTO_EINVAL);
	CHECK_INT(sotto_cost_set_zcdp(&c, &minus, &zero), SOTTO_EINVAL);
	CHECK_INT(sotto_cost_set_geometric(&c, &minus, 1), SOTTO_EINVAL);
	CHECK_INT(sotto_cost_set_geometric(&c, &one, -1), SOTTO_EINVAL);
	CHECK_INT(sotto_cost_set_discrete_gaussian(&c, &zero, &one), SOTTO_EINVAL);
	CHECK_INT(sotto_cost_set_discrete_gaussian(&c, &one, &minus), SOTTO_EINVAL);
	CHECK_INT(sotto_cost_set_bounded_range(&c, &minus), SOTTO_EINVAL);
	CHECK_INT(mpq_sgn(c.epsilon.q) + mpq_sgn(c.delta.q) + mpq_sgn(c.rho.q), 0);
	CHECK_INT(sotto_odometer_init(&o, &zero), SOTTO_EINVAL);
	CHECK_INT(sotto_odometer_init(&o, &one), SOTTO_EINVAL);
	sotto_cost_release(&c);
	sotto_rational_release(&minus);
	sotto_rational_release(&two);
	sotto_rational_release(&one);
	sotto_rational_release(&zero);
}

int main(void)
{
	RUN(numbers_out_of_range_are_refused);
	RUN(what_is_no_event_is_refused_with_its_place);
	RUN(wrappings_need_the_right_children);
	RUN(nesting_and_size_have_limits);
	RUN(a_structure_is_checked_like_text);
	RUN(huge_counts_are_refused_and_change_nothing);
	RUN(the_two_neighbour_relations_are_never_mixed);
	RUN(negative_costs_are_refused);
	RUN(questions_out_of_range_are_refused);
	RUN(doubles_in_bulk_are_checked);
	RUN(costs_and_odometers_refuse_bad_numbers);
	return tap_done();
}
