/*
 * threshold.h - probabilities as integers over 2^64, rounded a named way
 *
 * exp(eps) enters as a lower bound of 256 bits: every probability here moves
 * toward privacy as exp(eps) falls.
 */
#ifndef SOTTO_THRESHOLD_H
#define SOTTO_THRESHOLD_H

#include <gmp.h>

#include "sotto/client.h"

/* Multiples of 2^-bits, bits <= 64; p in [0, 1]. */
struct sotto_client_chance sotto_chance_down(const mpq_t p, unsigned bits);
struct sotto_client_chance sotto_chance_up(const mpq_t p, unsigned bits);

/* weight exp(eps) / (weight exp(eps) + others) from below. */
struct sotto_client_chance
sotto_chance_keep_down(const mpq_t eps, uint64_t weight, uint64_t others);

/* 1 / (1 + exp(eps / shares)) from above: so many bits have eps together. */
struct sotto_client_chance
sotto_chance_flip_up(const mpq_t eps, unsigned shares, unsigned bits);

/* 1 - p. */
struct sotto_client_chance sotto_chance_complement(struct sotto_client_chance p);

/* Bit vectors cost a device one random word per bit of a chance and 32 lanes. */
#define SOTTO_VECTOR_BITS 48

/* The exact value of a chance. */
void sotto_chance_get(struct sotto_client_chance chance, mpq_t out);

/* ln(x) from above, x > 0; INFINITY for none. */
double sotto_local_log_up(const mpq_t x);

#endif
