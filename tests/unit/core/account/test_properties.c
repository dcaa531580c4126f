/*
 * What holds of every event and every theorem: k times is k single ones, order and
 * grouping change no bit, more noise costs no more.
 */
#include <stdlib.h>

#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/accountant/random_workload.h"
#include "testlib/tap.h"

/* One of each kind, and each kind inside each wrapping. */
static const char *const every_event[] = {"pure(epsilon=0.3)",
					  "approx(epsilon=0.3, delta=1e-9)",
					  "zcdp(rho=0.05)",
					  "laplace(epsilon=0.3)",
					  "geometric(epsilon=0.6, sensitivity=3)",
					  "gaussian(sigma=4)",
					  "discrete-gaussian(sigma=3, sensitivity=1)",
					  "randomized-response(epsilon=0.4, k=5)",
					  "randomized-response(p=0.6)",
					  "exponential(epsilon=0.3)",
					  "permute-and-flip(epsilon=0.3)",
					  "shuffle(n=100, epsilon0=0.5)",
					  "sampled(rate=0.2, gaussian(sigma=2))",
					  "sampled(rate=0.2, randomized-response(epsilon=1))",
					  "sampled(rate=0.2, approx(epsilon=1, delta=1e-8))",
					  "group(k=2, laplace(epsilon=0.1))",
					  "group(k=2, sampled(rate=0.1, pure(epsilon=0.5)))",
					  "parallel(pure(epsilon=0.3), pure(epsilon=0.1))",
					  "parallel(pure(epsilon=0.3), gaussian(sigma=4))"};

enum { EVERY = sizeof every_event / sizeof every_event[0] };

static bool
same_answer(const struct sotto_account_answer *a, const struct sotto_account_answer *b)
{
	return a->finite == b->finite && a->upper == b->upper && a->lower == b->lower &&
	       a->log_upper == b->log_upper && a->log_lower == b->log_lower &&
	       a->order == b->order;
}

static void check_same(const char *what, const struct sotto_workload *a,
		       const struct sotto_workload *b, const char *delta, const char *epsilon)
{
	for (int m = 0; m < SOTTO_METHODS; m++) {
		enum sotto_method method = (enum sotto_method)m;
		struct sotto_account_answer x = epsilon_of(a, delta, method);
		struct sotto_account_answer y = epsilon_of(b, delta, method);

		(void)tap_check(same_answer(&x, &y), __FILE__, __LINE__,
				"%s by %s: %.17g and %.17g", what, sotto_method_name(method),
				x.upper, y.upper);
		x = delta_of(a, epsilon, method);
		y = delta_of(b, epsilon, method);
		(void)tap_check(same_answer(&x, &y), __FILE__, __LINE__,
				"%s, delta by %s: %.17g and %.17g", what,
				sotto_method_name(method), x.upper, y.upper);
	}
}

static void add(struct sotto_workload *w, const char *text)
{
	struct sotto_error err = {""};

	(void)tap_check(sotto_workload_add_text(w, text, &err) == SOTTO_OK, __FILE__, __LINE__,
			"%s: %s", text, err.text);
}

static struct sotto_workload *empty(void)
{
	struct sotto_workload *w = NULL;

	if (sotto_workload_new(&w) != SOTTO_OK)
		abort();
	return w;
}

static void k_fold_is_k_single_adds_for_every_event_and_theorem(void)
{
	char text[160];

	for (int i = 0; i < EVERY; i++) {
		struct sotto_workload *once = empty(), *many = empty();

		(void)snprintf(text, sizeof text, "%s*7", every_event[i]);
		add(once, text);
		for (int k = 0; k < 7; k++)
			add(many, every_event[i]);
		check_same(every_event[i], once, many, "1e-5", "0.7");
		CHECK_INT((long long)sotto_workload_size(many), 1);
		sotto_workload_free(once);
		sotto_workload_free(many);
	}
}

/* Otherwise k-fold would equal k single adds for the wrong reason. */
static void more_of_an_event_costs_more_by_every_theorem(void)
{
	for (int i = 0; i < EVERY; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			enum sotto_method method = (enum sotto_method)m;
			struct sotto_account_answer one, eight;
			char text[160];

			(void)snprintf(text, sizeof text, "%s*8", every_event[i]);
			one = epsilon_at(every_event[i], "1e-5", method);
			eight = epsilon_at(text, "1e-5", method);
			(void)tap_check(!one.finite || eight.upper > 1.2 * one.upper, __FILE__,
					__LINE__, "%s by %s: %g once, %g eight times",
					every_event[i], sotto_method_name(method), one.upper,
					eight.upper);
		}
}

/* all that can be priced together, in the order of a permutation */
static struct sotto_workload *in_order(uint64_t seed)
{
	struct sotto_workload *w = empty();
	int order[EVERY];

	for (int i = 0; i < EVERY; i++)
		order[i] = i;
	for (unsigned i = EVERY - 1; seed && i > 0; i--) {
		unsigned j = random_below(&seed, i + 1);
		int swap = order[i];

		order[i] = order[j];
		order[j] = swap;
	}
	for (int i = 0; i < EVERY; i++)
		if (!strstr(every_event[order[i]], "shuffle"))
			add(w, every_event[order[i]]);
	return w;
}

static void the_order_of_events_changes_no_bit(void)
{
	static const unsigned how_many[] = {
		[EFFORT_SANITIZED] = 1, [EFFORT_SHORT] = 2, [EFFORT_LONG] = 30};
	struct sotto_workload *sorted = in_order(0);

	for (uint64_t seed = 1; seed <= how_many[effort()]; seed++) {
		struct sotto_workload *mixed = in_order(seed);

		check_same("permuted", sorted, mixed, "1e-5", "5");
		sotto_workload_free(mixed);
	}
	sotto_workload_free(sorted);
}

static void parts_merged_are_the_whole(void)
{
	struct sotto_workload *whole = in_order(0), *parts[3], *merged = empty();
	struct sotto_error err = {""};

	for (int p = 0; p < 3; p++)
		parts[p] = empty();
	for (int i = 0; i < EVERY; i++)
		if (!strstr(every_event[i], "shuffle"))
			add(parts[i % 3], every_event[i]);
	for (int p = 2; p >= 0; p--)
		CHECK_INT(sotto_workload_merge(merged, parts[p], &err), SOTTO_OK);
	check_same("merged", whole, merged, "1e-5", "5");
	for (int p = 0; p < 3; p++)
		sotto_workload_free(parts[p]);
	sotto_workload_free(whole);
	sotto_workload_free(merged);
}

static void alternating_schedules_do_not_grow(void)
{
	struct sotto_workload *w = empty(), *grouped = empty();

	for (int i = 0; i < 500; i++) {
		add(w, "laplace(epsilon=0.01)");
		add(w, "gaussian(sigma=30)");
		add(w, "randomized-response(p=51/100)");
	}
	CHECK_INT((long long)sotto_workload_size(w), 3);
	add(grouped, "randomized-response(p=0.51)*500");
	add(grouped, "gaussian(sigma=30)*500");
	add(grouped, "laplace(epsilon=1/100)*500");
	check_same("alternating", w, grouped, "1e-6", "2");
	sotto_workload_free(w);
	sotto_workload_free(grouped);
}

/* Upper values may not fall where the truth grows, but for their own width. */
static void check_grows(const char *const *list, size_t n, const char *delta)
{
	for (int m = 0; m < SOTTO_METHODS; m++) {
		enum sotto_method method = (enum sotto_method)m;
		struct sotto_account_answer last = epsilon_at(list[0], delta, method);

		for (size_t i = 1; i < n; i++) {
			struct sotto_account_answer next = epsilon_at(list[i], delta, method);

			(void)tap_check(next.upper >= last.upper * (1 - 1e-12), __FILE__,
					__LINE__, "%s, by %s: %.17g, after %.17g", list[i],
					sotto_method_name(method), next.upper, last.upper);
			last = next;
		}
	}
}

static void less_noise_costs_more(void)
{
	static const char *const sigma[] = {"gaussian(sigma=100)*5", "gaussian(sigma=10)*5",
					    "gaussian(sigma=9.999999)*5", "gaussian(sigma=2)*5",
					    "gaussian(sigma=0.5)*5"};
	static const char *const discrete[] = {
		"discrete-gaussian(sigma=100)*5", "discrete-gaussian(sigma=10)*5",
		"discrete-gaussian(sigma=2)*5", "discrete-gaussian(sigma=1)*5"};
	static const char *const scale[] = {"laplace(scale=50)*9", "laplace(scale=49.9999)*9",
					    "laplace(scale=3)*9", "laplace(scale=0.1)*9"};
	static const char *const rate[] = {"sampled(rate=0.001, gaussian(sigma=1))*20",
					   "sampled(rate=0.01, gaussian(sigma=1))*20",
					   "sampled(rate=0.1, gaussian(sigma=1))*20",
					   "sampled(rate=0.9, gaussian(sigma=1))*20",
					   "sampled(rate=1, gaussian(sigma=1))*20"};
	static const char *const count[] = {"geometric(epsilon=.3, sensitivity=2)*1",
					    "geometric(epsilon=.3, sensitivity=2)*2",
					    "geometric(epsilon=.3, sensitivity=2)*3",
					    "geometric(epsilon=.3, sensitivity=2)*40",
					    "geometric(epsilon=.3, sensitivity=2)*41"};
	static const char *const users[] = {
		"shuffle(n=100000, epsilon0=1)", "shuffle(n=1000, epsilon0=1)",
		"shuffle(n=10, epsilon0=1)", "shuffle(n=1, epsilon0=1)"};

	check_grows(sigma, 5, "1e-6");
	check_grows(discrete, 4, "1e-6");
	check_grows(scale, 4, "1e-6");
	check_grows(rate, 5, "1e-6");
	check_grows(count, 5, "1e-6");
	check_grows(users, 4, "1e-6");
}

static void a_smaller_delta_costs_more(void)
{
	static const char *const deltas[] = {"0.5",   "0.1",   "1e-2",   "1e-4",  "1e-7",
					     "1e-12", "1e-30", "1e-100", "1e-300"};

	for (int i = 0; i < EVERY; i++)
		for (int m = 0; m < SOTTO_METHODS; m++) {
			double last = 0;

			for (int d = 0; d < 4; d++) {
				double now = epsilon_at(every_event[i], deltas[d],
							(enum sotto_method)m)
						     .upper;

				(void)tap_check(now >= last * (1 - 1e-12), __FILE__, __LINE__,
						"%s at %s by %s: %.17g after %.17g",
						every_event[i], deltas[d],
						sotto_method_name((enum sotto_method)m), now,
						last);
				last = now;
			}
		}
}

/* delta(epsilon(delta)) comes back to delta, from both sides. */
static void epsilon_and_delta_invert_each_other(void)
{
	for (int i = 0; i < EVERY; i++) {
		struct sotto_account_answer a = epsilon_at(every_event[i], "1e-5", SOTTO_PLD);
		struct sotto_account_answer d;
		char text[40];

		if (!a.finite || a.upper == 0)
			continue;
		(void)snprintf(text, sizeof text, "%.17g", a.upper * (1 + 1e-9));
		d = delta_at(every_event[i], text, SOTTO_PLD);
		(void)tap_check(d.log_lower <= log(1e-5), __FILE__, __LINE__,
				"%s: delta of the upper epsilon is at least %g", every_event[i],
				d.lower);
		(void)snprintf(text, sizeof text, "%.17g", a.lower * (1 - 1e-9));
		d = delta_at(every_event[i], text, SOTTO_PLD);
		(void)tap_check(d.log_upper >= log(1e-5), __FILE__, __LINE__,
				"%s: delta of the lower epsilon is at most %g", every_event[i],
				d.upper);
	}
}

int main(void)
{
	RUN(k_fold_is_k_single_adds_for_every_event_and_theorem);
	RUN(more_of_an_event_costs_more_by_every_theorem);
	RUN(the_order_of_events_changes_no_bit);
	RUN(parts_merged_are_the_whole);
	RUN(alternating_schedules_do_not_grow);
	RUN(less_noise_costs_more);
	RUN(a_smaller_delta_costs_more);
	RUN(epsilon_and_delta_invert_each_other);
	return tap_done();
}
