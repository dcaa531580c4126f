/*
 * exp_enclosure.h - integer bounds on exp(-x), fast and in fixed time
 *
 * There are two grades: 57 certain binary digits for about twenty products of words, or 116 for
 * about sixty.  If these are not enough, expansion.h gives more.  No branch and no address
 * depends on x.  Error bounds: exp_enclosure.md.
 */
#ifndef SOTTO_EXP_ENCLOSURE_H
#define SOTTO_EXP_ENCLOSURE_H

#include <gmp.h>
#include <stdint.h>

#include "core/base/wide.h"

enum {
	SOTTO_EXP_FRACTION = 118, /* binary digits of an argument after the point */
	SOTTO_EXP_LIMIT = 1024, /* arguments are below this */
	SOTTO_EXP_SCALE = 126, /* bounds are in units of 2^-126 */
	SOTTO_EXP_WORD_SCALE = 62, /* bounds of one word are in units of 2^-62 */
};

/* Guarantees low <= 2^126 exp(-x) <= high <= 2^126. */
struct sotto_exp_enclosure {
	sotto_u128 low, high;
};

/* Guarantees low <= 2^62 exp(-x) <= high <= 2^62. */
struct sotto_exp_word_enclosure {
	uint64_t low, high;
};

/*
 * Returns bounds that hold for every real argument in [x - slack, x + slack] 2^-118 that is not
 * negative; slack <= 2^32.  high - low <= 2 + (1024 + 514 slack) 2^-k, where k is the integer
 * part of x log2(e).
 */
struct sotto_exp_enclosure sotto_exp_enclose(sotto_u128 x, uint64_t slack);

/* The same for every nonnegative argument within 2^-80 of x; high - low <= 2 + 48 * 2^-k. */
struct sotto_exp_word_enclosure sotto_exp_enclose_word(sotto_u128 x);

/* The same for any fraction x >= 0. */
struct sotto_exp_enclosure sotto_exp_enclose_rational(const mpq_t x);

#endif
