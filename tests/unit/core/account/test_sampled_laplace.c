/*
 * Sampled Laplace noise at nodes near the real line and far from it, against panels that are finer than all that it uses,
 * in long doubles; how it falls; and few sampled events of different kinds, whose answers need far nodes.
 *
 * Seen to fail: with the ends' terms left out, and with the bend of the density counted a hundredth (slaplace_ends.c); panels twelve times as long as
 * they may be, or without regard to the order (slaplace_panels.c); a first panel left out, and lists that serve forty times their order (slaplace_list.c);
 * a ladder without what lies before a division, or with the density at it counted a fortieth (law_slaplace.c).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/account/integral/legendre.h"
#include "core/account/law/law.h"
#include "core/account/law/slaplace/slaplace_list.h"
#include "core/account/law/slaplace/slaplace_panels.h"
#include "testlib/accountant/accounting.h"
#include "testlib/tap.h"

/* Several times as many as are ever used for such nodes. */
enum { NEAR_PANELS = 150, FAR_PANELS = 4000 };

struct sums {
	long double re, im, all;
};

static long double loss_at(const struct sotto_law *law, long double x)
{
	long double q = law->rate;

	return law->direction == SOTTO_REMOVE ? log1pl(q * expm1l(x)) : -log1pl(q * expm1l(-x));
}

/* One outcome before sampling, of this log mass. */
static void add(const struct sotto_law *law, double c, double t, long double x,
		long double log_mass, struct sums *s)
{
	long double l = loss_at(law, x), q = law->rate, w;

	if (law->direction == SOTTO_REMOVE)
		log_mass += logl(q + (1 - q) * expl(-x));
	w = expl(log_mass + c * l);
	s->re += w * cosl(t * l);
	s->im += w * sinl(t * l);
	s->all += w;
}

static struct sums sums_at(const struct sotto_law *law, double c, double t, size_t panels)
{
	long double a = law->noise_epsilon;
	double x[SOTTO_LEGENDRE], w[SOTTO_LEGENDRE];
	struct sums s = {0};

	add(law, c, t, a, logl(0.5L), &s);
	add(law, c, t, -a, logl(0.5L) - a, &s);
	for (size_t i = 0; i < panels; i++) {
		double half = law->noise_epsilon / (double)panels;

		sotto_legendre(-law->noise_epsilon + half * (2 * (double)i + 1), half, x, w);
		for (int j = 0; j < SOTTO_LEGENDRE; j++)
			add(law, c, t, x[j], logl(w[j] * 0.25L) + (x[j] - a) / 2, &s);
	}
	s.re /= s.all;
	s.im /= s.all;
	return s;
}

/* Panels, and with them nodes, for any order: laws that keep a list too. */
static struct sotto_law law_of(int i)
{
	static const double epsilons[] = {0.05, 0.5, 2, 9},
			    rates[] = {1e-5, 0.02, 0.3, 0.7, 0.99};
	struct sotto_law law = {.class = &sotto_law_sampled_laplace,
				.count = 1,
				.noise_epsilon = epsilons[i % 4],
				.rate = rates[i / 4 % 5],
				.direction = i / 20 % 2 ? SOTTO_ADD : SOTTO_REMOVE,
				.of_many = i / 40 % 2};

	law.top = (double)loss_at(&law, law.noise_epsilon) * (1 + 0x1p-40);
	if (law.of_many && sotto_slaplace_keep_list(&law) != SOTTO_OK)
		abort();
	return law;
}
enum { LAWS = 80 };

static void
check_block(const struct sotto_law *law, void *state, double c, double h, uint64_t first)
{
	struct sotto_block b = {.c = c, .h = h, .first = first, .n = SOTTO_BLOCK};

	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	law->class->apply(law, state, &b);
	for (size_t j = 0; j < SOTTO_BLOCK; j += 16) {
		double t = h * (double)(first + j);
		struct sums s = sums_at(law, c, t, NEAR_PANELS);
		double size = hypot((double)s.re, (double)s.im),
		       wrong = hypot(b.re[j] - (double)s.re, b.im[j] - (double)s.im),
		       error = b.absolute[j] + b.relative[j] * hypot(b.re[j], b.im[j]),
		       decay = law->class->log_decay(law, state, c, t, INFINITY);

		(void)tap_check(wrong <= error + 2e-15 && error < 1e-10, __FILE__, __LINE__,
				"rate %g epsilon %g order %g node %g: off by %g, not %g",
				law->rate, law->noise_epsilon, c, t, wrong, error);
		(void)tap_check(log(size) <= decay + 1e-14, __FILE__, __LINE__,
				"rate %g epsilon %g order %g node %g: log %g, not below %g",
				law->rate, law->noise_epsilon, c, t, log(size), decay);
	}
}

/* From nodes beside the real line to such that turn the largest loss often. */
static void near_nodes_are_what_fine_panels_say(void)
{
	static const double orders[] = {0.3, 1.1, 4, 19};

	for (int i = 0; i < LAWS; i++) {
		struct sotto_law law = law_of(i);
		double c = orders[i % 4 ^ i / 4 % 4], k[3] = {0}, log_m, slack,
		       h = 0.02 / (double)(loss_at(&law, law.noise_epsilon) -
					   loss_at(&law, -law.noise_epsilon));
		struct sums s = sums_at(&law, c, 0, NEAR_PANELS);
		void *state;

		REQUIRE(law.class->begin(&law, c, h, &state, &log_m, &slack) == SOTTO_OK);
		(void)tap_check(fabs(log_m - (double)logl(s.all)) <= slack + 1e-15, __FILE__,
				__LINE__,
				"rate %g epsilon %g order %g: log M is %.17g, not %.17Lg",
				law.rate, law.noise_epsilon, c, log_m, logl(s.all));
		law.class->cumulants(&law, c, k);
		CHECK(k[0] >= log_m - slack && (law.of_many || k[0] <= log_m + slack));
		for (uint64_t first = 0; first < 6000; first = 5 * first + SOTTO_BLOCK)
			check_block(&law, state, c, h, first);
		law.class->end(state);
		law.class->release(&law);
	}
}

/* They follow each other from end to end, and are no more than were counted. */
static void panels_cover_all_losses(void)
{
	for (int i = 0; i < 200; i++) {
		double rate = exp(-0.13 * i), a = 0.01 * exp(0.07 * (i * 7 % 100)),
		       order = 1 + exp(0.06 * (i * 13 % 100)), end = -a, middle, half;
		size_t n = 0, counted = sotto_slaplace_panels_count(rate * 0.9999, a, order);
		struct sotto_slaplace_panels p;

		if (counted == SOTTO_SLAPLACE_PANELS)
			continue;
		sotto_slaplace_panels_init(&p, rate * 0.9999, a, order);
		while (sotto_slaplace_panels_next(&p, &middle, &half)) {
			CHECK(fabs(middle - half - end) <= 1e-15 * (a + 1));
			end = middle + half;
			n++;
		}
		CHECK(fabs(end - a) <= 1e-15 * (a + 1) && n == counted && !p.too_many);
	}
}

/* The first block of nodes beyond the outcomes. */
static void check_far(const struct sotto_law *law, double c, double h)
{
	struct sotto_block b = {.c = c, .h = h, .n = SOTTO_BLOCK};
	struct sotto_law_outcomes o;
	double log_m, slack;
	void *state;

	for (size_t j = 0; j < SOTTO_BLOCK; j++)
		b.re[j] = 1;
	CHECK(law->class->begin(law, c, h, &state, &log_m, &slack) == SOTTO_OK);
	CHECK(law->class->outcomes(law, state, c, 1e9, 28, &o) == SOTTO_OK);
	b.first = (uint64_t)(1.01 * o.to / h);
	law->class->apply(law, state, &b);
	for (size_t j = 0; j < SOTTO_BLOCK; j += 40) {
		struct sums s = sums_at(law, c, h * (double)(b.first + j), FAR_PANELS);
		double wrong = hypot(b.re[j] - (double)s.re, b.im[j] - (double)s.im),
		       error = b.absolute[j] + b.relative[j] * hypot(b.re[j], b.im[j]);

		(void)tap_check(wrong <= error + 1e-15 && error < 1e-2, __FILE__, __LINE__,
				"rate %g epsilon %g order %g: off by %g, not %g", law->rate,
				law->noise_epsilon, c, wrong, error);
	}
	free(o.loss);
	law->class->end(state);
}

static void far_nodes_are_what_fine_panels_say(void)
{
	static const double epsilons[] = {0.05, 0.5, 2}, rates[] = {0.02, 0.3, 0.7},
			    orders[] = {0.5, 6, 40};

	for (int i = 0; i < 54; i++) {
		struct sotto_law law = {.class = &sotto_law_listed_laplace,
					.count = 1,
					.noise_epsilon = epsilons[i % 3],
					.rate = rates[i / 3 % 3],
					.direction = i / 27 ? SOTTO_ADD : SOTTO_REMOVE};
		double c = orders[i / 9 % 3], scale = 1 / (law.noise_epsilon * law.rate);

		law.top = (double)loss_at(&law, law.noise_epsilon);
		check_far(&law, c, 0.01 * scale);
	}
}

/* Had no lower side, or none that was near the upper one. */
static void few_sampled_events_of_different_kinds_are_sharp(void)
{
	static const char *const mixed[] = {
		"sampled(rate=0.04, laplace(epsilon=0.5));sampled(rate=0.1, "
		"laplace(epsilon=0.2));"
		"sampled(rate=0.2, laplace(epsilon=0.9));sampled(rate=0.03, "
		"discrete-gaussian(sigma=2));"
		"sampled(rate=0.3, discrete-gaussian(sigma=9));sampled(rate=0.15, "
		"discrete-gaussian(sigma=4));"
		"sampled(rate=0.02, geometric(epsilon=1));sampled(rate=0.07, "
		"pure(epsilon=0.4))"};

	for (size_t i = 0; i < sizeof mixed / sizeof mixed[0]; i++) {
		struct sotto_account_answer a = epsilon_at(mixed[i], "1e-6", SOTTO_PLD);

		CHECK(a.lower > 0 && a.upper - a.lower <= 2e-6);
	}
}

/* Were 1e-5 to 0.1 apart: far nodes of listed outcomes had no values, only sizes. */
static void twenty_sampled_discrete_gaussians_are_sharp(void)
{
	struct sotto_workload *w;
	struct sotto_account_answer a;
	char text[96];

	if (sotto_workload_new(&w) != SOTTO_OK)
		abort();
	for (int i = 0; i < 20; i++) {
		(void)snprintf(text, sizeof text,
			       "sampled(rate=0.%03d, discrete-gaussian(sigma=%d.%02d))",
			       5 + 23 * i % 200, 1 + 7 * i % 30, 37 * i % 100);
		if (sotto_workload_add_text(w, text, NULL) != SOTTO_OK)
			abort();
	}
	a = epsilon_of(w, "1e-6", SOTTO_PLD);
	CHECK(a.lower > 0 && a.upper - a.lower <= 1e-6);
	sotto_workload_free(w);
}

int main(void)
{
	RUN(near_nodes_are_what_fine_panels_say);
	RUN(panels_cover_all_losses);
	RUN(far_nodes_are_what_fine_panels_say);
	RUN(few_sampled_events_of_different_kinds_are_sharp);
	RUN(twenty_sampled_discrete_gaussians_are_sharp);
	return tap_done();
}
