/* All bounds here are derived in gathered.md. */
#include "core/account/law/gathered/gathered_list.h"

#include <math.h>
#include <stdlib.h>

#include "core/account/law/law.h"

/* Losses that share one outcome: BEFORE below it, the others above. */
enum { TAPS = 16, BEFORE = 7 };

/* |s| times the gap, at most. */
#define REACH 0.4

/* 1/((j-0)(j-1)...), without j - j, for taps numbered from 0: signs alternate. */
static void tap_scales(double scale[TAPS])
{
	double factorial[TAPS] = {1};

	for (int i = 1; i < TAPS; i++)
		factorial[i] = factorial[i - 1] * i;
	for (int j = 0; j < TAPS; j++)
		scale[j] = (j % 2 ? 1 : -1) / (factorial[j] * factorial[TAPS - 1 - j]);
}

/* Outcomes are taken so many at a time: their products do not wait for each other. */
enum { LANES = 4 };

/* Adds each mass at u of the way from tap BEFORE to the next, by the polynomial through all taps. */
static void
spread(double *const *taps, const double *scale, const double *u, const double *mass)
{
	double after[TAPS][LANES], product[LANES];

	for (int i = 0; i < LANES; i++) {
		after[TAPS - 1][i] = 1;
		product[i] = mass[i];
	}
	for (int j = TAPS - 1; j > 0; j--)
		for (int i = 0; i < LANES; i++)
			after[j - 1][i] = after[j][i] * (u[i] + (BEFORE - j));
	for (int j = 0; j < TAPS; j++)
		for (int i = 0; i < LANES; i++) {
			after[j][i] *= product[i] * scale[j];
			product[i] *= u[i] + (BEFORE - j);
		}
	for (int i = 0; i < LANES; i++)
		for (int j = 0; j < TAPS; j++)
			taps[i][j] += after[j][i];
}

static void spread_all(struct sotto_gathered_list *out, const double *loss, const double *mass,
		       size_t n, double low)
{
	double scale[TAPS], per_gap = 1 / out->gap;

	tap_scales(scale);
	for (size_t i = 0; i < n; i += LANES) {
		double u[LANES] = {0}, m[LANES] = {0}, *taps[LANES];

		for (size_t j = 0; j < LANES; j++) {
			double at = i + j < n ? (loss[i + j] - low) * per_gap : 0;
			size_t cell = (size_t)at;

			taps[j] = &out->mass[cell];
			u[j] = at - (double)cell;
			m[j] = i + j < n ? mass[i + j] : 0;
		}
		spread(taps, scale, u, m);
	}
}

/* How many outcomes share one place, at most. */
static double
crowd_of(const struct sotto_gathered_list *l, const double *loss, size_t n, double low)
{
	size_t count[SOTTO_GATHERED_MAX] = {0}, crowd = 0, most = 0;

	for (size_t i = 0; i < n; i++)
		count[(size_t)((loss[i] - low) / l->gap * (1 - 0x1p-40))]++;
	for (size_t i = 0; i < l->n; i++) {
		crowd += count[i] - (i >= TAPS + 1 ? count[i - TAPS - 1] : 0);
		most = crowd > most ? crowd : most;
	}
	return (double)most;
}

/* From one place to the next. */
static double gap_of(double low, double high, size_t size)
{
	return fmax((high - low) / (double)(size - TAPS) * (1 + 0x1p-30),
		    0x1p-40 * (fabs(low) + fabs(high)) + 0x1p-900);
}

enum sotto_status sotto_gathered_list_of(struct sotto_gathered_list *out, const double *loss,
					 const double *mass, size_t n, size_t size)
{
	double low = loss[0], high = loss[0], *all = calloc(2 * size, sizeof *all);

	if (!all)
		return SOTTO_ENOMEM;
	for (size_t i = 1; i < n; i++) {
		low = loss[i] < low ? loss[i] : low;
		high = loss[i] > high ? loss[i] : high;
	}
	*out = (struct sotto_gathered_list){.loss = all, .mass = all + size, .n = size};
	out->gap = gap_of(low, high, size);
	for (size_t i = 0; i < size; i++)
		out->loss[i] = low + ((double)i - BEFORE) * out->gap;
	spread_all(out, loss, mass, n, low);
	out->rounding = 4 * SOTTO_U * (crowd_of(out, loss, n, low) + 256);
	return SOTTO_OK;
}

enum sotto_status sotto_gathered_list_mirror(struct sotto_gathered_list *l)
{
	size_t n = l->n;
	double *all = malloc(4 * n * sizeof *all);

	if (!all)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		all[n - 1 - i] = -l->loss[i];
		all[n + i] = l->loss[i];
		all[2 * n + n - 1 - i] = l->mass[i] * exp(-l->loss[i]);
		all[3 * n + i] = l->mass[i];
	}
	free(l->loss);
	l->loss = all;
	l->mass = all + 2 * n;
	l->n = 2 * n;
	l->shift = 1;
	return SOTTO_OK;
}

/* Of losses at equal distances, of which every RUN-th takes an exponential. */
enum { RUN = 16 };
static void
powers_of(const double *loss, size_t n, double last, double s, double step, double *power)
{
	for (size_t i = 0; i < n; i++)
		power[i] = i % RUN ? power[i - 1] * step : exp(s * (loss[i] - last));
}

void sotto_gathered_list_powers(const struct sotto_gathered_list *l, double s, double *power)
{
	size_t first = l->shift > 0 ? l->n / 2 : 0; /* a mirrored list has two halves */
	double last = l->loss[l->n - 1], step = exp(s * l->gap);

	powers_of(l->loss, first, last, s, step, power);
	powers_of(l->loss + first, l->n - first, last, s, step, power + first);
}

double sotto_gathered_list_reach(const struct sotto_gathered_list *l)
{
	return fmax(0, REACH / l->gap - l->shift);
}

double sotto_gathered_reach_of(double low, double high, size_t size)
{
	return REACH / gap_of(low, high, size);
}

double sotto_gathered_list_error(const struct sotto_gathered_list *l, double c, double t)
{
	double x = hypot(c + l->shift, t) * l->gap,
	       most = fmax(fabs(l->loss[0]), fabs(l->loss[l->n - 1]));

	return 3.1e-6 * pow(x, TAPS) * exp((TAPS - BEFORE) * (c + l->shift) * l->gap) +
	       l->rounding + 16 * SOTTO_U * (c + t) * most;
}
