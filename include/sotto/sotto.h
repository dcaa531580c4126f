/*
 * sotto/sotto.h - everything
 */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include "sotto/accuracy.h"
#include "sotto/bernoulli.h"
#include "sotto/bounds.h"
#include "sotto/census.h"
#include "sotto/closed_form.h"
#include "sotto/cost.h"
#include "sotto/dgauss.h"
#include "sotto/dlaplace.h"
#include "sotto/error.h"
#include "sotto/exponential.h"
#include "sotto/filter.h"
#include "sotto/gaussian.h"
#include "sotto/geometric.h"
#include "sotto/grid.h"
#include "sotto/kary_response.h"
#include "sotto/laplace.h"
#include "sotto/noisy_max.h"
#include "sotto/odometer.h"
#include "sotto/permute_and_flip.h"
#include "sotto/quantile.h"
#include "sotto/randomized_response.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/selection.h"
#include "sotto/sensitivity.h"
#include "sotto/sparse_vector.h"
#include "sotto/staircase.h"
#include "sotto/status.h"
#include "sotto/truncated.h"
#include "sotto/uniform.h"
#include "sotto/value.h"

#endif
