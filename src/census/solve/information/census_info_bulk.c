/* Information about a node's cells, decoupled by a basis of Helmert contrasts. */
#include "census/solve/information/census_info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/information/census_symmetric.h"

/* Beyond the weakest measurement of the plan, whatever its budget. */
static double find_faintest(const struct sotto_census_plan *p)
{
	double least = INFINITY;

	for (size_t l = 0; l < p->level_count; l++)
		for (size_t i = 0; i < p->levels[l].measure_count; i++)
			least = fmin(least, p->levels[l].measures[i].weight);
	return 1e-9 * (isfinite(least) ? least : 1);
}

enum sotto_status
sotto_census_basis_init(struct sotto_census_basis *b, const struct sotto_census_schema *s)
{
	*b = (struct sotto_census_basis){.schema = s,
					 .places = s->places,
					 .regular = s->regular,
					 .components = s->components,
					 .block = s->components * s->places * s->places,
					 .faintest = find_faintest(s->plan)};
	b->component = malloc(s->regular);
	if (!b->component)
		return SOTTO_ENOMEM;
	for (size_t m = 0; m < s->regular; m++) {
		size_t rest = m, component = 0;

		for (size_t i = s->plan->attribute_count; i-- > s->explicit_count;) {
			size_t n = s->plan->attributes[s->order[i]].n;

			component |= (size_t)(rest % n > 0) << (i - s->explicit_count);
			rest /= n;
		}
		b->component[m] = (uint8_t)component;
	}
	return SOTTO_OK;
}

void sotto_census_basis_release(struct sotto_census_basis *b)
{
	free(b->component);
}

/* ---- the basis: Helmert contrasts ----------------------------------------------------------- */

/* Lines of n values, `stride` apart; `stride` lines lie side by side. */
static void analyse_lines(double *x, size_t n, size_t stride, double *sum)
{
	memset(sum, 0, stride * sizeof *sum);
	for (size_t j = 0; j < n; j++) {
		double *at = x + j * stride;
		double scale = j ? 1 / sqrt((double)j * (double)(j + 1)) : 0;

		for (size_t i = 0; i < stride; i++) {
			double value = at[i];

			at[i] = (sum[i] - (double)j * value) * scale;
			sum[i] += value;
		}
	}
	for (size_t i = 0; i < stride; i++)
		x[i] = sum[i] / sqrt((double)n);
}

static void synthesise_lines(double *x, size_t n, size_t stride, double *sum)
{
	for (size_t i = 0; i < stride; i++)
		sum[i] = x[i] / sqrt((double)n);
	for (size_t j = n; j-- > 0;) {
		double *at = x + j * stride;
		double scale = j ? 1 / sqrt((double)j * (double)(j + 1)) : 0;

		for (size_t i = 0; i < stride; i++) {
			double value = at[i] * scale;

			at[i] = sum[i] - (double)j * value;
			sum[i] += j ? value : 0;
		}
	}
}

static void transform(const struct sotto_census_basis *b, double *x,
		      void (*lines)(double *, size_t, size_t, double *))
{
	const struct sotto_census_schema *s = b->schema;
	double *sum = malloc(b->regular * sizeof *sum);
	size_t stride = 1;

	if (!sum)
		abort(); /* a few kilobytes */
	for (size_t i = s->plan->attribute_count; i-- > s->explicit_count;) {
		size_t n = s->plan->attributes[s->order[i]].n;

		for (size_t at = 0; at < s->cells; at += n * stride)
			lines(x + at, n, stride, sum);
		stride *= n;
	}
	free(sum);
}

void sotto_census_analyse(const struct sotto_census_basis *b, double *x)
{
	transform(b, x, analyse_lines);
}

void sotto_census_synthesise(const struct sotto_census_basis *b, double *x)
{
	transform(b, x, synthesise_lines);
}

/* ---- information of a level ------------------------------------------------------------------- */

/* Adds w where two places fall into one cell of the query. */
static void add_query(const struct sotto_census_basis *b, size_t query, double w, double *j)
{
	const struct sotto_census_schema *s = b->schema;
	const struct sotto_census_query *q = &s->plan->queries[query];
	size_t covered = 0;

	for (size_t i = s->explicit_count; i < s->plan->attribute_count; i++) {
		if (q->parts[s->order[i]] == SOTTO_CENSUS_KEPT)
			covered |= (size_t)1 << (i - s->explicit_count);
		else
			w *= (double)s->plan->attributes[s->order[i]].n;
	}
	for (size_t t = 0; t < b->components; t++) {
		double *matrix = j + t * b->places * b->places;

		if (t & ~covered)
			continue;
		for (size_t e = 0; e < b->places; e++)
			for (size_t f = 0; f < b->places; f++)
				if (s->maps[query][e * s->regular] ==
				    s->maps[query][f * s->regular])
					matrix[e * b->places + f] += w;
	}
}

static void
add_level(const struct sotto_census_basis *b, size_t plan_level, bool told, double *j)
{
	const struct sotto_census_level *l;

	if (plan_level == SIZE_MAX)
		return;
	l = &b->schema->plan->levels[plan_level];
	for (size_t i = 0; i < l->measure_count; i++)
		if (told || !b->schema->told[l->measures[i].query])
			add_query(b, l->measures[i].query, l->measures[i].weight, j);
}

void sotto_census_level_info(const struct sotto_census_basis *b, size_t plan_level, double *j)
{
	add_level(b, plan_level, true, j);
}

void sotto_census_level_rest(const struct sotto_census_basis *b, size_t plan_level, double *j)
{
	add_level(b, plan_level, false, j);
}

void sotto_census_info_mask(const struct sotto_census_basis *b, uint64_t mask, double *j)
{
	size_t d = b->places;

	for (size_t t = 0; t < b->components; t++)
		for (size_t e = 0; e < d; e++)
			for (size_t f = 0; f < d; f++)
				if (!(mask >> e & mask >> f & 1))
					j[(t * d + e) * d + f] = 0;
}

/* ---- inverses ------------------------------------------------------------------------------------ */

/* A little information about everything where there is none about something. */
static void invert_block(double *a, size_t n, double faintest, double *copy, double *out)
{
	double largest = 0;

	memcpy(copy, a, n * n * sizeof *a);
	if (sotto_symmetric_factor(a, n)) {
		sotto_symmetric_invert_factor(a, n, out);
		return;
	}
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, copy[i * n + i]);
	for (double faint = largest > 0 ? largest * 1e-9 : faintest;; faint *= 10) {
		memcpy(a, copy, n * n * sizeof *a);
		for (size_t i = 0; i < n; i++)
			a[i * n + i] += faint;
		if (sotto_symmetric_factor(a, n))
			break;
	}
	sotto_symmetric_invert_factor(a, n, out);
}

void sotto_census_info_invert(const struct sotto_census_basis *b, uint64_t mask,
			      const double *j, double *inverse, double *work)
{
	size_t d = b->places, n = 0, at[SOTTO_CENSUS_EXPLICIT_MAX];
	double *small = work, *copy = work + d * d, *result = work + 2 * d * d;

	for (size_t e = 0; e < d; e++)
		if (mask >> e & 1)
			at[n++] = e;
	for (size_t t = 0; t < b->components; t++) {
		const double *from = j + t * d * d;
		double *to = inverse + t * d * d;

		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n; k++)
				small[i * n + k] = from[at[i] * d + at[k]];
		if (n > 0)
			invert_block(small, n, b->faintest, copy, result);
		memset(to, 0, d * d * sizeof *to);
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n; k++)
				to[at[i] * d + at[k]] = result[i * n + k];
	}
}

void sotto_census_info_apply(const struct sotto_census_basis *b, const double *matrix,
			     const double *x, double *out, bool add)
{
	size_t d = b->places;

	if (!add)
		memset(out, 0, d * b->regular * sizeof *out);
	for (size_t e = 0; e < d; e++)
		for (size_t f = 0; f < d; f++) {
			const double *from = x + f * b->regular;
			double *to = out + e * b->regular;
			const double *entry = matrix + e * d + f;

			for (size_t m = 0; m < b->regular; m++)
				to[m] += entry[b->component[m] * d * d] * from[m];
		}
}

/* ---- kernels --------------------------------------------------------------------------------------- */

/*
 * The projection on T is a product of (I - J/n) for the axes of T and J/n for the others; in
 * it the term that keeps exactly the axes S within T has the factor 1/n for every axis
 * outside S, with a minus for those of T.
 */
void sotto_census_info_kernel(const struct sotto_census_basis *b, const double *j,
			      double *kernel)
{
	const struct sotto_census_schema *s = b->schema;
	size_t size = b->places * b->places;

	memset(kernel, 0, b->block * sizeof *kernel);
	for (size_t t = 0; t < b->components; t++)
		for (size_t kept = t;; kept = (kept - 1) & t) {
			double factor_of = 1;

			for (size_t i = 0; i < s->regular_count; i++) {
				double n = (double)s->plan
						   ->attributes[s->order[s->explicit_count + i]]
						   .n;

				if (!(kept >> i & 1))
					factor_of *= (t >> i & 1 ? -1 : 1) / n;
			}
			for (size_t i = 0; i < size; i++)
				kernel[kept * size + i] += factor_of * j[t * size + i];
			if (kept == 0)
				break;
		}
}

double sotto_census_total_variance(const struct sotto_census_basis *b, const double *covariance)
{
	double sum = 0;

	for (size_t i = 0; i < b->places * b->places; i++)
		sum += covariance[i];
	return sum * (double)b->regular;
}
