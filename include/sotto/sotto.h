/*
 * sotto/sotto.h - everything
 */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include "sotto/bernoulli.h"
#include "sotto/cost.h"
#include "sotto/dgauss.h"
#include "sotto/dlaplace.h"
#include "sotto/error.h"
#include "sotto/filter.h"
#include "sotto/gaussian.h"
#include "sotto/geometric.h"
#include "sotto/grid.h"
#include "sotto/laplace.h"
#include "sotto/odometer.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"
#include "sotto/uniform.h"
#include "sotto/value.h"

#endif
