/*
 * Every mechanism on a worst pair of neighbours: what 10^6 runs on each side prove is never
 * above the claim, and at least nine tenths of it where the mechanism is tight.
 */
#include "core/mechanism/private_bounds.h"
#include "core/mechanism/response/randomized_response.h"
#include "testlib/statistics/audit.h"

#include <stdlib.h>

#include "sotto/choose.h"
#include "sotto/noise.h"
#include "sotto/stream.h"
#include "testlib/effort.h"
#include "testlib/number.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

enum { MIDDLE = AUDIT_CLASSES / 2, OUTCOMES_MAX = 64 };

enum { RUNS = 1000000 }; /* on each side */

/* Prints what was proved and holds it against the claim. */
static void hold(const char *name, struct audit a, double claim, double tight)
{
	struct audit_proof p = audit_prove(&a);

	tap_note("%-34s claim %.4f  proved %.4f  (p %.4g, q %.4g, %g runs)", name, claim,
		 p.epsilon, p.p, p.q, (double)a.runs);
	CHECK(p.epsilon <= claim);
	CHECK(p.epsilon >= tight * claim);
}

static unsigned class_of(int64_t value)
{
	int64_t c = value + MIDDLE;

	return c < 0 ? 0 : c >= AUDIT_CLASSES ? AUDIT_CLASSES - 1 : (unsigned)c;
}

static void must(enum sotto_status st)
{
	if (st != SOTTO_OK)
		abort();
}

/* ---- answers ---- */

static unsigned run_coins(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct sotto_noisy out;

	must(sotto_randomized_response_publish(context, rng, sotto_exact_of(neighbour), &out));
	return (unsigned)out.value;
}

static void randomized_response_keeps_its_epsilon(void)
{
	static const char *const seconds[] = {"1/2", "1/5"};
	struct sotto_rational p = rational_of("1/2"), epsilon;

	sotto_rational_init(&epsilon);
	for (size_t i = 0; i < 2; i++) {
		struct sotto_rational r = rational_of(seconds[i]);
		struct sotto_randomized_response m;

		must(sotto_randomized_response_init(&m, &p, &r, NULL));
		sotto_randomized_response_epsilon_up(&m, &epsilon);
		hold("randomized response", (struct audit){run_coins, &m, 2, RUNS, 0, 100},
		     sotto_rational_double_up(&epsilon), 0.9);
		sotto_randomized_response_release(&m);
		sotto_rational_release(&r);
	}
	sotto_rational_release(&p);
	sotto_rational_release(&epsilon);
}

static unsigned run_kary(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct sotto_noisy out;

	must(sotto_kary_response_publish(context, rng, sotto_exact_of(neighbour ? 4 : 1),
					 &out));
	return (unsigned)out.value;
}

static void kary_response_keeps_its_epsilon(void)
{
	struct sotto_rational e = rational_of("1.5");
	struct sotto_kary_response *m = NULL;

	must(sotto_kary_response_new(&e, 5, &m, NULL));
	hold("5-ary response", (struct audit){run_kary, m, 5, RUNS, 0, 200}, 1.5, 0.9);
	sotto_kary_response_free(m);
	sotto_rational_release(&e);
}

/* ---- numbers: 0 against a shift by the whole sensitivity ---- */

enum { SHIFT = 3 };

static unsigned run_laplace(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct sotto_noisy out;

	must(sotto_laplace_publish(context, rng, sotto_exact_of(neighbour * SHIFT), &out));
	return class_of(out.value);
}

static unsigned run_truncated(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct sotto_noisy out;

	must(sotto_truncated_publish(context, rng, sotto_exact_of(neighbour * SHIFT), &out));
	return class_of(out.value);
}

static unsigned run_staircase(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct sotto_noisy out;

	must(sotto_staircase_publish(context, rng, sotto_exact_of(neighbour * SHIFT), &out));
	return class_of(out.value);
}

static void additive_noise_keeps_its_epsilon(void)
{
	struct sotto_rational e = rational_of("1");
	struct sotto_laplace *laplace = NULL;
	struct sotto_truncated *truncated = NULL;
	struct sotto_staircase *staircase = NULL;

	must(sotto_laplace_new(&e, SHIFT, &laplace));
	must(sotto_truncated_new(&e, SHIFT, (struct sotto_range){-2, 6}, &truncated, NULL));
	must(sotto_staircase_new(&e, SHIFT, 0, &staircase, NULL));
	hold("geometric", (struct audit){run_laplace, laplace, AUDIT_CLASSES, RUNS, 0, 300}, 1,
	     0.9);
	hold("truncated geometric",
	     (struct audit){run_truncated, truncated, AUDIT_CLASSES, RUNS, 0, 310}, 1, 0.9);
	hold("staircase", (struct audit){run_staircase, staircase, AUDIT_CLASSES, RUNS, 0, 320},
	     1, 0.9);
	sotto_laplace_free(laplace);
	sotto_truncated_free(truncated);
	sotto_staircase_free(staircase);
	sotto_rational_release(&e);
}

/* A histogram of two cells under replace-one: L1 sensitivity 2, one cell down, one up. */
static unsigned run_vector(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct sotto_exact x[] = {{neighbour ? 0 : 1}, {neighbour ? 1 : 0}};
	struct sotto_noisy out[2];

	must(sotto_laplace_publish_all(context, rng, x, out, 2));
	return (unsigned)(out[0].value > 0) * 2 + (out[1].value > 0);
}

static void a_vector_keeps_its_epsilon(void)
{
	struct sotto_rational e = rational_of("1");
	struct sotto_laplace *m = NULL;

	must(sotto_laplace_new(&e, 2, &m));
	hold("geometric vector", (struct audit){run_vector, m, 4, RUNS, 0, 350}, 1, 0.9);
	sotto_laplace_free(m);
	sotto_rational_release(&e);
}

static unsigned run_gaussian(void *context, bool neighbour, struct sotto_rng *rng)
{
	struct sotto_noisy out;

	must(sotto_gaussian_publish(context, rng, sotto_exact_of(neighbour * SHIFT), &out));
	return class_of(out.value);
}

static void the_gaussian_keeps_its_epsilon_and_delta(void)
{
	struct sotto_rational e = rational_of("1"), d = rational_of("0.05"), sigma2;
	struct sotto_gaussian *m = NULL;

	sotto_rational_init(&sigma2);
	must(sotto_gaussian_calibrate_up(&e, &d, SHIFT, 1, &sigma2));
	must(sotto_gaussian_new(&sigma2, &m));
	hold("gaussian, delta 0.05",
	     (struct audit){run_gaussian, m, AUDIT_CLASSES, RUNS, 0.05, 400}, 1, 0.9);
	sotto_gaussian_free(m);
	sotto_rational_release(&e);
	sotto_rational_release(&d);
	sotto_rational_release(&sigma2);
}

/* ---- choices: the outcomes to be chosen rise by D, all others fall by D ---- */

struct choice {
	void *mechanism;
	size_t n;
	bool monotone; /* then the others stay */
	struct sotto_exact scores[2][OUTCOMES_MAX];
};

static void
set_scores(struct choice *c, void *mechanism, size_t n, size_t chosen, bool monotone)
{
	*c = (struct choice){.mechanism = mechanism, .n = n, .monotone = monotone};
	for (size_t i = 0; i < n; i++) {
		c->scores[0][i] = sotto_exact_of(i < chosen ? 0 : 1);
		c->scores[1][i] = sotto_exact_of(i < chosen ? 1 : monotone);
	}
}

static unsigned run_exponential(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct choice *c = context;
	size_t index;

	must(sotto_exponential_select(c->mechanism, rng, c->scores[neighbour], c->n, &index));
	return (unsigned)index;
}

static unsigned run_flip(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct choice *c = context;
	size_t index;

	must(sotto_permute_and_flip_select(c->mechanism, rng, c->scores[neighbour], c->n,
					   &index));
	return (unsigned)index;
}

static unsigned run_noisy_max(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct choice *c = context;
	size_t index;

	must(sotto_noisy_max_select(c->mechanism, rng, c->scores[neighbour], c->n, &index));
	return (unsigned)index;
}

static unsigned run_top(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct choice *c = context;
	size_t order[2];

	must(sotto_noisy_max_select(c->mechanism, rng, c->scores[neighbour], c->n, order));
	return (unsigned)(order[0] * OUTCOMES_MAX + order[1]);
}

static unsigned run_gap(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct choice *c = context;
	struct sotto_noisy gap;
	size_t index;

	must(sotto_noisy_max_select_gap(c->mechanism, rng, c->scores[neighbour], c->n, &index,
					&gap));
	gap.value >>= sotto_noisy_max_bits(c->mechanism);
	return (unsigned)(index * 64 + (gap.value < 63 ? (uint64_t)gap.value : 63));
}

static void the_exponential_mechanism_keeps_its_epsilon(void)
{
	struct sotto_rational e = rational_of("2"), d = rational_of("1");

	for (int monotone = 0; monotone <= 1; monotone++) {
		struct sotto_selection s = {&e, &d, monotone, false};
		struct sotto_exponential *m = NULL;
		struct choice c;

		must(sotto_exponential_new(&s, &m, NULL));
		set_scores(&c, m, 30, 1, monotone);
		hold(monotone ? "exponential, monotone" : "exponential",
		     (struct audit){run_exponential, &c, 30, RUNS, 0, 500}, 2, 0.9);
		sotto_exponential_free(m);
	}
	sotto_rational_release(&e);
	sotto_rational_release(&d);
}

static void permute_and_flip_keeps_its_epsilon(void)
{
	struct sotto_rational e = rational_of("1"), d = rational_of("1");

	for (int monotone = 0; monotone <= 1; monotone++) {
		struct sotto_selection s = {&e, &d, monotone, false};
		struct sotto_permute_and_flip *m = NULL;
		struct choice c;

		must(sotto_permute_and_flip_new(&s, &m, NULL));
		set_scores(&c, m, 8, 1, monotone);
		hold(monotone ? "permute-and-flip, monotone" : "permute-and-flip",
		     (struct audit){run_flip, &c, 8, RUNS, 0, 600}, 1, 0.9);
		sotto_permute_and_flip_free(m);
	}
	sotto_rational_release(&e);
	sotto_rational_release(&d);
}

static void noisy_max_keeps_its_epsilon(void)
{
	struct sotto_rational e = rational_of("1"), d = rational_of("1");

	for (int monotone = 0; monotone <= 1; monotone++) {
		struct sotto_selection s = {&e, &d, monotone, false};
		struct sotto_noisy_max *one = NULL, *two = NULL;
		struct choice c;

		must(sotto_noisy_max_new(&s, 1, &one, NULL));
		must(sotto_noisy_max_new(&s, 2, &two, NULL));
		set_scores(&c, one, 8, 1, monotone);
		hold(monotone ? "noisy max, monotone" : "noisy max",
		     (struct audit){run_noisy_max, &c, 8, RUNS, 0, 700}, 1, 0.9);
		hold("noisy max with gap", (struct audit){run_gap, &c, 8 * 64, RUNS, 0, 710}, 1,
		     0.9);
		set_scores(&c, two, 8, 2, monotone);
		hold("top 2 of noisy max",
		     (struct audit){run_top, &c, 8 * OUTCOMES_MAX, RUNS, 0, 720}, 1, 0.6);
		sotto_noisy_max_free(one);
		sotto_noisy_max_free(two);
	}
	sotto_rational_release(&e);
	sotto_rational_release(&d);
}

/*
 * ---- streams: the queries rise by D and those that shall be positive fall by D (or stay,
 * if all move the same way): the pattern "none, then one" once for each positive allowed
 */

enum { STREAM = 12, MOVE = 2 };

struct stream {
	struct sotto_sparse_vector *sparse;
	bool monotone;
	int period; /* the last of so many queries shall be positive */
};

static int64_t stream_query(const struct stream *s, bool neighbour, int i)
{
	if ((i + 1) % s->period)
		return neighbour ? MOVE / 2 : -MOVE / 2;
	return neighbour && !s->monotone ? -MOVE / 2 : MOVE / 2;
}

/* The class: where the first two positives are, and the sum of their values. */
static unsigned run_stream(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct stream *s = context;
	struct sotto_sparse_answer a;
	unsigned places = 0, found = 0;
	int64_t value = 0;

	sotto_sparse_vector_restart(s->sparse);
	for (int i = 0; i < STREAM; i++) {
		int64_t q = stream_query(s, neighbour, i);

		if (sotto_sparse_vector_ask(s->sparse, rng, sotto_exact_of(q), &a) ==
		    SOTTO_EBUDGET)
			break;
		if (a.above && found++ < 2)
			places = places * (STREAM + 1) + (unsigned)i + 1;
		value += a.above ? a.value.value : 0;
	}
	value = value < -8 ? -8 : value > 7 ? 7 : value;
	return places * 16 + (unsigned)(value + 8);
}

/* The short set takes the half in which any three options take all their eight values. */
static bool is_taken(int code)
{
	return effort() == EFFORT_LONG || __builtin_popcount((unsigned)code) % 2 == 0;
}

static void the_sparse_vector_keeps_its_epsilon(void)
{
	struct sotto_rational e = rational_of("4"), none = rational_of("0");

	for (int code = 0; code < 16; code++) {
		struct sotto_sparse_vector_options o = {.epsilon = &e,
							.delta = &none,
							.sensitivity = MOVE,
							.positives = code & 1 ? 2 : 1,
							.monotone = code & 2,
							.optimized = code & 4,
							.numeric = code & 8};
		struct stream s = {.monotone = o.monotone, .period = STREAM / (int)o.positives};
		char name[64];

		if (!is_taken(code))
			continue;
		must(sotto_sparse_vector_new(&o, &s.sparse, NULL));
		snprintf(name, sizeof name, "sparse c=%d%s%s%s", (int)o.positives,
			 o.monotone ? " monotone" : "", o.optimized ? " optimized" : "",
			 o.numeric ? " numeric" : "");
		hold(name,
		     (struct audit){run_stream, &s, AUDIT_CLASSES, RUNS, 0,
				    800 + 10 * (uint64_t)code},
		     4, o.positives > 1 ? 0.45 : 0.7);
		sotto_sparse_vector_free(s.sparse);
	}
	sotto_rational_release(&e);
	sotto_rational_release(&none);
}

/* One person more, at the top of the ladder. */
static unsigned run_bounds(void *context, bool neighbour, struct sotto_rng *rng)
{
	const struct sotto_bounds_options *o = context;
	struct sotto_exact counts[SOTTO_BOUNDS_BINS] = {{0}};
	struct sotto_bounds found;

	counts[70] = sotto_exact_of(40);
	counts[100] = sotto_exact_of(12 + neighbour);
	must(sotto_bounds_find(o, rng, counts, &found, NULL));
	return (unsigned)sotto_bounds_bin(found.range.high);
}

static void private_bounds_keep_their_epsilon(void)
{
	struct sotto_rational e = rational_of("2");
	struct sotto_bounds_options o = {.epsilon = &e, .contributions = 1, .beta = 0.5};

	/* ten times slower than any other */
	hold("bounds",
	     (struct audit){run_bounds, &o, SOTTO_BOUNDS_BINS,
			    effort() == EFFORT_LONG ? RUNS : RUNS / 8, 0, 990},
	     2, 0.05);
	sotto_rational_release(&e);
}

int main(void)
{
	RUN(randomized_response_keeps_its_epsilon);
	RUN(kary_response_keeps_its_epsilon);
	RUN(additive_noise_keeps_its_epsilon);
	RUN(a_vector_keeps_its_epsilon);
	RUN(the_gaussian_keeps_its_epsilon_and_delta);
	RUN(the_exponential_mechanism_keeps_its_epsilon);
	RUN(permute_and_flip_keeps_its_epsilon);
	RUN(noisy_max_keeps_its_epsilon);
	RUN(the_sparse_vector_keeps_its_epsilon);
	RUN(private_bounds_keep_their_epsilon);
	return tap_done();
}
