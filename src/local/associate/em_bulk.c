/* Expectation maximization over rows of likelihoods. */
#include "local/associate/em.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double *sotto_em_row(const struct sotto_em *em, size_t i)
{
	size_t width = 0, done = 1;
	const double *part;

	for (size_t v = 0; v < em->parts; v++)
		width += em->sizes[v];
	part = em->likelihood + i * width;
	if (em->parts == 1)
		return part;
	em->row[0] = 1;
	for (size_t v = 0; v < em->parts; part += em->sizes[v++]) {
		/* from the back, so that what is read is still there */
		for (size_t c = done; c-- > 0;)
			for (size_t k = em->sizes[v]; k-- > 0;)
				em->row[c * em->sizes[v] + k] = em->row[c] * part[k];
		done *= em->sizes[v];
	}
	return em->row;
}

double sotto_em_step(const struct sotto_em *em, const double *share, double *next)
{
	double total = 0;

	memset(next, 0, em->cells * sizeof *next);
	for (size_t i = 0; i < em->rows; i++) {
		const double *row = sotto_em_row(em, i);
		double sum = 0, scale;

		for (size_t c = 0; c < em->cells; c++)
			sum += share[c] * row[c];
		scale = em->weight[i] / sum / em->users;
		for (size_t c = 0; c < em->cells; c++)
			next[c] += share[c] * row[c] * scale;
		total += em->weight[i] * log(sum);
	}
	return total;
}

static bool explained(const double *row, size_t cells)
{
	double sum = 0;

	for (size_t c = 0; c < cells; c++) {
		if (!(row[c] >= 0) || isinf(row[c]))
			return false;
		sum += row[c];
	}
	return sum > 0;
}

enum sotto_status sotto_local_em(double *likelihood, size_t rows, size_t cells, unsigned most,
				 double *share, unsigned *iterations, bool *settled)
{
	struct sotto_em em = {.rows = rows,
			      .cells = cells,
			      .parts = 1,
			      .sizes = {cells},
			      .likelihood = likelihood,
			      .weight = malloc((rows + 1) * sizeof *em.weight),
			      .users = (double)rows};
	double *next = malloc((cells + 1) * sizeof *next), change = 1;
	enum sotto_status st = em.weight && next ? SOTTO_OK : SOTTO_ENOMEM;
	unsigned i = 0;

	if (rows == 0 || cells == 0)
		st = SOTTO_EINVAL;
	for (size_t r = 0; st == SOTTO_OK && r < rows; r++) {
		em.weight[r] = 1;
		st = explained(likelihood + r * cells, cells) ? SOTTO_OK : SOTTO_EINVAL;
	}
	for (size_t c = 0; st == SOTTO_OK && c < cells; c++)
		share[c] = 1.0 / (double)cells;
	for (; st == SOTTO_OK && i < most && change >= SOTTO_LOCAL_EM_CHANGE; i++) {
		(void)sotto_em_step(&em, share, next);
		change = 0;
		for (size_t c = 0; c < cells; c++) {
			change = fmax(change, fabs(next[c] - share[c]));
			share[c] = next[c];
		}
	}
	if (st == SOTTO_OK) {
		*iterations = i;
		*settled = change < SOTTO_LOCAL_EM_CHANGE;
	}
	free(em.weight);
	free(next);
	return st;
}
