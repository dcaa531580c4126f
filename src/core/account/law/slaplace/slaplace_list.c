/* Outcomes of sampled Laplace noise: losses, and the masses that sampling leaves them. */
#include "core/account/law/slaplace/slaplace_list.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/integral/legendre.h"
#include "core/account/law/slaplace/slaplace_panels.h"
#include "core/base/failure.h"

/* A kept list has so many panels at most, for one of these orders. */
enum { KEPT_PANELS = 24 };
static const double kept_orders[] = {22, 6, 3, 2.2, 2.01};

/* log(1 - q + q e^x) */
static double mix(double q, double x)
{
	if (x > 600) /* 1 - q is lost beside q e^x */
		return x + log(q);
	return q < 0.5 ? log1p(q * expm1(x)) : log((1 - q) + q * exp(x));
}

double sotto_slaplace_loss(const struct sotto_law *law, double x)
{
	return law->direction == SOTTO_REMOVE ? mix(law->rate, x) : -mix(law->rate, -x);
}

/* log of the factor q + (1-q) e^-x that sampling puts on the P-mass at x */
static double log_factor(const struct sotto_law *law, double x)
{
	double q = law->rate;

	if (law->direction == SOTTO_ADD)
		return 0;
	return x > 0 ? log(q + (1 - q) * exp(-x)) : log((1 - q) + q * exp(x)) - x;
}

static void
put(struct sotto_slaplace_list *l, const struct sotto_law *law, double x, double log_mass)
{
	double loss = sotto_slaplace_loss(law, x);

	l->loss[l->n] = loss;
	l->log_mass[l->n] = log_mass + log_factor(law, x);
	l->mass[l->n] = exp(l->log_mass[l->n]);
	l->gain[l->n++] = expm1(-loss);
}

static struct sotto_slaplace_list *allocate(size_t n)
{
	struct sotto_slaplace_list *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->loss = malloc(4 * n * sizeof *l->loss);
	if (!l->loss) {
		free(l);
		return NULL;
	}
	l->log_mass = l->loss + n;
	l->mass = l->log_mass + n;
	l->gain = l->mass + n;
	return l;
}

enum sotto_status sotto_slaplace_list_new(const struct sotto_law *law, double order,
					  struct sotto_slaplace_list **out)
{
	size_t panels = sotto_slaplace_panels_count(law->rate, law->noise_epsilon, order);
	double a = law->noise_epsilon, middle, half, x[SOTTO_LEGENDRE], w[SOTTO_LEGENDRE];
	struct sotto_slaplace_list *l = allocate(2 + SOTTO_LEGENDRE * panels);
	struct sotto_slaplace_panels p;

	if (!l)
		return SOTTO_ENOMEM;
	l->laid = order;
	l->order = panels < SOTTO_SLAPLACE_PANELS ? order : 0;
	put(l, law, a, log(0.5));
	put(l, law, -a, log(0.5) - a);
	sotto_slaplace_panels_init(&p, law->rate, a, order);
	for (size_t i = 0; i < panels && sotto_slaplace_panels_next(&p, &middle, &half); i++) {
		sotto_legendre(-sotto_slaplace_start(law) * middle, half, x, w);
		for (int j = 0; j < SOTTO_LEGENDRE; j++)
			put(l, law, x[j], log(w[j] * 0.25) + (x[j] - a) / 2);
	}
	*out = l;
	return SOTTO_OK;
}

void sotto_slaplace_list_free(struct sotto_slaplace_list *l)
{
	if (!l)
		return;
	free(l->loss);
	free(l);
}

/* E[e^(sL)] - 1 = E[e^(sL) - 1 - s (1 - e^-L)] since E e^-L = 1: small terms stay sharp. */
static double sum_small(const struct sotto_slaplace_list *l, double s, double *rough)
{
	double sum = 0;

	*rough = 0;
	for (size_t i = 0; i < l->n; i++) {
		double m = l->mass[i], e = expm1(s * l->loss[i]);

		sum += m * (e + s * l->gain[i]);
		*rough += m * (fabs(e) + s * fabs(l->gain[i]));
	}
	return sum;
}

void sotto_slaplace_list_sum(const struct sotto_slaplace_list *l, const struct sotto_law *law,
			     double s, double k[3], double *size)
{
	double most = -INFINITY, sum = 0, mean = 0, square = 0, rough;

	for (size_t i = 0; i < l->n; i++)
		most = fmax(most, l->log_mass[i] + s * l->loss[i]);
	for (size_t i = 0; i < l->n; i++) {
		double w = exp(l->log_mass[i] + s * l->loss[i] - most);

		sum += w;
		mean += w * l->loss[i];
		square += w * l->loss[i] * l->loss[i];
	}
	mean /= sum;
	k[0] = most + log(sum);
	k[1] = mean;
	k[2] = fmax(0, square / sum - mean * mean);
	*size = 64 + (double)l->n + 8 * fabs(s * law->top) + 8 * law->noise_epsilon;
	if (!(k[0] < 0.4)) /* of a sum up to 1/2 */
		return;
	sum = sum_small(l, s, &rough);
	if (rough < 1e3) {
		k[0] = log1p(sum);
		*size = 64 * rough;
	}
}

enum sotto_status sotto_slaplace_keep_list(struct sotto_law *law)
{
	for (size_t i = 0; i < sizeof kept_orders / sizeof *kept_orders; i++)
		if (sotto_slaplace_panels_count(law->rate, law->noise_epsilon,
						kept_orders[i]) <= KEPT_PANELS)
			return sotto_slaplace_list_new(law, kept_orders[i], &law->kept);
	return SOTTO_OK;
}
