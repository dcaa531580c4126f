/*
 * design.h - from an epsilon to the integers that devices compare with
 */
#ifndef SOTTO_DESIGN_H
#define SOTTO_DESIGN_H

#include "sotto/client.h"
#include "sotto/collect.h"
#include "sotto/decode.h"
#include "sotto/discover.h"
#include "sotto/local.h"

/* The protocol of that name; 0 if there is none. */
uint32_t sotto_local_protocol_find(const char *name);

/*
 * Fills the chances of params for eps.  The caller has set protocol and size;
 * hashes, width, groups left zero are chosen: the best range of OLH, weight of a
 * subset, blocks of a Hadamard response.  second is the epsilon of the word
 * (SFP) or the whole value (TREEHIST), NULL elsewhere; gamma the output
 * perturbation of 1BITMEAN and DBITFLIP, or NULL.
 *
 * Fails: SOTTO_EINVAL for RAPPOR and RR, which take probabilities;
 *        SOTTO_ERANGE unless 2^-20 <= eps <= 40, or sizes past a limit.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_local_design(struct sotto_client_params *params, const struct sotto_rational *eps,
		   const struct sotto_rational *second, const struct sotto_rational *gamma,
		   struct sotto_error *err);

/*
 * RAPPOR with k = width, h = hashes and m = groups set.  f is rounded up, p and
 * q toward each other.
 *
 * Fails: SOTTO_EINVAL if a probability is outside [0, 1], or f = 1 or p = q,
 *        which nothing can be decoded from.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_local_design_rappor(struct sotto_client_params *params, const struct sotto_rational *f,
			  const struct sotto_rational *p, const struct sotto_rational *q,
			  struct sotto_error *err);

/*
 * Coin tosses: the truth with probability truth, else yes with probability yes.
 * Fails: SOTTO_EINVAL unless both are inside (0, 1), or truth = 1.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_local_design_coin(struct sotto_client_params *params, const struct sotto_rational *truth,
			const struct sotto_rational *yes, struct sotto_error *err);

#endif
