/*
 * randomized_response.h - computes the exact odds and the epsilon of given coins
 */
#ifndef SOTTO_RANDOMIZED_RESPONSE_H
#define SOTTO_RANDOMIZED_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sotto/choose.h"

/* Computes e^epsilon exactly: the larger likelihood ratio of the two answers. */
void sotto_randomized_response_odds(const struct sotto_randomized_response *m,
				    struct sotto_rational *odds);

/* Computes epsilon, rounded up to a multiple of 2^-96. */
void sotto_randomized_response_epsilon_up(const struct sotto_randomized_response *m,
					  struct sotto_rational *epsilon);

#endif
