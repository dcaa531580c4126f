/* One draw after the other: each adds an atom at both ends and a uniform stretch between them.  All sums are of positive terms. */
#include "core/account/law/outcomes/laplace_draws.h"

#include <string.h>

/* to += part of the polynomial that is here of degree n - 1 and there of degree n */
static void add_raised(const double *b, size_t n, double part, double *to)
{
	for (size_t i = 0; i <= n; i++) {
		double below = i > 0 ? (double)i * b[i - 1] : 0,
		       above = i < n ? (double)(n - i) * b[i] : 0;

		to[i] += part * (below + above) / (double)n;
	}
}

/* to += by times the integral from the lower end on, and from the upper one: a stretch is 2 long. */
static void add_integrals(const double *b, size_t n, double by, double *below, double *above)
{
	double run = 0;

	for (size_t i = 0; i <= n; i++) {
		below[i] += by * 2 / (double)n * run;
		run += i < n ? b[i] : 0;
	}
	run = 0;
	for (size_t i = n + 1; i-- > 0;) {
		run += i < n ? b[i] : 0;
		above[i] += by * 2 / (double)n * run;
	}
}

/* One draw more. */
static void draw(struct sotto_laplace_draws *d)
{
	double next[SOTTO_LAPLACE_DRAWS_MAX][SOTTO_LAPLACE_DRAWS_MAX] = {{0}},
	       atom[SOTTO_LAPLACE_DRAWS_MAX + 1] = {0}, quarter = d->a / 4;
	size_t n = d->n;

	for (size_t j = 0; j <= n; j++) {
		atom[j] += d->atom[j] / 2;
		atom[j + 1] += d->atom[j] / 2;
		for (size_t i = 0; i <= n; i++)
			next[j][i] += quarter * d->atom[j];
	}
	for (size_t j = 0; j < n; j++) {
		add_raised(d->bernstein[j], n, 0.5, next[j]);
		add_raised(d->bernstein[j], n, 0.5, next[j + 1]);
		add_integrals(d->bernstein[j], n, quarter, next[j + 1], next[j]);
	}
	d->n++;
	memcpy(d->atom, atom, sizeof atom);
	memcpy(d->bernstein, next, sizeof next);
}

void sotto_laplace_draws_of(struct sotto_laplace_draws *d, double a, size_t n)
{
	*d = (struct sotto_laplace_draws){.a = a, .atom = {1}};
	for (size_t i = 0; i < n; i++)
		draw(d);
}

double sotto_laplace_draws_at(const struct sotto_laplace_draws *d, size_t j, double x)
{
	double scale = 1, sum = 0, choose = 1, low = 1 - x;
	const double *b = d->bernstein[j];

	for (size_t i = d->n; i-- > 0;) { /* from the last coefficient down, powers of low */
		sum = sum * x + choose * scale * b[i];
		choose *= (double)i / (double)(d->n - i);
		scale *= low;
	}
	return sum;
}
