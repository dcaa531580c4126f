/*
 * ratio_sums.h - inside this folder: sums of draws at equal distances, and what their tails weigh (nested.md)
 */
#ifndef SOTTO_RATIO_SUMS_H
#define SOTTO_RATIO_SUMS_H

#include "core/account/law/gathered/gathered_list.h"
#include "core/account/law/outcomes/ratios.h"

/* Orders that tails are bounded at. */
enum { SOTTO_RATIO_ORDERS = 12 };

/* One draw: its mean and standard deviation, and log of the mean of e^(order x), rounded up, also of the list that stands for it; the first is the power that is taken. */
struct sotto_ratio_tails {
	double mean, spread;
	double sizes; /* of a list: the sum of its masses' sizes, at least 1 */
	double order[SOTTO_RATIO_ORDERS], log_mean[SOTTO_RATIO_ORDERS];
	double own_mean[SOTTO_RATIO_ORDERS]; /* without a list */
};

void sotto_ratio_tails_of(struct sotto_ratio_tails *t, const struct sotto_ratios *r,
			  const struct sotto_nested_line *line);
void sotto_ratio_tails_add_list(struct sotto_ratio_tails *t,
				const struct sotto_gathered_list *l);

/* log of a bound of what sums of all draws between low and high weigh, over M(c). */
double sotto_ratio_tail(const struct sotto_nested_line *line, const struct sotto_ratio_tails *t,
			double low, double high);

/* Masses, of either sign, of so many draws: place i is gap (base + i). */
struct sotto_ratio_sums {
	double *mass, *storage; /* free storage */
	size_t n;
	double base, gap, draws;
	double rounding; /* of the masses, over the sum of the sizes of what they are sums of */
};

static inline double sotto_ratio_place(const struct sotto_ratio_sums *s, size_t i)
{
	return s->gap * (s->base + (double)i);
}

/* Only places from first to before last. */
void sotto_ratio_keep(struct sotto_ratio_sums *s, size_t first, size_t last);

/* Leaves out ends that weigh at most so much together, and returns what they weigh. */
typedef double sotto_ratio_trim(struct sotto_ratio_sums *s,
				const struct sotto_nested_line *line,
				const struct sotto_ratio_tails *t, double most);

/* All draws from one, which is freed in any case; *ends grows by what is left out.  Fails: SOTTO_EREFUSED if they are too many; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ratio_sums_power(struct sotto_ratio_sums *out, struct sotto_ratio_sums *one,
		       const struct sotto_nested_line *line, const struct sotto_ratio_tails *t,
		       sotto_ratio_trim *trim, double most, struct sotto_work *work,
		       double *ends);

#endif
