/*
 * Publishes both histograms with half of the epsilon each, finds the last bin that counts, and
 * tries all pairs of limits for the smallest predicted error.
 */
#include "central/price/contribution_spread.h"

#include <math.h>

#include "core/base/failure.h"

/* One unit in twenty may lose something. */
static const double few = 0.05;

int64_t sotto_spread_edge(size_t bin)
{
	return (int64_t)1 << bin;
}

enum sotto_status sotto_spread_price(struct sotto_spread *s, struct sotto_arena *arena,
				     const struct sotto_rational *epsilon,
				     struct sotto_cost *cost)
{
	struct sotto_rational half;
	enum sotto_status st;
	mpz_t one;

	if (!s->noise)
		s->noise = sotto_added_noise_in(arena);
	if (!s->noise)
		return SOTTO_ENOMEM;
	sotto_rational_init(&half);
	mpz_init_set_ui(one, 1);
	mpq_div_2exp(half.q, epsilon->q, 1);
	st = sotto_added_noise_set_laplace(s->noise, one, &half);
	for (int histogram = 0; st == SOTTO_OK && histogram < 2; histogram++)
		st = sotto_added_noise_charge(s->noise, cost);
	mpz_clear(one);
	sotto_rational_release(&half);
	return st;
}

/* The first bin beyond which few units lie, or no more than noise makes up. */
static size_t find_last(const double *bins, double total, double made_up)
{
	double tail = 0;
	size_t bin = SOTTO_SPREAD_BINS - 1;

	while (bin > 0 && tail + bins[bin] <= fmax(few * total, made_up))
		tail += bins[bin--];
	return bin;
}

static double share_beyond(const double *bins, size_t bin, double total)
{
	double tail = 0;

	for (size_t i = bin + 1; i < SOTTO_SPREAD_BINS; i++)
		tail += bins[i];
	return total > 0 ? fmin(fmax(tail / total, 0), 1) : 0;
}

/* One histogram as it was published. */
struct histogram {
	double bins[SOTTO_SPREAD_BINS], total;
	size_t last; /* beyond it are few units, or only noise: they count as if they were in it */
};

static void read_bins(struct histogram *h, const struct sotto_noisy *bins, double made_up)
{
	h->total = 0;
	for (size_t i = 0; i < SOTTO_SPREAD_BINS; i++)
		h->total += h->bins[i] = (double)bins[i].value;
	h->last = find_last(h->bins, h->total, made_up);
}

/* The mean over units of what they have, held to the end of a bin. */
static double mean_within(const struct histogram *h, size_t bin)
{
	double sum = 0, units = 0;

	for (size_t i = 0; i <= h->last; i++) {
		double n = fmax(h->bins[i], 0);

		sum += n * (double)sotto_spread_edge(i < bin ? i : bin);
		units += n;
	}
	return units > 0 ? sum / units : 1;
}

/* What a count of one group is off by: noise, and rows that the limits drop. */
static double predict(const struct histogram *groups, const struct histogram *rows, size_t g,
		      size_t r, const struct sotto_spread_use *use)
{
	double all_groups = mean_within(groups, groups->last);
	double all_rows = mean_within(rows, rows->last);
	double units = use->group_count > 0
			       ? fmax(groups->total, 1) * all_groups / use->group_count
			       : use->typical_group;
	double kept = mean_within(groups, g) / all_groups * mean_within(rows, r) / all_rows;
	double scale =
		(double)sotto_spread_edge(g) * (double)sotto_spread_edge(r) / use->epsilon;

	return log(20) * scale + units * all_rows * (1 - kept);
}

/* The limits whose predicted error is smallest; of equal ones the larger. */
static void weigh(const struct histogram *groups, const struct histogram *rows,
		  const struct sotto_spread_use *use, size_t *g, size_t *r)
{
	double least = INFINITY;

	for (size_t i = groups->last + 1; i-- > 0;)
		for (size_t k = rows->last + 1; k-- > 0;) {
			double error = predict(groups, rows, i, k, use);

			if (error < least) {
				least = error;
				*g = i;
				*r = k;
			}
		}
}

enum sotto_status sotto_spread_publish(const struct sotto_spread *s, struct sotto_rng *rng,
				       const struct sotto_exact *bins,
				       const struct sotto_spread_use *use,
				       struct sotto_found_limits *out)
{
	struct sotto_noisy noisy[SOTTO_SPREAD_ALL];
	double scale = sotto_added_noise_scale(s->noise);
	double made_up = 2 * scale * sqrt(2.0 * SOTTO_SPREAD_BINS), least;
	struct histogram groups, rows;
	size_t g = 0, r = 0;

	SOTTO_TRY(sotto_added_noise_publish(s->noise, rng, bins, noisy, SOTTO_SPREAD_ALL));
	read_bins(&groups, noisy, made_up);
	read_bins(&rows, noisy + SOTTO_SPREAD_BINS, made_up);
	weigh(&groups, &rows, use, &g, &r);
	least = fmin(groups.total, rows.total);
	*out = (struct sotto_found_limits){
		.groups = sotto_spread_edge(g),
		.rows = sotto_spread_edge(r),
		.groups_beyond = share_beyond(groups.bins, g, groups.total),
		.rows_beyond = share_beyond(rows.bins, r, rows.total),
		.hidden = least > 0 ? made_up / least : HUGE_VAL};
	return SOTTO_OK;
}
