/* One draw after the other: each adds an atom at both ends and a uniform stretch between them (argument in law_pieces.md). */
#include "core/account/law/pieces/laplace_fold.h"

#include <math.h>
#include <string.h>

#include "core/account/integral/legendre.h"

/* How far from the middle of a stretch ellipses reach, in halves of it. */
#define REACH 2.2

static double value(const double *power, double u)
{
	double sum = 0;

	for (size_t i = SOTTO_FOLD_MAX; i-- > 0;)
		sum = sum * u + power[i];
	return sum;
}

/* sum += by times the integral from -1 to u, or from u to 1 */
static void add_integral(double *sum, const double *power, double by, bool from_below)
{
	for (size_t i = 0; i + 1 < SOTTO_FOLD_MAX; i++) {
		double c = by * power[i] / (double)(i + 1);

		sum[i + 1] += from_below ? c : -c;
		sum[0] += from_below ? (i % 2 ? -c : c) : c;
	}
}

/* One draw more, without the factor e^((loss - n a)/2). */
static void fold(struct sotto_laplace_fold *f)
{
	double quarter = f->a / 4, power[SOTTO_FOLD_MAX][SOTTO_FOLD_MAX] = {{0}},
	       atom[SOTTO_FOLD_MAX + 1] = {0};

	for (size_t j = 0; j <= f->n; j++) {
		atom[j] += f->atom[j] / 2;
		atom[j + 1] += f->atom[j] / 2;
		power[j][0] += quarter * f->atom[j];
	}
	for (size_t j = 0; j < f->n; j++) {
		for (size_t i = 0; i < SOTTO_FOLD_MAX; i++) {
			power[j][i] += f->power[j][i] / 2;
			power[j + 1][i] += f->power[j][i] / 2;
		}
		add_integral(power[j], f->power[j], quarter, false);
		add_integral(power[j + 1], f->power[j], quarter, true);
	}
	f->n++;
	memcpy(f->atom, atom, sizeof atom);
	memcpy(f->power, power, sizeof power);
}

double sotto_laplace_fold_place(const struct sotto_laplace_fold *f, size_t j)
{
	return ((double)f->n - 2 * (double)j) * f->a;
}

/* Masses of the losses from u to 1 in stretch j. */
static void
integrate(const struct sotto_laplace_fold *f, size_t j, double u, double *p, double *q)
{
	double x[SOTTO_LEGENDRE], w[SOTTO_LEGENDRE], n = (double)f->n,
						     middle = n - 2 * (double)j - 1;

	*p = *q = 0;
	sotto_legendre(0.5 * (1 + u), 0.5 * (1 - u), x, w);
	for (int i = 0; i < SOTTO_LEGENDRE; i++) {
		double loss = (middle + x[i]) * f->a,
		       mass = w[i] * value(f->power[j], x[i]) * exp((loss - n * f->a) / 2);

		*p += mass;
		*q += mass * exp(-loss);
	}
}

/* Bounds of the polynomials: each is at least the part that the atom above it has made, since all other parts are positive. */
static void bound(struct sotto_laplace_fold *f, const double *least)
{
	for (size_t j = 0; j < f->n; j++) {
		double far = 0, most = 0, bend = 0;

		for (size_t i = SOTTO_FOLD_MAX; i-- > 0;) {
			bend += (double)(i * (i - (i > 0))) * fabs(f->power[j][i]) / 8;
			far = far * REACH + fabs(f->power[j][i]);
			most += fabs(f->power[j][i]);
		}
		f->bend = fmax(f->bend, bend / least[j]);
		f->growth = fmax(f->growth, far / least[j]);
		f->most = fmax(f->most, most / f->a);
		f->variation = fmax(f->variation, 2 * (most - fabs(f->power[j][0])) / f->a);
	}
}

void sotto_laplace_fold_of(struct sotto_laplace_fold *f, double a, size_t n)
{
	double least[SOTTO_FOLD_MAX] = {0};

	*f = (struct sotto_laplace_fold){.a = a, .atom = {1}};
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j <= i; j++)
			least[j] = a / 4 * f->atom[j];
		fold(f);
	}
	bound(f, least);
	for (size_t j = 0; j < f->n; j++)
		integrate(f, j, -1, &f->mass_p[j], &f->mass_q[j]);
	for (size_t j = 0; j <= f->n; j++)
		f->atom[j] *= exp(-(double)j * a);
}

void sotto_laplace_fold_tails(const struct sotto_laplace_fold *f, double x, double *p,
			      double *q)
{
	*p = *q = 0;
	for (size_t j = 0; j <= f->n; j++) {
		double place = sotto_laplace_fold_place(f, j), part_p, part_q;

		if (!(place > x))
			return;
		*p += f->atom[j];
		*q += f->atom[j] * exp(-place);
		if (j == f->n)
			return;
		if (sotto_laplace_fold_place(f, j + 1) > x) {
			*p += f->mass_p[j];
			*q += f->mass_q[j];
			continue;
		}
		integrate(f, j, fmax(-1, (x - place) / f->a + 1), &part_p, &part_q);
		*p += part_p;
		*q += part_q;
		return;
	}
}

double sotto_laplace_fold_polynomial(const struct sotto_laplace_fold *f, double x)
{
	double n = (double)f->n, at = (n - x / f->a) / 2, j = fmin(fmax(floor(at), 0), n - 1);

	return value(f->power[(size_t)j], x / f->a - (n - 2 * j - 1)) / f->a;
}
