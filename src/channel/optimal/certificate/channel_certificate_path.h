/*
 * channel_certificate_path.h - the certificate on a path, in integers over one denominator
 */
#ifndef SOTTO_INSIDE_CHANNEL_CERTIFICATE_PATH_H
#define SOTTO_INSIDE_CHANNEL_CERTIFICATE_PATH_H

#include "channel/matrix/channel_matrix.h"
#include "sotto/utility.h"

/* Prior times gain, one guess after the other, as integers over one denominator. */
struct sotto_weighted_gains {
	size_t answers, guesses;
	mpz_srcptr denominator;
	void (*fill)(const void *context, size_t guess,
		     mpz_t *row); /* one place for each answer */
	const void *context;
};

/*
 * Finds the certificate for at least two answers, 0 < alpha < 1.  Sets all fields but does not
 * check that it applies; out->remap has room.  Keeps a few rows of integers, never a table.
 * Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_certificate_on_path(const mpq_t alpha, const struct sotto_weighted_gains *gains,
			  struct sotto_certificate *out);

/* Does the same for a table of prior times gain, a row for each guess. */
SOTTO_MUST_CHECK enum sotto_status sotto_certificate_path_table(const mpq_t alpha,
								const struct sotto_matrix *q,
								struct sotto_certificate *out);

#endif
