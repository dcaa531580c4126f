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

/* nonuniform.md: points of the circle for each node, of the spreading on each side, its width, and the error of both */
struct sotto_spreading {
	size_t over;
	int reach;
	double width, error;
};
static const struct sotto_spreading spreadings[] = {
	[SOTTO_NONUNIFORM_SHARP] = {4, 15, 52, 3e-17},
	[SOTTO_NONUNIFORM_ROUGH] = {2, 8, 34, 1.5e-7},
};
enum { REACH_MAX = 15 };

void sotto_nonuniform_release(struct sotto_nonuniform *u)
{
	sotto_fft_release(&u->fft);
	free(u->circle);
	free(u->undo);
	free(u->cell);
	free(u->rest);
	free(u->sums);
}

/* Where each loss is on the circle, and how crowded that is. */
static enum sotto_status locate(struct sotto_nonuniform *u, const double *loss)
{
	size_t points = u->fft.n;
	double turn = (double)points;
	uint32_t *count = calloc(points, sizeof *count);

	if (!count)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < u->n; i++) {
		double at = fmod(loss[i] * u->h * (turn / (2 * M_PI)), turn), cell;

		at = at < 0 ? at + turn : at;
		cell = fmin(floor(at), turn - 1);
		u->cell[i] = (uint32_t)cell;
		u->rest[i] = at - cell;
		count[u->cell[i]]++;
	}
	for (size_t i = 0; i < points; i++)
		u->crowd = count[i] > u->crowd ? count[i] : u->crowd;
	free(count);
	return SOTTO_OK;
}

/* What dividing by the spreading's transform does to each node. */
static void set_undo(struct sotto_nonuniform *u)
{
	for (size_t j = 0; j < SOTTO_SEGMENT; j++) {
		double x = ((double)j - SOTTO_SEGMENT / 2) / (double)u->fft.n;

		u->undo[j] = exp(u->how->width * x * x) / sqrt(u->how->width / M_PI);
	}
}

enum sotto_status sotto_nonuniform_init(struct sotto_nonuniform *u, const double *loss,
					size_t n, double h, enum sotto_nonuniform_care care)
{
	size_t points = spreadings[care].over * SOTTO_SEGMENT;

	*u = (struct sotto_nonuniform){.n = n, .h = h, .how = &spreadings[care]};
	u->circle = malloc(points * sizeof *u->circle);
	u->undo = malloc(SOTTO_SEGMENT * sizeof *u->undo);
	u->cell = malloc(n * sizeof *u->cell);
	u->rest = malloc(n * sizeof *u->rest);
	u->sums = malloc(SOTTO_SEGMENT * sizeof *u->sums);
	if (!u->circle || !u->undo || !u->cell || !u->rest || !u->sums)
		return SOTTO_ENOMEM;
	SOTTO_TRY(sotto_fft_init(&u->fft, points));
	set_undo(u);
	return locate(u, loss);
}

/* Adds z exp(-(j - rest)^2 beta) at the points j = 1 - reach .. reach from the cell on. */
static void
spread(struct sotto_nonuniform *u, uint32_t cell, double rest, struct cx z, const double *gauss)
{
	const double beta = M_PI * M_PI / u->how->width;
	const size_t reach = (size_t)u->how->reach, mask = u->fft.n - 1;
	double middle = exp(-beta * rest * rest), up = exp(2 * beta * rest), tap[2 * REACH_MAX];
	double f = middle, down = 1 / up;

	tap[reach - 1] = middle;
	for (size_t j = 1; j <= reach; j++) {
		f *= up;
		tap[reach - 1 + j] = f * gauss[j];
	}
	f = middle;
	for (size_t j = 1; j < reach; j++) {
		f *= down;
		tap[reach - 1 - j] = f * gauss[j];
	}
	for (size_t j = 0; j < 2 * reach; j++) {
		struct cx *c = &u->circle[(cell + u->fft.n + j - (reach - 1)) & mask];

		c->re += z.re * tap[j];
		c->im += z.im * tap[j];
	}
}

void sotto_nonuniform_run(struct sotto_nonuniform *u, const double *loss, const double *weight,
			  uint64_t first)
{
	const double middle = u->h * (double)(first + SOTTO_SEGMENT / 2);
	double gauss[REACH_MAX + 1];

	for (int j = 0; j <= u->how->reach; j++)
		gauss[j] = exp(-j * j * (M_PI * M_PI / u->how->width));
	memset(u->circle, 0, u->fft.n * sizeof *u->circle);
	for (size_t i = 0; i < u->n; i++)
		if (weight[i] != 0)
			spread(u, u->cell[i], u->rest[i],
			       cx_scale(cx_exp(0, middle * loss[i]), weight[i]), gauss);
	sotto_fft_run(&u->fft, u->circle);
	for (size_t j = 0; j < SOTTO_SEGMENT; j++)
		u->sums[j] =
			cx_scale(u->circle[(j + u->fft.n - SOTTO_SEGMENT / 2) & (u->fft.n - 1)],
				 u->undo[j]);
	u->first = first;
	u->made = true;
}

double sotto_nonuniform_steps(const struct sotto_nonuniform *u)
{
	return 9.0 * (double)u->fft.n + (1.5 * u->how->reach + 8) * (double)u->n;
}

double sotto_nonuniform_error(const struct sotto_nonuniform *u)
{
	/* taps, sines and the sums on the circle, then the transform; undoing stretches them */
	double rounding = SOTTO_U * (24 + 2 * u->how->reach * (double)u->crowd) +
			  sotto_fft_error(&u->fft),
	       edge = 0.5 / (double)u->how->over;

	return exp(u->how->width * edge * edge) * rounding + u->how->error + 4 * SOTTO_U;
}
