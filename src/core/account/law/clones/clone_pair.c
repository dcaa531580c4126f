/*
 * Closed forms without cancellation: a series for how rare a number of clones is, and log1p of
 * a small quotient for the losses.
 */
#include "core/account/law/clones/clone_pair.h"

#include <gmp.h>
#include <math.h>

/* Parameters that the bounds were made for. */
#define EPSILON_MIN 1e-9
#define EPSILON_MAX 30.0
#define USERS_MAX 1e16

double sotto_clone_scale(const struct sotto_clone_pair *p)
{
	return 2 * p->tau / sqrt(p->clones + 1);
}

bool sotto_clone_pair_of(const struct sotto_event *e, struct sotto_clone_pair *out)
{
	double e0, half;

	if (e->kind != SOTTO_EVENT_SHUFFLE || (double)e->users > USERS_MAX)
		return false;
	e0 = mpq_get_d(e->local_epsilon.q);
	if (!(e0 >= EPSILON_MIN && e0 <= EPSILON_MAX))
		return false;
	half = exp(-e0) / (1 + exp(-e0)); /* 1 - e^e0/(1+e^e0) */
	*out = (struct sotto_clone_pair){.users = (double)(e->users - 1), .epsilon0 = e0};
	out->tau = tanh(0.5 * e0);
	out->gap = 2 * half;
	out->p = e->is_binary ? 2 * half : exp(-e0);
	out->rest = e->is_binary ? out->tau : -expm1(-e0);
	out->clones = out->users * out->p;
	return true;
}

/* (1+a) log(1+a) - a, without cancellation. */
static double divergence(double a)
{
	double sum = 0, term = a * a;

	if (fabs(a) > 0.2)
		return (1 + a) * log1p(a) - a;
	for (int j = 2; j < 26; j++) {
		sum += term / (j * (j - 1));
		term *= -a;
	}
	return sum;
}

double sotto_clone_deviance(const struct sotto_clone_pair *p, double k)
{
	if (k <= 0)
		return -p->users * log(p->rest);
	if (k >= p->users)
		return -p->users * log(p->p);
	return sotto_clone_deviance_off(p, k - p->clones);
}

double sotto_clone_deviance_off(const struct sotto_clone_pair *p, double more)
{
	double none = p->users * p->rest;

	return p->clones * divergence(more / p->clones) + none * divergence(-more / none);
}

double sotto_clone_loss(const struct sotto_clone_pair *p, double d, double n)
{
	double v = fabs(d) / n, rest = (n - fabs(d)) / n + p->gap * v;

	return copysign(log1p(2 * p->tau * v / rest), d);
}
