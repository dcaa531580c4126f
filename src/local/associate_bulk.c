#include "sotto/local_associate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "local/cholesky.h"
#include "local/special.h"

#define CELLS_MAX 4096
#define ITERATIONS_MAX 1000
#define CHANGE_MIN 1e-6
/* Above this the information matrix is too large to invert; sd is then NaN. */
#define INVERTED_MAX 1500

struct fold {
	double weight; /* users with this report */
	struct sotto_local_joint_report report;
};

struct job {
	const struct sotto_local_variable *variables;
	size_t count, sizes[SOTTO_LOCAL_VARIABLES_MAX], cells;
	struct fold *folds;
	size_t fold_count;
	double users;
	double *likelihood; /* fold by fold, a number per cell, scaled to a maximum of 1 */
	double scaled; /* the logarithms of the scales, summed over the users */
	double *other; /* rate of a bit among users of unknown values: variable, cohort, bit */
};

static int compare(const void *x, const void *y)
{
	const struct sotto_local_joint_report *a = x, *b = y;

	if (a->cohort != b->cohort)
		return a->cohort < b->cohort ? -1 : 1;
	for (size_t v = 0; v < SOTTO_LOCAL_VARIABLES_MAX; v++)
		if (a->bits[v] != b->bits[v])
			return a->bits[v] < b->bits[v] ? -1 : 1;
	return 0;
}

static enum sotto_status fold(struct job *j, struct sotto_local_joint_report *reports, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t v = j->count; v < SOTTO_LOCAL_VARIABLES_MAX; v++)
			reports[i].bits[v] = 0;
	qsort(reports, n, sizeof *reports, compare);
	j->folds = malloc((n + 1) * sizeof *j->folds);
	if (!j->folds)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct fold *last = j->fold_count ? &j->folds[j->fold_count - 1] : NULL;

		if (last && compare(&last->report, &reports[i]) == 0)
			last->weight++;
		else
			j->folds[j->fold_count++] = (struct fold){1, reports[i]};
	}
	j->users = (double)n;
	return SOTTO_OK;
}

/* P(bits | category) of one variable, as a logarithm. */
static double log_match(const struct job *j, size_t v, size_t category,
			const struct sotto_local_joint_report *r)
{
	const struct sotto_local_variable *x = &j->variables[v];
	const struct sotto_local_map *m = x->map;
	uint64_t set = 0;
	double sum = 0;

	if (category < m->candidates) {
		const uint32_t *cells =
			m->cells + (category * m->cohorts + r->cohort) * (size_t)m->hashes;

		for (uint32_t h = 0; h < m->hashes; h++)
			set |= cells[h] < 64 ? UINT64_C(1) << cells[h] : 0;
	}
	for (uint32_t b = 0; b < x->bits; b++) {
		double one = set >> b & 1 ? x->q : x->p;

		if (category == m->candidates)
			one = j->other[(v * m->cohorts + r->cohort) * 64 + b];
		sum += log(r->bits[v] >> b & 1 ? one : 1 - one);
	}
	return sum;
}

/* Reports and ones of one variable per cohort. */
static void marginal_counts(const struct job *j, size_t v, uint64_t *reports, uint64_t *ones)
{
	uint32_t bits = j->variables[v].bits;

	for (size_t i = 0; i < j->fold_count; i++) {
		const struct fold *f = &j->folds[i];

		reports[f->report.cohort] += (uint64_t)f->weight;
		for (uint32_t b = 0; b < bits; b++)
			if (f->report.bits[v] >> b & 1)
				ones[(size_t)f->report.cohort * bits + b] +=
					(uint64_t)f->weight;
	}
}

/*
 * What is left of a bit's rate once the candidates are taken out, spread over the
 * users who are left, kept between p* and q*.
 */
static void residual_rates(struct job *j, size_t v, const struct sotto_local_estimate *e,
			   const uint64_t *reports, const uint64_t *ones)
{
	const struct sotto_local_variable *x = &j->variables[v];
	const struct sotto_local_map *m = x->map;
	double low = fmin(x->p, x->q), high = fmax(x->p, x->q), known = 0;

	for (size_t s = 0; s < m->candidates; s++)
		known += fmax(e[s].count, 0) / j->users;
	known = fmin(known, 0.99);
	for (uint32_t c = 0; c < m->cohorts; c++)
		for (uint32_t b = 0; b < x->bits; b++) {
			double n = (double)reports[c];
			double rate = n > 0 ? (double)ones[(size_t)c * x->bits + b] / n : low;

			for (size_t s = 0; s < m->candidates; s++) {
				const uint32_t *at =
					m->cells + (s * m->cohorts + c) * (size_t)m->hashes;
				bool set = false;

				for (uint32_t h = 0; h < m->hashes; h++)
					set |= at[h] == b;
				rate -= fmax(e[s].count, 0) / j->users * (set ? x->q : x->p);
			}
			j->other[(v * m->cohorts + c) * 64 + b] =
				fmin(fmax(rate / (1 - known), low), high);
		}
}

static enum sotto_status other_rates_of(struct job *j, size_t v)
{
	const struct sotto_local_variable *x = &j->variables[v];
	uint32_t cohorts = x->map->cohorts;
	uint64_t *reports = calloc(cohorts, sizeof *reports);
	uint64_t *ones = calloc((size_t)cohorts * x->bits, sizeof *ones);
	struct sotto_local_estimate *e = calloc(x->map->candidates + 1, sizeof *e);
	struct sotto_local_cohorts data = {.cohorts = cohorts,
					   .bits = x->bits,
					   .p = x->p,
					   .q = x->q,
					   .reports = reports,
					   .ones = ones};
	struct sotto_local_options o = {.alpha = .05, .post = SOTTO_LOCAL_POST_NONE};
	struct sotto_local_fit ignored;
	enum sotto_status st = reports && ones && e ? SOTTO_OK : SOTTO_ENOMEM;

	if (st == SOTTO_OK) {
		marginal_counts(j, v, reports, ones);
		st = sotto_local_rappor_decode(&data, x->map, &o, e, &ignored, NULL);
	}
	if (st == SOTTO_OK)
		residual_rates(j, v, e, reports, ones);
	free(reports);
	free(ones);
	free(e);
	return st;
}

static enum sotto_status other_rates(struct job *j)
{
	j->other = calloc(j->count * j->variables[0].map->cohorts * 64, sizeof *j->other);
	if (!j->other)
		return SOTTO_ENOMEM;
	for (size_t v = 0; v < j->count; v++)
		if (j->variables[v].other)
			SOTTO_TRY(other_rates_of(j, v));
	return SOTTO_OK;
}

static void fill_likelihood(struct job *j, size_t i, double *one_variable)
{
	double *row = j->likelihood + i * j->cells, most = -INFINITY;

	for (size_t c = 0; c < j->cells; c++)
		row[c] = 0;
	for (size_t v = 0, inner = j->cells; v < j->count; v++) {
		inner /= j->sizes[v];
		for (size_t k = 0; k < j->sizes[v]; k++)
			one_variable[k] = log_match(j, v, k, &j->folds[i].report);
		for (size_t c = 0; c < j->cells; c++)
			row[c] += one_variable[c / inner % j->sizes[v]];
	}
	for (size_t c = 0; c < j->cells; c++)
		most = fmax(most, row[c]);
	for (size_t c = 0; c < j->cells; c++)
		row[c] = exp(row[c] - most);
	j->scaled += j->folds[i].weight * most;
}

static enum sotto_status prepare(struct job *j)
{
	double *one_variable = malloc(CELLS_MAX * sizeof *one_variable);

	j->likelihood = malloc((j->fold_count * j->cells + 1) * sizeof *j->likelihood);
	if (!one_variable || !j->likelihood) {
		free(one_variable);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < j->fold_count; i++)
		fill_likelihood(j, i, one_variable);
	free(one_variable);
	return SOTTO_OK;
}

/* One step: next = expected share of each cell.  Returns the log-likelihood before it. */
static double step(const struct job *j, const double *share, double *next)
{
	double total = j->scaled;

	memset(next, 0, j->cells * sizeof *next);
	for (size_t i = 0; i < j->fold_count; i++) {
		const double *row = j->likelihood + i * j->cells;
		double sum = 0, scale;

		for (size_t c = 0; c < j->cells; c++)
			sum += share[c] * row[c];
		scale = j->folds[i].weight / sum / j->users;
		for (size_t c = 0; c < j->cells; c++)
			next[c] += share[c] * row[c] * scale;
		total += j->folds[i].weight * log(sum);
	}
	return total;
}

/* The product of the margins. */
static void make_independent(const struct job *j, double *share)
{
	double margin[SOTTO_LOCAL_VARIABLES_MAX][CELLS_MAX] = {{0}};

	for (size_t c = 0; c < j->cells; c++)
		for (size_t v = 0, inner = j->cells; v < j->count; v++) {
			inner /= j->sizes[v];
			margin[v][c / inner % j->sizes[v]] += share[c];
		}
	for (size_t c = 0; c < j->cells; c++) {
		share[c] = 1;
		for (size_t v = 0, inner = j->cells; v < j->count; v++) {
			inner /= j->sizes[v];
			share[c] *= margin[v][c / inner % j->sizes[v]];
		}
	}
}

static double maximize(const struct job *j, bool independent, double *share, double *next,
		       unsigned *iterations)
{
	double best = 0, change = 1;
	unsigned i = 0;

	for (size_t c = 0; c < j->cells; c++)
		share[c] = 1.0 / (double)j->cells;
	for (; i < ITERATIONS_MAX && change >= CHANGE_MIN; i++) {
		best = step(j, share, next);
		if (independent)
			make_independent(j, next);
		change = 0;
		for (size_t c = 0; c < j->cells; c++) {
			change = fmax(change, fabs(next[c] - share[c]));
			share[c] = next[c];
		}
	}
	*iterations = i;
	return best;
}

/*
 * Observed information sum w a a' / (a.share)^2.  At the maximum it maps the
 * shares to n times the ones, so the constraint that they sum to 1 takes
 * share^2 / n off the diagonal of its inverse.
 */
static enum sotto_status deviations(const struct job *j, const double *share, double *sd)
{
	size_t n = j->cells;
	double *info = calloc(n * n + 1, sizeof *info);
	bool *dropped = calloc(n + 1, sizeof *dropped);

	if (!info || !dropped) {
		free(info);
		free(dropped);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < j->fold_count; i++) {
		const double *row = j->likelihood + i * n;
		double sum = 0;

		for (size_t c = 0; c < n; c++)
			sum += share[c] * row[c];
		for (size_t c = 0; c < n; c++) {
			double x = j->folds[i].weight * row[c] / sum / sum;

			for (size_t d = 0; d <= c; d++)
				info[c * n + d] += x * row[d];
		}
	}
	sotto_cholesky_factor(info, n, dropped);
	sotto_cholesky_inverse_diagonal(info, n, dropped, sd);
	for (size_t c = 0; c < n; c++)
		sd[c] = sqrt(fmax(sd[c] - share[c] * share[c] / j->users, 0));
	free(info);
	free(dropped);
	return SOTTO_OK;
}

static enum sotto_status check(struct job *j, const struct sotto_local_joint_report *reports,
			       size_t n, struct sotto_error *err)
{
	j->cells = 1;
	if (j->count < 2 || j->count > SOTTO_LOCAL_VARIABLES_MAX || n == 0)
		return sotto_fail(err, SOTTO_EINVAL,
				  "two or three variables and some reports are needed");
	for (size_t v = 0; v < j->count; v++) {
		const struct sotto_local_variable *x = &j->variables[v];

		if (x->bits < 1 || x->bits > 64 ||
		    x->map->cohorts != j->variables[0].map->cohorts ||
		    !(x->p > 0 && x->p < 1 && x->q > 0 && x->q < 1) || x->p == x->q)
			return sotto_fail(
				err, SOTTO_EINVAL,
				"each variable needs 1 to 64 bits, rates inside (0, 1) and the "
				"same cohorts");
		j->sizes[v] = x->map->candidates + x->other;
		if (j->sizes[v] == 0 || j->cells > CELLS_MAX / j->sizes[v])
			return sotto_fail(err, SOTTO_ERANGE,
					  "there are more than %d combinations", CELLS_MAX);
		j->cells *= j->sizes[v];
	}
	for (size_t i = 0; i < n; i++)
		if (reports[i].cohort >= j->variables[0].map->cohorts)
			return sotto_fail(err, SOTTO_EINVAL,
					  "a report is of a cohort that the maps lack");
	return SOTTO_OK;
}

static enum sotto_status fit(struct job *j, struct sotto_local_joint *out)
{
	double *next = malloc((j->cells + 1) * sizeof *next), independent,
	       degrees = (double)j->cells;
	unsigned ignored;
	enum sotto_status st = SOTTO_OK;

	out->share = malloc((j->cells + 1) * sizeof *out->share);
	out->sd = malloc((j->cells + 1) * sizeof *out->sd);
	if (!next || !out->share || !out->sd) {
		free(next);
		return SOTTO_ENOMEM;
	}
	independent = maximize(j, true, out->share, next, &ignored);
	out->log_likelihood = maximize(j, false, out->share, next, &out->iterations);
	degrees -= 1;
	for (size_t v = 0; v < j->count; v++)
		degrees -= (double)j->sizes[v] - 1;
	out->independence_p =
		degrees > 0
			? 1 - sotto_gamma_regularized(
				      degrees / 2, fmax(out->log_likelihood - independent, 0))
			: 1;
	out->cells = j->cells;
	out->distinct = j->fold_count;
	for (size_t c = 0; c < j->cells; c++)
		out->sd[c] = NAN;
	if (j->cells <= INVERTED_MAX)
		st = deviations(j, out->share, out->sd);
	free(next);
	return st;
}

void sotto_local_joint_release(struct sotto_local_joint *j)
{
	free(j->share);
	free(j->sd);
	*j = (struct sotto_local_joint){.cells = 0};
}

enum sotto_status sotto_local_associate(const struct sotto_local_variable *variables,
					size_t count, struct sotto_local_joint_report *reports,
					size_t n, struct sotto_local_joint *out,
					struct sotto_error *err)
{
	struct job j = {.variables = variables, .count = count};
	struct sotto_local_joint made = {.cells = 0};
	enum sotto_status st = check(&j, reports, n, err);

	if (st == SOTTO_OK)
		st = fold(&j, reports, n);
	if (st == SOTTO_OK)
		st = other_rates(&j);
	if (st == SOTTO_OK)
		st = prepare(&j);
	if (st == SOTTO_OK)
		st = fit(&j, &made);
	free(j.folds);
	free(j.likelihood);
	free(j.other);
	if (st != SOTTO_OK) {
		sotto_local_joint_release(&made);
		return st;
	}
	*out = made;
	return SOTTO_OK;
}
