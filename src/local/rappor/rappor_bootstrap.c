/*
 * The parametric bootstrap: users are drawn from the fitted distribution, their
 * reports from the law of RAPPOR, and the whole decoder runs again.
 *
 * What is found is the spread of the errors over the runs, not their distance from zero.
 * The bits of candidates too rare to be drawn by name stay with everybody else, where the
 * decoder finds them again each time: that is not an error.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"
#include "local/plan/simulation_rng.h"
#include "local/rappor/rappor_job.h"

/* As in regression_variance_bulk.c: smaller shares are noise. */
#define HELD_Z 2

struct world {
	const struct sotto_local_cohorts *data;
	const struct sotto_local_map *map;
	size_t held, *at; /* candidates with users */
	double *share; /* of each, and of everybody else at the end */
	double *other; /* per cohort and bit: rate among everybody else */
	uint64_t *holders, *set, *ones; /* of one run */
	double *truth; /* per candidate drawn by name: its users */
	double *sum; /* per candidate: errors of the runs, added up */
};

static void world_release(struct world *w)
{
	free(w->at);
	free(w->share);
	free(w->other);
	free(w->holders);
	free(w->set);
	free(w->ones);
	free(w->truth);
	free(w->sum);
}

static enum sotto_status world_make(struct world *w, const struct sotto_local_cohorts *d,
				    const struct sotto_local_map *m)
{
	size_t cells = (size_t)d->cohorts * d->bits + 1, count = m->candidates + 1;

	*w = (struct world){.data = d,
			    .map = m,
			    .at = malloc(count * sizeof *w->at),
			    .share = malloc(count * sizeof *w->share),
			    .other = calloc(cells, sizeof *w->other),
			    .holders = malloc(count * sizeof *w->holders),
			    .set = malloc((d->bits + 1) * sizeof *w->set),
			    .ones = malloc(cells * sizeof *w->ones),
			    .truth = malloc(count * sizeof *w->truth),
			    .sum = calloc(count, sizeof *w->sum)};
	return w->at && w->share && w->other && w->holders && w->set && w->ones && w->truth &&
			       w->sum
		       ? SOTTO_OK
		       : SOTTO_ENOMEM;
}

/* Adds users to each bit that the candidate sets in the cohort, once each. */
static void add_bits(const struct sotto_local_map *m, size_t candidate, uint32_t cohort,
		     uint64_t users, uint64_t *set)
{
	const uint32_t *cells = m->cells + (candidate * m->cohorts + cohort) * m->hashes;

	for (uint32_t h = 0; h < m->hashes; h++) {
		bool again = cells[h] == SOTTO_LOCAL_NO_CELL;

		for (uint32_t g = 0; g < h; g++)
			again |= cells[g] == cells[h];
		if (!again)
			set[cells[h]] += users;
	}
}

/* Everybody else: what the candidates leave of the debiased rates. */
static void fill_other(struct world *w)
{
	const struct sotto_local_cohorts *d = w->data;
	double rest = w->share[w->held];
	const double parts = 1e15; /* shares as whole numbers, for add_bits */

	for (uint32_t c = 0; c < d->cohorts && rest > 0; c++) {
		double n = (double)d->reports[c];

		memset(w->set, 0, d->bits * sizeof *w->set);
		for (size_t i = 0; i < w->held; i++)
			add_bits(w->map, w->at[i], c, (uint64_t)(w->share[i] * parts), w->set);
		for (uint32_t b = 0; b < d->bits && n > 0; b++) {
			size_t at = (size_t)c * d->bits + b;
			double y = ((double)d->ones[at] / n - d->p) / (d->q - d->p);
			double left = (y - (double)w->set[b] / parts) / rest;

			w->other[at] = fmin(fmax(left, 0), 1);
		}
	}
}

static void fill_world(struct world *w, const struct sotto_local_estimate *e, double users)
{
	double sum = 0;

	for (size_t s = 0; s < w->map->candidates; s++)
		if (isfinite(e[s].sd) && e[s].count > HELD_Z * e[s].sd && e[s].count > 0) {
			w->at[w->held] = s;
			w->share[w->held++] = e[s].count / users;
			sum += e[s].count / users;
		}
	for (size_t i = 0; i < w->held && sum > 1; i++)
		w->share[i] /= sum;
	w->share[w->held] = fmax(1 - sum, 0);
	fill_other(w);
}

static void draw(struct world *w, struct sotto_simulation_rng *dice)
{
	const struct sotto_local_cohorts *d = w->data;

	memset(w->truth, 0, w->map->candidates * sizeof *w->truth);
	for (uint32_t c = 0; c < d->cohorts; c++) {
		uint64_t n = d->reports[c], rest;

		memset(w->set, 0, d->bits * sizeof *w->set);
		sotto_simulation_multinomial(dice, n, w->share, w->held + 1, w->holders);
		for (size_t i = 0; i < w->held; i++) {
			add_bits(w->map, w->at[i], c, w->holders[i], w->set);
			w->truth[w->at[i]] += (double)w->holders[i];
		}
		rest = w->holders[w->held];
		for (uint32_t b = 0; b < d->bits; b++) {
			size_t at = (size_t)c * d->bits + b;
			uint64_t set =
				w->set[b] + sotto_simulation_binomial(dice, rest, w->other[at]);

			w->ones[at] = sotto_simulation_binomial(dice, set, d->q) +
				      sotto_simulation_binomial(dice, n - set, d->p);
		}
	}
}

/* One run: errors and their squares are added. */
static enum sotto_status run_once(struct world *w, const struct sotto_local_options *o,
				  double users, struct sotto_simulation_rng *dice,
				  struct sotto_local_estimate *e, double *squares)
{
	struct sotto_local_cohorts drawn = *w->data;
	struct sotto_local_options raw = *o;
	struct sotto_local_fit ignored;

	draw(w, dice);
	drawn.ones = w->ones;
	raw.post = SOTTO_LOCAL_POST_NONE;
	SOTTO_TRY(sotto_local_rappor_decode(&drawn, w->map, &raw, e, &ignored, NULL));
	if (o->target == SOTTO_LOCAL_POPULATION) {
		memset(w->truth, 0, w->map->candidates * sizeof *w->truth);
		for (size_t i = 0; i < w->held; i++)
			w->truth[w->at[i]] = users * w->share[i];
	}
	for (size_t s = 0; s < w->map->candidates; s++) {
		double off = isfinite(e[s].sd) ? e[s].count - w->truth[s] : INFINITY;

		w->sum[s] += off;
		squares[s] += off * off;
	}
	return SOTTO_OK;
}

/* The standard deviation of so many numbers, from their sum and that of their squares. */
static double spread(double squares, double sum, double n)
{
	return isfinite(sum) ? sqrt(fmax(squares - sum * sum / n, 0) / (n - 1)) : INFINITY;
}

enum sotto_status sotto_local_rappor_bootstrap(const struct sotto_local_cohorts *data,
					       const struct sotto_local_map *map,
					       const struct sotto_local_options *options,
					       const struct sotto_local_estimate *estimates,
					       unsigned runs, double *sd,
					       struct sotto_error *err)
{
	if (!data || !map || !options || !estimates || !sd)
		return sotto_fail(err, SOTTO_EINVAL, "NULL was given where a value is needed");

	struct sotto_simulation_rng dice = {options->seed};
	struct sotto_local_estimate *e;
	struct world w;
	double users;
	enum sotto_status st;

	SOTTO_TRY(sotto_job_check(data, map, options, &users, err));
	if (runs < 2)
		return sotto_fail(err, SOTTO_EINVAL, "a bootstrap takes at least two runs");
	e = malloc((map->candidates + 1) * sizeof *e);
	st = world_make(&w, data, map);
	if (!e)
		st = SOTTO_ENOMEM;
	if (st == SOTTO_OK) {
		fill_world(&w, estimates, users);
		memset(sd, 0, map->candidates * sizeof *sd);
	}
	for (unsigned i = 0; st == SOTTO_OK && i < runs; i++)
		st = run_once(&w, options, users, &dice, e, sd);
	for (size_t s = 0; st == SOTTO_OK && s < map->candidates; s++)
		sd[s] = spread(sd[s], w.sum[s], runs);
	world_release(&w);
	free(e);
	return st;
}
