/* Another algorithm, the same law: the product against Canonne, Kamath and Steinke 2020. */
#include "testlib/sampler/cks20.h"

#include <stdlib.h>

#include "core/random/laplace/planes.h"
#include "testlib/effort.h"
#include "testlib/sampler/laplace_sample.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static double draws(void)
{
	return effort() == EFFORT_LONG ? 1e8 : 1e7;
}

struct scale {
	uint64_t num, den;
	bool has_sign;
};

static unsigned value_bits_of(double eps)
{
	unsigned k = 0;

	while (ldexp(eps, (int)k) < 45)
		k++;
	return k;
}

static struct laplace_sample *sample_oracle(const struct scale *c, uint64_t seed)
{
	static int64_t z[SAMPLE_BLOCK];
	double eps = (double)c->num / (double)c->den;
	struct laplace_sample *s = laplace_sample_new(eps, value_bits_of(eps), c->has_sign);
	struct sotto_rng *rng = stream_open(seed);

	while (s->n < draws()) {
		for (int i = 0; i < SAMPLE_BLOCK; i++)
			if ((c->has_sign ? cks20_laplace : cks20_geometric)(rng, c->num, c->den,
									    &z[i]) != SOTTO_OK)
				abort();
		laplace_sample_add(s, z);
	}
	stream_close(rng);
	return s;
}

static struct laplace_sample *sample_product(const struct scale *c, uint64_t seed)
{
	static int64_t z[SAMPLE_BLOCK];
	double eps = (double)c->num / (double)c->den;
	struct laplace_sample *s = laplace_sample_new(eps, value_bits_of(eps), c->has_sign);
	struct sotto_rng *rng = stream_open(seed);
	struct sotto_rational r;
	struct sotto_planes p;

	sotto_rational_init(&r);
	mpq_set_ui(r.q, c->num, c->den);
	mpq_canonicalize(r.q);
	if (sotto_planes_init(&p, &r, c->has_sign) != SOTTO_OK)
		abort();
	while (s->n < draws()) {
		if (sotto_planes_fill(&p, rng, z, SAMPLE_BLOCK) != SOTTO_OK)
			abort();
		laplace_sample_add(s, z);
	}
	sotto_planes_release(&p);
	sotto_rational_release(&r);
	stream_close(rng);
	return s;
}

static const struct scale scales[] = {
	{1, 1, true}, {1, 1000, true}, {7, 300, true}, {5, 3, false}};
enum { SCALES = sizeof scales / sizeof scales[0] };

static void the_oracle_has_the_law(void)
{
	for (size_t i = 0; i < SCALES; i++) {
		struct laplace_sample *s = sample_oracle(&scales[i], 10 + i);
		struct verdict v;

		verdict_init(&v);
		laplace_sample_judge(s, &v);
		tap_note("%u answers, worst %s (log p %.1f)", v.answers, v.worst_name, v.worst);
		CHECK(verdict_is_clean(&v));
		free(s);
	}
}

static void product_and_oracle_draw_the_same_law(void)
{
	struct verdict v;

	verdict_init(&v);
	for (size_t i = 0; i < SCALES; i++) {
		struct laplace_sample *a = sample_oracle(&scales[i], 20 + i);
		struct laplace_sample *b = sample_product(&scales[i], 30 + i);

		verdict_add(&v, log_p_same_law(a, b), "scale %zu", i);
		free(a);
		free(b);
	}
	tap_note("worst %s (log p %.1f)", v.worst_name, v.worst);
	CHECK(verdict_is_clean(&v));
}

static void a_scale_that_is_one_percent_off_is_noticed(void)
{
	static const struct scale right = {1, 1000, true}, wrong = {1, 1010, true};
	struct laplace_sample *a = sample_oracle(&right, 40), *b = sample_product(&wrong, 41);
	struct verdict v;

	verdict_init(&v);
	verdict_add(&v, log_p_same_law(a, b), "1%% off");
	CHECK(!verdict_is_clean(&v));
	free(a);
	free(b);
}

/* exp(-x^2/(2 variance)) over its sum */
static void gaussian_masses(double variance, double *mass, int range)
{
	double sum = 0;

	for (int x = -range; x <= range; x++)
		sum += mass[x + range] = exp(-x * x / (2 * variance));
	for (int x = 0; x <= 2 * range; x++)
		mass[x] /= sum;
}

static double log_p_gaussian(uint64_t num, uint64_t den, double variance, uint64_t seed)
{
	enum { RANGE = 200 };
	double n = draws() / 10, mass[2 * RANGE + 1], count[2 * RANGE + 1] = {0};
	double expected[2 * RANGE + 1], observed[2 * RANGE + 1], e = 0, o = 0, rest = n;
	struct sotto_rng *rng = stream_open(seed);
	size_t cells = 0;

	for (double i = 0; i < n; i++) {
		int64_t x = 0;

		if (cks20_gaussian(rng, num, den, &x) != SOTTO_OK || x < -RANGE || x > RANGE)
			abort();
		count[x + RANGE]++;
	}
	stream_close(rng);
	gaussian_masses(variance, mass, RANGE);
	for (int i = 0; i <= 2 * RANGE; i++) {
		e += n * mass[i];
		o += count[i];
		rest -= n * mass[i];
		if (i < 2 * RANGE && (e < 100 || rest < 100))
			continue;
		expected[cells] = e;
		observed[cells++] = o;
		e = o = 0;
	}
	return log_p_chi_square(expected, observed, cells);
}

static void the_gaussian_oracle_has_its_law(void)
{
	struct verdict v;

	verdict_init(&v);
	verdict_add(&v, log_p_gaussian(1, 1, 1, 50), "variance 1");
	verdict_add(&v, log_p_gaussian(10, 3, 10.0 / 3, 51), "variance 10/3");
	verdict_add(&v, log_p_gaussian(400, 1, 400, 52), "variance 400");
	tap_note("worst %s (log p %.1f)", v.worst_name, v.worst);
	CHECK(verdict_is_clean(&v));
	CHECK(log_p_gaussian(10, 3, 3.2, 53) < -40);
}

int main(void)
{
	RUN(the_oracle_has_the_law);
	RUN(product_and_oracle_draw_the_same_law);
	RUN(a_scale_that_is_one_percent_off_is_noticed);
	RUN(the_gaussian_oracle_has_its_law);
	return tap_done();
}
