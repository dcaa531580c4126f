/*
 * How large M(s) of a group in shuffled reports can be far out: the bound against the sum over all outcomes, in long doubles, where these
 * come to the same phase again.  With a small local epsilon nearly all users are clones, so that numbers of clones differ little and nothing but the bound's own
 * weight is left of it.
 *
 * Faults that were planted, each seen to fail: the bound without its higher orders; each order with the weight of the last (clone_lift.c).
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

/* Sum over x of n reports of P-mass e^(z loss). */
static long double complex row(long double n, long double tau, long double complex z)
{
	long double middle = floorl(n / 2), reach = fminl(middle, ceill(6 * sqrtl(n)));
	long double complex sum = 0;

	for (long double x = middle - reach; x <= fminl(n, middle + reach); x++) {
		long double w = tau * (2 * x - n) / n,
			    log_mass = lgammal(n + 1) - lgammal(x + 1) - lgammal(n - x + 1) -
				       n * logl(2);

		sum += expl(log_mass) * (1 + w) * cexpl(z * (log1pl(w) - log1pl(-w)));
	}
	return sum;
}

/* E e^(z loss) of one person, over all numbers of clones that are not as rare as 1e-15. */
static long double complex one_person(const struct group *g, long double complex z)
{
	long double others = (long double)g->users - 1, p = expl(-(long double)g->epsilon0),
		    tau = tanhl((long double)g->epsilon0 / 2),
		    spread = 8 * sqrtl(others * p * (1 - p)) + 10;
	long double complex sum = 0;

	for (long double c = fmaxl(0, floorl(others * p - spread));
	     c <= fminl(others, others * p + spread); c++) {
		long double log_mass = lgammal(others + 1) - lgammal(c + 1) -
				       lgammal(others - c + 1) + c * logl(p) +
				       (others - c) * log1pl(-p);

		sum += expl(log_mass) * row(c + 1, tau, z);
	}
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
	for (int i = -8; i <= 24; i++) {
		double t = once * (i < 0 ? 0.05 - 0.05 * i : 1.9 + 0.2 * i / 24),
		       size = (double)(cabsl(group_transform(g, CMPLXL(c, t / g->people))) /
				       expl(log_m)),
		       bound = sotto_clone_far_bound(&far, t);

		CHECK(size <= bound * (1 + 1e-9));
		most = fmax(most, size);
	}
	CHECK(most > 0.5); /* or the outcomes were not in phase */
}

static void far_nodes_of_groups_are_no_larger_than_they_are_said_to_be(void)
{
	static const struct group list[] = {
		{2, 1501, 0.002}, {3, 1001, 0.002}, {5, 801, 0.001}};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		for (double c = 0.5; c < 20; c *= 6)
			check_group(&list[i], c);
}

int main(void)
{
	RUN(far_nodes_of_groups_are_no_larger_than_they_are_said_to_be);
	return tap_done();
}
