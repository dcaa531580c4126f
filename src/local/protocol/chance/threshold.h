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

/* exp(eps / halves) from below, as a dyadic rational. */
void sotto_local_exp_down(const mpq_t eps, unsigned halves, mpq_t out);

/* Multiples of 2^-bits, bits <= 64; p in [0, 1]. */
struct sotto_client_chance sotto_chance_down(const mpq_t p, unsigned bits);
struct sotto_client_chance sotto_chance_up(const mpq_t p, unsigned bits);

/* weight e / (weight e + others) from below; 1 / (1 + e) from above; 1 - p. */
struct sotto_client_chance
sotto_chance_keep_down(const mpq_t e, uint64_t weight, uint64_t others);
struct sotto_client_chance sotto_chance_flip_up(const mpq_t e, unsigned bits);
struct sotto_client_chance sotto_chance_complement(struct sotto_client_chance p);

/* Bit vectors cost a device one random word per bit of a chance and 32 lanes. */
#define SOTTO_VECTOR_BITS 48

/* The exact value of a chance. */
void sotto_chance_get(struct sotto_client_chance chance, mpq_t out);

/* ln(x) from above, x > 0; INFINITY for none. */
double sotto_local_log_up(const mpq_t x);

#endif
