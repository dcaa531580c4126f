/* The matrices of a family's children, ready to be multiplied by. */
#include "census/solve/family/census_operator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/failure.h"

/* Up to here matrices are written out: beyond, parts are faster and smaller. */
enum { WRITTEN_CELLS = 224, WRITTEN_DOUBLES = 1 << 17, EIGEN_STEPS = 4 };

/* ---- kernels without constants -------------------------------------------------------------- */

/*
 * Where sums are fixed, a constant over the pairs of cells that they cover adds a constant to
 * the objective: with settled groups one for each pair of groups, else one for the row total.
 */
static void
deflate(const struct sotto_census_basis *b, bool settled, uint64_t places, double *kernel)
{
	const uint8_t *group = b->schema->group_of_place;
	double least[SOTTO_CENSUS_GROUPS_MAX][SOTTO_CENSUS_GROUPS_MAX];
	size_t d = b->places;

	for (size_t g = 0; g < SOTTO_CENSUS_GROUPS_MAX; g++)
		for (size_t i = 0; i < SOTTO_CENSUS_GROUPS_MAX; i++)
			least[g][i] = INFINITY;
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t e = 0; e < d; e++)
			for (size_t f = 0; f < d; f++) {
				size_t g = settled ? group[e] : 0, i = settled ? group[f] : 0;

				if (!(places >> e & places >> f & 1))
					continue;
				if (pass == 0)
					least[g][i] = fmin(least[g][i], kernel[e * d + f]);
				else
					kernel[e * d + f] -= least[g][i];
			}
}

static uint64_t places_of(const struct sotto_census_family *f)
{
	uint64_t places = 0;

	for (size_t k = 0; k < f->cells; k++)
		places |= UINT64_C(1) << f->cell[k] / f->basis->regular;
	return places;
}

static void set_kinds(struct sotto_census_operator *o)
{
	for (size_t c = 0; c < o->f->children; c++) {
		size_t i = o->kinds;

		while (i > 0 && o->given[i - 1] != o->f->kernels[c])
			i--;
		if (i == 0) {
			o->given[o->kinds++] = o->f->kernels[c];
			i = o->kinds;
		}
		o->kind[c] = (uint32_t)i - 1;
	}
}

/* ---- written out ------------------------------------------------------------------------------ */

/* From "where two cells agree on S" to "where they agree on exactly A": sums over S within A. */
static void sum_subsets(const struct sotto_census_basis *b, double *kernel)
{
	size_t size = b->places * b->places;

	for (size_t axis = 1; axis < b->components; axis *= 2)
		for (size_t set = 0; set < b->components; set++)
			for (size_t i = 0; set & axis && i < size; i++)
				kernel[set * size + i] += kernel[(set ^ axis) * size + i];
}

/* Which entry of the kernels stands at each pair of cells. */
static void find_entries(const struct sotto_census_operator *o, uint32_t *entries)
{
	const struct sotto_census_basis *b = o->f->basis;
	size_t m = o->f->cells, axes = b->schema->regular_count, d = b->places;
	uint32_t(*digits)[SOTTO_CENSUS_REGULAR_MAX] = (void *)(entries + m * m);

	for (size_t i = 0; i < m; i++)
		sotto_census_digits(b->schema, o->f->cell[i], digits[i]);
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j <= i; j++) {
			size_t set = 0, e = o->f->cell[i] / b->regular,
			       f = o->f->cell[j] / b->regular;

			for (size_t a = 0; a < axes; a++)
				set |= (size_t)(digits[i][a] == digits[j][a]) << a;
			entries[i * m + j] = (uint32_t)((set * d + e) * d + f);
			entries[j * m + i] = (uint32_t)((set * d + f) * d + e);
		}
}

/*
 * At least the largest eigenvalue: for |P| and any positive v it is at most the largest ratio of
 * |P| v to v (Collatz, Wielandt), and some power steps bring the ratios together.
 */
static double bound_eigenvalue(const struct sotto_census_operator *o, const double *matrix)
{
	size_t m = o->f->cells;
	double *v = o->scratch, *w = v + m, largest = 0;

	for (size_t i = 0; i < m; i++)
		v[i] = 1;
	for (int step = 0; step < EIGEN_STEPS; step++) {
		memset(w, 0, m * sizeof *w);
		for (size_t i = 0; i < m; i++)
			for (size_t j = 0; j < m; j++)
				w[j] += v[i] * fabs(matrix[i * o->width + j]);
		largest = 0;
		for (size_t i = 0; i < m; i++)
			largest = fmax(largest, w[i] / v[i]);
		for (size_t i = 0; largest > 0 && i < m; i++)
			v[i] = fmax(w[i] / largest, 1e-6);
	}
	return largest;
}

static void write_out(struct sotto_census_operator *o)
{
	size_t m = o->f->cells, block = o->f->basis->block;
	uint32_t *entries = (uint32_t *)(void *)(o->scratch + 2 * m);

	find_entries(o, entries);
	for (size_t i = 0; i < o->kinds; i++) {
		double *matrix = o->matrices + i * o->width * o->width, largest;
		double *kernel = o->kernels + i * block;

		sum_subsets(o->f->basis, kernel);
		for (size_t r = 0; r < m; r++) {
			for (size_t k = 0; k < m; k++)
				matrix[r * o->width + k] = kernel[entries[r * m + k]];
			for (size_t k = m; k < o->width; k++)
				matrix[r * o->width + k] = 0;
		}
		largest = bound_eigenvalue(o, matrix);
		o->step[i] = largest > 0 ? 1 / largest : 1;
	}
}

/* ---- as a whole ----------------------------------------------------------------------------------- */

/* Arrays of doubles first, then those of numbers. */
static enum sotto_status lay_out(struct sotto_census_operator *o, bool written)
{
	const struct sotto_census_basis *b = o->f->basis;
	size_t m = o->f->cells, matrix = written ? o->width * o->width : 0;
	size_t lanes = SOTTO_CENSUS_LANES, sets = written ? 0 : b->components;
	size_t mixes = written ? 0 : sotto_census_parts_mixes(o) * lanes * b->block;
	size_t doubles = o->kinds * (1 + b->block + matrix) + mixes;
	size_t scratch = written ? 2 * m + (m * m + m * SOTTO_CENSUS_REGULAR_MAX) / 2 + 1
				 : 4 * lanes * m;

	o->memory = malloc((doubles + scratch) * sizeof(double) +
			   sets * sizeof(struct sotto_census_parts));
	if (!o->memory)
		return SOTTO_ENOMEM;
	o->step = o->memory;
	o->kernels = o->step + o->kinds;
	o->matrices = written ? o->kernels + o->kinds * b->block : NULL;
	o->mixes = o->kernels + o->kinds * b->block;
	o->scratch = o->step + doubles;
	o->parts = (void *)(o->scratch + scratch);
	for (size_t set = 0; set < sets; set++)
		o->parts[set] = (struct sotto_census_parts){.empty = true};
	return SOTTO_OK;
}

enum sotto_status
sotto_census_operator_init(struct sotto_census_operator *o, const struct sotto_census_family *f,
			   const struct sotto_census_loops *loops, size_t width,
			   struct sotto_census_operator_options options)
{
	size_t block = f->basis->block;
	uint64_t places = places_of(f);
	bool written;

	*o = (struct sotto_census_operator){.f = f, .loops = loops, .width = width};
	o->kind = malloc(f->children * sizeof *o->kind);
	o->given = malloc(f->children * sizeof *o->given);
	if (!o->kind || !o->given)
		return SOTTO_ENOMEM;
	set_kinds(o);
	written = !options.by_parts && width <= WRITTEN_CELLS &&
		  o->kinds * width * width <= WRITTEN_DOUBLES;
	SOTTO_TRY(lay_out(o, written));
	for (size_t i = 0; i < o->kinds; i++) {
		memcpy(o->kernels + i * block, o->given[i], block * sizeof *o->kernels);
		if (f->totals && f->slack == 0)
			deflate(f->basis, options.settled, places, o->kernels + i * block);
	}
	if (!written)
		return sotto_census_parts_init(o);
	write_out(o);
	return SOTTO_OK;
}

void sotto_census_operator_release(struct sotto_census_operator *o)
{
	for (size_t set = 0; o->memory && !o->matrices && set < o->f->basis->components; set++)
		free(o->parts[set].atom);
	free(o->atoms.atom);
	free(o->sums);
	free(o->kind);
	free(o->given);
	free(o->memory);
}

/* Children from c on that are multiplied together. */
static size_t run_of(const struct sotto_census_operator *o, size_t c)
{
	size_t end = c + 1;

	if (!o->matrices)
		return o->f->children - c < SOTTO_CENSUS_LANES ? o->f->children - c
							       : SOTTO_CENSUS_LANES;
	while (end < o->f->children && o->kind[end] == o->kind[c])
		end++;
	return end - c;
}

void sotto_census_operator_apply(const struct sotto_census_operator *o, const double *x,
				 double *out)
{
	for (size_t c = 0, rows; c < o->f->children; c += rows) {
		size_t mix = o->kinds == 1 ? 0 : c;

		rows = run_of(o, c);
		if (o->matrices)
			o->loops->multiply(o->matrices + o->kind[c] * o->width * o->width,
					   o->f->cells, o->width, x + c * o->width, rows,
					   out + c * o->width);
		else
			sotto_census_parts_apply(o, o->mixes + mix * o->f->basis->block,
						 x + c * o->width, rows, out + c * o->width);
	}
}
