/*
 * A quantile by the exponential mechanism.  Values of the grid between two values
 * of the data have one score, so a run of them is one outcome with many copies:
 * work grows with the different values, not with the grid.
 */
#include "core/mechanism/quantile/quantile.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/failure.h"
#include "core/base/mask.h"
#include "core/mechanism/quantile/rank.h"
#include "core/mechanism/quantile/runs.h"
#include "core/number/rational/rational_value.h"
#include "sotto/choose.h"

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

int64_t sotto_quantile_error_up(const struct sotto_rank *r, int64_t rows, double epsilon,
				double outcomes, double beta)
{
	double units =
		2 * (double)sotto_rank_sensitivity(r, rows) * log(outcomes / beta) / epsilon;
	double halves = ceil(units / r->whole);

	return halves < 0x1p60 ? (int64_t)halves : (int64_t)1 << 60;
}

/*
 * Outcomes from `first` on, which have `high` too many values under them and `low` too few
 * under or among them.  A score held at the end of int64 moves no two scores apart.
 */
static void
add_run(struct sotto_runs *r, int64_t first, uint64_t copies, sotto_i128 high, sotto_i128 low)
{
	sotto_i128 distance = sotto_mask_i128(high > low, high, low);

	distance = sotto_mask_i128(distance > 0, distance, 0);
	sotto_runs_add(r, first, copies, sotto_mask_hold(-distance));
}

/* The lowest value of the grid is never too high; if it is the only one, nor too low. */
static void add_lowest(struct sotto_runs *r, const struct sotto_histogram *h, sotto_i128 unit,
		       sotto_i128 target)
{
	int64_t many = 0;

	if (h->n > 0)
		many = sotto_mask_i64(h->values[0].secret == h->lo, h->counts[0].secret, 0);
	add_run(r, h->lo, 1, 0, h->lo == h->hi ? 0 : target - unit * many);
}

/*
 * The ends of the grid are runs of their own, since they have rules of their own; so is
 * every value of the data, and what lies between them.  A value of the data at an end
 * leaves an empty run, so that there are 2 n + 3 of them whatever the values are.
 */
static void fill_runs(struct sotto_runs *r, const struct sotto_quantile *m,
		      const struct sotto_histogram *h, const int64_t *sums)
{
	sotto_i128 unit = 2 * (sotto_i128)m->rank.whole, all = unit * sums[h->n];
	sotto_i128 target = sotto_rank_target(&m->rank, sums[h->n]);
	uint64_t next = (uint64_t)h->lo + 1, hi = (uint64_t)h->hi;
	int64_t at_highest = 0;

	add_lowest(r, h, unit, target);
	for (size_t i = 0; i < h->n; i++) {
		int64_t v = h->values[i].secret, count = h->counts[i].secret;
		sotto_i128 below = unit * sums[i], upto = unit * sums[i + 1];
		bool lowest = v == h->lo, highest = v == h->hi;

		at_highest = sotto_mask_i64(highest, count, at_highest);
		add_run(r, (int64_t)next, sotto_mask_u64(lowest, 0, (uint64_t)v - next),
			below - target, target - below);
		add_run(r, v, !lowest & !highest, below - target, target - upto);
		/* stays below the highest value, which is not a part of a run between values */
		next = sotto_mask_u64(highest, hi, (uint64_t)v + 1);
	}
	if (h->lo == h->hi)
		return;
	add_run(r, (int64_t)next, hi - next, all - target, target - all);
	add_run(r, h->hi, 1, all - unit * at_highest - target, 0);
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
