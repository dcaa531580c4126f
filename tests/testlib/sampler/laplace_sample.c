/*
 * Transposes 64 draws into bit planes and counts them and their pairs by population count, so
 * that hundreds of millions of draws can be judged.
 */
#include "testlib/sampler/laplace_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double e_folds[SAMPLE_TAILS] = {10, 20, 30};

struct laplace_sample *laplace_sample_new(double eps, unsigned value_bits, bool has_sign)
{
	struct laplace_sample *s = calloc(1, sizeof *s);

	if (!s)
		abort();
	s->eps = eps;
	s->value_bits = value_bits;
	s->has_sign = has_sign;
	/* 45 e-folds fit the cells */
	while (ldexp(SAMPLE_CELLS, (int)s->shift) * eps < 45)
		s->shift++;
	return s;
}

/* ---- adding draws ---- */

#if defined(__x86_64__)
#define POPCOUNT_TARGET __attribute__((target("popcnt")))
#else
#define POPCOUNT_TARGET
#endif

/* Bit i of m[j] becomes bit j of m[i]: blocks of halving size are exchanged. */
static void transpose(uint64_t m[64])
{
	uint64_t mask = UINT32_MAX;

	for (unsigned j = 32; j; j >>= 1, mask ^= mask << j)
		for (unsigned k = 0; k < 64; k = ((k | j) + 1) & ~j) {
			uint64_t t = (m[k] >> j ^ m[k | j]) & mask;

			m[k] ^= t << j;
			m[k | j] ^= t;
		}
}

static unsigned planes_of(const struct laplace_sample *s)
{
	return s->value_bits + s->has_sign;
}

/* Pairs of draws are disjoint, so that they are independent of each other. */
POPCOUNT_TARGET static void
add_lags(struct laplace_sample *s, unsigned group, const uint64_t *plane)
{
	const uint64_t even = UINT64_C(0x5555555555555555), low = UINT32_MAX;
	uint64_t(*before)[SAMPLE_PLANES] = s->previous;

	for (unsigned k = 0; k < planes_of(s); k++) {
		uint64_t w = plane[k];

		s->lag[0][k] += (uint64_t)__builtin_popcountll(w & w >> 1 & even);
		s->lag[1][k] += (uint64_t)__builtin_popcountll(w & w >> 32 & low);
		if (group % 2)
			s->lag[2][k] +=
				(uint64_t)__builtin_popcountll(w & before[group - 1][k]);
		if (s->odd_block)
			s->lag[3][k] += (uint64_t)__builtin_popcountll(w & before[group][k]);
		before[group][k] = w;
	}
}

POPCOUNT_TARGET static void add_planes(struct laplace_sample *s, const uint64_t *plane)
{
	for (unsigned i = 0; i < planes_of(s); i++) {
		s->ones[i] += (uint64_t)__builtin_popcountll(plane[i]);
		for (unsigned j = i + 1; j < planes_of(s); j++)
			s->both[i][j] += (uint64_t)__builtin_popcountll(plane[i] & plane[j]);
	}
}

static void add_cells(struct laplace_sample *s, const int64_t z[64])
{
	for (unsigned i = 0; i < 64; i++) {
		bool negative = z[i] < 0;
		uint64_t g = (uint64_t)(z[i] ^ -(int64_t)negative) >> s->shift;

		s->cell[negative][g < SAMPLE_CELLS ? g : SAMPLE_CELLS - 1]++;
	}
}

static void add_signs(struct laplace_sample *s, const int64_t z[64])
{
	uint64_t zeros = 0, negatives = 0;

	for (unsigned i = 0; i < 64; i++) {
		zeros += z[i] == 0;
		negatives += z[i] < 0;
	}
	s->zeros += zeros;
	s->negatives += negatives;
}

static void add_tails(struct laplace_sample *s, const int64_t z[64])
{
	for (unsigned t = 0; t < SAMPLE_TAILS; t++) {
		const int64_t from = (int64_t)ceil(e_folds[t] / s->eps);
		uint64_t count = 0;

		for (unsigned i = 0; i < 64; i++)
			count += (z[i] < 0 ? -z[i] : z[i]) >= from;
		s->tail[t] += count;
	}
}

void laplace_sample_add(struct laplace_sample *s, const int64_t z[SAMPLE_BLOCK])
{
	for (unsigned group = 0; group < SAMPLE_BLOCK / 64; group++, z += 64) {
		uint64_t plane[64 + 1], sign = 0;

		for (unsigned i = 0; i < 64; i++) {
			plane[i] = (uint64_t)(z[i] ^ -(int64_t)(z[i] < 0));
			sign |= (uint64_t)(z[i] < 0) << i;
		}
		transpose(plane);
		plane[s->value_bits] = sign;
		add_planes(s, plane);
		add_lags(s, group, plane);
		add_cells(s, z);
		add_signs(s, z);
		add_tails(s, z);
	}
	s->odd_block = !s->odd_block;
	s->n += SAMPLE_BLOCK;
}

/* ---- what the law says ---- */

static double sign_probability(const struct laplace_sample *s, bool negative)
{
	double p = s->has_sign ? 1 / (1 + exp(s->eps)) : 0;

	return negative ? p : 1 - p;
}

static double plane_probability(const struct laplace_sample *s, unsigned k)
{
	return 1 / (1 + exp(k == s->value_bits ? s->eps : ldexp(s->eps, (int)k)));
}

/* P(sign, first <= cell of G < last) = P(sign) (a^(first w) - a^(last w)) */
static double
cells_probability(const struct laplace_sample *s, bool negative, size_t first, size_t last)
{
	double x = ldexp(s->eps, (int)s->shift);
	double beyond = last == SAMPLE_CELLS ? 0 : exp(-x * (double)(last - first));

	return sign_probability(s, negative) * exp(-x * (double)first) * (1 - beyond);
}

static double
cells_count(const struct laplace_sample *s, bool negative, size_t first, size_t last)
{
	double count = 0;

	for (size_t i = first; i < last; i++)
		count += s->cell[negative][i];
	return count;
}

/* ---- questions ---- */

static void judge_planes(const struct laplace_sample *s, struct verdict *v)
{
	for (unsigned i = 0; i < planes_of(s); i++) {
		double p = plane_probability(s, i);

		verdict_add(v, log_p_count(s->n, p, (double)s->ones[i]), "plane %u", i);
		for (unsigned j = i + 1; j < planes_of(s); j++)
			verdict_add(v,
				    log_p_count(s->n, p * plane_probability(s, j),
						(double)s->both[i][j]),
				    "planes %u and %u", i, j);
		for (unsigned l = 0; l < SAMPLE_LAGS; l++)
			verdict_add(v, log_p_count(s->n / 2, p * p, (double)s->lag[l][i]),
				    "plane %u, lag %u", i, l);
	}
}

/*
 * Merges neighbouring cells until at least 100 are expected in each; returns how
 * many that makes.  The open end goes to the last.
 */
static size_t
merge_cells(const struct laplace_sample *s, bool negative, double *expected, double *observed)
{
	size_t merged = 0, first = 0;

	for (size_t last = 1; last <= SAMPLE_CELLS; last++) {
		double rest = s->n * cells_probability(s, negative, last, SAMPLE_CELLS);
		double e = s->n * cells_probability(s, negative, first, last);

		if (last < SAMPLE_CELLS && (e < 100 || rest < 100))
			continue;
		expected[merged] = e;
		observed[merged++] = cells_count(s, negative, first, last);
		first = last;
	}
	return merged;
}

static void judge_histogram(const struct laplace_sample *s, struct verdict *v)
{
	double *expected = malloc(2 * SAMPLE_CELLS * sizeof *expected);
	double *observed = malloc(2 * SAMPLE_CELLS * sizeof *observed);
	size_t n = 0;

	if (!expected || !observed)
		abort();
	for (int negative = 0; negative <= (int)s->has_sign; negative++)
		n += merge_cells(s, negative, expected + n, observed + n);
	verdict_add(v, log_p_chi_square(expected, observed, n), "chi-square of %zu cells", n);
	free(expected);
	free(observed);
}

/* Walks from the most negative cell up, comparing the two distribution functions. */
static void judge_distance(const struct laplace_sample *s, struct verdict *v)
{
	double seen = 0, worst = 0;

	for (size_t i = SAMPLE_CELLS; i-- > 0;) {
		seen += s->cell[1][i];
		worst = fmax(worst,
			     fabs(seen / s->n - cells_probability(s, true, i, SAMPLE_CELLS)));
	}
	for (size_t i = 0; i < SAMPLE_CELLS; i++) {
		seen += s->cell[0][i];
		worst = fmax(worst, fabs((s->n - seen) / s->n -
					 cells_probability(s, false, i + 1, SAMPLE_CELLS)));
	}
	verdict_add(v, log_p_distance(s->n, worst), "distribution function");
}

/* log P(z)/P(z + w) = eps w up to 10 e-folds, in steps of about an eighth of one. */
static void judge_ratios(const struct laplace_sample *s, struct verdict *v)
{
	double x = ldexp(s->eps, (int)s->shift);
	size_t step = x < 0.125 ? (size_t)(0.125 / x) : 1;

	for (int negative = 0; negative <= (int)s->has_sign; negative++)
		for (size_t at = 0; (double)(at + step) * x <= 10; at += step) {
			double here = cells_count(s, negative, at, at + step);
			double next = cells_count(s, negative, at + step, at + 2 * step);

			verdict_add(v,
				    log_p_count(here + next, 1 / (1 + exp(-x * (double)step)),
						here),
				    "ratio at %.3g e-folds, sign %d", (double)at * x, negative);
		}
}

static void judge_ends(const struct laplace_sample *s, struct verdict *v)
{
	const double twice = s->has_sign ? 2 * sign_probability(s, false) : 1;
	const double at_zero = s->has_sign ? tanh(s->eps / 2) : -expm1(-s->eps);

	for (unsigned t = 0; t < SAMPLE_TAILS; t++) {
		double p = twice * exp(-s->eps * ceil(e_folds[t] / s->eps));

		verdict_add(v, log_p_count(s->n, p, (double)s->tail[t]), "tail at %g e-folds",
			    e_folds[t]);
	}
	verdict_add(v, log_p_count(s->n, at_zero, (double)s->zeros), "zeros");
	if (s->has_sign)
		verdict_add(v, log_p_count(s->n - (double)s->zeros, 0.5, (double)s->negatives),
			    "symmetry");
}

void laplace_sample_judge(const struct laplace_sample *s, struct verdict *v)
{
	judge_planes(s, v);
	judge_histogram(s, v);
	judge_distance(s, v);
	judge_ratios(s, v);
	judge_ends(s, v);
}

/*
 * Given both counts of a cell, each draw is a's with probability n_a/(n_a + n_b).
 * Cells are merged to some hundred: more of them see less.
 */
double log_p_same_law(const struct laplace_sample *a, const struct laplace_sample *b)
{
	const double share = a->n / (a->n + b->n), least = (a->n + b->n) / 400;
	double x = 0, cells = 0, in_a = 0, in_b = 0;

	for (int negative = 0; negative <= (int)a->has_sign; negative++)
		for (size_t i = 0; i < SAMPLE_CELLS; i++) {
			in_a += a->cell[negative][i];
			in_b += b->cell[negative][i];
			if (in_a + in_b < least)
				continue;
			x += pow(in_a - share * (in_a + in_b), 2) /
			     (share * (1 - share) * (in_a + in_b));
			cells++;
			in_a = in_b = 0;
		}
	return x <= cells ? 0 : -(x - cells - cells * log(x / cells)) / 2;
}
