/*
 * Sums over outcomes that are known one by one, and which of them weigh most.
 */
#include "core/account/law/gathered/heavy.h"

#include <math.h>

#include "core/account/integral/complex.h"

/* What the sums may be wrong by. */
#define HEAVY_ERROR 0x1p-30

void sotto_heavy_bounds(const struct sotto_heavy *heavy, const struct sotto_block *b,
			double log_m, double *bound)
{
	double dr[SOTTO_BLOCK] = {0}, di[SOTTO_BLOCK] = {0}, sum = 0;

	for (size_t i = 0; i < heavy->n; i++) {
		double weight = heavy->mass[i] * exp(b->c * heavy->loss[i] - log_m);

		sum += weight;
		sotto_block_add_atom(b, heavy->loss[i], weight, dr, di);
	}
	for (size_t j = 0; j < b->n; j++) {
		double size = cx_abs(cx_of(sum + dr[j], di[j]));

		bound[j] = fmin(1, 1 - sum * (1 - HEAVY_ERROR) + size + sum * HEAVY_ERROR);
	}
}

size_t sotto_heavy_first(const struct sotto_heavy *heavy, double c, double log_m, double wrong,
			 double *loss, double *weight)
{
	size_t n = 0;

	for (size_t i = 0; i < heavy->n; i++) {
		double under_p = heavy->mass[i] - wrong * exp(fmin(0, heavy->loss[i])),
		       w = under_p * exp(c * heavy->loss[i] - log_m) * (1 - HEAVY_ERROR);
		size_t at = n;

		while (at > 0 && w > weight[at - 1])
			at--;
		if (!(w > 0) || at == SOTTO_DECAY_ATOMS)
			continue;
		n += n < SOTTO_DECAY_ATOMS;
		for (size_t j = n - 1; j > at; j--) {
			weight[j] = weight[j - 1];
			loss[j] = loss[j - 1];
		}
		weight[at] = w;
		loss[at] = heavy->loss[i];
	}
	return n;
}
