/*
 * laplace_or_gaussian.h - noise that is added to whole numbers
 *
 * The one place where the scale of Laplace noise and the sigma of Gaussian noise are
 * decided.  Publishing, explaining and predicting an error all ask the same object.
 */
#ifndef SOTTO_LAPLACE_OR_GAUSSIAN_H
#define SOTTO_LAPLACE_OR_GAUSSIAN_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "sotto/cost.h"
#include "sotto/noise.h"
#include "sotto/rational.h"
#include "sotto/rng.h"
#include "sotto/status.h"

/* Up to so many noisy numbers are moved together for the interval of one output. */
enum { SOTTO_JOINT_MAX = 4 };

enum sotto_noise_kind { SOTTO_NOISE_NONE, SOTTO_NOISE_LAPLACE, SOTTO_NOISE_GAUSSIAN };

struct sotto_added_noise {
	enum sotto_noise_kind kind;
	union {
		struct {
			struct sotto_rational epsilon; /* for all that one unit moves */
			struct sotto_rational moved; /* by one unit, summed over groups */
			struct sotto_rational scale; /* moved / epsilon, in steps */
			struct sotto_laplace *mechanism;
		} laplace;
		struct {
			struct sotto_rational sigma2; /* in steps */
			struct sotto_gaussian *mechanism;
		} gaussian;
	};
	int64_t errors
		[SOTTO_JOINT_MAX]; /* steps; [k - 1]: k such noises are all within it, 95 % */
};

/* Noise of no kind yet, which ends with the arena; NULL without memory. */
struct sotto_added_noise *sotto_added_noise_in(struct sotto_arena *arena);

/* Ends noise that is in no arena: {.kind = SOTTO_NOISE_NONE} at first. */
void sotto_added_noise_release(struct sotto_added_noise *n);

/*
 * Laplace noise for what one unit moves, summed over all groups that it reaches:
 * scale = moved / epsilon.
 *
 * Privacy:  epsilon-DP.
 * Fails:    SOTTO_ERANGE if it cannot be drawn; the scale can be asked for nevertheless.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_added_noise_set_laplace(struct sotto_added_noise *n, const mpz_t moved,
			      const struct sotto_rational *epsilon);

/*
 * Gaussian noise for the sum of squares of what one unit moves:
 * sigma^2 = squares / (2 rho).
 *
 * Privacy:  rho-zCDP.
 * Fails:    as above.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_added_noise_set_gaussian(struct sotto_added_noise *n, const mpz_t squares,
			       const struct sotto_rational *rho);

/* Finds the errors that intervals are made of; it takes a while. */
SOTTO_MUST_CHECK enum sotto_status sotto_added_noise_set_errors(struct sotto_added_noise *n);

/* With probability 1 - beta none of the given number of noises is larger, either way. */
SOTTO_MUST_CHECK enum sotto_status
sotto_added_noise_error_up(const struct sotto_added_noise *n, size_t count,
			   const struct sotto_rational *beta, int64_t *error);

/* In steps: the scale of Laplace noise, the sigma of Gaussian noise. */
double sotto_added_noise_scale(const struct sotto_added_noise *n);

/* In steps: the 95 % error of the real law, to compare noises before they are drawn. */
double sotto_added_noise_size(const struct sotto_added_noise *n);

/* Adds the tight cost of Laplace noise: epsilon exactly, rho much below epsilon^2 / 2. */
SOTTO_MUST_CHECK enum sotto_status
sotto_added_noise_charge(const struct sotto_added_noise *n, struct sotto_cost *cost);

/*
 * Publishes x[0..count).
 *
 * Fails:    SOTTO_EENTROPY; nothing may be answered.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_added_noise_publish(const struct sotto_added_noise *n, struct sotto_rng *rng,
			  const struct sotto_exact *x, struct sotto_noisy *out, size_t count);

#endif
