/*
 * Sampled and grouped events of few outcomes, against sums over all combinations of outcomes in long double: groups are hulls of a few
 * points here, and a dozen distinct events are too many for an exact sum of the accountant's.
 *
 * Faults that were planted, each seen to fail: a group's factor of one power less (finite_pair_group.c); repetitions inside a sampled event left out
 * (finite_pair.c); contours of a dozen laws with all digits or none (composed_curve.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "testlib/accountant/accounting.h"
#include "testlib/tap.h"

#define SAY(ok, ...) (void)tap_check(ok, __FILE__, __LINE__, __VA_ARGS__)

enum { OUTCOMES_MAX = 16, LAWS_MAX = 12 };

/* A pair of P and Q by its outcomes, P/Q growing. */
struct pair {
	long double p[OUTCOMES_MAX], q[OUTCOMES_MAX];
	int n;
};

/* k-ary response with epsilon e, sampled; removed. */
static struct pair sampled_response(double rate, double e, int k)
{
	long double E = expl(e), all = E + k - 1;
	struct pair x = {.n = 3};
	const long double p[3] = {1 / all, (k - 2) / all, E / all},
			  q[3] = {E / all, (k - 2) / all, 1 / all};

	for (int i = 0; i < 3; i++) {
		x.q[i] = q[i];
		x.p[i] = (1 - rate) * q[i] + rate * p[i];
	}
	return x;
}

/* The height of the line through points i and j at E. */
static long double
line_at(const long double *at, const long double *g, int i, int j, long double E)
{
	return g[i] + (g[j] - g[i]) / (at[j] - at[i]) * (E - at[i]);
}

/* The black-box group of k: the curve's corners, and of these the ones that no line between others passes below. */
static struct pair group_of(const struct pair *x, int k)
{
	long double at[OUTCOMES_MAX + 1] = {0}, g[OUTCOMES_MAX + 1] = {1}, slope = 0;
	int kept[OUTCOMES_MAX + 1], n = 0;
	struct pair out = {0};

	for (int i = 0; i < x->n; i++) {
		long double y = x->p[i] / x->q[i], f = 0, s = 0;

		for (int j = i + 1; j < x->n; j++)
			f += x->p[j] - y * x->q[j];
		for (int j = 0; j < k; j++)
			s += powl(y, j);
		at[i + 1] = powl(y, k);
		g[i + 1] = f * s;
	}
	for (int i = 0; i <= x->n; i++) {
		bool below = true;

		for (int a = 0; a < i; a++)
			for (int b = i + 1; b <= x->n; b++)
				below &= g[i] < line_at(at, g, a, b, at[i]);
		if (below || i == 0 || i == x->n)
			kept[n++] = i;
	}
	for (int i = n - 1; i > 0; i--) { /* Q is what the slope changes by */
		long double fall =
			(g[kept[i - 1]] - g[kept[i]]) / (at[kept[i]] - at[kept[i - 1]]);

		out.q[i - 1] = fall - slope;
		out.p[i - 1] = at[kept[i]] * (fall - slope);
		slope = fall;
		out.n++;
	}
	return out;
}

/* delta of all combinations. */
static long double
delta_of_all(const struct pair *x, int laws, long double p, long double q, long double E)
{
	long double sum = 0;

	if (laws == 0)
		return fmaxl(0, p - E * q);
	for (int i = 0; i < x->n; i++)
		sum += delta_of_all(x + 1, laws - 1, p * x->p[i], q * x->q[i], E);
	return sum;
}

/* The answer is for the worse direction, so it is never below this one's. */
static void check(const char *text, const struct pair *x, int laws, double width)
{
	struct sotto_workload *w = workload_under(text, SOTTO_ADD_REMOVE);
	struct sotto_account_answer a = epsilon_of(w, "1e-3", SOTTO_PLD);

	SAY(delta_of_all(x, laws, 1, 1, expl(a.upper)) <= 1e-3L * (1 + 1e-12L),
	    "%.60s...: %.17g is below the truth", text, a.upper);
	SAY(delta_of_all(x, laws, 1, 1, expl(a.lower - 1e-12)) >= 1e-3L * (1 - 1e-12L),
	    "%.60s...: %.17g is above the truth", text, a.lower);
	SAY(a.upper - a.lower <= width, "%.60s...: %g wide", text, a.upper - a.lower);
	sotto_workload_free(w);
}

static void groups_of_sampled_responses_are_hulls(void)
{
	for (int k = 2; k <= 7; k++) {
		struct pair one = sampled_response(0.3, 1, 5),
			    other = sampled_response(0.1, 2, 4),
			    x[2] = {group_of(&one, k), group_of(&other, k)};
		char text[300];

		(void)snprintf(
			text, sizeof text,
			"group(k=%d,sampled(rate=0.3,randomized-response(epsilon=1,k=5)));"
			"group(k=%d,sampled(rate=0.1,randomized-response(epsilon=2,k=4)))",
			k, k);
		check(text, x, 2, 1e-12 * k);
	}
}

/* Two responses inside a sampled event: nine combinations, of five losses. */
static struct pair sampled_twice(long double rate, int k)
{
	struct pair one = sampled_response(1, 1, k), x = {.n = 9};

	for (int i = 0; i < 9; i++) {
		x.q[i] = one.q[i / 3] * one.q[i % 3];
		x.p[i] = (1 - rate) * x.q[i] + rate * one.p[i / 3] * one.p[i % 3];
	}
	return x;
}

static void repetitions_inside_a_sample_count(void)
{
	struct pair x[2] = {sampled_twice(0.25L, 5), sampled_twice(0.5L, 4)};

	check("sampled(rate=0.25,randomized-response(epsilon=1,k=5)*2);"
	      "sampled(rate=0.5,randomized-response(epsilon=1,k=4)*2)",
	      x, 2, 1e-12);
}

static void a_dozen_laws_of_few_outcomes_are_sharp(void)
{
	struct pair x[LAWS_MAX];
	char text[2048], *end = text;

	for (int i = 0; i < LAWS_MAX; i++) {
		x[i] = sampled_response(0.5, 0.5 + 0.0625 * i, 4);
		end += sprintf(end, "%ssampled(rate=0.5,randomized-response(epsilon=%.4f,k=4))",
			       i ? ";" : "", 0.5 + 0.0625 * i);
	}
	check(text, x, LAWS_MAX, 1e-6);
}

static void discrete_gaussians_of_any_number_are_sharp(void)
{
	for (int n = 7; n <= 19; n += 4) {
		char text[2048], *end = text;
		struct sotto_account_answer a;
		struct sotto_workload *w;

		for (int i = 0; i < n; i++)
			end += sprintf(end, "%sdiscrete-gaussian(sigma=0.%d)*2", i ? ";" : "",
				       4013 + 301 * i);
		w = workload_under(text, SOTTO_ADD_REMOVE);
		a = epsilon_of(w, "1e-6", SOTTO_PLD);
		SAY(a.lower > 0 && a.upper - a.lower < 1e-6, "%d: %.10g to %.10g", n, a.lower,
		    a.upper);
		sotto_workload_free(w);
	}
}

int main(void)
{
	RUN(groups_of_sampled_responses_are_hulls);
	RUN(repetitions_inside_a_sample_count);
	RUN(a_dozen_laws_of_few_outcomes_are_sharp);
	RUN(discrete_gaussians_of_any_number_are_sharp);
	return tap_done();
}
