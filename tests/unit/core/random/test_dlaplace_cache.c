/* Scales that are kept: the same for the same eps, dropped oldest first, never while borrowed. */
#include "core/random/laplace/dlaplace.h"

#include <stdlib.h>

#include "core/random/laplace/planes.h"
#include "testlib/tap.h"

static const struct sotto_dlaplace *get(struct sotto_dlaplace_cache *c, const char *eps)
{
	const struct sotto_dlaplace *d = NULL;
	struct sotto_rational r;

	sotto_rational_init(&r);
	CHECK_INT(sotto_rational_parse(&r, eps, NULL), SOTTO_OK);
	CHECK_INT(sotto_dlaplace_cache_get(c, &r, &d), SOTTO_OK);
	sotto_rational_release(&r);
	return d;
}

static void equal_rationals_share_a_scale(void)
{
	struct sotto_dlaplace_cache *c;
	const struct sotto_dlaplace *a, *b;

	REQUIRE(sotto_dlaplace_cache_new(4, &c) == SOTTO_OK);
	a = get(c, "0.5");
	b = get(c, "2/4");
	CHECK(a == b);
	CHECK(get(c, "0.25") != a);
	sotto_dlaplace_cache_free(c);
}

static void a_borrowed_scale_outlives_the_capacity(void)
{
	struct sotto_dlaplace_cache *c;
	const struct sotto_dlaplace *first, *second;
	struct sotto_rng *rng;
	int64_t z;

	REQUIRE(sotto_dlaplace_cache_new(1, &c) == SOTTO_OK);
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	first = get(c, "1");
	second = get(c, "2");
	CHECK(first != second);
	CHECK(get(c, "1") == first);
	CHECK_INT(sotto_dlaplace_draw(first, rng, &z), SOTTO_OK);
	sotto_rng_close(rng);
	sotto_dlaplace_cache_free(c);
}

static void the_longest_unused_scale_goes_first(void)
{
	struct sotto_dlaplace_cache *c;
	const struct sotto_dlaplace *one;
	void *decoys[4]; /* so that a freed scale's memory cannot come back as a new one's */

	REQUIRE(sotto_dlaplace_cache_new(2, &c) == SOTTO_OK);
	one = get(c, "1");
	sotto_dlaplace_cache_put(c, get(c, "2"));
	sotto_dlaplace_cache_put(c, one);
	sotto_dlaplace_cache_put(c, get(c, "1"));
	sotto_dlaplace_cache_put(c, get(c, "3")); /* drops 2, keeps 1 */
	for (int i = 0; i < 4; i++)
		decoys[i] = malloc(sizeof(struct sotto_planes));
	CHECK(get(c, "1") == one);
	for (int i = 0; i < 4; i++)
		free(decoys[i]);
	sotto_dlaplace_cache_free(c);
}

static void bad_parameters_are_refused(void)
{
	struct sotto_dlaplace_cache *c;
	const struct sotto_dlaplace *d = NULL;
	struct sotto_rational zero;

	sotto_rational_init(&zero);
	CHECK_INT(sotto_dlaplace_cache_new(0, &c), SOTTO_EINVAL);
	REQUIRE(sotto_dlaplace_cache_new(1, &c) == SOTTO_OK);
	CHECK_INT(sotto_dlaplace_cache_get(c, &zero, &d), SOTTO_ERANGE);
	CHECK(d == NULL);
	sotto_dlaplace_cache_free(c);
	sotto_rational_release(&zero);
}

int main(void)
{
	RUN(equal_rationals_share_a_scale);
	RUN(a_borrowed_scale_outlives_the_capacity);
	RUN(the_longest_unused_scale_goes_first);
	RUN(bad_parameters_are_refused);
	return tap_done();
}
