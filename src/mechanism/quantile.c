/*
 * A quantile by the exponential mechanism.  Values of the grid between two values
 * of the data have one score, so a run of them is one outcome with many copies:
 * work grows with the different values, not with the grid.
 */
#include "sotto/quantile.h"

#include <math.h>
#include <stdlib.h>

#include "base/failure.h"
#include "base/wide.h"
#include "mechanism/rank.h"
#include "mechanism/runs.h"
#include "number/rational_value.h"
#include "sotto/exponential.h"

struct sotto_quantile {
	struct sotto_exponential *choice;
	struct sotto_rank rank;
};

static enum sotto_status
prepare(struct sotto_quantile *m, int64_t rows, const struct sotto_rational *epsilon)
{
	struct sotto_rational sensitivity;
	struct sotto_selection s = {.epsilon = epsilon, .sensitivity = &sensitivity};
	enum sotto_status st;

	sotto_rational_init(&sensitivity);
	mpq_set_si(sensitivity.q, sotto_rank_sensitivity(&m->rank, rows), 1);
	st = sotto_exponential_new(&s, &m->choice, NULL);
	sotto_rational_release(&sensitivity);
	return st;
}

enum sotto_status sotto_quantile_new(const struct sotto_rank *r, int64_t rows,
				     const struct sotto_rational *epsilon,
				     struct sotto_quantile **out)
{
	if (!epsilon || !out)
		return SOTTO_EINVAL;
	epsilon = sotto_rational_settled(epsilon);

	struct sotto_quantile *m;
	enum sotto_status st;

	if (r->whole == 0 || r->whole > SOTTO_RANK_WHOLE_MAX || r->part > r->whole ||
	    rows <= 0 || rows > SOTTO_RANK_VALUES_MAX)
		return SOTTO_EINVAL;
	m = malloc(sizeof *m);
	if (!m)
		return SOTTO_ENOMEM;
	m->rank = *r;
	st = prepare(m, rows, epsilon);
	if (st == SOTTO_OK)
		*out = m;
	else
		free(m);
	return st;
}

void sotto_quantile_free(struct sotto_quantile *m)
{
	if (!m)
		return;
	sotto_exponential_free(m->choice);
	free(m);
}

enum sotto_status sotto_quantile_cost(const struct sotto_quantile *m, struct sotto_cost *cost)
{
	if (!m || !cost)
		return SOTTO_EINVAL;
	return sotto_exponential_cost(m->choice, cost);
}

int64_t sotto_quantile_error_up(const struct sotto_rank *r, int64_t rows, double epsilon,
				double outcomes, double beta)
{
	double units =
		2 * (double)sotto_rank_sensitivity(r, rows) * log(outcomes / beta) / epsilon;
	double halves = ceil(units / r->whole);

	return halves < 0x1p60 ? (int64_t)halves : (int64_t)1 << 60;
}

/* A score held at the ends of int64: holding moves no two scores apart. */
static int64_t hold(sotto_i128 x)
{
	return x < INT64_MIN ? INT64_MIN : (int64_t)x;
}

/* Outcomes first .. last, with `below` values under them and `upto` under or among them. */
static void add_run(struct sotto_runs *r, const struct sotto_histogram *h, sotto_i128 target,
		    int64_t first, int64_t last, sotto_i128 below, sotto_i128 upto)
{
	sotto_i128 high = first == h->lo ? 0 : below - target;
	sotto_i128 low = last == h->hi ? 0 : target - upto;
	sotto_i128 distance = high > low ? high : low;

	sotto_runs_add(r, first, last, hold(distance > 0 ? -distance : 0));
}

/*
 * The ends of the grid are runs of their own, since they have rules of their own;
 * so is every value of the data, and what lies between them.
 */
static void fill_runs(struct sotto_runs *r, const struct sotto_quantile *m,
		      const struct sotto_histogram *h, const int64_t *sums)
{
	sotto_i128 unit = 2 * (sotto_i128)m->rank.whole;
	sotto_i128 target = sotto_rank_target(&m->rank, sums[h->n]);
	bool lowest = h->n > 0 && h->values[0].secret == h->lo;
	bool highest = h->n > 0 && h->values[h->n - 1].secret == h->hi;
	size_t from = lowest, to = h->n - (highest && h->lo < h->hi);
	int64_t next = h->lo + 1;

	add_run(r, h, target, h->lo, h->lo, 0, unit * sums[from]);
	for (size_t i = from; i < to; i++) {
		int64_t v = h->values[i].secret;

		add_run(r, h, target, next, v - 1, unit * sums[i], unit * sums[i]);
		add_run(r, h, target, v, v, unit * sums[i], unit * sums[i + 1]);
		next = v + 1;
	}
	if (h->lo == h->hi)
		return;
	add_run(r, h, target, next, h->hi - 1, unit * sums[to], unit * sums[to]);
	add_run(r, h, target, h->hi, h->hi, unit * sums[to], unit * sums[h->n]);
}

enum sotto_status sotto_quantile_publish(const struct sotto_quantile *m, struct sotto_rng *rng,
					 const struct sotto_histogram *h,
					 struct sotto_noisy *out)
{
	if (!m || !rng || !h || !out)
		return SOTTO_EINVAL;

	struct sotto_runs r = {0};
	int64_t *sums = NULL;
	enum sotto_status st = sotto_histogram_add_up(h, &sums);

	if (st == SOTTO_OK)
		st = sotto_runs_init(&r, 2 * h->n + 3);
	if (st == SOTTO_OK) {
		fill_runs(&r, m, h, sums);
		st = sotto_runs_choose(&r, m->choice, rng, out);
	}
	sotto_runs_release(&r);
	sotto_histogram_forget(h, sums);
	return st;
}
