/* Multiplying by parts: cells that agree on a set of axes are added up, mixed, handed back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "census/solve/family/census_operator.h"
#include "core/base/failure.h"

enum { POWER_STEPS = 12 };

void sotto_census_digits(const struct sotto_census_schema *s, size_t cell, uint32_t *digits)
{
	for (size_t i = s->plan->attribute_count; i-- > s->explicit_count;) {
		size_t n = s->plan->attributes[s->order[i]].n;

		digits[i - s->explicit_count] = (uint32_t)(cell % n);
		cell /= n;
	}
}

struct key {
	uint64_t part;
	uint32_t place, cell;
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *l = a, *r = b;

	if (l->part != r->part)
		return l->part < r->part ? -1 : 1;
	if (l->place != r->place)
		return l->place < r->place ? -1 : 1;
	return (l->cell > r->cell) - (l->cell < r->cell);
}

/* Numbers the atoms of a set of axes, part by part. */
static void number_atoms(const struct sotto_census_operator *o, size_t set, struct key *keys)
{
	const struct sotto_census_basis *b = o->f->basis;
	struct sotto_census_parts *p = &o->parts[set];
	size_t m = o->f->cells, n = 0;

	for (size_t k = 0; k < m; k++) {
		uint32_t digits[SOTTO_CENSUS_REGULAR_MAX];

		sotto_census_digits(b->schema, o->f->cell[k], digits);
		keys[k] = (struct key){.place = (uint32_t)(o->f->cell[k] / b->regular),
				       .cell = (uint32_t)k};
		for (size_t a = 0; a < b->schema->regular_count; a++) {
			size_t attribute = b->schema->order[b->schema->explicit_count + a];

			if (set >> a & 1)
				keys[k].part =
					keys[k].part *
						b->schema->plan->attributes[attribute].n +
					digits[a];
		}
	}
	qsort(keys, m, sizeof *keys, compare_keys);
	p->count = 0;
	for (size_t k = 0; k < m; k++) {
		bool same = k > 0 && keys[k].part == keys[k - 1].part;

		if (!same)
			p->start[p->count++] = (uint32_t)n;
		if (!same || keys[k].place != keys[k - 1].place)
			p->place[n++] = keys[k].place;
		p->atom[keys[k].cell] = (uint32_t)n - 1;
	}
	p->start[p->count] = (uint32_t)n;
}

/* Is there nothing on this set but rounding errors? */
static bool is_empty(const struct sotto_census_operator *o, size_t set)
{
	size_t size = o->f->basis->places * o->f->basis->places, block = o->f->basis->block;
	double largest = 0, here = 0;

	for (size_t i = 0; i < o->kinds * block; i++)
		largest = fmax(largest, fabs(o->kernels[i]));
	for (size_t i = 0; i < o->kinds; i++)
		for (size_t j = 0; j < size; j++)
			here = fmax(here, fabs(o->kernels[i * block + set * size + j]));
	return here <= 1e-13 * largest;
}

/* The kernels of up to four kinds side by side; the last one again where there are fewer. */
static void interleave(const struct sotto_census_operator *o, const uint32_t *kind,
		       size_t count, double *mix)
{
	size_t block = o->f->basis->block;

	for (size_t l = 0; l < SOTTO_CENSUS_LANES; l++) {
		const double *kernel = o->kernels + kind[l < count ? l : count - 1] * block;

		for (size_t i = 0; i < block; i++)
			mix[i * SOTTO_CENSUS_LANES + l] = kernel[i];
	}
}

/* With one place: out = P x for all sets at once. */
static void apply_atoms(const struct sotto_census_operator *o, const double *mix,
			const double *from, double *to)
{
	size_t lanes = SOTTO_CENSUS_LANES, sets = o->atoms.sets, m = o->f->cells;
	size_t single = o->f->basis->components - 1;
	double weight[(SOTTO_CENSUS_LANES) * ((1 << SOTTO_CENSUS_REGULAR_MAX) + 1)];

	for (size_t s = 0; s < sets; s++)
		memcpy(weight + lanes * s, mix + lanes * o->set[s], lanes * sizeof *weight);
	memcpy(weight + lanes * sets, mix + lanes * single, lanes * sizeof *weight);
	o->loops->mix_atoms(&o->atoms, weight, m, from, o->sums, to);
}

/* Up to four rows side by side, 0 where there are fewer; and back.  The usual four at once. */
static void join_rows(const double *x, size_t rows, size_t width, size_t cells, double *to)
{
	const double *second = x + width, *third = second + width, *fourth = third + width;

	if (rows == SOTTO_CENSUS_LANES) {
		for (size_t k = 0; k < cells; k++, to += SOTTO_CENSUS_LANES) {
			to[0] = x[k];
			to[1] = second[k];
			to[2] = third[k];
			to[3] = fourth[k];
		}
		return;
	}
	for (size_t k = 0; k < cells; k++)
		for (size_t l = 0; l < SOTTO_CENSUS_LANES; l++)
			to[k * SOTTO_CENSUS_LANES + l] = l < rows ? x[l * width + k] : 0;
}

static void part_rows(const double *from, size_t rows, size_t width, size_t cells, double *out)
{
	double *second = out + width, *third = second + width, *fourth = third + width;

	for (size_t k = 0; rows == SOTTO_CENSUS_LANES && k < cells; k++) {
		out[k] = from[k * SOTTO_CENSUS_LANES];
		second[k] = from[k * SOTTO_CENSUS_LANES + 1];
		third[k] = from[k * SOTTO_CENSUS_LANES + 2];
		fourth[k] = from[k * SOTTO_CENSUS_LANES + 3];
	}
	for (size_t l = 0; l < rows; l++) {
		double *row = out + l * width;

		for (size_t k = 0; rows < SOTTO_CENSUS_LANES && k < cells; k++)
			row[k] = from[k * SOTTO_CENSUS_LANES + l];
		for (size_t k = cells; k < width; k++)
			row[k] = 0;
	}
}

_Static_assert(SOTTO_CENSUS_LANES == 4, "rows are joined four at a time");

void sotto_census_parts_apply(const struct sotto_census_operator *o, const double *mix,
			      const double *x, size_t rows, double *out)
{
	const struct sotto_census_basis *b = o->f->basis;
	size_t m = o->f->cells, size = b->places * b->places * SOTTO_CENSUS_LANES;
	double *from = o->scratch, *to = from + SOTTO_CENSUS_LANES * m;

	join_rows(x, rows, o->width, m, from);
	if (o->atoms.atom) {
		apply_atoms(o, mix, from, to);
	} else {
		memset(to, 0, SOTTO_CENSUS_LANES * m * sizeof *to);
		for (size_t set = 0; set < b->components; set++)
			if (!o->parts[set].empty)
				o->loops->add_parts(&o->parts[set], m, b->places,
						    mix + set * size, from,
						    to + SOTTO_CENSUS_LANES * m, to);
	}
	part_rows(to, rows, o->width, m, out);
}

/* The largest eigenvalues of up to four kinds by power steps, with 10 % to spare. */
static void power_eigenvalues(struct sotto_census_operator *o, size_t first, size_t count,
			      const double *mix, double *v)
{
	size_t m = o->f->cells;
	double *w = v + SOTTO_CENSUS_LANES * o->width, largest[SOTTO_CENSUS_LANES] = {0};

	for (size_t l = 0; l < count; l++)
		for (size_t k = 0; k < m; k++)
			v[l * o->width + k] = 1 + 0.3 * sin((double)k * 1.7);
	for (int step = 0; step < POWER_STEPS; step++) {
		sotto_census_parts_apply(o, mix, v, count, w);
		for (size_t l = 0; l < count; l++) {
			double norm = 0, before = 0;

			for (size_t k = l * o->width; k < l * o->width + m; k++) {
				norm += w[k] * w[k];
				before += v[k] * v[k];
			}
			largest[l] = before > 0 ? sqrt(norm / before) : 0;
			for (size_t k = l * o->width; k < l * o->width + m; k++)
				v[k] = norm > 0 ? w[k] / sqrt(norm) : 0;
		}
	}
	for (size_t l = 0; l < count; l++)
		o->step[first + l] = largest[l] > 0 ? 1 / (1.1 * largest[l]) : 1;
}

size_t sotto_census_parts_mixes(const struct sotto_census_operator *o)
{
	size_t lanes = SOTTO_CENSUS_LANES;

	return o->kinds == 1 ? 1 : (o->f->children + lanes - 1) / lanes;
}

static void set_mixes(const struct sotto_census_operator *o)
{
	size_t lanes = SOTTO_CENSUS_LANES, c = o->f->children;

	for (size_t i = 0; i < sotto_census_parts_mixes(o); i++)
		interleave(o, o->kind + i * lanes,
			   c - i * lanes < lanes ? c - i * lanes : lanes,
			   o->mixes + i * lanes * o->f->basis->block);
}

static enum sotto_status number_sets(struct sotto_census_operator *o)
{
	size_t m = o->f->cells;
	struct key *keys = malloc((m + 1) * sizeof *keys);
	enum sotto_status st = keys ? SOTTO_OK : SOTTO_ENOMEM;

	for (size_t set = 0; st == SOTTO_OK && set < o->f->basis->components; set++) {
		struct sotto_census_parts *p = &o->parts[set];

		if (is_empty(o, set))
			continue;
		p->atom = malloc((3 * m + 1) * sizeof *p->atom);
		if (!p->atom) {
			st = SOTTO_ENOMEM;
			break;
		}
		p->place = p->atom + m;
		p->start = p->place + m;
		p->empty = false;
		number_atoms(o, set, keys);
	}
	free(keys);
	return st;
}

/* All sets side by side, but not the one that tells all cells apart. */
static enum sotto_status join_sets(struct sotto_census_operator *o)
{
	size_t m = o->f->cells, components = o->f->basis->components, n = 0, sets = 0;
	struct sotto_census_atoms *a = &o->atoms;

	for (size_t set = 0; set + 1 < components; set++)
		sets += !o->parts[set].empty;
	a->atom = malloc((m * sets + 2 * (sets + 1)) * sizeof *a->atom);
	if (!a->atom)
		return SOTTO_ENOMEM;
	a->start = a->atom + m * sets;
	o->set = a->start + sets + 1;
	a->sets = sets;
	for (size_t set = 0, s = 0; set + 1 < components; set++) {
		const struct sotto_census_parts *p = &o->parts[set];

		if (p->empty)
			continue;
		for (size_t k = 0; k < m; k++)
			a->atom[k * sets + s] = (uint32_t)n + p->atom[k];
		a->start[s] = (uint32_t)n;
		o->set[s++] = (uint32_t)set;
		n += p->start[p->count];
	}
	a->start[sets] = (uint32_t)n;
	o->sums = malloc((n * SOTTO_CENSUS_LANES + 1) * sizeof *o->sums);
	return o->sums ? SOTTO_OK : SOTTO_ENOMEM;
}

enum sotto_status sotto_census_parts_init(struct sotto_census_operator *o)
{
	size_t lanes = SOTTO_CENSUS_LANES, rows = 2 * lanes * o->width;
	double *work;

	SOTTO_TRY(number_sets(o));
	if (o->f->basis->places == 1)
		SOTTO_TRY(join_sets(o));
	work = malloc((rows + lanes * o->f->basis->block) * sizeof *work);
	if (!work)
		return SOTTO_ENOMEM;
	for (size_t i = 0; i < o->kinds; i += lanes) {
		uint32_t kinds[SOTTO_CENSUS_LANES];
		size_t count = o->kinds - i < lanes ? o->kinds - i : lanes;

		for (size_t l = 0; l < count; l++)
			kinds[l] = (uint32_t)(i + l);
		interleave(o, kinds, count, work + rows);
		power_eigenvalues(o, i, count, work + rows, work);
	}
	set_mixes(o);
	free(work);
	return SOTTO_OK;
}
