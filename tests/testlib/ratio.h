/*
 * ratio.h - rationals from text, for tests that need a few of them
 */
#ifndef SOTTO_TESTS_RATIO_H
#define SOTTO_TESTS_RATIO_H

#include "sotto/rational.h"

/* One of a few static rationals, overwritten after 8 calls; 0 if the text is bad. */
const struct sotto_rational *ratio(const char *text);

#endif
