/* All formulas are those of law_group.md; below x = 0 terms that nearly cancel are written with what lies below x. */
#include "core/account/law/pieces/law_pieces_people.h"

#include <math.h>

/* What a proof of convexity leaves for rounding: a part, and of masses near 1. */
#define ROUNDING 1e-9
#define ROUNDING_OF_ONE (64 * SOTTO_U)

/* S = sum of y^j, its derivative, A = sum of (2j-k+1) y^j and C = sum of j (k-j) y^j, over j < k. */
struct sums {
	double s, ds, a, c;
};

static struct sums sums_at(double x, double k)
{
	struct sums u = {0, 0, 0, 0};

	for (double j = 0; j < k; j++) {
		double y = exp(j * x);

		u.s += y;
		u.ds += j * y;
		u.a += (2 * j - k + 1) * y;
		u.c += j * (k - j) * y;
	}
	return u;
}

double sotto_group_factor(double x, double k)
{
	return sums_at(x, k).s;
}

struct sotto_group_tails sotto_group_tails(const struct sotto_part_tails *t, double x, double k)
{
	struct sums u = sums_at(x, k);

	return (struct sotto_group_tails){
		t->delta * u.s,
		t->delta * u.s + ((t->p - t->delta) * u.s - t->delta * u.ds) / k,
		(3 * t->error + 16 * k * SOTTO_U * (t->p + fabs(x) * t->delta)) * u.s};
}

double sotto_group_mass(const struct sotto_part_tails *t, double x, double log_mass,
			double stretch, double k, double *swell)
{
	struct sums u = sums_at(x, k);
	double plus = exp(log_mass) * u.s / k, lean, curved, mass;

	*swell = 1;
	if (!(stretch > 0))
		return plus;
	if (x >= 0) {
		lean = (t->p - t->delta) * u.a;
		curved = t->delta * u.c;
	} else {
		lean = (exp(x) - t->yq) * -u.a;
		curved = fmax(0, t->delta + expm1(x)) * u.c;
	}
	lean *= stretch / k;
	curved *= stretch / k;
	mass = fmax(plus - lean - curved, 0x1p-46 * (plus + lean + curved));
	*swell = (plus + lean + curved) / mass;
	return mass;
}

/*
 * p S >= y Q(>x) A + f C, which is the same as p S >= y (Q(<=x) |A| + f_back C), and sharper so below 0: the first at its least, all else at its most.  A/S
 * grows with x, Q(>x) and f fall, and Q(<=x) and y f_back = f - 1 + y grow.
 */
double sotto_group_density_down(const struct sotto_group_edge *left,
				const struct sotto_group_edge *right, double least, double k)
{
	const struct sotto_part_tails *a = &left->tails, *b = &right->tails;
	struct sums l = sums_at(left->x, k), r = sums_at(right->x, k);
	double p = fmin(left->density, right->density) * least, bent = r.c / l.s, most;

	if (right->x > 0)
		most = exp(right->x - left->x) * a->yq * fmax(0, r.a / r.s) +
		       (a->delta + a->error) * bent;
	else
		most = (exp(right->x) * (1 + ROUNDING_OF_ONE) - b->yq) * fmax(0, -l.a / l.s) +
		       (fmax(0, b->delta + expm1(right->x)) + b->error) * bent;
	return fmax(0, p * (1 - ROUNDING) - most) * l.s / (k * k);
}

/* The same with the first term at its most and all else at its least. */
bool sotto_group_is_concave(const struct sotto_group_edge *left,
			    const struct sotto_group_edge *right, double most, double k)
{
	const struct sotto_part_tails *a = &left->tails, *b = &right->tails;
	struct sums l = sums_at(left->x, k), r = sums_at(right->x, k);
	double p = fmax(left->density, right->density) * most, bent = l.c / r.s, least;

	if (left->x >= 0)
		least = exp(left->x - right->x) * b->yq * fmax(0, l.a / l.s) +
			fmax(0, b->delta - b->error) * bent;
	else if (right->x <= 0)
		least = fmax(0, exp(left->x) * (1 - ROUNDING_OF_ONE) - a->yq) *
				fmax(0, -r.a / r.s) +
			fmax(0, a->delta + expm1(left->x) - a->error) * bent;
	else
		return false;
	return p * (1 + ROUNDING) < least;
}
