/*
 * One row for each bit of each cohort that has reports, one column for each candidate; weights
 * use shares that are drawn toward their mean by the part of their spread that noise explains.
 */
#include "local/decode/estimate.h"
#include "local/rappor/rappor_job.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"
#include "local/decode/special.h"

void sotto_job_release(struct sotto_job *j)
{
	free(j->rows.y);
	free(j->rows.weight);
	free(j->rows.noise);
	free(j->rows.users);
	free(j->numbers);
	sotto_columns_release(&j->columns);
}

/* Weight and noise of a row of n users whose share with the bit is taken to be this. */
static void weigh(const struct sotto_job *j, size_t row, double n, double share)
{
	double p = j->data->p, q = j->data->q, gap = q - p, rate;

	share = fmin(fmax(share, 0), 1);
	rate = share * q + (1 - share) * p;
	rate = fmin(fmax(rate, .5 / (n + 1)), 1 - .5 / (n + 1)); /* p* = 0 is not certainty */
	j->rows.weight[row] = n * gap * gap / (rate * (1 - rate));
	j->rows.noise[row] =
		(share * q * (1 - q) + (1 - share) * p * (1 - p)) / (n * gap * gap);
}

/* How much the shares differ, beyond what their own noise makes them differ. */
static double
spread_of(const struct sotto_job *j, const double *share, double mean, double leverage)
{
	double squares = 0, noise = 0, count = (double)j->rows.count;

	for (size_t r = 0; r < j->rows.count; r++) {
		noise += leverage / j->rows.weight[r] / count;
		squares += (share[r] - mean) * (share[r] - mean) / count;
	}
	return fmax(squares - noise, 0);
}

void sotto_job_weigh(struct sotto_job *j, const double *share, double leverage)
{
	double mean = 0, spread;

	for (size_t r = 0; r < j->rows.count; r++)
		mean += share[r] / (double)j->rows.count;
	for (size_t r = 0; r < j->rows.count; r++)
		weigh(j, r, j->rows.users[r / j->rows.bits], mean);
	spread = spread_of(j, share, mean, leverage);
	for (size_t r = 0; r < j->rows.count; r++) {
		double noise = leverage / j->rows.weight[r],
		       part = spread > 0 ? spread / (spread + noise) : 0;

		weigh(j, r, j->rows.users[r / j->rows.bits], mean + part * (share[r] - mean));
	}
}

static enum sotto_status
make_rows(struct sotto_job *j, enum sotto_part part, uint32_t *row_of_cohort)
{
	size_t bits = j->data->bits;

	j->rows.y = malloc((j->data->cohorts * bits + 1) * sizeof *j->rows.y);
	j->rows.weight = malloc((j->data->cohorts * bits + 1) * sizeof *j->rows.weight);
	j->rows.noise = malloc((j->data->cohorts * bits + 1) * sizeof *j->rows.noise);
	j->rows.users = malloc((j->data->cohorts + 1) * sizeof *j->rows.users);
	j->numbers = malloc((j->data->cohorts + 1) * sizeof *j->numbers);
	j->rows.bits = bits;
	if (!j->rows.y || !j->rows.weight || !j->rows.noise || !j->rows.users || !j->numbers)
		return SOTTO_ENOMEM;
	for (uint32_t c = 0; c < j->data->cohorts; c++) {
		double n = (double)j->data->reports[c];

		row_of_cohort[c] = UINT32_MAX;
		if (n == 0 || (part != SOTTO_ALL_COHORTS && c % 2 != (uint32_t)part))
			continue;
		row_of_cohort[c] = (uint32_t)j->rows.count;
		for (size_t b = 0; b < bits; b++)
			j->rows.y[j->rows.count++] =
				((double)j->data->ones[c * bits + b] / n - j->data->p) /
				(j->data->q - j->data->p);
		j->users += n;
		j->numbers[j->cohorts] = c;
		j->rows.users[j->cohorts++] = n;
	}
	sotto_job_weigh(j, j->rows.y, 1);
	return SOTTO_OK;
}

static int ascending(const void *x, const void *y)
{
	const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

static enum sotto_status make_columns(struct sotto_job *j, const uint32_t *row_of_cohort)
{
	const struct sotto_local_map *m = j->map;
	size_t per = (size_t)m->cohorts * m->hashes, used = 0;
	struct sotto_columns *c = &j->columns;

	c->start = malloc((m->candidates + 1) * sizeof *c->start);
	c->rows = malloc((m->candidates * per + 1) * sizeof *c->rows);
	if (!c->start || !c->rows)
		return SOTTO_ENOMEM;
	c->count = m->candidates;
	for (size_t s = 0; s < m->candidates; s++) {
		size_t first = used, kept = used;

		c->start[s] = used;
		for (size_t i = 0; i < per; i++) {
			uint32_t bit = m->cells[s * per + i],
				 row = row_of_cohort[i / m->hashes];

			if (bit != SOTTO_LOCAL_NO_CELL && row != UINT32_MAX)
				c->rows[used++] = row + bit;
		}
		qsort(c->rows + first, used - first, sizeof *c->rows, ascending);
		for (size_t i = first; i < used; i++) /* a self-collision sets one bit */
			if (i == first || c->rows[i] != c->rows[i - 1])
				c->rows[kept++] = c->rows[i];
		used = kept;
	}
	c->start[m->candidates] = used;
	return SOTTO_OK;
}

enum sotto_status sotto_job_make(struct sotto_job *j, const struct sotto_local_cohorts *data,
				 const struct sotto_local_map *map, enum sotto_part part)
{
	uint32_t *row_of_cohort = malloc((data->cohorts + 1) * sizeof *row_of_cohort);
	enum sotto_status st;

	*j = (struct sotto_job){.data = data, .map = map};
	if (!row_of_cohort)
		return SOTTO_ENOMEM;
	st = make_rows(j, part, row_of_cohort);
	if (st == SOTTO_OK)
		st = make_columns(j, row_of_cohort);
	free(row_of_cohort);
	if (st != SOTTO_OK)
		sotto_job_release(j);
	return st;
}

enum sotto_status
sotto_job_check(const struct sotto_local_cohorts *d, const struct sotto_local_map *m,
		const struct sotto_local_options *o, double *users, struct sotto_error *err)
{
	*users = 0;
	if (sotto_local_options_check(o) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EINVAL, "alpha must lie strictly between 0 and 1");
	if (m->cohorts != d->cohorts || m->hashes == 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the map has %u cohorts, the counts have %u", m->cohorts,
				  d->cohorts);
	if (!(fabs(d->q - d->p) > 1e-9) || !(d->p >= 0 && d->p <= 1 && d->q >= 0 && d->q <= 1))
		return sotto_fail(
			err, SOTTO_EINVAL,
			"with these f, p and q nothing can be decoded (f = 1 or p = q)");
	for (size_t i = 0; i < m->candidates * m->cohorts * m->hashes; i++)
		if (m->cells[i] != SOTTO_LOCAL_NO_CELL && m->cells[i] >= d->bits)
			return sotto_fail(err, SOTTO_EINVAL,
					  "the map has a bit past the %u of the counts",
					  d->bits);
	for (uint32_t c = 0; c < d->cohorts; c++)
		*users += (double)d->reports[c];
	return *users > 0 ? SOTTO_OK : sotto_fail(err, SOTTO_EINVAL, "there are no reports");
}

void sotto_fit_judge_worst(struct sotto_local_fit *fit, size_t cohort, double residual,
			   double degrees, double cohorts)
{
	double tail = sotto_chi_square_tail(residual / fmax(fit->dispersion, 1), degrees);

	fit->worst_cohort = cohort;
	fit->worst_cohort_p = degrees > 0 ? fmin(fmax(tail, 0) * cohorts, 1) : 1;
}
