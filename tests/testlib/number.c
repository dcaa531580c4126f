/* Thin calls around the parser; a text that is not a number ends the program. */
#include "testlib/number.h"

#include <stdlib.h>

struct sotto_rational rational_of(const char *text)
{
	struct sotto_rational r;

	sotto_rational_init(&r);
	if (sotto_rational_parse(&r, text, NULL) != SOTTO_OK)
		abort();
	return r;
}

double rational_double(const struct sotto_rational *r)
{
	return sotto_rational_double_down(r);
}

bool rational_is(const mpq_t q, const char *text)
{
	struct sotto_rational r = rational_of(text);
	bool same = mpq_equal(q, r.q);

	sotto_rational_release(&r);
	return same;
}
