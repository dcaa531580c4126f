/*
 * Keeps eight fractions in a ring, so that a call can stand inside an expression and nothing
 * has to be released.
 */
#include "testlib/ratio.h"

#include <stdbool.h>

const struct sotto_rational *ratio(const char *text)
{
	static struct sotto_rational ring[8];
	static unsigned next;
	static bool made;
	struct sotto_rational *r;

	for (unsigned i = 0; !made && i < 8; i++)
		sotto_rational_init(&ring[i]);
	made = true;
	r = &ring[next++ % 8];
	if (sotto_rational_parse(r, text, NULL) != SOTTO_OK)
		mpq_set_ui(r->q, 0, 1);
	return r;
}
