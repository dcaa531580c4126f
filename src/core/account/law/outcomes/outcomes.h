/*
 * outcomes.h - the outcomes of an event in hardware arithmetic, beside so many others that high precision would take too long
 *
 * Discrete noise is listed outcome by outcome.  Of Laplace noise, and of what was repeated or sampled after it was no list, the places of a
 * quadrature stand for the outcomes: sums of smooth functions over them are those over the outcomes to many digits (outcomes.md).
 */
#ifndef SOTTO_OUTCOMES_H
#define SOTTO_OUTCOMES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/account/integral/work.h"
#include "core/account/law/gathered/law_gathered.h"
#include "core/account/law/law.h"
#include "sotto/account.h"
#include "sotto/status.h"

/* More outcomes are not listed. */
enum { SOTTO_OUTCOMES_MAX = 1 << 13 };

struct sotto_outcomes {
	double *loss, *mass; /* losses growing; one allocation: free loss */
	size_t n;
	double base, step; /* loss i is step (base + i); with step 0 the distances differ */
	double mass_error; /* relative */
	double loss_error, loss_shift; /* a loss is good to error |loss| + shift */
	double left_out; /* P- and Q-mass that is not listed, at most */
	double left_grown; /* the same in a group: each P-mass times 1 + y + ... + y^(people-1), log y its loss */
	double growth; /* at most what the mean of that is multiplied by for each other draw */
	double infinite,
		missing; /* P-mass that Q lacks, and Q-mass that P lacks; as good as masses */
	bool exact; /* each is an outcome; else masses need not be positive */
	double sum_error; /* of sums of tame functions, relative to that of their size */
	double size; /* sum of |mass| times their size, relative to the same */
	struct sotto_heavy heavy; /* where not exact: outcomes that the law has */
	double top; /* the largest loss, where ends are not listed; or 0 */
};

/* Functions f with |f(z)| <= F(x) e^(kappa |z - x|), F > 0, for every real x among the losses and |z - x| <= radius. */
struct sotto_tame {
	double kappa, radius;
	double people; /* who multiply what is far out, as a black box */
	bool places; /* places that stand for outcomes will do; F is then such a function too, */
	double growth; /* with this for kappa */
};

/*
 * A group of k multiplies the curve by at most k e^((k-1) loss): how many standard deviations farther than 12 Gaussian noise is nothing only, where z^2/2 -
 * (k-1) (mu z + mu^2/2) is as much as 72 or more.
 */
double sotto_outcomes_farther(double mu, double people);

/*
 * Whether e, with its repetitions, can be listed: discrete noise, or Laplace noise, sampled any number of times.
 */
bool sotto_outcomes_possible(const struct sotto_event *e);

/* The same of noise without a sample, of larger losses: for who takes no exponential of them. */
bool sotto_outcomes_plain_possible(const struct sotto_event *e);

/* Whether e is a sample of discrete Gaussian noise, of any loss up to some thousand, that can be listed all the same. */
bool sotto_outcomes_far_possible(const struct sotto_event *e);

/*
 * The outcomes of e, with all its repetitions, for sums of tame functions.  Fails: SOTTO_EREFUSED if they are too many, or too few digits
 * would be left; SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_outcomes_of(struct sotto_outcomes *out, const struct sotto_event *e,
		  enum sotto_direction direction, const struct sotto_tame *tame,
		  struct sotto_work *work);
void sotto_outcomes_release(struct sotto_outcomes *o);

/* Room for n outcomes.  Fails: SOTTO_EREFUSED past the most; SOTTO_ENOMEM. */
SOTTO_MUST_CHECK enum sotto_status sotto_outcomes_init(struct sotto_outcomes *o, size_t n);

/* One draw of noise, or all draws where their sum is noise of the same kind (outcomes.md).  Fails as above. */
SOTTO_MUST_CHECK enum sotto_status sotto_outcomes_of_noise(struct sotto_outcomes *out,
							   const struct sotto_event *e,
							   const struct sotto_tame *tame);
bool sotto_outcomes_noise_is_summed(const struct sotto_event *e);
bool sotto_outcomes_noise_possible(const struct sotto_event *e, double most);
bool sotto_outcomes_is_discrete_gaussian(const struct sotto_event *e);

/* o becomes so many of it, one after the other.  Fails as above; o stays. */
SOTTO_MUST_CHECK enum sotto_status
sotto_outcomes_repeat(struct sotto_outcomes *o, uint64_t count, const struct sotto_tame *tame,
		      struct sotto_work *work);

/* The same of a list of few outcomes at any distances, one by one.  Fails also if that would be too many. */
SOTTO_MUST_CHECK enum sotto_status
sotto_outcomes_product(struct sotto_outcomes *o, uint64_t count, struct sotto_work *work);

/* The same of a black-box group of people in sampled discrete or Laplace noise (law_group.md). */
bool sotto_outcomes_group_possible(const struct sotto_event *e);
SOTTO_MUST_CHECK enum sotto_status
sotto_outcomes_of_group(struct sotto_outcomes *out, const struct sotto_event *e,
			enum sotto_direction direction, const struct sotto_tame *tame,
			struct sotto_work *work);

/* The likeliest of the outcomes, where each is one; and of so many draws. */
void sotto_outcomes_find_heavy(struct sotto_outcomes *o);
void sotto_outcomes_repeat_heavy(struct sotto_heavy *h, uint64_t count);

/* One outcome after sampling: P becomes (1-q) Q + q P, or Q becomes (1-q) P + q Q. */
void sotto_outcomes_sample_one(double q, enum sotto_direction direction, double *loss,
			       double *mass);

/*
 * The sum over places of a gathered list with negative mass -w of w over J, what the n outcomes have near: J is the integral of e^(-kappa |place -
 * loss|), from below.  INFINITY without memory.
 */
struct sotto_gathered_list;
double sotto_outcomes_negative_part(const struct sotto_gathered_list *l, const double *loss,
				    const double *mass, size_t n, double kappa);

/* The standard deviation of the loss, and the largest loss, roughly. */
double sotto_outcomes_spread(const struct sotto_event *e);
double sotto_outcomes_reach(const struct sotto_event *e);

/* A bound of |L'| for the loss L that sampling makes of one up to reach, within a radius of at most 1/2. */
double sotto_outcomes_steepness(double rate, double reach, double radius);

#endif
