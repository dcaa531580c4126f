/* Bisection: the least number that will do, to 32 bits, and never one that will not. */
#include "core/number/least.h"

#include "testlib/tap.h"

/* x^2 >= *context */
static bool square_reaches(const void *context, const mpq_t x)
{
	bool reaches;
	mpq_t square;

	mpq_init(square);
	mpq_mul(square, x, x);
	reaches = mpq_cmp_si(square, *(const long *)context, 1) >= 0;
	mpq_clear(square);
	return reaches;
}

static void the_root_is_found_from_above(void)
{
	static const long squares[] = {1, 2, 3, 4, 1000000, 999999999};
	static const struct sotto_span span = {-20, 40};
	mpq_t x;

	mpq_init(x);
	for (size_t i = 0; i < sizeof squares / sizeof squares[0]; i++) {
		REQUIRE(sotto_least_find(x, span, square_reaches, &squares[i]));
		CHECK(square_reaches(&squares[i], x));
		CHECK_REL(mpq_get_d(x), sqrt((double)squares[i]), 0x1p-31);
	}
	mpq_clear(x);
}

static void the_ends_of_the_span_are_kept(void)
{
	static const struct sotto_span high = {4, 8}, low = {-8, 3};
	const long two = 2, million = 1000000;
	mpq_t x;

	mpq_init(x);
	CHECK(sotto_least_find(x, high, square_reaches, &two));
	CHECK(mpq_cmp_si(x, 16, 1) == 0);
	CHECK(!sotto_least_find(x, low, square_reaches, &million));
	CHECK(mpq_cmp_si(x, 16, 1) == 0);
	CHECK(sotto_span_holds(high, x));
	CHECK(!sotto_span_holds(low, x));
	mpq_clear(x);
}

int main(void)
{
	RUN(the_root_is_found_from_above);
	RUN(the_ends_of_the_span_are_kept);
	return tap_done();
}
