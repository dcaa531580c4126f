/*
 * Shuffled reports: M(s) from a few hundred points, against the sum over all outcomes of the clone pair in long double, near
 * the real line and far from it.
 *
 * Faults that were planted, each seen to fail: steps 1.7 times as wide without a word (clone_rule.c); a window of six
 * standard deviations for the difference with its tail not charged; the bound of a far node divided by 50 (clone_far.c); masses of
 * clones without Stirling's rest (clone_points.c); the mirrored half without its mass e^-loss (gathered_list.c); the bound by heavy outcomes
 * without the mass of the others (law_gathered.c); ten taps
 * charged as sixteen (gathered_list.c).  Of outcomes: steps that are narrower than plain ones (clone_rule.c); opposite outcomes of a line, and of all orders, with
 * another mass (law_clone_pair.c).
 */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/law/gathered/chebyshev_nodes.h"
#include "core/account/law/clones/clone_far.h"
#include "core/account/law/clones/law_clone_pair.h"
#include "core/account/law/law.h"
#include "testlib/accountant/accounting.h"
#include "testlib/effort.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

struct shuffle {
	long users; /* others than the one who changes */
	double epsilon0;
	bool binary;
};

static const struct shuffle shuffles[] = {
	{1500, 0.5, false},  {4000, 1.2, false}, {150, 1.1, false},   {7, 0.9, true},
	{9000, 4.5, false},  {7000, 2.4, true},  {2000, 0.01, true},  {20000, 1, false},
	{12000, 2.5, false}, {1, 1.9, false},    {900, 3, false},     {700, 0.8, false},
	{5000, 7, false},    {60, 4, false},     {200000, 6.5, false}};
enum { SHUFFLES = sizeof shuffles / sizeof shuffles[0], ORDERS = 3, TIMES = 12 };

static struct sotto_event *event_of(const struct shuffle *x)
{
	struct sotto_event *e = NULL;
	char text[120];

	(void)snprintf(text, sizeof text, "shuffle(n=%ld, epsilon0=%.17g%s)", x->users + 1,
		       x->epsilon0, x->binary ? ", randomizer=binary" : "");
	CHECK(sotto_event_parse(text, NULL, NULL, &e, NULL) == SOTTO_OK);
	return e;
}

/* log of the mass of k clones, times that of i of the n = k + 1 reports by fair coins. */
static long double log_mass(const struct shuffle *x, long k, long i)
{
	long double e0 = x->epsilon0,
		    log_p = x->binary ? logl(2) - e0 - log1pl(expl(-e0)) : -e0,
		    log_rest = x->binary ? logl(tanhl(e0 / 2)) : logl(-expm1l(-e0));

	return lgammal(x->users + 1.0L) - lgammal(x->users - k + 1.0L) - lgammal(i + 1.0L) -
	       lgammal(k + 2.0L - i) + logl(k + 1.0L) + k * log_p + (x->users - k) * log_rest -
	       (k + 1) * logl(2);
}

/* Adds the outcomes with k clones to M(c+it) for each t; the ratio of masses from one i to the next is (n-i)/(i+1). */
static void
add_clones(const struct shuffle *x, long k, double c, const double *t, long double complex *m)
{
	long double tau = tanhl(x->epsilon0 / 2.0L), n = k + 1;
	long half = (long)fminl(n / 2, 10 * sqrtl(n) + 2 * tau * c),
	     first = (long)(n / 2) - half, last = (long)fminl(n, n / 2 + half + 1);
	long double one = expl(log_mass(x, k, first));

	for (long i = first; i <= last; i++) {
		long double w = tau * (2 * i - n) / n, loss = 2 * atanhl(w),
			    weight = one * (1 + w) * expl(c * loss);

		for (int j = 0; weight > 1e-20L && j < TIMES; j++)
			m[j] += weight * cexpl(t[j] * loss * I);
		one *= (n - i) / (i + 1.0L);
	}
}

static void
by_outcomes(const struct shuffle *x, double c, const double *t, long double complex *m)
{
	long double p = x->binary ? 2 / (expl(x->epsilon0) + 1) : expl(-x->epsilon0);
	long double mean = x->users * p, reach = 12 * sqrtl(mean * (1 - p)) + 40;
	long from = (long)fmaxl(0, mean - reach), to = (long)fminl(x->users, mean + reach);

	for (int j = 0; j < TIMES; j++)
		m[j] = 0;
	for (long k = from; k <= to; k++)
		add_clones(x, k, c, t, m);
}

/* What the law says at one t > 0, which is the node 1 of a line; the error on return. */
static double complex at_node(const struct sotto_law *law, double c, double t, double *error,
			      double *log_m)
{
	struct sotto_block b = {.c = c, .h = t, .n = SOTTO_BLOCK};
	void *state = NULL;
	double slack;

	CHECK(law->class->begin(law, c, t, &state, log_m, &slack) == SOTTO_OK);
	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	law->class->apply(law, state, &b);
	law->class->end(state);
	*error = b.absolute[1] + b.relative[1] * hypot(b.re[1], b.im[1]) + slack;
	return b.re[1] + b.im[1] * I;
}

static void check_line(const struct shuffle *x, double order, bool of_many)
{
	struct sotto_event *e = event_of(x);
	struct sotto_law law = {.count = 1, .of_many = of_many};
	struct sotto_clone_pair pair;
	long double complex truth[TIMES];
	double t[TIMES], c, scale, log_m, error, k[3] = {0};

	CHECK(sotto_clone_pair_of(e, &pair) && sotto_clone_pair_possible(e));
	scale = sotto_clone_scale(&pair);
	CHECK(sotto_law_clone_pair_of(&law, e, scale, NULL) == SOTTO_OK);
	c = order / scale;
	for (int j = 0; j < TIMES;
	     j++) /* near, and far to where outcomes turn by about a whole turn */
		t[j] = (j == 0 ? 0 : 0.1 * pow(2, j)) / scale;
	by_outcomes(x, c, t, truth);
	law.class->cumulants(&law, c, k);
	CHECK(k[0] >= (double)logl(creall(truth[0])) - 1e-12);
	CHECK((of_many && order > 1) || k[0] < (double)logl(creall(truth[0])) + 1e-2);
	for (int j = 1; j < TIMES; j++) {
		double complex z = at_node(&law, c, t[j], &error, &log_m);
		double off = (double)cabsl(truth[j] / expl(log_m) - z);

		SAY(off <= error + 1e-12, "%ld users, order %g, t %g: off by %g, claimed %g",
		    x->users, order, t[j] * scale, off, error);
		SAY(t[j] * scale > 0.2 || error < 1e-9, "%ld users, order %g: good to %g only",
		    x->users, order, error);
	}
	law.class->release(&law);
	sotto_event_free(e);
}

static void transform_is_the_sum_over_all_outcomes(void)
{
	static const double orders[ORDERS] = {0.1, 2.2, 0.7};
	static const int
		many[] = {[EFFORT_SANITIZED] = 1, [EFFORT_SHORT] = 5, [EFFORT_LONG] = SHUFFLES},
		lines[] = {[EFFORT_SANITIZED] = 1, [EFFORT_SHORT] = 2, [EFFORT_LONG] = ORDERS};

	for (int i = 0; i < many[effort()]; i++)
		for (int j = 0; j < lines[effort()]; j++)
			check_line(&shuffles[i], orders[j], (i + j) % 2);
}

/* Wide losses with few clones, at orders beyond any list; and many clones, of which outcomes are listed up to some t. */
static const struct shuffle listed[] = {{900, 6.5, false}, {3000, 8, false},   {40, 2.5, false},
					{15, 5, true},     {20000, 7, false},  {5000, 2, false},
					{90, 1, false},    {30000, 1.5, false}};

static void check_outcomes(const struct shuffle *x, double order, double digits)
{
	struct sotto_event *e = event_of(x);
	struct sotto_law law = {.count = 1};
	struct sotto_law_outcomes o = {0};
	struct sotto_clone_pair pair;
	long double complex truth[TIMES];
	double t[TIMES], c, scale, log_m, slack;
	void *state = NULL;

	CHECK(sotto_clone_pair_of(e, &pair));
	scale = sotto_clone_scale(&pair);
	c = order / scale;
	CHECK(sotto_law_clone_pair_of(&law, e, scale, NULL) == SOTTO_OK);
	CHECK(law.class->begin(&law, c, 1 / scale, &state, &log_m, &slack) == SOTTO_OK);
	CHECK(law.class->outcomes(&law, state, c, 300 / scale, digits, &o) == SOTTO_OK);
	for (int j = 0; j < TIMES; j++)
		t[j] = o.to * pow(0.5, j);
	by_outcomes(x, c, t, truth);
	for (int j = 0; j < TIMES; j++) {
		double complex z = 0;
		double off;

		for (size_t i = 0; i < o.n; i++)
			z += o.weight[i] * cexp(t[j] * o.loss[i] * I);
		off = (double)cabsl(truth[j] * expl(-log_m) - z);
		SAY(off <= o.error + slack + 1e-13,
		    "%ld users, order %g, t %g: off by %g, claimed %g", x->users, order,
		    t[j] * scale, off, o.error);
	}
	SAY(o.error < 1e3 * exp(-digits) + 1e-9 * fmax(1, order), "%ld users: good to %g only",
	    x->users, o.error);
	free(o.loss);
	law.class->end(state);
	law.class->release(&law);
	sotto_event_free(e);
}

static void outcomes_are_as_good_as_they_say(void)
{
	int many = effort() == EFFORT_SANITIZED ? 3 : sizeof listed / sizeof listed[0];

	for (int i = 0; i < many; i++) {
		check_outcomes(&listed[i], 0.3, 28);
		check_outcomes(&listed[i], 1.5, 12);
		if (i < 4) /* no clone at all is not rare: any order will do */
			check_outcomes(&listed[i], 200, 28);
	}
}

static void far_nodes_are_bounded_and_mostly_small(void)
{
	struct sotto_event *e = event_of(&shuffles[1]);
	struct sotto_clone_pair pair;
	struct sotto_clone_far far;
	double scale, large = 0;

	CHECK(sotto_clone_pair_of(e, &pair));
	scale = sotto_clone_scale(&pair);
	sotto_clone_far_init(&far, &pair, 0.3 / scale, 0);
	CHECK(far.known);
	for (int i = 0; i < 1000; i++)
		large += sotto_clone_far_bound(&far, (8 + 0.2 * i) / scale) > 0.5;
	SAY(large < 250, "%g of 1000 bounds say nothing", large);
	sotto_event_free(e);
}

static void chebyshev_nodes_stand_for_many_losses(void)
{
	enum { MANY = 1000 };
	static double loss[MANY], weight[MANY];
	struct sotto_chebyshev_nodes nodes;

	for (int i = 0; i < MANY; i++) {
		loss[i] = sin(i) + 0.3;
		weight[i] = 1.0 / MANY;
	}
	CHECK(sotto_chebyshev_nodes_of(&nodes, loss, weight, MANY, 20) == SOTTO_OK);
	for (double t = 0; t <= 20; t += 2.5) {
		double complex all = 0, few = 0;

		for (int i = 0; i < MANY; i++)
			all += weight[i] * cexp(t * loss[i] * I);
		for (size_t i = 0; i < nodes.n; i++)
			few += nodes.weight[i] * cexp(t * nodes.loss[i] * I);
		CHECK(cabs(all - few) < nodes.error + 1e-13);
	}
	CHECK(nodes.error < 1e-10 && nodes.n < 64);
	free(nodes.loss);
	CHECK(sotto_chebyshev_nodes_of(&nodes, loss, weight, MANY, 1e4) == SOTTO_EREFUSED);
}

/* count shuffles that differ in the ninth digit, or the same one count times, which is cut into cells. */
static struct sotto_account_answer
price(int count, const char *n, bool distinct, const char *delta)
{
	char text[2048] = "", *end = text;
	struct sotto_account_answer a;
	struct sotto_workload *w;

	for (int i = 0; i < count; i++)
		if (distinct)
			end += sprintf(end, "%sshuffle(n=%s, epsilon0=1.%09d)", i ? ";" : "", n,
				       i);
	if (!distinct)
		(void)sprintf(end, "shuffle(n=%s, epsilon0=1)*%d", n, count);
	w = workload_under(text, SOTTO_REPLACE);
	a = epsilon_of(w, delta, SOTTO_PLD);
	sotto_workload_free(w);
	return a;
}

static void distinct_shuffles_cost_what_equal_ones_do(void)
{
	static const char *const deltas[] = {"1e-3", "1e-6", "1e-12"};

	for (int i = 0; i < 3; i++) {
		struct sotto_account_answer a = price(10, "10000", true, deltas[i]),
					    b = price(10, "10000", false, deltas[i]);

		SAY(a.lower <= b.upper + 1e-7 && b.lower <= a.upper + 1e-7,
		    "at %s: %.10g to %.10g, but equal ones %.10g to %.10g", deltas[i], a.lower,
		    a.upper, b.lower, b.upper);
		SAY(a.upper - a.lower < 2e-6 * (1 + i), "at %s: %g wide", deltas[i],
		    a.upper - a.lower);
	}
}

static void forty_shuffles_of_any_size_are_sharp(void)
{
	static const char *const users[] = {"4000", "1000000", "1000000000"};

	for (int i = 0; i < (effort() == EFFORT_SANITIZED ? 1 : 3); i++) {
		struct sotto_account_answer a = price(40, users[i], true, "1e-6");

		SAY(a.lower > 0 && a.upper - a.lower < 1e-6, "%s users: %g to %g", users[i],
		    a.lower, a.upper);
	}
}

int main(void)
{
	RUN(transform_is_the_sum_over_all_outcomes);
	RUN(outcomes_are_as_good_as_they_say);
	RUN(far_nodes_are_bounded_and_mostly_small);
	RUN(chebyshev_nodes_stand_for_many_losses);
	RUN(distinct_shuffles_cost_what_equal_ones_do);
	RUN(forty_shuffles_of_any_size_are_sharp);
	return tap_done();
}
