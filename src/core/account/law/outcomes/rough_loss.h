/*
 * rough_loss.h - the loss of an event, roughly: sampled Gaussian noise with the same mean loss and the same largest loss
 *
 * Tells where a contour through very many events will go, before any of their laws is made.  Nothing here is a bound.
 */
#ifndef SOTTO_ROUGH_LOSS_H
#define SOTTO_ROUGH_LOSS_H

#include "core/account/law/law.h"
#include "sotto/account.h"

struct sotto_rough_loss {
	double mu, reach; /* before sampling: of Gaussian noise, and the largest loss */
	double rate; /* of all samples around it, */
	double outer; /* of the one around several draws, or 0 */
	double draws, people;
};

/* Of e, count times; of disjoint cells that of the widest. */
struct sotto_rough_loss sotto_rough_loss_of(const struct sotto_event *e, double count);

/* K at c where a unit is removed, and its slope; and -log |M(c+it)/M(c)|. */
double sotto_rough_cumulant(const struct sotto_rough_loss *r, double c, double *slope);
double sotto_rough_fall(const struct sotto_rough_loss *r, double c, double t);

#endif
