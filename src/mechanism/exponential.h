/*
 * exponential.h - the inside of a prepared exponential mechanism
 */
#ifndef SOTTO_MECHANISM_EXPONENTIAL_H
#define SOTTO_MECHANISM_EXPONENTIAL_H

#include <stdbool.h>

#include "mechanism/weight.h"

struct sotto_exponential {
	struct sotto_weight weight;
	bool least;
};

#endif
