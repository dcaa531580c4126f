/* The system's randomness fails at every call in turn: nothing is answered. */
#include "core/random/generator/uniform.h"
#include "sotto/rng.h"

#include <stdlib.h>

#include "core/random/coin/bernoulli.h"
#include "core/random/generator/keystream.h"
#include "core/random/laplace/dlaplace.h"
#include "core/random/laplace/geometric.h"
#include "fake_system.h"
#include "sotto/rng.h"
#include "testlib/tap.h"

enum { N = 300 };

/* Everything that draws, with outputs that show whether they were written. */
struct draws {
	struct sotto_dlaplace *laplace;
	struct sotto_geometric *geometric;
	struct sotto_rational third;
	int64_t z[N], single;
	uint64_t word;
	size_t order[N];
	uint8_t bytes[N];
	bool coin;
};

static void draws_open(struct draws *d)
{
	struct sotto_rational eps;

	sotto_rational_init(&eps);
	if (sotto_rational_set_ratio(&eps, 1, 100) != SOTTO_OK ||
	    sotto_dlaplace_new(&eps, &d->laplace) != SOTTO_OK ||
	    sotto_geometric_new(&eps, &d->geometric) != SOTTO_OK)
		abort();
	sotto_rational_release(&eps);
	sotto_rational_init(&d->third);
	mpq_set_ui(d->third.q, 1, 3);
}

static void draws_close(struct draws *d)
{
	sotto_dlaplace_free(d->laplace);
	sotto_geometric_free(d->geometric);
	sotto_rational_release(&d->third);
}

static bool all_zero(const void *bytes, size_t n)
{
	const uint8_t *b = bytes;

	return b[0] == 0 && memcmp(b, b + 1, n - 1) == 0;
}

enum { MANY = 5, DRAWS = 11 };

/* The draws of many values: on failure all of them are zero. */
static enum sotto_status draw_many(struct draws *d, struct sotto_rng *rng, int which)
{
	switch (which) {
	case 0:
		return sotto_dlaplace_fill(d->laplace, rng, d->z, N);
	case 1:
		return sotto_dlaplace_fill_strict(d->laplace, rng, d->z, N);
	case 2:
		return sotto_geometric_fill(d->geometric, rng, d->z, N);
	case 3:
		return sotto_uniform_permutation(rng, d->order, N);
	default:
		return sotto_rng_fill(rng, d->bytes, N);
	}
}

/* The draws of one value: on failure it is untouched. */
static enum sotto_status draw_one(struct draws *d, struct sotto_rng *rng, int which)
{
	switch (which) {
	case 0:
		return sotto_dlaplace_draw(d->laplace, rng, &d->single);
	case 1:
		return sotto_geometric_draw(d->geometric, rng, &d->single);
	case 2:
		return sotto_uniform_word(rng, &d->word);
	case 3:
		return sotto_uniform_below(rng, 1000, &d->word);
	case 4:
		return sotto_bernoulli_ratio(rng, 1, 3, &d->coin);
	default:
		return sotto_bernoulli_rational(rng, &d->third, &d->coin);
	}
}

/* *kept: the outputs are as the headers say they are after a failure. */
static enum sotto_status draw(struct draws *d, struct sotto_rng *rng, int which, bool *kept)
{
	enum sotto_status st;

	memset(d->z, 0x55, sizeof d->z);
	memset(d->order, 0x55, sizeof d->order);
	memset(d->bytes, 0x55, sizeof d->bytes);
	d->single = 77;
	d->word = 77;
	d->coin = true;
	if (which < MANY) {
		st = draw_many(d, rng, which);
		*kept = which < 3    ? all_zero(d->z, sizeof d->z)
			: which == 3 ? all_zero(d->order, sizeof d->order)
				     : all_zero(d->bytes, sizeof d->bytes);
	} else {
		st = draw_one(d, rng, which - MANY);
		*kept = d->single == 77 && d->word == 77 && d->coin;
	}
	return st;
}

static void a_generator_without_entropy_does_not_open(void)
{
	static const int errors[] = {ENOSYS, EAGAIN, EFAULT, EPERM, 0};

	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		struct sotto_rng *rng = (struct sotto_rng *)&rng, *before = rng;

		fake_reset();
		fake_failure(1, 1, errors[i]);
		errno = 12345;
		CHECK_INT(sotto_rng_open(&rng), SOTTO_EENTROPY);
		CHECK(rng == before);
		CHECK_INT(errno, 12345);
		CHECK_INT(fake_system.calls,
			  1); /* one failure, no second try, no other source */
	}
}

/* A failed generator refuses every kind of draw, then works again with the system. */
static void after_a_failure_everything_is_refused_until_a_reseed_succeeds(void)
{
	struct sotto_rng *rng;
	struct draws d;
	bool kept;

	draws_open(&d);
	fake_reset();
	REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
	for (int which = 0; which < DRAWS; which++) {
		CHECK_INT(draw(&d, rng, which, &kept), SOTTO_OK);
		CHECK(!kept || which >= MANY + 4); /* a coin may come up as it lay */
		fake_failure(1, 1000, ENOSYS);
		CHECK_INT(sotto_rng_reseed(rng), SOTTO_EENTROPY);
		for (int again = 0; again < 2; again++) {
			kept = false;
			CHECK_INT(draw(&d, rng, which, &kept), SOTTO_EENTROPY);
			CHECK(kept);
		}
		fake_reset();
		CHECK_INT(draw(&d, rng, which, &kept), SOTTO_OK);
		CHECK_INT(fake_system.calls, 1); /* it keyed itself anew first */
	}
	sotto_rng_close(rng);
	draws_close(&d);
}

/* Each draw begins two bytes before a renewal that fails. */
static void a_failure_in_the_middle_of_a_draw_leaves_nothing(void)
{
	static uint8_t most[SOTTO_STREAM_BYTES - 2];
	struct sotto_rng *rng;
	struct draws d;

	draws_open(&d);
	for (int which = 0; which < DRAWS; which++) {
		bool kept = false;

		fake_reset();
		REQUIRE(sotto_rng_open(&rng) == SOTTO_OK);
		REQUIRE(sotto_rng_fill(rng, most, sizeof most) == SOTTO_OK);
		fake_failure(1, 1, EFAULT);
		fake_system.clock_offset = 1000; /* so that the renewal needs entropy */
		CHECK_INT(draw(&d, rng, which, &kept), SOTTO_EENTROPY);
		CHECK(kept);
		CHECK_INT(draw(&d, rng, which, &kept), SOTTO_OK);
		sotto_rng_close(rng);
	}
	draws_close(&d);
}

/* A long run in which every request for entropy fails in turn. */
static enum sotto_status long_run(struct draws *d, long *refused)
{
	static uint8_t bytes[20000];
	struct sotto_rng *rng = NULL;
	enum sotto_status first = sotto_rng_open(&rng);

	for (int i = 0; first == SOTTO_OK && i < 3 * DRAWS; i++) {
		bool kept = false;
		enum sotto_status st = draw(d, rng, i % DRAWS, &kept);

		*refused += st != SOTTO_OK;
		CHECK(st == SOTTO_OK || (st == SOTTO_EENTROPY && kept));
		fake_system.clock_offset += 61;
		st = sotto_rng_fill(rng, bytes, sizeof bytes);
		*refused += st != SOTTO_OK;
		CHECK(st == SOTTO_OK ||
		      (st == SOTTO_EENTROPY && all_zero(bytes, sizeof bytes)));
		if (i % 4 == 0)
			*refused += sotto_rng_reseed(rng) != SOTTO_OK;
	}
	sotto_rng_close(rng);
	return first;
}

static void every_request_for_entropy_may_fail(void)
{
	struct draws d;
	long requests, refused = 0;

	draws_open(&d);
	fake_reset();
	CHECK_INT(long_run(&d, &refused), SOTTO_OK);
	CHECK_INT(refused, 0);
	requests = fake_system.calls;
	CHECK(requests > 30);
	for (long at = 1; at <= requests; at++) {
		refused = 0;
		fake_reset();
		fake_failure(at, at, EFAULT);
		refused += long_run(&d, &refused) != SOTTO_OK;
		CHECK_INT(refused, 1);
	}
	draws_close(&d);
}

int main(void)
{
	RUN(a_generator_without_entropy_does_not_open);
	RUN(after_a_failure_everything_is_refused_until_a_reseed_succeeds);
	RUN(a_failure_in_the_middle_of_a_draw_leaves_nothing);
	RUN(every_request_for_entropy_may_fail);
	return tap_done();
}
