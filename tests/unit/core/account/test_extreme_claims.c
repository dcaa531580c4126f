/*
 * Claims about extreme workloads are held against each other: where a pair of laws is exact its lower side is a truth that needs no
 * oracle, and no theorem may claim less.  Neither may the whole cost less than its first event, nor more at a larger delta; and at a
 * claimed epsilon delta is not larger than the one that was asked for.
 *
 * Seen to fail: with deltas of parts that add up to more than 1 (black_box.c; kov claimed a finite epsilon), and with a rate next
 * to 1 rounded before 1 - q (finite_pair.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/accountant/extreme_workload.h"
#include "testlib/number.h"
#include "testlib/accountant/random_workload.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

/* What comparing in doubles may lose. */
#define CLOSE 1e-9

/* The answers of every theorem; false if the question is refused. */
struct answers {
	struct sotto_account_answer by[SOTTO_METHODS];
	double best; /* the least upper side */
};

static bool ask(const struct sotto_workload *w, const char *delta, struct answers *a)
{
	struct sotto_rational x = rational_of(delta);
	enum sotto_status st = SOTTO_OK;

	a->best = INFINITY;
	for (int m = 0; m < SOTTO_METHODS && st == SOTTO_OK; m++) {
		st = sotto_account_epsilon(w, &x, (enum sotto_method)m, &a->by[m]);
		if (st == SOTTO_OK && a->by[m].finite)
			a->best = fmin(a->best, a->by[m].upper);
	}
	sotto_rational_release(&x);
	return st == SOTTO_OK;
}

/* What is certain: the lower side of an exact pair, else 0. */
static double certain(const struct answers *a)
{
	const struct sotto_account_answer *pld = &a->by[SOTTO_PLD];

	return pld->finite && pld->exact_pair ? pld->lower * (1 - CLOSE) : 0;
}

static void check_delta_there(const struct sotto_workload *w, const char *delta, double epsilon,
			      const char *what)
{
	struct sotto_account_answer a = {.finite = false};
	struct sotto_rational x;
	enum sotto_status st;

	if (!isfinite(epsilon) || strcmp(delta, "0") == 0)
		return;
	sotto_rational_init(&x);
	st = sotto_rational_set_double(&x, epsilon);
	if (st == SOTTO_OK)
		st = sotto_account_delta(w, &x, SOTTO_PLD, &a);
	SAY(st == SOTTO_OK, "%s: %s", what, sotto_status_text(st));
	SAY(!a.finite || !a.exact_pair || a.log_lower <= log(atof(delta)) + CLOSE,
	    "%s at %s: epsilon %.17g is claimed, where log delta is at least %.17g", what,
	    delta, epsilon, a.log_lower);
	sotto_rational_release(&x);
}

/* NULL if it is refused. */
static struct sotto_workload *
make(const char *text, bool first_alone, enum sotto_neighbours neighbours)
{
	char *copy = strdup(text), *rest = copy, *one;
	struct sotto_workload *w = NULL;
	enum sotto_status st;

	if (!copy || sotto_workload_new(&w) != SOTTO_OK)
		abort();
	st = sotto_workload_set_neighbours(w, neighbours, NULL);
	while (st == SOTTO_OK && (one = strsep(&rest, ";"))) {
		st = sotto_workload_add_text(w, one, NULL);
		if (first_alone)
			break;
	}
	free(copy);
	if (st == SOTTO_OK)
		return w;
	sotto_workload_free(w);
	return NULL;
}

static void check_against(const char *text, bool first_alone, enum sotto_neighbours neighbours,
			  const char *delta, double claim, const char *what)
{
	struct sotto_workload *w = make(text, first_alone, neighbours);
	struct answers a;

	if (w && ask(w, delta, &a))
		SAY(claim >= certain(&a), "%s: %.17g is claimed, but %s at %s costs %.17g",
		    what, claim, first_alone ? "the first event" : "it", delta, certain(&a));
	sotto_workload_free(w);
}

static void check_claims(const char *text, enum sotto_neighbours neighbours, const char *delta,
			 const char *larger, const char *what)
{
	struct sotto_workload *w = make(text, false, neighbours);
	struct answers a;

	if (w && ask(w, delta, &a)) {
		for (int m = 0; m < SOTTO_METHODS; m++)
			SAY(!a.by[m].finite || a.by[m].upper >= certain(&a),
			    "%s at %s: %s claims %.17g, which is below %.17g", what, delta,
			    sotto_method_name(a.by[m].method), a.by[m].upper, certain(&a));
		check_delta_there(w, delta, a.best, what);
		if (strchr(text, ';'))
			check_against(text, true, neighbours, delta, a.best, what);
		if (atof(larger) > atof(delta))
			check_against(text, false, neighbours, larger, a.best, what);
	}
	sotto_workload_free(w);
}

static void check_seed(uint64_t seed)
{
	static const char *const deltas[] = {"1e-300", "1e-100", "1e-12", "1e-6", "0.1", "0.9"};
	static struct extreme_workload x;
	unsigned i, j;
	char what[200];

	extreme_workload(&x, seed);
	i = random_below(&x.state, 6);
	j = random_below(&x.state, 6);
	(void)snprintf(what, sizeof what, "%u: %.160s", (unsigned)seed, x.text);
	check_claims(x.text, x.neighbours, deltas[i], deltas[j], what);
}

static void extreme_claims_do_not_contradict_each_other(void)
{
	static const unsigned how_many[] = {
		[EFFORT_SANITIZED] = 3, [EFFORT_SHORT] = 12, [EFFORT_LONG] = 2000};
	const char *only = getenv("SOTTO_SEED");

	if (only) {
		check_seed((uint64_t)atoll(only));
		return;
	}
	for (unsigned seed = 100001; seed <= 100000 + how_many[effort()]; seed++)
		check_seed(seed);
}

/* Workloads that were once claimed to cost less. */
static void claims_that_were_wrong_are_right(void)
{
	static const struct {
		const char *events, *delta;
		double least;
	} wrong[] = {
		{"sampled(rate=0.43, approx(epsilon=2, delta=0.53)*28)", "1e-12", INFINITY},
		{"sampled(rate=0.5, approx(epsilon=0, delta=0.9)*3);pure(1)", "0.4", INFINITY},
		{"sampled(rate=0.999999999999999999999999999999999999999999999999999999999999,"
		 " pure(200))",
		 "1e-6", 199},
		{"parallel(approx(epsilon=1, delta=0.7)*2, pure(2))*2", "0.9", INFINITY},
		{"group(k=3, approx(epsilon=0, delta=0.5))", "0.9", INFINITY}};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct sotto_workload *w = workload_of(wrong[i].events);
		struct answers a;

		CHECK(ask(w, wrong[i].delta, &a));
		SAY(a.best >= wrong[i].least, "%s at %s: %.17g", wrong[i].events,
		    wrong[i].delta, a.best);
		check_delta_there(w, wrong[i].delta, a.best, wrong[i].events);
		sotto_workload_free(w);
	}
}

int main(void)
{
	RUN(extreme_claims_do_not_contradict_each_other);
	RUN(claims_that_were_wrong_are_right);
	return tap_done();
}
