/*
 * Bisects first over the powers of two, then over 32 significant bits between two of them; the
 * condition must stay true once it holds.
 */
#include "core/number/least.h"

#include <stdint.h>

enum { SIGNIFICANT = 32 };

static void set_power(mpq_t q, long exponent)
{
	mpq_set_ui(q, 1, 1);
	if (exponent >= 0)
		mpq_mul_2exp(q, q, (mp_bitcnt_t)exponent);
	else
		mpq_div_2exp(q, q, (mp_bitcnt_t)-exponent);
}

bool sotto_span_holds(struct sotto_span span, const mpq_t x)
{
	bool inside;
	mpq_t end;

	mpq_init(end);
	set_power(end, span.least);
	inside = mpq_cmp(x, end) >= 0;
	set_power(end, span.most);
	inside = inside && mpq_cmp(x, end) <= 0;
	mpq_clear(end);
	return inside;
}

/* The least exponent whose power of two will do; one past the end if none does. */
static long find_power(struct sotto_span span, sotto_least_predicate holds, const void *context)
{
	long low = span.least - 1, high = span.most + 1;
	mpq_t x;

	mpq_init(x);
	while (high - low > 1) {
		long middle = low + (high - low) / 2;

		set_power(x, middle);
		if (holds(context, x))
			high = middle;
		else
			low = middle;
	}
	mpq_clear(x);
	return high;
}

/* Between half of 2^exponent and it, in steps of 2^(exponent - SIGNIFICANT). */
static void refine(mpq_t x, long exponent, sotto_least_predicate holds, const void *context)
{
	uint64_t low = UINT64_C(1) << (SIGNIFICANT - 1), high = UINT64_C(1) << SIGNIFICANT;
	mpq_t unit;

	mpq_init(unit);
	set_power(unit, exponent - SIGNIFICANT);
	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;

		mpq_set_ui(x, middle, 1);
		mpq_mul(x, x, unit);
		if (holds(context, x))
			high = middle;
		else
			low = middle;
	}
	mpq_set_ui(x, high, 1);
	mpq_mul(x, x, unit);
	mpq_clear(unit);
}

bool sotto_least_find(mpq_t x, struct sotto_span span, sotto_least_predicate holds,
		      const void *context)
{
	long exponent = find_power(span, holds, context);

	if (exponent > span.most)
		return false;
	if (exponent == span.least)
		set_power(x, exponent);
	else
		refine(x, exponent, holds, context);
	return true;
}
