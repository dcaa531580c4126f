/*
 * ratios.h - one draw of what is repeated inside a sample, as log likelihood ratios
 *
 * With x = log P/Q under Q where a unit is removed, and x = log Q/P under P where one is added, sampling turns x into log(1 - q + q e^x) and leaves masses
 * as they are, and M(s) of the sample is the mean of (1 - q + q e^x)^(s+1) or of its power -s (nested.md).
 */
#ifndef SOTTO_RATIOS_H
#define SOTTO_RATIOS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/work.h"
#include "core/account/law/law.h"
#include "core/account/law/outcomes/outcomes.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* The line that a list is made for: Re s up to order, |Im s| up to far; and what happens to the sum of all draws. */
struct sotto_nested_line {
	double order, far;
	double rate; /* of the sample around them */
	double draws;
	enum sotto_direction direction;
};

/* A sampled Gaussian, of which the places are those of a trapezoid rule: z = low + step i. */
struct sotto_ratio_rule {
	double mu, rate;
	double low, step; /* step is 0 where places are outcomes */
};

struct sotto_ratios {
	double *x, *mass; /* x growing; one allocation: free x */
	size_t n, first, last; /* those that are kept: from first to before last */
	double x_error, mass_error; /* absolute, relative */
	double left_out; /* P- and Q-mass of outcomes that are not listed, at most */
	struct sotto_ratio_rule rule;
	struct sotto_heavy heavy; /* of one draw, where places are outcomes */
};

/* Whether one draw of e can be listed: sampled Gaussian noise, or discrete noise, sampled or not. */
bool sotto_ratios_possible(const struct sotto_event *e);

/* One draw of e, without its repetitions.  Fails: SOTTO_EREFUSED if there would be too many; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status
sotto_ratios_of(struct sotto_ratios *out, const struct sotto_event *e,
		const struct sotto_nested_line *line, struct sotto_work *work);

/* log(1 - q + q e^x), rounded up where e^x would be too large. */
double sotto_ratio_mixed(double rate, double x);

/* The share of q e^x in 1 - q + q e^x, which is the slope of its logarithm. */
double sotto_ratio_share(double rate, double x);

/* How far above the real line the rule's integrand is looked at where shares are at most these, and log of how much it grows up to there. */
double sotto_ratio_height(const struct sotto_ratio_rule *r,
			  const struct sotto_nested_line *line, double share_out,
			  double share_in, double most, double *growth);

/* A bound of the mean of e^(sigma x) of a rule beyond its places. */
double sotto_ratio_beyond(const struct sotto_ratios *r, double sigma);

#endif
