/*
 * Five fits, four of them with as much noise added again: a lasso selects among too many
 * candidates, a constrained fit estimates them, and mean and deviation over the fits are
 * reported.
 */
#include "local/rappor/rappor_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/plan/simulation_rng.h"
#include "local/rappor/regression/constrained.h"
#include "local/rappor/regression/lasso_path_bulk.h"
#include "local/rappor/rappor_job.h"

#define FITS 5
#define SELECTED_MAX 500
#define SELECTED_PER_ROW 0.8
#define COLUMNS_MAX 4000 /* of a dense system */

static int ascending(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* (1/sd)^2, no weight above twice the median of 1/sd. */
static enum sotto_status capped_weights(const double *sd, size_t rows, double *weight)
{
	double *sorted = malloc((rows + 1) * sizeof *sorted), most;

	if (!sorted)
		return SOTTO_ENOMEM;
	for (size_t r = 0; r < rows; r++)
		sorted[r] = 1 / sd[r];
	qsort(sorted, rows, sizeof *sorted, ascending);
	most = rows % 2 ? 2 * sorted[rows / 2] : sorted[rows / 2] + sorted[rows / 2 - 1];
	for (size_t r = 0; r < rows; r++)
		weight[r] = pow(fmin(1 / sd[r], most), 2);
	free(sorted);
	return SOTTO_OK;
}

struct fitting {
	const struct sotto_job *job;
	double *y, *sd, *weight, *cap;
	bool *keep;
	double *x, *chosen;
	bool is_plain;
};

static void fitting_release(struct fitting *f)
{
	free(f->y);
	free(f->sd);
	free(f->weight);
	free(f->cap);
	free(f->keep);
	free(f->x);
	free(f->chosen);
}

static enum sotto_status fitting_make(struct fitting *f, const struct sotto_job *j)
{
	size_t rows = j->rows.count + 1, count = j->columns.count + 1;

	*f = (struct fitting){.job = j,
			      .y = malloc(rows * sizeof(double)),
			      .sd = malloc(rows * sizeof(double)),
			      .weight = malloc(rows * sizeof(double)),
			      .cap = malloc(rows * sizeof(double)),
			      .keep = malloc(count * sizeof(bool)),
			      .x = malloc(count * sizeof(double)),
			      .chosen = malloc(count * sizeof(double))};
	return f->y && f->sd && f->weight && f->cap && f->keep && f->x && f->chosen
		       ? SOTTO_OK
		       : SOTTO_ENOMEM;
}

static void fill_caps(struct fitting *f)
{
	for (size_t r = 0; r < f->job->rows.count; r++)
		f->cap[r] = fmin(fmax(f->y[r] + 3 * f->sd[r], .01), 1);
}

/* x = the constrained fit of the kept columns, zero elsewhere. */
static enum sotto_status fit_kept(struct fitting *f)
{
	struct sotto_columns kept = {0};
	struct sotto_constrained c = {.columns = &kept,
				      .rows = f->job->rows.count,
				      .y = f->y,
				      .weight = f->weight,
				      .cap = f->cap,
				      .is_plain = f->is_plain};
	size_t at = 0;
	enum sotto_status st;

	SOTTO_TRY(sotto_columns_select(&f->job->columns, f->keep, &kept));
	st = sotto_constrained_solve(&c, f->chosen);
	for (size_t s = 0; st == SOTTO_OK && s < f->job->columns.count; s++)
		f->x[s] = f->keep[s] ? f->chosen[at++] : 0;
	sotto_columns_release(&kept);
	return st;
}

static enum sotto_status too_many(struct sotto_error *err)
{
	return sotto_fail(err, SOTTO_ERANGE, "a constrained fit takes at most %d candidates",
			  COLUMNS_MAX);
}

enum sotto_status sotto_constrained_posts(const struct sotto_job *j, double users,
					  bool is_plain, struct sotto_local_estimate *out,
					  struct sotto_error *err)
{
	struct fitting f;
	size_t kept = 0;
	enum sotto_status st = fitting_make(&f, j);

	f.is_plain = is_plain;
	for (size_t r = 0; st == SOTTO_OK && r < j->rows.count; r++) {
		f.y[r] = j->rows.y[r];
		f.weight[r] = is_plain ? 1 : j->rows.weight[r] / j->users;
		f.sd[r] = 1 / sqrt(j->rows.weight[r]);
	}
	for (size_t s = 0; st == SOTTO_OK && s < j->columns.count; s++)
		kept += f.keep[s] = isfinite(out[s].sd) && out[s].p_value < 1;
	if (st == SOTTO_OK && kept > COLUMNS_MAX)
		st = too_many(err);
	if (st == SOTTO_OK) {
		fill_caps(&f);
		st = fit_kept(&f);
	}
	for (size_t s = 0; st == SOTTO_OK && s < j->columns.count; s++)
		out[s].post = users * f.x[s];
	fitting_release(&f);
	return st;
}

/* The deviation of a row at its own clamped share, as the reference has it. */
static double own_deviation(const struct sotto_job *j, size_t row)
{
	double p = j->data->p, q = j->data->q, n = j->rows.users[row / j->rows.bits];
	double share = fmin(fmax(j->rows.y[row], 0), 1), rate = share * q + (1 - share) * p;

	return sqrt(fmax(rate * (1 - rate), .25 / (n + 1)) / n) / fabs(q - p);
}

/* One of the five: as measured, or with as much noise again. */
static enum sotto_status
fit_once(struct fitting *f, struct sotto_simulation_rng *dice, bool again)
{
	const struct sotto_job *j = f->job;
	size_t rows = j->rows.count;
	double most = fmin(SELECTED_MAX, SELECTED_PER_ROW * (double)rows);

	for (size_t r = 0; r < rows; r++) {
		double sd = own_deviation(j, r);

		f->y[r] = j->rows.y[r] + (again ? sd * sotto_simulation_normal(dice) : 0);
		f->sd[r] = again ? sd * sqrt(2) : sd;
	}
	fill_caps(f);
	SOTTO_TRY(capped_weights(f->sd, rows, f->weight));
	for (size_t r = 0; r < rows; r++)
		f->weight[r] /= j->users;
	memset(f->keep, 1, j->columns.count * sizeof *f->keep);
	if ((double)j->columns.count > SELECTED_PER_ROW * (double)rows)
		SOTTO_TRY(sotto_lasso_path(&j->columns, rows, f->y, (size_t)most, f->keep));
	return fit_kept(f);
}

static void report(struct sotto_local_estimate *e, double mean, double sd, double users)
{
	double count = users * mean;

	sd *= users;
	*e = (struct sotto_local_estimate){
		.sd = floor(sd), .z = sd > 0 ? count / sd : 0, .p_value = NAN};
	e->significant = count > 1e-6 + 2 * sd;
	if (e->significant)
		e->count = floor(count);
	e->low = fmax(e->count - 1.96 * e->sd, 0);
	e->high = fmin(e->count + 1.96 * e->sd, users);
	e->post = e->count;
}

enum sotto_status sotto_reference_decode(const struct sotto_job *j,
					 const struct sotto_local_options *o,
					 struct sotto_local_estimate *out,
					 struct sotto_local_fit *fit, struct sotto_error *err)
{
	struct sotto_simulation_rng dice = {o->seed};
	size_t count = j->columns.count;
	double *sum = calloc(2 * count + 1, sizeof *sum), *squares = sum ? sum + count : NULL;
	struct fitting f;
	enum sotto_status st = fitting_make(&f, j);

	if (!sum)
		st = SOTTO_ENOMEM;
	if (st == SOTTO_OK && count > COLUMNS_MAX &&
	    (double)count <= SELECTED_PER_ROW * (double)j->rows.count)
		st = too_many(err);
	for (int i = 0; st == SOTTO_OK && i < FITS; i++) {
		st = fit_once(&f, &dice, i > 0);
		for (size_t s = 0; st == SOTTO_OK && s < count; s++) {
			sum[s] += f.x[s];
			squares[s] += f.x[s] * f.x[s];
		}
	}
	for (size_t s = 0; st == SOTTO_OK && s < count; s++) {
		double mean = sum[s] / FITS;

		report(&out[s], mean,
		       sqrt(fmax(squares[s] - FITS * mean * mean, 0) / (FITS - 1)), j->users);
		fit->explained += out[s].count / j->users;
	}
	fit->other = 1 - fit->explained;
	fit->used_cohorts = j->cohorts;
	free(sum);
	fitting_release(&f);
	return st;
}
