/* RAPPOR decoding: rows from counts, columns from the map, then the fit.  rappor.md. */
#include "sotto/local_rappor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "local/regression.h"
#include "local/special.h"

/* Above this share of the rows one fit of all candidates would explain the noise. */
#define COLUMNS_PER_ROW 0.8
/* And a dense matrix of more columns costs gigabytes. */
#define COLUMNS_MAX 4000

struct job {
	const struct sotto_local_cohorts *data;
	const struct sotto_local_map *map;
	struct sotto_rows rows;
	struct sotto_columns columns;
	double users; /* in the cohorts used */
	size_t cohorts;
};

static void job_release(struct job *j)
{
	free(j->rows.y);
	free(j->rows.weight);
	sotto_columns_release(&j->columns);
}

/* y = debiased share with the bit; its variance at the clamped share. */
static void fill_row(const struct job *j, size_t row, double n, double ones)
{
	double p = j->data->p, q = j->data->q, gap = q - p;
	double y = (ones / n - p) / gap, share = fmin(fmax(y, 0), 1);
	double rate = share * q + (1 - share) * p;

	j->rows.y[row] = y;
	j->rows.weight[row] = n * gap * gap / (rate * (1 - rate));
}

/* Rows of the cohorts that have reports and that `part` (0, 1; 2 for all) takes. */
static enum sotto_status make_rows(struct job *j, unsigned part, uint32_t *row_of_cohort)
{
	size_t bits = j->data->bits;

	j->rows.y = malloc((j->data->cohorts * bits + 1) * sizeof *j->rows.y);
	j->rows.weight = malloc((j->data->cohorts * bits + 1) * sizeof *j->rows.weight);
	if (!j->rows.y || !j->rows.weight)
		return SOTTO_ENOMEM;
	for (uint32_t c = 0; c < j->data->cohorts; c++) {
		double n = (double)j->data->reports[c];

		row_of_cohort[c] = UINT32_MAX;
		if (n == 0 || (part < 2 && c % 2 != part))
			continue;
		row_of_cohort[c] = (uint32_t)j->rows.count;
		for (size_t b = 0; b < bits; b++)
			fill_row(j, j->rows.count++, n, (double)j->data->ones[c * bits + b]);
		j->users += n;
		j->cohorts++;
	}
	return SOTTO_OK;
}

static int ascending(const void *x, const void *y)
{
	const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return (a > b) - (a < b);
}

static enum sotto_status make_columns(struct job *j, const uint32_t *row_of_cohort)
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

static enum sotto_status job_make(struct job *j, const struct sotto_local_cohorts *data,
				  const struct sotto_local_map *map, unsigned part)
{
	uint32_t *row_of_cohort = malloc((data->cohorts + 1) * sizeof *row_of_cohort);
	enum sotto_status st;

	*j = (struct job){.data = data, .map = map};
	if (!row_of_cohort)
		return SOTTO_ENOMEM;
	st = make_rows(j, part, row_of_cohort);
	if (st == SOTTO_OK)
		st = make_columns(j, row_of_cohort);
	free(row_of_cohort);
	if (st != SOTTO_OK)
		job_release(j);
	return st;
}

/* P(chi-square of so many degrees exceeds this) */
static double chi_square_tail(double x, double degrees)
{
	return degrees > 0 ? 1 - sotto_gamma_regularized(degrees / 2, x / 2) : 1;
}

/*
 * Fits; if the residuals are too large, a constant for unknown strings is added;
 * if they still are, errors are scaled up by what is left.
 */
static enum sotto_status fit_columns(const struct job *j, const struct sotto_columns *columns,
				     struct sotto_solution *s, struct sotto_local_fit *fit)
{
	size_t spare;

	SOTTO_TRY(sotto_regress(&j->rows, columns, false, s));
	fit->background = false;
	fit->misfit_p = chi_square_tail(s->residual, (double)s->degrees);
	spare = s->degrees;
	if (fit->misfit_p < 1e-3 && spare > 1) {
		SOTTO_TRY(sotto_regress(&j->rows, columns, true, s));
		fit->background = true;
	}
	fit->dispersion = s->degrees > 0 ? s->residual / (double)s->degrees : 1;
	fit->aliased = s->aliased;
	fit->used_cohorts = j->cohorts;
	return SOTTO_OK;
}

static void fill_estimate(struct sotto_local_estimate *e, double share, double variance,
			  double users, const struct sotto_local_fit *fit, double alpha,
			  enum sotto_local_target target)
{
	double inflate = fmax(fit->dispersion, 1), held = fmin(fmax(share, 0), 1);

	variance *= inflate;
	e->count = share * users;
	if (!isfinite(variance)) {
		*e = (struct sotto_local_estimate){
			.sd = INFINITY, .low = -INFINITY, .high = INFINITY, .p_value = 1};
		return;
	}
	/* users over cohorts is part of the rows' variance; who the users are is not, for these n */
	if (target == SOTTO_LOCAL_SAMPLE)
		variance = fmax(variance - held * (1 - held) / users, 0.25 * variance);
	e->sd = users * sqrt(variance);
	sotto_local_estimate_normal(e, e->sd, alpha);
}

static enum sotto_status decode_at_once(struct job *j, const struct sotto_local_options *o,
					double users, struct sotto_local_estimate *out,
					struct sotto_local_fit *fit)
{
	size_t count = j->columns.count;
	struct sotto_solution s = {.x = malloc((count + 1) * sizeof(double)),
				   .variance = malloc((count + 1) * sizeof(double))};
	enum sotto_status st = s.x && s.variance ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK)
		st = fit_columns(j, &j->columns, &s, fit);
	for (size_t i = 0; st == SOTTO_OK && i < count; i++)
		fill_estimate(&out[i], s.x[i], s.variance[i], users, fit,
			      sotto_local_interval_alpha(o, count), o->target);
	free(s.x);
	free(s.variance);
	return st;
}

/* Marks the candidates worth a place in the second fit. */
static enum sotto_status select_columns(const struct job *j, bool *keep)
{
	size_t count = j->columns.count, limit, kept = 0;
	double *score = malloc((count + 1) * sizeof *score),
	       *x = malloc((count + 1) * sizeof *x);
	struct sotto_columns survivors = {0};
	double cut = 2;
	enum sotto_status st = score && x ? SOTTO_OK : SOTTO_ENOMEM;

	limit = (size_t)fmin(COLUMNS_PER_ROW / 2 * (double)j->rows.count, COLUMNS_MAX);
	if (st == SOTTO_OK)
		st = sotto_regress_screen(&j->rows, &j->columns, score);
	for (kept = count + 1; st == SOTTO_OK && kept > 4 * limit; cut *= 1.05) {
		kept = 0;
		for (size_t i = 0; i < count; i++)
			kept += keep[i] = score[i] > cut;
	}
	if (st == SOTTO_OK)
		st = sotto_columns_select(&j->columns, keep, &survivors);
	if (st == SOTTO_OK)
		st = sotto_regress_lasso(&j->rows, &survivors, 1.5, x);
	for (cut = 0; st == SOTTO_OK; cut = cut > 0 ? 2 * cut : 1e-6) {
		size_t at = 0, left = 0;

		for (size_t i = 0; i < count; i++)
			if (score[i] > -INFINITY && keep[i])
				left += x[at++] > cut;
		if (left > limit)
			continue;
		at = 0;
		for (size_t i = 0; i < count; i++)
			if (keep[i])
				keep[i] = x[at++] > cut;
		break;
	}
	sotto_columns_release(&survivors);
	free(score);
	free(x);
	return st;
}

/* What was not selected: the residual of the fit regressed on that column alone. */
static void fill_rest(const struct job *j, const struct sotto_columns *fitted,
		      const struct sotto_solution *s, const bool *keep, double users,
		      const struct sotto_local_fit *fit, const struct sotto_local_options *o,
		      struct sotto_local_estimate *out)
{
	const struct sotto_columns *c = &j->columns;

	for (size_t r = 0; r < j->rows.count; r++)
		j->rows.y[r] -= s->constant;
	for (size_t k = 0; k < fitted->count; k++)
		for (size_t i = fitted->start[k]; i < fitted->start[k + 1]; i++)
			j->rows.y[fitted->rows[i]] -= s->x[k];
	for (size_t i = 0; i < c->count; i++) {
		double sum = 0, weight = 0;

		if (keep[i])
			continue;
		for (size_t k = c->start[i]; k < c->start[i + 1]; k++) {
			sum += j->rows.weight[c->rows[k]] * j->rows.y[c->rows[k]];
			weight += j->rows.weight[c->rows[k]];
		}
		fill_estimate(&out[i], weight > 0 ? sum / weight : 0,
			      weight > 0 ? 1 / weight : INFINITY, users, fit,
			      sotto_local_interval_alpha(o, c->count), o->target);
		out[i].p_value = 1; /* it was not chosen: no test */
	}
}

/* Selection on the even cohorts, inference on the odd ones: no candidate is tested on the data that chose it. */
static enum sotto_status
decode_in_halves(const struct sotto_local_cohorts *data, const struct sotto_local_map *map,
		 const struct sotto_local_options *o, double users,
		 struct sotto_local_estimate *out, struct sotto_local_fit *fit)
{
	struct job first = {0}, second = {0};
	struct sotto_columns chosen = {0};
	struct sotto_solution s = {.x = malloc((map->candidates + 1) * sizeof(double)),
				   .variance = malloc((map->candidates + 1) * sizeof(double))};
	bool *keep = calloc(map->candidates + 1, sizeof *keep);
	enum sotto_status st = keep && s.x && s.variance ? SOTTO_OK : SOTTO_ENOMEM;
	size_t at = 0;

	if (st == SOTTO_OK)
		st = job_make(&first, data, map, 0);
	if (st == SOTTO_OK)
		st = select_columns(&first, keep);
	if (st == SOTTO_OK)
		st = job_make(&second, data, map, 1);
	if (st == SOTTO_OK)
		st = sotto_columns_select(&second.columns, keep, &chosen);
	if (st == SOTTO_OK)
		st = fit_columns(&second, &chosen, &s, fit);
	if (st == SOTTO_OK) {
		for (size_t i = 0; i < map->candidates; i++)
			if (keep[i]) {
				fill_estimate(&out[i], s.x[at], s.variance[at], users, fit,
					      sotto_local_interval_alpha(o, map->candidates),
					      o->target);
				at++;
			}
		fill_rest(&second, &chosen, &s, keep, users, fit, o, out);
	}
	fit->split = true;
	sotto_columns_release(&chosen);
	job_release(&first);
	job_release(&second);
	free(keep);
	free(s.x);
	free(s.variance);
	return st;
}

static enum sotto_status
check_input(const struct sotto_local_cohorts *d, const struct sotto_local_map *m,
	    const struct sotto_local_options *o, double *users, struct sotto_error *err)
{
	*users = 0;
	if (sotto_local_options_check(o) != SOTTO_OK)
		return sotto_fail(err, SOTTO_EINVAL, "alpha must lie strictly between 0 and 1");
	if (m->cohorts != d->cohorts || m->hashes == 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "the map is of %u cohorts, the counts are of %u", m->cohorts,
				  d->cohorts);
	if (!(fabs(d->q - d->p) > 1e-9) || !(d->p > 0 && d->p < 1 && d->q > 0 && d->q < 1))
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

static enum sotto_status finish(struct sotto_local_estimate *e, size_t count, double users,
				const struct sotto_local_options *o,
				struct sotto_local_fit *fit)
{
	double positive = 0, all = 0;

	SOTTO_TRY(sotto_local_decide(e, count, o->tests, o->alpha, o->correction));
	fit->explained = 0;
	for (size_t i = 0; i < count; i++) {
		positive += fmax(e[i].count, 0);
		all += isfinite(e[i].sd) ? e[i].count : 0;
		fit->explained += e[i].significant ? e[i].count / users : 0;
	}
	fit->other = 1 - all / users;
	return sotto_local_postprocess(e, count, users,
				       positive < users && o->post != SOTTO_LOCAL_POST_NONE
					       ? SOTTO_LOCAL_POST_BASE_POS
					       : o->post);
}

enum sotto_status sotto_local_rappor_decode(const struct sotto_local_cohorts *data,
					    const struct sotto_local_map *map,
					    const struct sotto_local_options *options,
					    struct sotto_local_estimate *out,
					    struct sotto_local_fit *fit,
					    struct sotto_error *err)
{
	double users, rows = 0;
	enum sotto_status st;
	struct job j;

	*fit = (struct sotto_local_fit){.dispersion = 1};
	SOTTO_TRY(check_input(data, map, options, &users, err));
	for (uint32_t c = 0; c < data->cohorts; c++)
		rows += data->reports[c] > 0 ? data->bits : 0;
	if ((double)map->candidates > fmin(COLUMNS_PER_ROW * rows, COLUMNS_MAX) &&
	    data->cohorts > 1) {
		st = decode_in_halves(data, map, options, users, out, fit);
	} else {
		SOTTO_TRY(job_make(&j, data, map, 2));
		st = decode_at_once(&j, options, users, out, fit);
		job_release(&j);
	}
	return st == SOTTO_OK ? finish(out, map->candidates, users, options, fit) : st;
}
