/*
 * Draws noise in blocks, adds it with saturation and wipes it; if the generator fails, all
 * outputs are 0 and none is published.
 */
#include "core/mechanism/additive/publish.h"

#include <string.h>

#include "core/base/checked.h"
#include "core/base/wipe.h"

enum { BLOCK = 4096 };

struct sotto_noisy sotto_publish_sum(struct sotto_exact x, int64_t noise)
{
	return (struct sotto_noisy){sotto_saturating_add_i64(x.secret, noise)};
}

enum sotto_status sotto_publish_all(sotto_noise_source source, const void *law,
				    struct sotto_rng *rng, const struct sotto_exact *x,
				    struct sotto_noisy *out, size_t n)
{
	enum sotto_status st = SOTTO_OK;
	int64_t noise[BLOCK];

	for (size_t done = 0; done < n && st == SOTTO_OK; done += BLOCK) {
		size_t count = n - done < BLOCK ? n - done : BLOCK;

		st = source(law, rng, noise, count);
		for (size_t i = 0; i < count && st == SOTTO_OK; i++)
			out[done + i] = sotto_publish_sum(x[done + i], noise[i]);
	}
	sotto_wipe(noise, sizeof noise);
	if (st != SOTTO_OK)
		memset(out, 0, n * sizeof *out);
	return st;
}
