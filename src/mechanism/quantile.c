/*
 * A quantile by the exponential mechanism.  Values of the grid between two values
 * of the data have one score, so a run of them is one outcome with many copies:
 * work grows with the different values, not with the grid.
 */
#include "sotto/quantile.h"

#include <math.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/failure.h"
#include "base/wide.h"
#include "base/wipe.h"
#include "mechanism/exponential.h"
#include "mechanism/rank.h"
#include "sotto/exponential.h"
#include "sotto/uniform.h"

struct sotto_quantile {
	struct sotto_exponential *choice;
	struct sotto_rank rank;
};

static enum sotto_status prepare(struct sotto_quantile *m, int64_t rows,
				 const struct sotto_rational *epsilon)
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
	return sotto_exponential_cost(m->choice, cost);
}

int64_t sotto_quantile_error_up(const struct sotto_rank *r, int64_t rows, double epsilon,
				double outcomes, double beta)
{
	double units = 2 * (double)sotto_rank_sensitivity(r, rows) * log(outcomes / beta) /
		       epsilon;
	double halves = ceil(units / r->whole);

	return halves < 0x1p60 ? (int64_t)halves : (int64_t)1 << 60;
}

/* Runs of outcomes with one score, in the order of the grid. */
struct runs {
	int64_t *first;
	uint64_t *copies;
	struct sotto_exact *scores;
	size_t n, capacity;
};

static enum sotto_status runs_init(struct runs *r, size_t values)
{
	*r = (struct runs){.capacity = 2 * values + 3};
	r->first = calloc(r->capacity, sizeof *r->first);
	r->copies = calloc(r->capacity, sizeof *r->copies);
	r->scores = calloc(r->capacity, sizeof *r->scores);
	return r->first && r->copies && r->scores ? SOTTO_OK : SOTTO_ENOMEM;
}

static void runs_release(struct runs *r)
{
	if (r->first)
		sotto_wipe(r->first, r->capacity * sizeof *r->first);
	if (r->copies)
		sotto_wipe(r->copies, r->capacity * sizeof *r->copies);
	if (r->scores)
		sotto_wipe(r->scores, r->capacity * sizeof *r->scores);
	free(r->first);
	free(r->copies);
	free(r->scores);
}

/* A score held at the ends of int64: holding moves no two scores apart. */
static int64_t hold(sotto_i128 x)
{
	return x < INT64_MIN ? INT64_MIN : (int64_t)x;
}

/* Outcomes first .. last, with `below` values under them and `upto` under or among them. */
static void add_run(struct runs *r, const struct sotto_histogram *h, sotto_i128 target,
		    int64_t first, int64_t last, sotto_i128 below, sotto_i128 upto)
{
	sotto_i128 high = first == h->lo ? 0 : below - target;
	sotto_i128 low = last == h->hi ? 0 : target - upto;
	sotto_i128 distance = high > low ? high : low;

	if (first > last)
		return;
	r->first[r->n] = first;
	r->copies[r->n] = (uint64_t)(last - first) + 1;
	r->scores[r->n] = sotto_exact_of(hold(distance > 0 ? -distance : 0));
	r->n++;
}

/*
 * The ends of the grid are runs of their own, since they have rules of their own;
 * so is every value of the data, and what lies between them.
 */
static void
fill_runs(struct runs *r, const struct sotto_quantile *m, const struct sotto_histogram *h,
	  const int64_t *sums)
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

static enum sotto_status choose(const struct sotto_quantile *m, struct sotto_rng *rng,
				const struct runs *r, struct sotto_noisy *out)
{
	uint64_t step;
	size_t run;

	SOTTO_TRY(sotto_exponential_select_copies(m->choice, rng, r->scores, r->copies, r->n,
						  &run));
	SOTTO_TRY(sotto_uniform_below(rng, r->copies[run], &step));
	out->value = r->first[run] + (int64_t)step;
	return SOTTO_OK;
}

enum sotto_status sotto_quantile_publish(const struct sotto_quantile *m, struct sotto_rng *rng,
					 const struct sotto_histogram *h,
					 struct sotto_noisy *out)
{
	struct runs r = {0};
	int64_t *sums = NULL;
	enum sotto_status st = sotto_histogram_add_up(h, &sums);

	if (st == SOTTO_OK)
		st = runs_init(&r, h->n);
	if (st == SOTTO_OK) {
		fill_runs(&r, m, h, sums);
		st = choose(m, rng, &r, out);
	}
	runs_release(&r);
	sotto_histogram_forget(h, sums);
	return st;
}
