/*
 * Spreads each weight over 30 points with a Gaussian whose values follow each other by
 * multiplication, runs one transform, and divides by the transform of the Gaussian.
 */
#include "core/account/integral/nonuniform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/account/law/law.h"
#include "core/base/failure.h"

/* nonuniform.md: points of the circle, of the spreading, and its width */
enum { CIRCLE = 4 * SOTTO_SEGMENT, REACH = 15, TAPS = 2 * REACH };
#define WIDTH 52.0
#define METHOD_ERROR 3e-17

void sotto_nonuniform_release(struct sotto_nonuniform *u)
{
	sotto_fft_release(&u->fft);
	free(u->circle);
	free(u->cell);
	free(u->rest);
	free(u->sums);
}

/* Where each loss is on the circle, and how crowded that is. */
static enum sotto_status locate(struct sotto_nonuniform *u, const double *loss)
{
	uint32_t *count = calloc(CIRCLE, sizeof *count);

	if (!count)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < u->n; i++) {
		double at = fmod(loss[i] * u->h * (CIRCLE / (2 * M_PI)), CIRCLE), cell;

		at = at < 0 ? at + CIRCLE : at;
		cell = fmin(floor(at), CIRCLE - 1);
		u->cell[i] = (uint32_t)cell;
		u->rest[i] = at - cell;
		count[u->cell[i]]++;
	}
	for (size_t i = 0; i < CIRCLE; i++)
		u->crowd = count[i] > u->crowd ? count[i] : u->crowd;
	free(count);
	return SOTTO_OK;
}

enum sotto_status
sotto_nonuniform_init(struct sotto_nonuniform *u, const double *loss, size_t n, double h)
{
	*u = (struct sotto_nonuniform){.n = n, .h = h};
	u->circle = malloc(CIRCLE * sizeof *u->circle);
	u->cell = malloc(n * sizeof *u->cell);
	u->rest = malloc(n * sizeof *u->rest);
	u->sums = malloc(SOTTO_SEGMENT * sizeof *u->sums);
	if (!u->circle || !u->cell || !u->rest || !u->sums)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_fft_init(&u->fft, CIRCLE));
	return locate(u, loss);
}

/* Adds z exp(-(j - rest)^2 beta) at the points j = 1 - REACH .. REACH from the cell on. */
static void
spread(struct cx *circle, uint32_t cell, double rest, struct cx z, const double *gauss)
{
	const double beta = M_PI * M_PI / WIDTH;
	double middle = exp(-beta * rest * rest), up = exp(2 * beta * rest), tap[TAPS];
	double f = middle, down = 1 / up;

	tap[REACH - 1] = middle;
	for (int j = 1; j <= REACH; j++) {
		f *= up;
		tap[REACH - 1 + j] = f * gauss[j];
	}
	f = middle;
	for (int j = 1; j < REACH; j++) {
		f *= down;
		tap[REACH - 1 - j] = f * gauss[j];
	}
	for (size_t j = 0; j < TAPS; j++) {
		struct cx *c = &circle[(cell + CIRCLE + j - (REACH - 1)) % CIRCLE];

		c->re += z.re * tap[j];
		c->im += z.im * tap[j];
	}
}

void sotto_nonuniform_run(struct sotto_nonuniform *u, const double *loss, const double *weight,
			  uint64_t first)
{
	const double scale = sqrt(WIDTH / M_PI);
	const double middle = u->h * (double)(first + SOTTO_SEGMENT / 2);
	double gauss[REACH + 1];

	for (int j = 0; j <= REACH; j++)
		gauss[j] = exp(-j * j * (M_PI * M_PI / WIDTH));
	memset(u->circle, 0, CIRCLE * sizeof *u->circle);
	for (size_t i = 0; i < u->n; i++)
		if (weight[i] > 0)
			spread(u->circle, u->cell[i], u->rest[i],
			       cx_scale(cx_exp(0, middle * loss[i]), weight[i]), gauss);
	sotto_fft_run(&u->fft, u->circle);
	for (size_t j = 0; j < SOTTO_SEGMENT; j++) {
		double m = (double)j - SOTTO_SEGMENT / 2, x = m / CIRCLE;
		struct cx z = u->circle[(j + CIRCLE - SOTTO_SEGMENT / 2) % CIRCLE];

		u->sums[j] = cx_scale(z, exp(WIDTH * x * x) / scale);
	}
	u->first = first;
	u->made = true;
}

double sotto_nonuniform_error(const struct sotto_nonuniform *u)
{
	/* taps, sines and the sums on the circle, then the transform; undoing stretches them */
	double rounding = SOTTO_U * (24 + TAPS * (double)u->crowd) + sotto_fft_error(&u->fft);

	return exp(WIDTH / 64) * rounding + METHOD_ERROR + 4 * SOTTO_U;
}
