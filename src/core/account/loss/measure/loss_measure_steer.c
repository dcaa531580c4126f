/*
 * K of very many laws, roughly: those that weigh most, and every few of the others for all of them.  It steers
 * searches and contours; bounds are made of all laws.
 */
#include <math.h>
#include <stdlib.h>

#include "core/account/loss/measure/loss_measure.h"

/* Laws that are looked at: all up to so many, else this many leaders and about as many of the others. */
enum { ENOUGH = 128, LEADERS = 64 };
/* Orders are quartered so often at most, until K is no more than this. */
enum { LOWER_MAX = 8 };
#define K_NEAR 100.0

/* A law's share of K, the larger of that at a low and that at a high order. */
struct share {
	double size;
	size_t law;
};

static int compare(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return (x->law > y->law) - (x->law < y->law);
}

/* Returns K of all laws; 0, and less is known, if there is no work left. */
static double
weigh(const struct sotto_loss_measure *m, double s, struct share *shares, double *k)
{
	double sum = 0;

	if (!sotto_work_allows(m->work, sotto_measure_cumulant_steps(m, s)))
		return 0;
	for (size_t i = 0; i < m->n; i++) {
		double one[3] = {0};

		sotto_measure_add_cumulants(m, i, s, one);
		k[i] = isfinite(one[0]) ? fmax(0, one[0]) : HUGE_VAL;
		sum += k[i];
	}
	for (size_t i = 0; i < m->n; i++)
		shares[i].size = fmax(shares[i].size, isinf(k[i]) ? 1 : k[i] / sum);
	return sum;
}

/* The same at an order, not above the second, at which K of all laws is about as much as -log of a delta: where contours will be. */
static void weigh_near(const struct sotto_loss_measure *m, struct share *shares, double *k)
{
	double s = 2;

	for (int i = 0; i < LOWER_MAX && weigh(m, s, shares, k) > K_NEAR; i++)
		s /= 4;
}

/* The leaders, and then every few of the others in the order of their K. */
static void choose(struct sotto_loss_measure *m, struct share *shares, const double *k)
{
	size_t stride = (m->n - LEADERS) / (ENOUGH - LEADERS) + 1;

	m->n_leaders = LEADERS;
	for (size_t i = 0; i < LEADERS; i++)
		m->leaders[i] = shares[i].law;
	for (size_t i = LEADERS; i < m->n; i++)
		shares[i].size = k[shares[i].law];
	qsort(shares + LEADERS, m->n - LEADERS, sizeof *shares, compare);
	for (size_t i = LEADERS + stride / 2; i < m->n; i += stride)
		m->leaders[LEADERS + m->n_sampled++] = shares[i].law;
}

enum sotto_status sotto_measure_choose(struct sotto_loss_measure *m)
{
	enum sotto_status st = SOTTO_ENOMEM;
	struct share *shares;
	double *k;

	if (m->n <= ENOUGH)
		return SOTTO_OK;
	shares = malloc(m->n * sizeof *shares);
	k = calloc(m->n, sizeof *k);
	m->leaders = malloc(2 * ENOUGH * sizeof *m->leaders);
	if (shares && k && m->leaders) {
		for (size_t i = 0; i < m->n; i++)
			shares[i] = (struct share){0, i};
		if (!m->has_pieces) /* whose contours are at low orders */
			(void)weigh(m, 20, shares, k);
		weigh_near(m, shares, k);
		qsort(shares, m->n, sizeof *shares, compare);
		choose(m, shares, k);
		st = SOTTO_OK;
	}
	free(k);
	free(shares);
	return st;
}

void sotto_measure_steer(const struct sotto_loss_measure *m, double s, double k[3])
{
	double part[3] = {0}, times;

	if (!m->n_leaders) {
		sotto_measure_cumulants(m, s, k);
		return;
	}
	k[0] = s * (s + 1) * m->mu2 / 2;
	k[1] = (s + 0.5) * m->mu2;
	k[2] = m->mu2;
	for (size_t i = 0; i < m->n_leaders; i++)
		sotto_measure_add_cumulants(m, m->leaders[i], s, k);
	for (size_t i = 0; i < m->n_sampled; i++)
		sotto_measure_add_cumulants(m, m->leaders[m->n_leaders + i], s, part);
	times = m->n_sampled ? (double)(m->n - m->n_leaders) / (double)m->n_sampled : 0;
	for (int i = 0; i < 3; i++)
		k[i] += times * part[i];
}
