/* Bulk and single draws against the law: 2 * 10^8 draws a scale, 10^9 in the long set. */
#include <stdlib.h>

#include "core/random/laplace/planes.h"
#include "testlib/effort.h"
#include "testlib/sampler/laplace_sample.h"
#include "testlib/tap.h"
#include "testlib/tape.h"

static double draws(void)
{
	return effort() == EFFORT_LONG ? 1e9 : 1e8;
}

static void scale_init(const char *eps, bool has_sign, struct sotto_planes *p)
{
	struct sotto_rational r;

	sotto_rational_init(&r);
	if (sotto_rational_parse(&r, eps, NULL) != SOTTO_OK ||
	    sotto_planes_init(p, &r, has_sign) != SOTTO_OK)
		abort();
	sotto_rational_release(&r);
}

typedef enum sotto_status (*fill_function)(const struct sotto_planes *p, struct sotto_rng *rng,
					   int64_t *out, size_t n);

static enum sotto_status
fill_by_core(const struct sotto_planes *p, struct sotto_rng *rng, int64_t *out, size_t n)
{
	enum sotto_status st = SOTTO_OK;

	for (size_t i = 0; i < n && st == SOTTO_OK; i++)
		st = sotto_planes_draw(p, rng, &out[i]);
	return st;
}

static struct verdict
judge(const struct sotto_planes *p, double eps, fill_function fill, uint64_t seed, double n)
{
	static int64_t z[SAMPLE_BLOCK];
	struct laplace_sample *s = laplace_sample_new(eps, p->value_bits, p->has_sign);
	struct sotto_rng *rng = stream_open(seed);
	struct verdict v;

	while (s->n < n) {
		CHECK_INT(fill(p, rng, z, SAMPLE_BLOCK), SOTTO_OK);
		laplace_sample_add(s, z);
	}
	verdict_init(&v);
	laplace_sample_judge(s, &v);
	stream_close(rng);
	free(s);
	return v;
}

static void check_scale(const char *text, double eps, bool has_sign, fill_function fill,
			uint64_t seed, double n)
{
	struct sotto_planes p;
	struct verdict v;

	scale_init(text, has_sign, &p);
	v = judge(&p, eps, fill, seed, n);
	(void)tap_check(verdict_is_clean(&v), __FILE__, __LINE__,
			"eps %s: %u of %u answers are faults, worst %s (log p %.1f)", text,
			v.faults, v.answers, v.worst_name, v.worst);
	tap_note("eps %s: %u answers, worst %s (log p %.1f)", text, v.answers, v.worst_name,
		 v.worst);
	sotto_planes_release(&p);
}

static void bulk_draws_at_scale_1(void)
{
	check_scale("1", 1, true, sotto_planes_fill, 1, draws());
}

static void bulk_draws_at_scale_1000(void)
{
	check_scale("1/1000", 1e-3, true, sotto_planes_fill, 2, draws());
}

static void bulk_draws_at_scale_2_to_the_40(void)
{
	check_scale("1/1099511627776", 0x1p-40, true, sotto_planes_fill, 3, draws());
}

static void bulk_geometric_draws(void)
{
	check_scale("3/16", 0.1875, false, sotto_planes_fill, 4, draws() / 4);
}

static void single_draws(void)
{
	check_scale("1/1000", 1e-3, true, fill_by_core, 5, draws() / 10);
}

/* The same questions, asked of a table in which one probability is 2^-12 too high. */
static void an_error_of_2_to_the_minus_12_in_one_probability_is_noticed(void)
{
	const unsigned first = effort() == EFFORT_LONG ? 0 : 1;
	const unsigned last = effort() == EFFORT_LONG ? 5 : 1;

	for (unsigned k = first; k <= last; k++) {
		struct sotto_planes p;
		struct verdict v;

		scale_init("1", true, &p);
		p.after_head[k] += UINT64_C(1) << 60; /* 2^60 of 2^72 */
		v = judge(&p, 1, sotto_planes_fill, 6, draws());
		(void)tap_check(!verdict_is_clean(&v), __FILE__, __LINE__,
				"a wrong plane %u goes unnoticed, worst %s (log p %.1f)", k,
				v.worst_name, v.worst);
		sotto_planes_release(&p);
	}
}

int main(void)
{
	RUN(bulk_draws_at_scale_1);
	RUN(bulk_draws_at_scale_1000);
	RUN(bulk_draws_at_scale_2_to_the_40);
	RUN(bulk_geometric_draws);
	RUN(single_draws);
	RUN(an_error_of_2_to_the_minus_12_in_one_probability_is_noticed);
	return tap_done();
}
