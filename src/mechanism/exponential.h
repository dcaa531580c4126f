/*
 * exponential.h - the inside of a prepared exponential mechanism
 */
#ifndef SOTTO_MECHANISM_EXPONENTIAL_H
#define SOTTO_MECHANISM_EXPONENTIAL_H

#include <stdbool.h>

#include "mechanism/weight.h"
#include "sotto/rational.h"

struct sotto_exponential {
	struct sotto_weight weight;
	struct sotto_rational epsilon;
	bool least;
};

#endif
