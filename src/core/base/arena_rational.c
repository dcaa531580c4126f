/* The number lies in the arena; its digits are freed by what the arena calls at its release. */
#include "core/base/arena_rational.h"

static void release_rational(void *r)
{
	sotto_rational_release(r);
}

struct sotto_rational *sotto_arena_rational(struct sotto_arena *a)
{
	struct sotto_rational *r = sotto_arena_alloc(a, sizeof *r);

	if (!r)
		return NULL;
	sotto_rational_init(r);
	if (!sotto_arena_defer(a, release_rational, r)) {
		sotto_rational_release(r);
		return NULL;
	}
	return r;
}
