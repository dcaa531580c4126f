/*
 * exp_share.h - certified binary digits of 1/(1 + ratio exp(-x))
 *
 * This is the share of one outcome against `ratio` outcomes that are exp(-x) times as likely:
 * keeping the truth in k-ary randomized response, or the upper step of the staircase.  For
 * rational x and ratio > 0 it is irrational unless x = 0, so its digits never end.
 */
#ifndef SOTTO_EXP_SHARE_H
#define SOTTO_EXP_SHARE_H

#include <gmp.h>
#include <stdint.h>

/* Computes floor(2^bits / (1 + ratio exp(-x))) exactly.  x > 0, ratio > 0. */
void sotto_share_floor(const mpq_t x, const mpq_t ratio, unsigned bits, mpz_t out);

/* Returns binary digits offset to offset + 63 after the point, the first as the highest bit. */
uint64_t sotto_share_word(const mpq_t x, const mpq_t ratio, unsigned offset);

#endif
