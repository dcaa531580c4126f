/* Copies across the end of the window, and wipes every byte once it is given out. */
#include "core/random/generator/random_source.h"

#include "core/base/failure.h"

enum sotto_status sotto_source_copy(struct sotto_rng *rng, void *out, size_t n)
{
	uint8_t *to = out;

	while (n) {
		size_t some = (size_t)(rng->end - rng->next);

		if (some == 0) {
			SOTTO_TRY(rng->renew(rng));
			continue;
		}
		if (some > n)
			some = n;
		memcpy(to, rng->next, some);
		sotto_wipe(rng->next, some);
		rng->next += some;
		to += some;
		n -= some;
	}
	return SOTTO_OK;
}
