/*
 * rational_round.h - shortens rationals, rounding to a named side
 */
#ifndef SOTTO_RATIONAL_ROUND_H
#define SOTTO_RATIONAL_ROUND_H

#include "sotto/rational.h"

/* Rounds r to a multiple of 2^-bits on the named side. */
void sotto_rational_round_down(struct sotto_rational *r, unsigned bits);
void sotto_rational_round_up(struct sotto_rational *r, unsigned bits);

#endif
