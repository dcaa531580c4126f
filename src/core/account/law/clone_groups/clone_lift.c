/* All bounds here are derived in clone_group.md. */
#include "core/account/law/clone_groups/clone_lift.h"

#include <math.h>

#include "core/account/law/clones/clone_rule.h"

/* Standard deviations of the difference that are kept, about, and the share of all reports that may be. */
#define REACH 8.8
#define ROOM 0.8
/* From one number of clones to the next masses may change by this factor. */
#define RATIO_MAX 4.0
/* Standard deviations of the clones, and of the difference, within which all but next to nothing bends no more than there. */
#define USUAL_CLONES 3.5
#define USUAL_REACH 5.0
/* Rounding. */
#define SLACK (1 + 1e-9)

/* How much likelier k + 1 clones are than k, or the other way round. */
static double ratio_at(const struct sotto_clone_pair *p, double k)
{
	double ratio = (p->users - k) * p->p / ((k + 1) * p->rest);

	return fmax(ratio, 1 / ratio);
}

/* E[e^(o loss)] beyond v given n reports or more, and below -v. */
static double beyond(const struct sotto_clone_pair *p, double o, double n, double v)
{
	double loss = sotto_clone_loss(p, v, 1), slope = (p->epsilon0 - loss) / (1 - v);

	if (!(n * v >= o * slope))
		return INFINITY;
	return 2 * exp(o * loss - 0.5 * n * v * v) + exp(-0.5 * n * v * v);
}

/* How much cells of n reports or more bend up to v, and what that is a part of, without M. */
struct bend {
	double cell, most, all;
};

static struct bend
bend_of(const struct sotto_clone_pair *p, double k, double c, double n, double v)
{
	double o = k * c + k - 1, slope = 2 * p->tau / (1 - p->tau * p->tau * v * v) * SLACK;
	struct bend b = {.cell = 2 * k * slope * (1 + 2 / n) / n};

	b.most = pow(slope * (1 + 2 / n) / n, 2) * (1 + 3 * v * v) / 12 *
		 exp((2 * c + 6) * b.cell) * SLACK;
	b.all = 2 * k * k * (k * k - 1) / 6 * slope * p->tau * (1 + v) / sqrt(1 - v * v) * 2 /
		n * exp(o * o * slope * slope / (2 * n) + 1 / n);
	return b;
}

/* Where most reports are, cells bend less; those with fewer clones, or farther out, are counted aside. */
static void set_bend(struct sotto_clone_lift *lift, const struct sotto_clone_pair *p, double k,
		     double c, double n, double v)
{
	struct bend widest = bend_of(p, k, c, n, v), usual;
	double clones = floor(p->clones - USUAL_CLONES * sqrt(p->clones * p->rest)), few, far;

	lift->cell = widest.cell;
	lift->whole = widest.most * widest.all;
	lift->bend = widest.most;
	lift->aside = 0;
	if (!(clones + 1 > n))
		return;
	usual = bend_of(
		p, k, c, clones + 1,
		fmin(v, (2 * p->tau * (k * c + k - 1) + USUAL_REACH * sqrt(clones + 1)) /
				(clones + 1)));
	few = exp(-sotto_clone_deviance(p, clones));
	far = exp(-0.5 * USUAL_REACH * USUAL_REACH);
	lift->cell = widest.cell;
	lift->bend = usual.most;
	lift->aside = SLACK * widest.most * widest.all * (few + far);
}

struct sotto_clone_lift
sotto_clone_lift_of(const struct sotto_clone_pair *p, double k, double c)
{
	double o = k * c + k - 1, few, most, n, v, slope, gap, ratio, turn;
	struct sotto_clone_order order = {o, 0, SOTTO_CLONE_DIGITS};
	struct sotto_clone_lift lift = {.known = false};

	sotto_clone_window(p, &order, &few, &most);
	n = few + 1;
	v = (2 * p->tau * o + REACH * sqrt(n)) / n;
	if (!(v < ROOM) || !(most + 1 < p->users))
		return lift;
	slope = 2 * p->tau / (1 - p->tau * p->tau * v * v) * SLACK;
	gap = slope * (1 + v + 2 / n) / n;
	ratio = fmax(ratio_at(p, few), ratio_at(p, most + 1)) * (1 + 1 / n);
	turn = p->tau * (1 + ratio) * (k * k - 1) / 6 * slope * 2 / n;
	lift.known = ratio < RATIO_MAX && exp((k - 1) * gap) * ((k - 1) / k + turn) < 1 - 1e-6;
	set_bend(&lift, p, k, c, n, v);
	lift.rest = (sotto_clone_outside(p, o, few, most) + beyond(p, o, n, v)) * SLACK;
	lift.whole += lift.rest * (1 + exp(sotto_clone_log_given_up(p, o, n))) / (c * (c + 1));
	return lift;
}

/* Adds the bound of one order, in parts of M(c); for all of them the turns are those of the widest window. */
static void add_far(struct sotto_clone_far *sum, const struct sotto_clone_far *one, double part)
{
	for (int i = 0; i < SOTTO_CLONE_RUNS; i++) {
		struct sotto_clone_run *s = &sum->runs[i];
		const struct sotto_clone_run *r = &one->runs[i];

		if (r->whole == 0) /* fewer numbers of clones than runs */
			continue;
		s->first = s->whole > 0 ? fmin(s->first, r->first) : r->first;
		s->peak += part * r->peak;
		s->whole += part * r->whole;
		s->last = fmax(s->last, r->last);
		s->bend = fmax(s->bend, r->bend);
	}
	sum->rest += part * one->rest;
	sum->known &= one->known;
}

void sotto_clone_group_far_init(struct sotto_clone_far *far, const struct sotto_clone_pair *p,
				double k, double c, double log_m)
{
	struct sotto_clone_far one;

	*far = (struct sotto_clone_far){.known = true};
	for (double j = 0; j < k && far->known; j++) {
		sotto_clone_far_init(&one, p, k * c + j, log_m);
		add_far(far, &one, (c + 1) / (k * c + j + 1));
	}
}
