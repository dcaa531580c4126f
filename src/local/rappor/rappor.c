/* RAPPOR decoding: rows from counts, columns from the map, then the fit.  rappor.md. */
#include "local/decode/estimate.h"
#include "sotto/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/decode/consistency.h"
#include "local/decode/special.h"
#include "local/rappor/rappor_job.h"
#include "local/rappor/rappor_pool.h"
#include "local/rappor/rappor_reference.h"
#include "local/rappor/rappor_select.h"

/* Above this share of the rows one fit of all candidates would explain the noise. */
#define COLUMNS_PER_ROW 0.8
/* And a dense matrix of more columns costs gigabytes. */
#define COLUMNS_MAX 4000
/* Of the intervals that decode.R has. */
#define REFERENCE_ALPHA 0.05

/*
 * What the spread of the rows comes from, in units of their noise: that the
 * candidates explain, that nothing explains, noise.
 */
static void split_variance(const struct sotto_rows *rows,
			   const struct sotto_regression_solution *s,
			   struct sotto_local_fit *fit)
{
	double sum = 0, weight = 0, total = 0;

	for (size_t r = 0; r < rows->count; r++) {
		sum += rows->weight[r] * rows->y[r];
		weight += rows->weight[r];
	}
	for (size_t r = 0; r < rows->count; r++) {
		double d = rows->y[r] - sum / weight;

		total += rows->weight[r] * d * d;
	}
	if (!(total > 0))
		return;
	fit->noise_variance = fmin(((double)rows->count - 1) / total, 1);
	fit->missing_variance = fmax(s->residual - (double)s->degrees, 0) / total;
	fit->missing_variance = fmin(fit->missing_variance, 1 - fit->noise_variance);
	fit->explained_variance = 1 - fit->noise_variance - fit->missing_variance;
}

static double misfit_of(const struct sotto_regression_solution *s)
{
	return sotto_chi_square_tail(s->residual, (double)s->degrees);
}

static bool is_ordinary(const struct sotto_local_options *o)
{
	return o->method == SOTTO_LOCAL_METHOD_OLS || o->method == SOTTO_LOCAL_METHOD_NNLS;
}

/* The fit in which every row counts alike: by the mean precision, so that scales stay. */
static enum sotto_status fit_ordinary(const struct sotto_rows *rows,
				      const struct sotto_columns *columns, bool constant,
				      struct sotto_regression_solution *s)
{
	double *pull = malloc((rows->count + 1) * sizeof *pull), variance = 0;
	struct sotto_rows alike = *rows;
	enum sotto_status st;

	if (!pull)
		return SOTTO_ENOMEM;
	for (size_t r = 0; r < rows->count; r++)
		variance += 1 / rows->weight[r] / (double)rows->count;
	for (size_t r = 0; r < rows->count; r++)
		pull[r] = 1 / variance;
	alike.pull = pull;
	st = sotto_regress(&alike, columns, constant, s);
	free(pull);
	return st;
}

/* Fits twice, because weights come from what the candidates explain: sotto_job_weigh(). */
static enum sotto_status fit_again(struct sotto_job *j, const struct sotto_columns *columns,
				   bool constant, struct sotto_regression_solution *s)
{
	double *share = malloc((j->rows.count + 1) * sizeof *share);
	enum sotto_status st =
		share ? sotto_regress_shares(&j->rows, columns, constant, s) : SOTTO_ENOMEM;

	if (st == SOTTO_OK) {
		sotto_columns_apply(columns, j->rows.count, s->x, share);
		for (size_t r = 0; r < j->rows.count; r++)
			share[r] += s->constant;
		sotto_job_weigh(j, share, 1 - (double)s->degrees / (double)j->rows.count);
		st = sotto_regress(&j->rows, columns, constant, s);
	}
	free(share);
	return st;
}

/*
 * Fits; if the residuals are too large, a constant for unknown strings is added;
 * if they still are, errors are scaled up by what is left.  Where candidates were
 * chosen (some), the others are unknown strings from the start.  Whether the candidates
 * explain the rows is judged by the weighted fit, whatever the method.
 */
static enum sotto_status fit_columns(struct sotto_job *j, const struct sotto_columns *columns,
				     bool some, const struct sotto_local_options *o,
				     struct sotto_regression_solution *s,
				     struct sotto_local_fit *fit)
{
	SOTTO_TRY(fit_again(j, columns, some, s));
	fit->misfit_p = misfit_of(s);
	fit->background = fit->misfit_p < SOTTO_LOCAL_MISFIT_P && s->degrees > 1;
	if (fit->background && !some)
		SOTTO_TRY(fit_again(j, columns, true, s));
	fit->dispersion = s->degrees > 0 ? s->residual / (double)s->degrees : 1;
	fit->scaled = s->degrees > 0 && misfit_of(s) < SOTTO_LOCAL_MISFIT_P;
	fit->aliased = s->aliased;
	fit->used_cohorts = j->cohorts;
	sotto_fit_judge_worst(fit, j->numbers[s->worst], s->worst_residual,
			      (double)j->rows.bits * (double)s->degrees / (double)j->rows.count,
			      (double)j->cohorts);
	split_variance(&j->rows, s, fit);
	return is_ordinary(o) ? fit_ordinary(&j->rows, columns, some || fit->background, s)
			      : SOTTO_OK;
}

/* How shares become estimates. */
struct reporting {
	double users; /* all of them, also where half of the cohorts were fitted */
	double alpha; /* of each interval */
	enum sotto_local_target target;
	const struct sotto_local_fit *fit;
};

static struct reporting reporting_of(const struct sotto_local_options *o, size_t candidates,
				     double users, const struct sotto_local_fit *fit)
{
	return (struct reporting){.users = users,
				  .alpha = sotto_local_interval_alpha(o, candidates),
				  .target = o->target,
				  .fit = fit};
}

static void fill_estimate(const struct reporting *how, double share, double variance,
			  double noise, struct sotto_local_estimate *e)
{
	double inflate = how->fit->scaled ? how->fit->dispersion : 1,
	       held = fmin(fmax(share, 0), 1);

	variance = fmax(variance, noise) * inflate;
	e->count = share * how->users;
	if (!isfinite(variance)) {
		*e = sotto_local_estimate_unknown();
		return;
	}
	/* given the users the fit has mean their share: the rest is how they were drawn */
	if (how->target == SOTTO_LOCAL_SAMPLE)
		variance = fmax(variance - held * (1 - held) / how->users, noise * inflate);
	e->sd = how->users * sqrt(variance);
	sotto_local_estimate_normal(e, e->sd, how->alpha);
}

static enum sotto_status
decode_at_once(struct sotto_job *j, const struct sotto_local_options *o, double users,
	       struct sotto_local_estimate *out, struct sotto_local_fit *fit)
{
	size_t count = j->columns.count;
	struct reporting how = reporting_of(o, count, users, fit);
	struct sotto_regression_solution s;
	enum sotto_status st = sotto_solution_init(&s, count);

	if (st == SOTTO_OK)
		st = fit_columns(j, &j->columns, false, o, &s, fit);
	for (size_t i = 0; st == SOTTO_OK && i < count; i++)
		fill_estimate(&how, s.x[i], s.variance[i], s.noise[i], &out[i]);
	sotto_solution_release(&s);
	return st;
}

/* How many columns may be chosen: half as many as a fit without choosing may have. */
static size_t columns_for(const struct sotto_job *j)
{
	return (size_t)fmin(COLUMNS_PER_ROW / 2 * (double)j->rows.count, COLUMNS_MAX);
}

/* What was not selected: the residual of the fit regressed on that column alone. */
static void fill_rest(const struct sotto_job *j, const struct sotto_columns *fitted,
		      const struct sotto_regression_solution *s, const bool *keep,
		      const struct reporting *how, struct sotto_local_estimate *out)
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
		fill_estimate(how, weight > 0 ? sum / weight : 0,
			      weight > 0 ? 1 / weight : INFINITY, 0, &out[i]);
		out[i].p_value = 1; /* it was not chosen: no test */
	}
}

/* Selection on the even cohorts, inference on the odd ones: no candidate is tested on the data that chose it. */
static enum sotto_status
decode_in_halves(const struct sotto_local_cohorts *data, const struct sotto_local_map *map,
		 const struct sotto_local_options *o, double users,
		 struct sotto_local_estimate *out, struct sotto_local_fit *fit)
{
	struct sotto_job first = {0}, second = {0};
	struct sotto_columns chosen = {0};
	struct reporting how = reporting_of(o, map->candidates, users, fit);
	struct sotto_regression_solution s;
	bool *keep = calloc(map->candidates + 1, sizeof *keep);
	enum sotto_status st = sotto_solution_init(&s, map->candidates);
	size_t at = 0;

	if (!keep)
		st = SOTTO_ENOMEM;
	if (st == SOTTO_OK)
		st = sotto_job_make(&first, data, map, SOTTO_EVEN_COHORTS);
	if (st == SOTTO_OK)
		st = sotto_select_columns(&first, columns_for(&first), keep);
	if (st == SOTTO_OK)
		st = sotto_job_make(&second, data, map, SOTTO_ODD_COHORTS);
	if (st == SOTTO_OK)
		st = sotto_columns_select(&second.columns, keep, &chosen);
	if (st == SOTTO_OK)
		st = fit_columns(&second, &chosen, true, o, &s, fit);
	if (st == SOTTO_OK) {
		for (size_t i = 0; i < map->candidates; i++)
			if (keep[i]) {
				fill_estimate(&how, s.x[at], s.variance[at], s.noise[at],
					      &out[i]);
				at++;
			}
		fill_rest(&second, &chosen, &s, keep, &how, out);
	}
	fit->split = true;
	sotto_columns_release(&chosen);
	sotto_job_release(&first);
	sotto_job_release(&second);
	free(keep);
	sotto_solution_release(&s);
	return st;
}

static enum sotto_status finish(struct sotto_local_estimate *e, size_t count, double users,
				const struct sotto_local_options *o,
				struct sotto_local_fit *fit)
{
	double all = 0;

	SOTTO_TRY(sotto_post_finish(e, count, false, users, o));
	fit->explained = 0;
	for (size_t i = 0; i < count; i++) {
		all += isfinite(e[i].sd) ? e[i].count : 0;
		fit->explained += e[i].significant ? e[i].count / users : 0;
	}
	fit->other = 1 - all / users;
	return SOTTO_OK;
}

static enum sotto_status
select_pooled(const struct sotto_local_cohorts *data, const struct sotto_local_map *map,
	      const struct sotto_local_options *o, struct sotto_local_estimate *out)
{
	struct sotto_local_estimate *again = malloc((map->candidates + 1) * sizeof *again);
	struct sotto_local_options wider = *o;
	struct sotto_local_fit ignored = {.dispersion = 1};
	enum sotto_status st = again ? SOTTO_OK : SOTTO_ENOMEM;

	wider.simultaneous = false;
	wider.alpha = sotto_post_selected_alpha(out, map->candidates, o);
	if (st == SOTTO_OK)
		st = sotto_pool_decode(data, map, &wider, again, &ignored);
	if (st == SOTTO_OK)
		sotto_post_take_intervals(out, again, map->candidates);
	free(again);
	return st;
}

/* Its intervals are what they are; a wish for others is refused, not passed over. */
static enum sotto_status
decode_by_reference(const struct sotto_local_cohorts *data, const struct sotto_local_map *map,
		    const struct sotto_local_options *o, struct sotto_local_estimate *out,
		    struct sotto_local_fit *fit, struct sotto_error *err)
{
	struct sotto_job j;
	enum sotto_status st;

	if (o->selected || o->simultaneous || o->alpha < REFERENCE_ALPHA ||
	    o->alpha > REFERENCE_ALPHA)
		return sotto_fail(
			err, SOTTO_EINVAL,
			"the reference has 95 %% intervals of each value by itself, "
			"from five fits; leave --alpha, --selected and --simultaneous "
			"out, or take another --method");
	SOTTO_TRY(sotto_job_make(&j, data, map, SOTTO_ALL_COHORTS));
	st = sotto_reference_decode(&j, o, out, fit, err);
	sotto_job_release(&j);
	return st;
}

/* Posts that obey the constraints of shares, in place of the post-processed ones. */
static enum sotto_status constrain(const struct sotto_local_cohorts *data,
				   const struct sotto_local_map *map, double users,
				   bool is_plain, struct sotto_local_estimate *out,
				   struct sotto_error *err)
{
	struct sotto_job j;
	enum sotto_status st;

	SOTTO_TRY(sotto_job_make(&j, data, map, SOTTO_ALL_COHORTS));
	st = sotto_constrained_posts(&j, users, is_plain, out, err);
	sotto_job_release(&j);
	return st;
}

static enum sotto_status
decode_by_regression(const struct sotto_local_cohorts *data, const struct sotto_local_map *map,
		     const struct sotto_local_options *o, double users,
		     struct sotto_local_estimate *out, struct sotto_local_fit *fit)
{
	double rows = 0;
	enum sotto_status st;
	struct sotto_job j;

	for (uint32_t c = 0; c < data->cohorts; c++)
		rows += data->reports[c] > 0 ? data->bits : 0;
	if ((double)map->candidates > fmin(COLUMNS_PER_ROW * rows, COLUMNS_MAX) &&
	    data->cohorts > 1)
		return decode_in_halves(data, map, o, users, out, fit);
	SOTTO_TRY(sotto_job_make(&j, data, map, SOTTO_ALL_COHORTS));
	st = decode_at_once(&j, o, users, out, fit);
	sotto_job_release(&j);
	return st;
}

enum sotto_status sotto_local_rappor_decode(const struct sotto_local_cohorts *data,
					    const struct sotto_local_map *map,
					    const struct sotto_local_options *options,
					    struct sotto_local_estimate *out,
					    struct sotto_local_fit *fit,
					    struct sotto_error *err)
{
	if (!data || !map || !options || !out)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	double users;

	*fit = (struct sotto_local_fit){.dispersion = 1, .misfit_p = 1, .worst_cohort_p = 1};
	SOTTO_TRY(sotto_job_check(data, map, options, &users, err));
	if (options->post == SOTTO_LOCAL_POST_IBU)
		return sotto_fail(err, SOTTO_EINVAL,
				  "ibu needs the law of each report, which RAPPOR's counts do "
				  "not hold; see sotto local associate");
	if (options->method == SOTTO_LOCAL_METHOD_REFERENCE)
		return decode_by_reference(data, map, options, out, fit, err);
	if (sotto_pool_takes(data, map))
		SOTTO_TRY(sotto_pool_decode(data, map, options, out, fit));
	else
		SOTTO_TRY(decode_by_regression(data, map, options, users, out, fit));
	SOTTO_TRY(finish(out, map->candidates, users, options, fit));
	if (options->selected && fit->pooled)
		SOTTO_TRY(select_pooled(data, map, options, out));
	else if (options->selected)
		sotto_post_select_normal(out, map->candidates, options);
	if (options->method != SOTTO_LOCAL_METHOD_CONSTRAINED &&
	    options->method != SOTTO_LOCAL_METHOD_NNLS)
		return SOTTO_OK;
	return constrain(data, map, users, options->method == SOTTO_LOCAL_METHOD_NNLS, out,
			 err);
}
