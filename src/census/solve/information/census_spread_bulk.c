/* Spreads: covariances with directions in which nothing is known (marginals.md). */
#include "census/solve/information/census_spread.h"

#include <math.h>
#include <string.h>

#include "census/solve/information/census_symmetric.h"

/* Projections have eigenvalues 0 and 1: what is below this is a 0. */
static const double unknown_floor = 1e-9;

size_t sotto_census_spread_size(const struct sotto_census_basis *b)
{
	return 2 * b->block;
}

size_t sotto_census_spread_work(const struct sotto_census_basis *b)
{
	return 12 * b->places * b->places + 2 * b->places;
}

void sotto_census_spread_forget(const struct sotto_census_basis *b, uint64_t mask, double *s)
{
	size_t d = b->places;

	memset(s, 0, 2 * b->block * sizeof *s);
	for (size_t t = 0; t < b->components; t++)
		for (size_t e = 0; e < d; e++)
			s[b->block + (t * d + e) * d + e] = mask >> e & 1 ? 1 : 0;
}

void sotto_census_spread_add(const struct sotto_census_basis *b, const double *more,
			     double *sum)
{
	for (size_t i = 0; i < 2 * b->block; i++)
		sum[i] += more[i];
}

static bool is_zero(const double *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != 0)
			return false;
	return true;
}

static void set_identity(size_t d, double *a)
{
	for (size_t i = 0; i < d * d; i++)
		a[i] = i % (d + 1) == 0;
}

/* The finite part counts only across the unknown directions: f := (I - u) f (I - u). */
static void cut_unknown(size_t d, const double *u, double *f, double *work)
{
	double *rest = work, *out = work + d * d;

	if (is_zero(u, d * d))
		return;
	set_identity(d, rest);
	for (size_t i = 0; i < d * d; i++)
		rest[i] -= u[i];
	sotto_small_sandwich(d, d, rest, f, out, out + d * d);
	memcpy(f, out, d * d * sizeof *f);
}

/* u := the projection on its range. */
static void set_projection(size_t d, double *u, double *work)
{
	double *inverse = work, *range = work + d * d;

	if (is_zero(u, d * d))
		return;
	sotto_symmetric_invert(d, u, unknown_floor, inverse, range, range + d * d);
	memcpy(u, range, d * d * sizeof *u);
}

/* ---- a measurement ---------------------------------------------------------------------------------- */

/* Everything was known somehow: f := (I + f p)^-1 f. */
static void measure_known(size_t d, const double *p, double *f, double *gain, double *work)
{
	sotto_small_multiply(d, d, d, f, p, work);
	for (size_t i = 0; i < d; i++)
		work[i * d + i] += 1;
	memcpy(gain, f, d * d * sizeof *gain);
	sotto_small_solve(d, work, gain);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
			f[i * d + j] = (gain[i * d + j] + gain[j * d + i]) / 2;
	memcpy(gain, f, d * d * sizeof *gain);
}

/* Is u all of some places, among them all that p tells of? */
static bool is_all_of(size_t d, const double *u, const double *p)
{
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
			if (u[i * d + j] != (i == j && u[i * d + i] != 0) ||
			    (p[i * d + j] != 0 && u[i * d + i] == 0))
				return false;
	return true;
}

/* Nothing was known: f := p^-1, on the places that there are. */
static void
measure_unknown(size_t d, const double *p, double *f, double *u, double *gain, double *work)
{
	double *range = work;

	sotto_symmetric_invert(d, p, 0, f, range, work + d * d);
	for (size_t i = 0; i < d * d; i++)
		u[i] -= range[i];
	set_projection(d, u, work);
	memcpy(gain, f, d * d * sizeof *gain);
}

/*
 * p as rows with noise of variance 1: rows[i] is the square root of an eigenvalue times its vector;
 * back[i] takes h to the row's answer.  Returns their number.
 */
static size_t
split_information(size_t d, const double *p, double *rows, double *back, double *work)
{
	double *vectors = work + d * d, *values = vectors + d * d, most = 0;
	size_t n = 0;

	memcpy(work, p, d * d * sizeof *p);
	sotto_symmetric_decompose(work, d, values, vectors);
	for (size_t i = 0; i < d; i++)
		most = fmax(most, values[i]);
	for (size_t i = 0; i < d; i++) {
		if (values[i] <= 1e-11 * most)
			continue;
		for (size_t k = 0; k < d; k++) {
			rows[n * d + k] = sqrt(values[i]) * vectors[i * d + k];
			back[n * d + k] = vectors[i * d + k] / sqrt(values[i]);
		}
		n++;
	}
	return n;
}

/* A row whose noise has variance `noise` and in which nothing unknown is: f -= f r r'f / (r'f r + noise). */
static void observe_finite(size_t d, const double *row, double noise, double *f, double *share)
{
	double sum = noise;

	for (size_t i = 0; i < d; i++) {
		share[i] = 0;
		for (size_t k = 0; k < d; k++)
			share[i] += f[i * d + k] * row[k];
		sum += share[i] * row[i];
	}
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
			f[i * d + j] -= share[i] * share[j] / sum;
	for (size_t i = 0; i < d; i++)
		share[i] /= sum;
}

/*
 * A row with an unknown direction in it: it tells that direction and nothing else.
 * f := (I - s r') f (I - r s') + noise s s', where s = u r / r'u r.
 */
static void observe_unknown(size_t d, const double *row, double noise, double *f, double *u,
			    double *share, double *work)
{
	double *keep = work, *out = work + d * d, sum = 0;

	for (size_t i = 0; i < d; i++) {
		share[i] = 0;
		for (size_t k = 0; k < d; k++)
			share[i] += u[i * d + k] * row[k];
		sum += share[i] * row[i];
	}
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
			u[i * d + j] -= share[i] * share[j] / sum;
	for (size_t i = 0; i < d; i++)
		share[i] /= sum;
	set_identity(d, keep);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
			keep[i * d + j] -= share[i] * row[j];
	sotto_small_sandwich(d, d, keep, f, out, out + d * d);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
			f[i * d + j] = out[i * d + j] + noise * share[i] * share[j];
}

/* gain moves z by what is expected of it; a further row moves it by share (answer - row z). */
static void add_gain(size_t d, const double *row, const double *back, const double *share,
		     double *gain, double *work)
{
	double *expect =
		work; /* what is new in the row's answer, of h - p z: back - row gain */

	for (size_t k = 0; k < d; k++) {
		expect[k] = back[k];
		for (size_t i = 0; i < d; i++)
			expect[k] -= row[i] * gain[i * d + k];
	}
	for (size_t i = 0; i < d; i++)
		for (size_t k = 0; k < d; k++)
			gain[i * d + k] += share[i] * expect[k];
}

/* Rotates the rows so that each one touches unknown directions in a way of its own, or none at all. */
static void sort_rows(size_t d, size_t n, const double *u, double *rows, double *back,
		      double *values, double *work)
{
	double *c = work, *turn = work + d * d, *out = turn + d * d;

	sotto_small_sandwich(n, d, rows, u, c, out);
	sotto_symmetric_decompose(c, n, values, turn);
	sotto_small_multiply(n, n, d, turn, rows, out);
	memcpy(rows, out, n * d * sizeof *rows);
	sotto_small_multiply(n, n, d, turn, back, out);
	memcpy(back, out, n * d * sizeof *back);
}

/* Has the row any part in unknown directions, or is this rounding?  value: row u row', the most of any row. */
static bool is_unknown(size_t d, const double *row, double value, double most)
{
	double size = 0;

	for (size_t i = 0; i < d; i++)
		size += row[i] * row[i];
	return value > unknown_floor * size && value > 1e-11 * most;
}

/* Some directions were known: first the rows that tell about those alone, then the others. */
static void
measure_mixed(size_t d, const double *p, double *f, double *u, double *gain, double *work)
{
	size_t size = d * d, n;
	double *rows = work, *back = work + size, *values = work + 2 * size;
	double *share = values + d, *more = share + d, most = 0;

	n = split_information(d, p, rows, back, more);
	sort_rows(d, n, u, rows, back, values, more);
	memset(gain, 0, size * sizeof *gain);
	for (size_t i = 0; i < n; i++)
		most = fmax(most, values[i]);
	for (int unknown = 0; unknown < 2; unknown++)
		for (size_t i = 0; i < n; i++) {
			if (is_unknown(d, rows + i * d, values[i], most) != unknown)
				continue;
			if (unknown)
				observe_unknown(d, rows + i * d, 1, f, u, share, more);
			else
				observe_finite(d, rows + i * d, 1, f, share);
			add_gain(d, rows + i * d, back + i * d, share, gain, more);
		}
	set_projection(d, u, more);
	cut_unknown(d, u, f, more);
}

void sotto_census_spread_measure(const struct sotto_census_basis *b, const double *info,
				 double *s, double *gain, double *work)
{
	size_t d = b->places, size = d * d;

	for (size_t t = 0; t < b->components; t++) {
		const double *p = info + t * size;
		double *f = s + t * size, *u = s + b->block + t * size, *g = gain + t * size;

		set_projection(d, u, work);
		if (is_zero(p, size))
			memset(g, 0, size * sizeof *g);
		else if (is_zero(u, size))
			measure_known(d, p, f, g, work);
		else if (is_zero(f, size) && is_all_of(d, u, p))
			measure_unknown(d, p, f, u, g, work);
		else
			measure_mixed(d, p, f, u, g, work);
		cut_unknown(d, u, f, work);
	}
}

void sotto_census_spread_fix_total(const struct sotto_census_basis *b, double *s, double *share,
				   double *work)
{
	size_t d = b->places;
	double *u = s + b->block, ones[SOTTO_CENSUS_EXPLICIT_MAX];
	double unknown = 0, finite = 0, trace = 0;

	for (size_t i = 0; i < d; i++) {
		ones[i] = 1;
		share[i] = 0;
		trace += s[i * d + i];
		for (size_t j = 0; j < d; j++) {
			unknown += u[i * d + j];
			finite += s[i * d + j];
		}
	}
	if (unknown > unknown_floor) {
		observe_unknown(d, ones, 0, s, u, share, work);
		set_projection(d, u, work);
		cut_unknown(d, u, s, work);
	} else if (finite > 1e-12 * trace) {
		observe_finite(d, ones, 0, s, share);
	}
}

double sotto_census_spread_total(const struct sotto_census_basis *b, const double *s)
{
	double unknown = 0;

	for (size_t i = 0; i < b->places * b->places; i++)
		unknown += s[b->block + i];
	return unknown > unknown_floor ? INFINITY : sotto_census_total_variance(b, s);
}

/* ---- sharing ------------------------------------------------------------------------------------------ */

/*
 * In memory, for each component: the precision q of the sum across the unknown directions, the
 * inverse w of the unknown part, and k = w (I - f q), by which unknown directions share what is left.
 */
void sotto_census_shares_init(struct sotto_census_shares *f, const struct sotto_census_basis *b,
			      const double *sum, double *memory, double *work)
{
	size_t d = b->places, size = d * d;

	*f = (struct sotto_census_shares){.sum = sum, .memory = memory};
	for (size_t t = 0; t < b->components; t++) {
		const double *finite = sum + t * size, *unknown = sum + b->block + t * size;
		double *q = memory + t * size, *w = q + b->block, *k = w + b->block;
		double *range = work, *rest = work + size, *more = work + 2 * size;

		if (is_zero(unknown, size)) {
			sotto_symmetric_invert(d, finite, 0, q, NULL, work);
			memset(w, 0, size * sizeof *w);
			memset(k, 0, size * sizeof *k);
			continue;
		}
		sotto_symmetric_invert(d, unknown, unknown_floor, w, range, more);
		memcpy(rest, finite, size * sizeof *rest);
		cut_unknown(d, range, rest, more);
		sotto_symmetric_invert(d, rest, 0, q, NULL, more);
		sotto_small_multiply(d, d, d, finite, q, rest);
		for (size_t i = 0; i < size; i++)
			rest[i] = (double)(i % (d + 1) == 0) - rest[i];
		sotto_small_multiply(d, d, d, w, rest, k);
	}
}

/* child := (I - a) child (I - a)' + a (sum - child + v) a'; v may be NULL, that is 0. */
static void share_spread(size_t d, const double *a, const double *sum, const double *v,
			 double *child, double *work)
{
	double *rest = work, *keep = work + d * d, *out = keep + d * d, *more = out + d * d;

	set_identity(d, keep);
	for (size_t i = 0; i < d * d; i++) {
		keep[i] -= a[i];
		rest[i] = sum[i] - child[i] + (v ? v[i] : 0);
	}
	sotto_small_sandwich(d, d, keep, child, out, more);
	sotto_small_sandwich(d, d, a, rest, child, more);
	for (size_t i = 0; i < d * d; i++)
		child[i] += out[i];
}

/* The unknown directions of a child: d = u w shares them; the parent's go through a. */
static void share_unknown(size_t d, const double *w, const double *a, const double *sum,
			  const double *v, double *child, double *work)
{
	double *share = work, *from = work + d * d, *more = from + d * d;

	if (is_zero(sum, d * d) && is_zero(v, d * d))
		return;
	sotto_small_multiply(d, d, d, child, w, share);
	sotto_small_sandwich(d, d, a, v, from, more);
	share_spread(d, share, sum, NULL, child, more);
	for (size_t i = 0; i < d * d; i++)
		child[i] += from[i];
	set_projection(d, child, work);
}

void sotto_census_shares_apply(const struct sotto_census_shares *f,
			       const struct sotto_census_basis *b, const double *v,
			       double *child, double *a, double *work)
{
	size_t d = b->places, size = d * d;

	for (size_t t = 0; t < b->components; t++) {
		const double *q = f->memory + t * size, *w = q + b->block, *k = w + b->block;
		double *finite = child + t * size, *unknown = finite + b->block;
		double *at = a + t * size;

		sotto_small_multiply(d, d, d, finite, q, at);
		if (!is_zero(unknown, size)) {
			sotto_small_multiply(d, d, d, unknown, k, work);
			for (size_t i = 0; i < size; i++)
				at[i] += work[i];
		}
		share_spread(d, at, f->sum + t * size, v + t * size, finite, work);
		share_unknown(d, w, at, f->sum + b->block + t * size, v + b->block + t * size,
			      unknown, work);
		cut_unknown(d, unknown, finite, work);
	}
}
