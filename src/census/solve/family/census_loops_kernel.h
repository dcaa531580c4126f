/*
 * census_loops_kernel.h - the loops of census_loops.h, compiled once for each kind of processor
 *
 * Define LOOPS, the name of the table, before including it.  Sums go into four lanes and are
 * added up in one order; nothing is contracted or reordered (-ffp-contract=off).
 */
#include <stdint.h>
#include <string.h>

#include "census/solve/family/census_loops.h"

typedef double lanes __attribute__((vector_size(32)));
typedef int64_t bits __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

INLINE void load(lanes *v, const double *from)
{
	memcpy(v, from, sizeof *v);
}

INLINE void store(double *to, const lanes *v)
{
	memcpy(to, v, sizeof *v);
}

INLINE double total(const lanes *v)
{
	return ((*v)[0] + (*v)[1]) + ((*v)[2] + (*v)[3]);
}

/* Adds max(0, x) to sum and `unit` to slope where x > 0. */
INLINE void add_held(const lanes *x, const lanes *unit, lanes *sum, lanes *slope)
{
	bits above = (bits)(*x > 0.0);

	*sum += (lanes)((bits)*x & above);
	*slope += (lanes)((bits)*unit & above);
}

static void add_columns(const double *u, const double *step, const double *column, size_t rows,
			size_t width, double *sum, double *slope)
{
	for (size_t k = 0; k < width; k += SOTTO_CENSUS_LANES) {
		lanes sums = {0}, slopes = {0}, at;

		load(&at, column + k);
		for (size_t r = 0; r < rows; r++) {
			lanes x, d = {step[r], step[r], step[r], step[r]};

			load(&x, u + r * width + k);
			x += d * at;
			add_held(&x, &d, &sums, &slopes);
		}
		store(sum + k, &sums);
		store(slope + k, &slopes);
	}
}

/* Loads the last cells of a row, fewer than a vector: the others are -infinity. */
INLINE void load_row(const struct sotto_census_row *row, size_t k, lanes *x)
{
	lanes d = {row->step, row->step, row->step, row->step}, at = {0};
	lanes shift = {row->shift, row->shift, row->shift, row->shift};

	if (row->n - k >= SOTTO_CENSUS_LANES) {
		load(x, row->u + k);
		load(&at, row->column + k);
	} else {
		double rest[SOTTO_CENSUS_LANES] = {-1e300, -1e300, -1e300, -1e300};

		memcpy(rest, row->u + k, (row->n - k) * sizeof *rest);
		load(x, rest);
		memcpy(rest, &at, sizeof rest);
		memcpy(rest, row->column + k, (row->n - k) * sizeof *rest);
		load(&at, rest);
	}
	*x += shift;
	*x += d * at;
}

static void add_row(const struct sotto_census_row *row, double *sum, double *slope)
{
	lanes sums = {0}, slopes = {0}, unit = {row->step, row->step, row->step, row->step};

	for (size_t k = 0; k < row->n; k += SOTTO_CENSUS_LANES) {
		lanes x;

		load_row(row, k, &x);
		add_held(&x, &unit, &sums, &slopes);
	}
	*sum = total(&sums);
	*slope = total(&slopes);
}

static void cut(const struct sotto_census_row *row, double *x)
{
	for (size_t k = 0; k < row->n; k += SOTTO_CENSUS_LANES) {
		lanes value;

		load_row(row, k, &value);
		value = (lanes)((bits)value & (bits)(value > 0.0));
		if (row->n - k >= SOTTO_CENSUS_LANES)
			store(x + k, &value);
		else
			memcpy(x + k, &value, (row->n - k) * sizeof *x);
	}
}

/* Multiplies four rows by two vectors at a time, so that loaded values are used often. */
INLINE void multiply_tile(const double *matrix, size_t cells, size_t width, const double *x,
			  size_t rows, size_t vectors, double *out)
{
	lanes sums[4][2] = {{{0}}};

	for (size_t i = 0; i < cells; i++)
		for (size_t v = 0; v < vectors; v++) {
			lanes line;

			load(&line, matrix + i * width + v * SOTTO_CENSUS_LANES);
			for (size_t r = 0; r < rows; r++) {
				double value = x[r * width + i];
				lanes all = {value, value, value, value};

				sums[r][v] += all * line;
			}
		}
	for (size_t r = 0; r < rows; r++)
		for (size_t v = 0; v < vectors; v++)
			store(out + r * width + v * SOTTO_CENSUS_LANES, &sums[r][v]);
}

INLINE void multiply_rows(const double *matrix, size_t cells, size_t width, const double *x,
			  size_t rows, double *out)
{
	size_t k = 0;

	for (; k + 2 * SOTTO_CENSUS_LANES <= width; k += 2 * SOTTO_CENSUS_LANES)
		multiply_tile(matrix + k, cells, width, x, rows, 2, out + k);
	if (k < width)
		multiply_tile(matrix + k, cells, width, x, rows, 1, out + k);
}

static void multiply(const double *matrix, size_t cells, size_t width, const double *x,
		     size_t rows, double *out)
{
	size_t r = 0;

	for (; r + 4 <= rows; r += 4)
		multiply_rows(matrix, cells, width, x + r * width, 4, out + r * width);
	for (; r < rows; r++)
		multiply_rows(matrix, cells, width, x + r * width, 1, out + r * width);
}

static void add_parts(const struct sotto_census_parts *parts, size_t cells, size_t places,
		      const double *mix, const double *x, double *scratch, double *out)
{
	size_t atoms = parts->start[parts->count];
	double *sums = scratch, *mixed = scratch + SOTTO_CENSUS_LANES * cells;
	lanes a, b;

	memset(sums, 0, atoms * sizeof a);
	for (size_t k = 0; k < cells; k++) {
		double *sum = sums + SOTTO_CENSUS_LANES * parts->atom[k];

		load(&a, sum);
		load(&b, x + SOTTO_CENSUS_LANES * k);
		a += b;
		store(sum, &a);
	}
	for (size_t i = 0; i < parts->count; i++)
		for (size_t to = parts->start[i]; to < parts->start[i + 1]; to++) {
			const double *row =
				mix + SOTTO_CENSUS_LANES * places * parts->place[to];
			lanes sum = {0};

			for (size_t from = parts->start[i]; from < parts->start[i + 1];
			     from++) {
				load(&a, row + SOTTO_CENSUS_LANES * parts->place[from]);
				load(&b, sums + SOTTO_CENSUS_LANES * from);
				sum += a * b;
			}
			store(mixed + SOTTO_CENSUS_LANES * to, &sum);
		}
	for (size_t k = 0; k < cells; k++) {
		load(&a, out + SOTTO_CENSUS_LANES * k);
		load(&b, mixed + SOTTO_CENSUS_LANES * parts->atom[k]);
		a += b;
		store(out + SOTTO_CENSUS_LANES * k, &a);
	}
}

static void mix_atoms(const struct sotto_census_atoms *atoms, const double *weight,
		      size_t cells, const double *x, double *sums, double *out)
{
	size_t sets = atoms->sets;
	lanes a, b, w;

	memset(sums, 0, atoms->start[sets] * sizeof a);
	for (size_t k = 0; k < cells; k++) {
		load(&b, x + SOTTO_CENSUS_LANES * k);
		for (size_t s = 0; s < sets; s++) {
			double *sum = sums + SOTTO_CENSUS_LANES * atoms->atom[k * sets + s];

			load(&a, sum);
			a += b;
			store(sum, &a);
		}
	}
	for (size_t s = 0; s < sets; s++) {
		load(&w, weight + SOTTO_CENSUS_LANES * s);
		for (size_t i = atoms->start[s]; i < atoms->start[s + 1]; i++) {
			load(&a, sums + SOTTO_CENSUS_LANES * i);
			a *= w;
			store(sums + SOTTO_CENSUS_LANES * i, &a);
		}
	}
	load(&w, weight + SOTTO_CENSUS_LANES * sets);
	for (size_t k = 0; k < cells; k++) {
		load(&a, x + SOTTO_CENSUS_LANES * k);
		a *= w;
		for (size_t s = 0; s < sets; s++) {
			load(&b, sums + SOTTO_CENSUS_LANES * atoms->atom[k * sets + s]);
			a += b;
		}
		store(out + SOTTO_CENSUS_LANES * k, &a);
	}
}

static void descend(const double *from, const double *gradient, const double *h, double step,
		    size_t n, double *u)
{
	for (size_t k = 0; k < n; k++)
		u[k] = from[k] - step * (gradient[k] - h[k]);
}

static void compare(const double *x, const double *last, const double *ahead, size_t n,
		    double *change, double *turn)
{
	lanes turns = {0}, changes = {0};
	const bits sign = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};

	for (size_t k = 0; k < n; k += SOTTO_CENSUS_LANES) {
		lanes at, before, front;
		bits larger;

		load(&at, x + k);
		load(&before, last + k);
		load(&front, ahead + k);
		turns += (front - at) * (at - before);
		before = (lanes)((bits)(at - before) & sign);
		larger = (bits)(before > changes);
		changes = (lanes)(((bits)before & larger) | ((bits)changes & ~larger));
	}
	*turn = total(&turns);
	*change = changes[0];
	for (size_t i = 1; i < SOTTO_CENSUS_LANES; i++)
		*change = changes[i] > *change ? changes[i] : *change;
}

static void lead(const double *x, const double *last, double weight, size_t n, double *ahead)
{
	for (size_t k = 0; k < n; k++)
		ahead[k] = x[k] + weight * (x[k] - last[k]);
}

const struct sotto_census_loops LOOPS = {.add_columns = add_columns,
					 .add_row = add_row,
					 .cut = cut,
					 .multiply = multiply,
					 .add_parts = add_parts,
					 .mix_atoms = mix_atoms,
					 .descend = descend,
					 .compare = compare,
					 .lead = lead};
