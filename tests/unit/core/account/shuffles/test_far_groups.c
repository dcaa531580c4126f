/*
 * How large M(s) of a group in shuffled reports can be far out: the bound against the sum over all outcomes, in long doubles, where these
 * come to the same phase again.  With a small local epsilon nearly all users are clones, so that numbers of clones differ little and nothing but the bound's own
 * weight is left of it.
 *
 * Faults that were planted, each seen to fail: the bound without its higher orders; orders with 0.6 of their weight (clone_lift.c).
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "core/account/event/event.h"
#include "core/account/law/clone_groups/clone_lift.h"
#include "testlib/tap.h"

struct group {
	int people;
	long users; /* with the one who changes */
	double epsilon0;
};

enum { FACTORIALS = 4096 };
static long double log_factorial[FACTORIALS];

static long double log_choose(long n, long k)
{
	return log_factorial[n] - log_factorial[k] - log_factorial[n - k];
}

/* Sum over x of n reports of P-mass e^(z loss), as far as that is not as rare as 1e-10. */
static long double complex row(long n, long double tau, long double complex z)
{
	long middle = n / 2, reach = (long)(3.2L * sqrtl((long double)n));
	long double complex sum = 0;

	for (long x = middle - reach; x <= middle + reach; x++) {
		long double w = tau * (long double)(2 * x - n) / (long double)n,
			    mass = expl(log_choose(n, x) - (long double)n * logl(2));

		sum += mass * (1 + w) * cexpl(z * (log1pl(w) - log1pl(-w)));
	}
	return sum;
}

/* E e^(z loss) of one person, over all numbers of clones that are not as rare as 1e-6. */
static long double complex one_person(const struct group *g, long double complex z)
{
	long double p = expl(-(long double)g->epsilon0),
		    tau = tanhl((long double)g->epsilon0 / 2);
	long others = g->users - 1, mean = lroundl((long double)others * p),
	     spread = lroundl(5 * sqrtl((long double)others * p * (1 - p)));
	long double complex sum = 0;

	for (long c = mean - spread; c <= mean + spread; c++)
		sum += expl(log_choose(others, c) + (long double)c * logl(p) +
			    (long double)(others - c) * log1pl(-p)) *
		       row(c + 1, tau, z);
	return sum;
}

/* The transform of the group's curve (law_group.md). */
static long double complex group_transform(const struct group *g, long double complex s)
{
	long double k = g->people;
	long double complex sum = 0;

	for (int j = 0; j < g->people; j++) {
		long double complex z = k * s + j;

		sum += k * s * (s + 1) / (z * (z + 1)) * one_person(g, z);
	}
	return sum;
}

static void check_group(const struct group *g, double c)
{
	struct sotto_clone_pair pair = {.users = (double)g->users - 1,
					.p = exp(-g->epsilon0),
					.rest = -expm1(-g->epsilon0),
					.tau = tanh(g->epsilon0 / 2),
					.epsilon0 = g->epsilon0};
	double log_m = (double)logl(creall(group_transform(g, c))), most = 0, once;
	struct sotto_clone_far far;

	pair.gap = 1 - pair.tau;
	pair.clones = pair.users * pair.p;
	once = M_PI * (pair.clones + 1) / (2 * pair.tau); /* from one outcome to the next */
	sotto_clone_group_far_init(&far, &pair, g->people, c, log_m);
	CHECK(far.known);
	for (int i = -3; i <= 6;
	     i++) { /* where parities differ once round is not in phase, twice is */
		double t = once * (i < 0 ? 0.1 - 0.3 * i : 1.97 + 0.01 * i),
		       size = (double)(cabsl(group_transform(g, c + t / g->people * I)) /
				       expl(log_m)),
		       bound = sotto_clone_far_bound(&far, t);

		CHECK(size <= bound * (1 + 1e-5));
		most = fmax(most, size);
	}
	CHECK(most > 0.45); /* or the outcomes were not in phase */
}

static void far_nodes_of_groups_are_no_larger_than_they_are_said_to_be(void)
{
	static const struct group list[] = {{3, 4001, 0.04}, {5, 3901, 0.045}};

	for (long i = 1; i < FACTORIALS; i++)
		log_factorial[i] = log_factorial[i - 1] + logl((long double)i);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		for (double c = 0.5; c < 10; c *= 6)
			check_group(&list[i], c);
}

int main(void)
{
	RUN(far_nodes_of_groups_are_no_larger_than_they_are_said_to_be);
	return tap_done();
}
