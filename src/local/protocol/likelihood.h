/*
 * likelihood.h - how well a report fits a value, as an attacker would compute it
 *
 * A record's likelihood is ln P(report | value) up to a term that is the same for all values,
 * of one report of a device whose cohort, group or level is the one in the report.  With
 * memoized answers it is that of the first report; later ones repeat it.
 */
#ifndef SOTTO_LIKELIHOOD_H
#define SOTTO_LIKELIHOOD_H

#include <math.h>

#include "local/client/encode.h"
#include "local/client/layout.h"
#include "local/client/primitive/family.h"
#include "sotto/local.h"

/* Two flips in a row are one. */
static inline double flip_twice(double first, double second)
{
	return first + second - 2 * first * second;
}

/* The symbol itself with the chance keep, else one of `others`. */
static inline double like_symbol(bool is_own, struct sotto_client_chance keep, double others)
{
	double kept = sotto_local_chance(keep);

	return is_own ? log(kept) : log((1 - kept) / others);
}

/* A bit that the value sets against one that it does not: P(1) is one, or zero. */
static inline double like_bit(bool bit, double one, double zero)
{
	return bit ? log(one / zero) : log((1 - one) / (1 - zero));
}

static inline bool bit_at(const uint8_t *vector, uint64_t i)
{
	return vector[i / 8] >> i % 8 & 1;
}

static inline double like_hashed(const struct sotto_client_params *p, uint64_t seed,
				 uint64_t key, const uint8_t *symbol)
{
	struct sotto_pair_hash h = sotto_pair_hash_of_seed(seed);
	uint32_t own = sotto_scale32(sotto_pair_hash_at(&h, key), p->hashes);

	return like_symbol(load_le(symbol, bytes_below(p->hashes)) == own, p->keep,
			   p->hashes - 1.0);
}

/* A row of a count mean sketch. */
static inline double like_row(const struct sotto_client_params *p, uint64_t key,
			      struct sotto_client_chance chance, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups);
	struct sotto_row_hash h = sotto_row_hash_of(p->salt, (uint32_t)load_le(r, head));
	double flip = sotto_local_chance(chance);

	return like_bit(bit_at(r + head, sotto_row_hash_at(&h, key, p->width)), 1 - flip, flip);
}

/* A row, a column and a sign. */
static inline double like_sign(const struct sotto_client_params *p, uint64_t salt, uint64_t key,
			       struct sotto_client_chance chance, const uint8_t *r)
{
	unsigned head = bytes_below(p->groups);
	uint64_t cell = load_le(r + head, bytes_below(2 * (uint64_t)p->width));
	struct sotto_row_hash h = sotto_row_hash_of(salt, (uint32_t)load_le(r, head));
	uint32_t own = sotto_row_hash_at(&h, key, p->width) & (uint32_t)(cell >> 1);
	double flip = sotto_local_chance(chance);

	return log((__builtin_parity(own) == (int)(cell & 1)) ? 1 - flip : flip);
}

#endif
