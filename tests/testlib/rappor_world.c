#include "testlib/rappor_world.h"

#include <stdlib.h>
#include <string.h>

void rappor_world_make(struct rappor_world *w, struct sotto_dice *dice)
{
	size_t per = (size_t)w->cohorts * w->hashes;

	w->map = (struct sotto_local_map){.candidates = w->values,
					  .cohorts = w->cohorts,
					  .hashes = w->hashes,
					  .cells = malloc(w->values * per * sizeof(uint32_t))};
	for (size_t i = 0; i < w->values * per; i++)
		w->map.cells[i] = (uint32_t)(sotto_dice_word(dice) % w->bits);
	w->data = (struct sotto_local_cohorts){
		.cohorts = w->cohorts, .bits = w->bits, .reports = w->reports, .ones = w->ones};
	sotto_local_rappor_rates(w->f, w->p, w->q, &w->data.p, &w->data.q);
}

void rappor_world_draw(struct rappor_world *w, struct sotto_dice *dice, uint64_t n,
		       const double *share)
{
	size_t per = (size_t)w->cohorts * w->hashes;
	double even[128];

	memset(w->ones, 0, sizeof w->ones);
	memset(w->truth, 0, sizeof w->truth);
	for (uint32_t c = 0; c < w->cohorts; c++)
		even[c] = 1.0 / w->cohorts;
	sotto_dice_multinomial(dice, n, even, w->cohorts, w->reports);
	for (uint32_t c = 0; c < w->cohorts; c++) {
		static uint64_t holds[300], set[128];

		memset(set, 0, sizeof set);
		sotto_dice_multinomial(dice, w->reports[c], share, w->values, holds);
		for (size_t s = 0; s < w->values; s++) {
			const uint32_t *cells = w->map.cells + s * per + (size_t)c * w->hashes;

			w->truth[s] += (double)holds[s];
			for (uint32_t i = 0; i < w->hashes; i++)
				if (i == 0 || cells[i] != cells[0])
					set[cells[i]] += holds[s];
		}
		for (uint32_t b = 0; b < w->bits; b++)
			w->ones[c * w->bits + b] =
				sotto_dice_binomial(dice, set[b], w->data.q) +
				sotto_dice_binomial(dice, w->reports[c] - set[b], w->data.p);
	}
}

void rappor_zipf(double *share, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += 1 / ((double)i + 1);
	for (size_t i = 0; i < n; i++)
		share[i] = 1 / ((double)i + 1) / sum;
}
