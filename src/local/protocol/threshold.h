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

/* The exact value of a chance. */
void sotto_chance_get(struct sotto_client_chance chance, mpq_t out);

/* ln(x) from above, x > 0; INFINITY for none. */
double sotto_local_log_up(const mpq_t x);

#endif
