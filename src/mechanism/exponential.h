/*
 * exponential.h - the inside of a prepared exponential mechanism
 */
#ifndef SOTTO_MECHANISM_EXPONENTIAL_H
#define SOTTO_MECHANISM_EXPONENTIAL_H

#include "mechanism/preference.h"

struct sotto_exponential {
	struct sotto_preference preference;
};

#endif
