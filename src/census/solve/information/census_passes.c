#include "census/solve/information/census_passes.h"

#include <stdlib.h>
#include <string.h>

#include "census/solve/information/census_gather.h"
#include "core/base/failure.h"

static void
sum_children(const struct sotto_census_passes *p, size_t node, struct sotto_census_sums *s)
{
	const struct sotto_census_shape *shape = p->run->shape;

	memset(s->z, 0, p->run->schema->cells * sizeof *s->z);
	memset(s->covariance, 0, p->run->basis.block * sizeof *s->covariance);
	for (size_t c = shape->first[node]; c < shape->first[node] + shape->count[node]; c++) {
		const double *z = sotto_census_passes_z(p, c),
			     *v = sotto_census_passes_covariance(p, c);

		for (size_t i = 0; i < p->run->schema->cells; i++)
			s->z[i] += z[i];
		for (size_t i = 0; i < p->run->basis.block; i++)
			s->covariance[i] += v[i];
	}
}

static enum sotto_status pass_up(struct sotto_census_passes *p, struct sotto_census_sums *s)
{
	for (size_t v = sotto_census_node_count(p->run->shape); v-- > 0;) {
		bool below = sotto_census_looks_below(p->run, v);

		if (below)
			sum_children(p, v, s);
		SOTTO_TRY(sotto_census_gather_one(p->w, v, below ? s : NULL,
						  sotto_census_passes_z(p, v),
						  sotto_census_passes_covariance(p, v)));
	}
	return SOTTO_OK;
}

/* out = a b for one block */
static void multiply(size_t d, const double *a, const double *b, double *out)
{
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++) {
			double sum = 0;

			for (size_t k = 0; k < d; k++)
				sum += a[i * d + k] * b[k * d + j];
			out[i * d + j] = sum;
		}
}

/* V_c = S_c - S_c T^-1 S_c + (S_c T^-1) V (T^-1 S_c) */
static void set_child_variance(const struct sotto_census_passes *p, const double *inverse,
			       const double *v, double *child, double *a, double *work)
{
	size_t d = p->run->basis.places, size = d * d;

	for (size_t t = 0; t < p->run->basis.components; t++) {
		double *s = child + t * size, *at = a + t * size;

		multiply(d, s, inverse + t * size, at);
		multiply(d, at, s, work);
		multiply(d, at, v + t * size, work + size);
		for (size_t i = 0; i < d; i++)
			for (size_t j = 0; j < d; j++) {
				double sum = s[i * d + j] - work[i * d + j];

				for (size_t k = 0; k < d; k++)
					sum += work[size + i * d + k] * at[j * d + k];
				work[2 * size + i * d + j] = sum;
			}
		memcpy(s, work + 2 * size, size * sizeof *s);
	}
}

/* x_c = z_c + A_c (x - Z) */
static void pass_to_children(const struct sotto_census_passes *p, size_t node,
			     struct sotto_census_sums *s, double *spare)
{
	const struct sotto_census_shape *shape = p->run->shape;
	size_t cells = p->run->schema->cells, block = p->run->basis.block;
	double *inverse = spare, *a = spare + block, *work = a + block;

	sum_children(p, node, s);
	sotto_census_info_invert(&p->run->basis, sotto_census_node_mask(p->run, node),
				 s->covariance, inverse, p->w->invert);
	for (size_t i = 0; i < cells; i++)
		s->z[i] = sotto_census_passes_z(p, node)[i] - s->z[i];
	for (size_t c = shape->first[node]; c < shape->first[node] + shape->count[node]; c++) {
		set_child_variance(p, inverse, sotto_census_passes_covariance(p, node),
				   sotto_census_passes_covariance(p, c), a, work);
		sotto_census_info_apply(&p->run->basis, a, s->z, sotto_census_passes_z(p, c),
					true);
	}
}

enum sotto_status sotto_census_passes_run(struct sotto_census_passes *p)
{
	size_t cells = p->run->schema->cells, block = p->run->basis.block;
	size_t size = p->run->basis.places * p->run->basis.places;
	double *memory = malloc((cells + 3 * block + 3 * size) * sizeof *memory);
	struct sotto_census_sums s = {.z = memory,
				      .covariance = memory ? memory + cells : NULL};
	enum sotto_status st = memory ? pass_up(p, &s) : SOTTO_ENOMEM;

	for (size_t v = 0; st == SOTTO_OK && v < sotto_census_node_count(p->run->shape); v++)
		if (p->run->shape->count[v] > 0)
			pass_to_children(p, v, &s, memory + cells + block);
	free(memory);
	return st;
}
