/*
 * Counts cells, signs, bits and pairs while draws come in; the questions to the law are put
 * once, at the end.
 */
#include "testlib/sampler/gauss_sample.h"

#include <math.h>
#include <stdlib.h>

#include "core/number/gauss_sum.h"

enum { PRECISION = 96 };

static const unsigned lags[GAUSS_LAGS] = {1, 8, 64};

/* The law, as far as sums over y >= m go. */
struct law {
	mpq_t sigma2;
	struct sotto_enclosure total, tail;
};

/* P[y >= m], m > 0 */
static double p_at_least(struct law *l, int64_t m)
{
	double p;
	mpz_t z;

	mpz_init_set_si(z, m);
	sotto_gauss_sum_tail(&l->tail, z, l->sigma2, PRECISION);
	sotto_enclosure_divide(&l->tail, &l->tail, &l->total);
	p = mpfr_get_d(l->tail.lo, MPFR_RNDN);
	mpz_clear(z);
	return p;
}

/*
 * Cells lie symmetrically: the middle one holds 0 and width - 1 integers more, half
 * of them on either side, so every mass is computed once.
 */
static void set_cells(struct gauss_sample *s, struct law *l)
{
	const int middle = GAUSS_CELLS / 2;
	int64_t edge;
	double beyond;

	s->width = 2 * (int64_t)(6.5 * s->sigma / GAUSS_CELLS) + 1;
	s->first = -(s->width - 1) / 2 - (middle - 1) * s->width;
	edge = (s->width + 1) / 2;
	beyond = p_at_least(l, edge);
	s->mass[middle] = 1 - 2 * beyond;
	for (int i = middle + 1; i < GAUSS_CELLS - 1; i++) {
		double further = p_at_least(l, edge += s->width);

		s->mass[i] = s->mass[2 * middle - i] = beyond - further;
		beyond = further;
	}
	s->mass[GAUSS_CELLS - 1] = s->mass[2 * middle - GAUSS_CELLS + 1] = beyond;
}

struct gauss_sample *gauss_sample_new(const mpq_t sigma2)
{
	struct gauss_sample *s = calloc(1, sizeof *s);
	struct law l;

	if (!s)
		abort();
	mpq_init(l.sigma2);
	mpq_set(l.sigma2, sigma2);
	sotto_enclosure_init(&l.total, PRECISION);
	sotto_enclosure_init(&l.tail, PRECISION);
	sotto_gauss_sum_total(&l.total, sigma2, PRECISION);
	s->sigma = sqrt(mpq_get_d(sigma2));
	set_cells(s, &l);
	s->p_positive = p_at_least(&l, 1);
	for (int i = 0; i < GAUSS_TAILS; i++) {
		s->reach[i] = (int64_t)ceil((i + 1) * s->sigma);
		s->p_tail[i] = 2 * p_at_least(&l, s->reach[i]);
	}
	/* Bit b is fair to exp(-2 pi^2 4) where sigma >= 2^(b+2). */
	while (s->bits < GAUSS_BITS && ldexp(1, (int)s->bits + 2) <= s->sigma)
		s->bits++;
	sotto_enclosure_release(&l.total);
	sotto_enclosure_release(&l.tail);
	mpq_clear(l.sigma2);
	return s;
}

static size_t cell_of(const struct gauss_sample *s, int64_t y)
{
	int64_t i = y < s->first ? 0 : (y - s->first) / s->width + 1;

	return i < GAUSS_CELLS ? (size_t)i : GAUSS_CELLS - 1;
}

/* Pairs that do not overlap: i and i + lag for every second stretch of lag draws. */
static void add_pairs(struct gauss_sample *s, const int64_t *y)
{
	for (int k = 0; k < GAUSS_LAGS; k++)
		for (unsigned i = 0; i < GAUSS_BLOCK; i += 2 * lags[k])
			for (unsigned j = i; j < i + lags[k]; j++)
				s->both[k] += (y[j] > 0) & (y[j + lags[k]] > 0);
}

static void add_bits(struct gauss_sample *s, const int64_t *y)
{
	for (unsigned b = 0; b < s->bits; b++)
		for (unsigned i = 0; i < GAUSS_BLOCK; i++)
			s->ones[b] += (uint64_t)y[i] >> b & 1;
	s->n_bits += GAUSS_BLOCK;
}

void gauss_sample_add(struct gauss_sample *s, const int64_t y[GAUSS_BLOCK])
{
	for (unsigned i = 0; i < GAUSS_BLOCK; i++) {
		s->cell[cell_of(s, y[i])]++;
		s->sum += y[i];
		s->positive += y[i] > 0;
	}
	for (int k = 0; k < GAUSS_TAILS; k++)
		for (unsigned i = 0; i < GAUSS_BLOCK; i++)
			s->tail[k] += (y[i] >= s->reach[k]) | (-y[i] >= s->reach[k]);
	if ((s->n / GAUSS_BLOCK) % 8 == 0)
		add_bits(s, y);
	add_pairs(s, y);
	s->n += GAUSS_BLOCK;
}

/* Cells put together until each expects 100; the rest goes to the last. */
static double log_p_cells(const struct gauss_sample *s)
{
	double n = (double)s->n, e = 0, o = 0, e_left = n;
	double expected[GAUSS_CELLS], observed[GAUSS_CELLS];
	size_t cells = 0;

	for (int i = 0; i < GAUSS_CELLS; i++) {
		e += n * s->mass[i];
		o += (double)s->cell[i];
		if (e < 100 || e_left - e < 100)
			continue;
		expected[cells] = e;
		observed[cells++] = o;
		e_left -= e;
		e = o = 0;
	}
	expected[cells] = e;
	observed[cells++] = o;
	return log_p_chi_square(expected, observed, cells);
}

static double distance(const struct gauss_sample *s)
{
	double difference = 0, most = 0;

	for (int i = 0; i < GAUSS_CELLS; i++) {
		difference += (double)s->cell[i] / (double)s->n - s->mass[i];
		most = fmax(most, fabs(difference));
	}
	return most;
}

void gauss_sample_judge(const struct gauss_sample *s, struct verdict *v)
{
	double n = (double)s->n, mean = (double)s->sum / s->sigma / n;
	double p = s->p_positive;

	verdict_add(v, log_p_cells(s), "histogram");
	verdict_add(v, log_p_distance(n, distance(s)), "distribution function");
	/* The discrete Gaussian is sigma-sub-Gaussian (CKS20). */
	verdict_add(v, fmin(0, log(2) - n * mean * mean / 2), "mean");
	verdict_add(v, log_p_count(n, p, (double)s->positive), "sign");
	for (int k = 0; k < GAUSS_LAGS; k++)
		verdict_add(v, log_p_count(n / 2, p * p, (double)s->both[k]),
			    "positive pairs, lag %u", lags[k]);
	for (unsigned b = 0; b < s->bits; b++)
		verdict_add(v, log_p_count((double)s->n_bits, 0.5, (double)s->ones[b]),
			    "bit %u", b);
	for (int k = 0; k < GAUSS_TAILS; k++)
		verdict_add(v, log_p_count(n, s->p_tail[k], (double)s->tail[k]), "%d sigma",
			    k + 1);
}

/* Pearson's two-sample sum, over cells in which the smaller sample expects 100. */
double log_p_same_gauss(const struct gauss_sample *a, const struct gauss_sample *b)
{
	double na = (double)a->n, nb = (double)b->n, ra = sqrt(nb / na), rb = sqrt(na / nb);
	double x = 0, degrees = -1, ca = 0, cb = 0;

	for (int i = 0; i < GAUSS_CELLS; i++) {
		ca += (double)a->cell[i];
		cb += (double)b->cell[i];
		if ((ca + cb) * fmin(na, nb) / (na + nb) < 100)
			continue;
		x += (ra * ca - rb * cb) * (ra * ca - rb * cb) / (ca + cb);
		degrees++;
		ca = cb = 0;
	}
	return x <= degrees ? 0 : -(x - degrees - degrees * log(x / degrees)) / 2;
}
