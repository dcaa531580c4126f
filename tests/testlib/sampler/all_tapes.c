/*
 * Counts upwards on the words that were read, so that each tape is visited once; masses are
 * integers, and the law is bracketed in fractions.
 */
#include "testlib/sampler/all_tapes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool all_tapes_first(struct all_tapes *t, unsigned word_bits, unsigned length)
{
	assert(word_bits <= 8 && length <= ALL_TAPES_LENGTH && word_bits * length <= 62);
	memset(t, 0, sizeof *t);
	t->word_bits = word_bits;
	t->length = length;
	return true;
}

bool all_tapes_next(struct all_tapes *t)
{
	unsigned i = t->used;

	memset(t->words + i, 0, sizeof t->words - i);
	t->used = 0;
	for (; i > 0; i--) {
		if (++t->words[i - 1] < 1u << t->word_bits)
			return true;
		t->words[i - 1] = 0;
	}
	return false;
}

enum sotto_status all_tapes_read(struct all_tapes *t, size_t n, uint8_t *out)
{
	if (n > t->length - t->used)
		return SOTTO_EENTROPY;
	memcpy(out, t->words + t->used, n);
	t->used += (unsigned)n;
	return SOTTO_OK;
}

/* How many tapes of the full length this one stands for. */
static uint64_t mass_of(const struct all_tapes *t)
{
	return UINT64_C(1) << t->word_bits * (t->length - t->used);
}

static size_t tally_cells(const struct tally *y)
{
	size_t n = 1;

	for (unsigned i = 0; i < y->lanes; i++)
		n *= 2 * (size_t)y->range + 1;
	return n;
}

void tally_init(struct tally *y, const struct all_tapes *t, unsigned lanes, unsigned range)
{
	memset(y, 0, sizeof *y);
	y->lanes = lanes;
	y->range = range;
	y->total = UINT64_C(1) << t->word_bits * t->length;
	y->mass = calloc(tally_cells(y), sizeof *y->mass);
	if (!y->mass)
		abort();
}

void tally_release(struct tally *y)
{
	free(y->mass);
}

static bool tally_cell(const struct tally *y, const int64_t *out, size_t *cell)
{
	const int64_t range = y->range;

	*cell = 0;
	for (unsigned i = 0; i < y->lanes; i++) {
		if (out[i] < -range || out[i] > range)
			return false;
		*cell = *cell * (2 * y->range + 1) + (size_t)(out[i] + range);
	}
	return true;
}

void tally_add(struct tally *y, const struct all_tapes *t, enum sotto_status st,
	       const int64_t *out)
{
	size_t cell;

	if (st != SOTTO_OK)
		y->undecided += mass_of(t);
	else if (tally_cell(y, out, &cell))
		y->mass[cell] += mass_of(t);
	else
		y->further += mass_of(t);
}

uint64_t tally_mass(const struct tally *y, const int64_t *out)
{
	size_t cell;

	return tally_cell(y, out, &cell) ? y->mass[cell] : 0;
}

/* mass <= total p <= mass + undecided */
static bool bracketed(const struct tally *y, uint64_t mass, const mpq_t p)
{
	bool inside;
	mpq_t want, bound;

	mpq_inits(want, bound, NULL);
	mpq_set_ui(want, y->total, 1);
	mpq_mul(want, want, p);
	mpq_set_ui(bound, mass, 1);
	inside = mpq_cmp(bound, want) <= 0;
	mpq_set_ui(bound, mass + y->undecided, 1);
	inside = inside && mpq_cmp(want, bound) <= 0;
	mpq_clears(want, bound, NULL);
	return inside;
}

unsigned tally_faults(const struct tally *y, mpq_t *law)
{
	uint64_t sum = y->further + y->undecided;
	size_t width = 2 * (size_t)y->range + 1;
	unsigned faults = 0;
	mpq_t p, beyond;

	mpq_inits(p, beyond, NULL);
	mpq_set_ui(beyond, 1, 1);
	for (size_t cell = 0; cell < tally_cells(y); cell++) {
		mpq_set_ui(p, 1, 1);
		for (size_t i = 0, rest = cell; i < y->lanes; i++, rest /= width)
			mpq_mul(p, p, law[rest % width]);
		mpq_sub(beyond, beyond, p);
		faults += !bracketed(y, y->mass[cell], p);
		sum += y->mass[cell];
	}
	faults += !bracketed(y, y->further, beyond);
	mpq_clears(p, beyond, NULL);
	return faults + (sum != y->total);
}
