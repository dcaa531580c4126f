/* Joint distributions of RAPPOR metrics; associate.md has the argument. */
#include "sotto/discover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/associate/em.h"
#include "local/decode/special.h"
#include "local/rappor/regression/cholesky.h"

#define CELLS_MAX 4096
/* Above this the information matrix is too large to sum up or invert; sd is then NaN. */
#define INVERTED_MAX 1500
#define SUMMED_MAX 5e11

struct job {
	const struct sotto_local_variable *variables;
	size_t count;
	struct sotto_local_joint_report *folds; /* distinct reports; em.weight is their users */
	struct sotto_em em; /* likelihoods scaled to a maximum of 1 per fold */
	double scaled; /* the logarithms of the scales, summed over the users */
	double *other; /* rate of a bit among users of unknown values: variable, cohort, bit */
	unsigned most; /* iterations of each maximization */
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
	j->em.weight = malloc((n + 1) * sizeof *j->em.weight);
	if (!j->folds || !j->em.weight)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t k = j->em.rows;

		if (k > 0 && compare(&j->folds[k - 1], &reports[i]) == 0) {
			j->em.weight[k - 1]++;
			continue;
		}
		j->folds[k] = reports[i];
		j->em.weight[j->em.rows++] = 1;
	}
	j->em.users = (double)n;
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

	for (size_t i = 0; i < j->em.rows; i++) {
		const struct sotto_local_joint_report *f = &j->folds[i];
		uint64_t users = (uint64_t)j->em.weight[i];

		reports[f->cohort] += users;
		for (uint32_t b = 0; b < bits; b++)
			if (f->bits[v] >> b & 1)
				ones[(size_t)f->cohort * bits + b] += users;
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
		known += fmax(e[s].count, 0) / j->em.users;
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
				rate -= fmax(e[s].count, 0) / j->em.users * (set ? x->q : x->p);
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

/* Of one variable and report, scaled to a maximum of 1; the logarithm of the scale. */
static double fill_likelihood(const struct job *j, size_t i, size_t v, double *out)
{
	double most = -INFINITY;

	for (size_t k = 0; k < j->em.sizes[v]; k++) {
		out[k] = log_match(j, v, k, &j->folds[i]);
		most = fmax(most, out[k]);
	}
	for (size_t k = 0; k < j->em.sizes[v]; k++)
		out[k] = exp(out[k] - most);
	return most;
}

static enum sotto_status prepare(struct job *j)
{
	size_t width = 0;
	double *at;

	for (size_t v = 0; v < j->count; v++)
		width += j->em.sizes[v];
	j->em.likelihood = malloc((j->em.rows * width + 1) * sizeof *j->em.likelihood);
	j->em.row = malloc((j->em.cells + 1) * sizeof *j->em.row);
	if (!j->em.likelihood || !j->em.row)
		return SOTTO_ENOMEM;
	at = j->em.likelihood;
	for (size_t i = 0; i < j->em.rows; i++)
		for (size_t v = 0; v < j->count; at += j->em.sizes[v++])
			j->scaled += j->em.weight[i] * fill_likelihood(j, i, v, at);
	return SOTTO_OK;
}

/* The product of the margins. */
static void make_independent(const struct job *j, double *share)
{
	double margin[SOTTO_LOCAL_VARIABLES_MAX][CELLS_MAX] = {{0}};

	for (size_t c = 0; c < j->em.cells; c++)
		for (size_t v = 0, inner = j->em.cells; v < j->count; v++) {
			inner /= j->em.sizes[v];
			margin[v][c / inner % j->em.sizes[v]] += share[c];
		}
	for (size_t c = 0; c < j->em.cells; c++) {
		share[c] = 1;
		for (size_t v = 0, inner = j->em.cells; v < j->count; v++) {
			inner /= j->em.sizes[v];
			share[c] *= margin[v][c / inner % j->em.sizes[v]];
		}
	}
}

/* The log-likelihood that is reached; whether that is the end is noted in out. */
static double maximize(const struct job *j, bool independent, double *share, double *next,
		       struct sotto_local_joint *out)
{
	double best = 0, change = 1;
	unsigned i = 0;

	for (size_t c = 0; c < j->em.cells; c++)
		share[c] = 1.0 / (double)j->em.cells;
	for (; i < j->most && change >= SOTTO_LOCAL_EM_CHANGE; i++) {
		best = j->scaled + sotto_em_step(&j->em, share, next);
		if (independent)
			make_independent(j, next);
		change = 0;
		for (size_t c = 0; c < j->em.cells; c++) {
			change = fmax(change, fabs(next[c] - share[c]));
			share[c] = next[c];
		}
	}
	out->iterations = i;
	out->settled &= change < SOTTO_LOCAL_EM_CHANGE;
	return best;
}

/*
 * Observed information sum w a a' / (a.share)^2.  At the maximum it maps the
 * shares to n times the ones, so the constraint that they sum to 1 takes
 * share^2 / n off the diagonal of its inverse.
 */
static enum sotto_status deviations(const struct job *j, const double *share, double *sd)
{
	size_t n = j->em.cells;
	double *info = calloc(n * n + 1, sizeof *info);
	bool *dropped = calloc(n + 1, sizeof *dropped);

	if (!info || !dropped) {
		free(info);
		free(dropped);
		return SOTTO_ENOMEM;
	}
	for (size_t i = 0; i < j->em.rows; i++) {
		const double *row = sotto_em_row(&j->em, i);
		double sum = 0;

		for (size_t c = 0; c < n; c++)
			sum += share[c] * row[c];
		for (size_t c = 0; c < n; c++) {
			double x = j->em.weight[i] * row[c] / sum / sum;

			for (size_t d = 0; d <= c; d++)
				info[c * n + d] += x * row[d];
		}
	}
	sotto_cholesky_factor(info, n, dropped);
	sotto_cholesky_inverse_diagonal(info, n, dropped, sd);
	for (size_t c = 0; c < n; c++)
		sd[c] = sqrt(fmax(sd[c] - share[c] * share[c] / j->em.users, 0));
	free(info);
	free(dropped);
	return SOTTO_OK;
}

static enum sotto_status check(struct job *j, const struct sotto_local_joint_report *reports,
			       size_t n, struct sotto_error *err)
{
	j->em.cells = 1;
	j->em.parts = j->count;
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
		j->em.sizes[v] = x->map->candidates + x->other;
		if (j->em.sizes[v] == 0 || j->em.cells > CELLS_MAX / j->em.sizes[v])
			return sotto_fail(err, SOTTO_ERANGE,
					  "there are more than %d combinations", CELLS_MAX);
		j->em.cells *= j->em.sizes[v];
	}
	for (size_t i = 0; i < n; i++)
		if (reports[i].cohort >= j->variables[0].map->cohorts)
			return sotto_fail(err, SOTTO_EINVAL,
					  "a report is of a cohort that the maps lack");
	return SOTTO_OK;
}

static enum sotto_status fit(struct job *j, struct sotto_local_joint *out)
{
	double *next = malloc((j->em.cells + 1) * sizeof *next), independent,
	       degrees = (double)j->em.cells;
	enum sotto_status st = SOTTO_OK;

	out->share = malloc((j->em.cells + 1) * sizeof *out->share);
	out->sd = malloc((j->em.cells + 1) * sizeof *out->sd);
	if (!next || !out->share || !out->sd) {
		free(next);
		return SOTTO_ENOMEM;
	}
	out->settled = true;
	independent = maximize(j, true, out->share, next, out);
	out->log_likelihood = maximize(j, false, out->share, next, out);
	degrees -= 1;
	for (size_t v = 0; v < j->count; v++)
		degrees -= (double)j->em.sizes[v] - 1;
	out->degrees = degrees;
	out->chi_square = 2 * fmax(out->log_likelihood - independent, 0);
	out->independence_p = sotto_chi_square_tail(out->chi_square, degrees);
	out->cells = j->em.cells;
	out->distinct = j->em.rows;
	for (size_t c = 0; c < j->em.cells; c++)
		out->sd[c] = NAN;
	if (j->em.cells <= INVERTED_MAX &&
	    (double)j->em.rows * (double)(j->em.cells * j->em.cells) <= SUMMED_MAX)
		st = deviations(j, out->share, out->sd);
	free(next);
	return st;
}

void sotto_local_joint_release(struct sotto_local_joint *j)
{
	if (!j)
		return;
	free(j->share);
	free(j->sd);
	*j = (struct sotto_local_joint){.cells = 0};
}

enum sotto_status sotto_local_associate(const struct sotto_local_variable *variables,
					size_t count, struct sotto_local_joint_report *reports,
					size_t n, unsigned most, struct sotto_local_joint *out,
					struct sotto_error *err)
{
	struct job j = {.variables = variables, .count = count, .most = most};
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
	free(j.em.weight);
	free(j.em.likelihood);
	free(j.em.row);
	free(j.other);
	if (st != SOTTO_OK) {
		sotto_local_joint_release(&made);
		return st;
	}
	*out = made;
	return SOTTO_OK;
}
