/*
 * dgauss_law.h - a Gaussian law that is ready to draw from
 */
#ifndef SOTTO_DGAUSS_LAW_H
#define SOTTO_DGAUSS_LAW_H

#include <gmp.h>

#include "core/random/gaussian/dgauss.h"
#include "core/random/gaussian/dgauss_cells.h"
#include "core/random/gaussian/dgauss_exponent.h"
#include "core/random/laplace/planes.h"

/* Draws stay within +-2^62; the law exceeds that with probability below 2^-1000000. */
static const uint64_t sotto_dgauss_end = UINT64_C(1) << 62;

struct sotto_dgauss_path;

struct sotto_dgauss {
	mpq_t sigma2;
	/* For single draws: discrete Laplace candidates of scale t, and their exponents. */
	mpz_t t;
	struct sotto_planes planes;
	struct sotto_dgauss_exponent single;
	/* For bulk draws. */
	struct sotto_dgauss_cells cells;
	struct sotto_dgauss_exponent bulk;
	const struct sotto_dgauss_path *path; /* the kernels of this CPU */
};

#endif
