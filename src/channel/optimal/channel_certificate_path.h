/*
 * channel_certificate_path.h - the certificate on a path, in integers over one denominator
 */
#ifndef SOTTO_INSIDE_CHANNEL_CERTIFICATE_PATH_H
#define SOTTO_INSIDE_CHANNEL_CERTIFICATE_PATH_H

#include "channel/matrix/channel_matrix.h"
#include "sotto/utility.h"

/*
 * q has prior times gain, a row for each guess; 0 < alpha < 1.  Fills all but applies'
 * precondition; out->remap has room.  Fails: SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_certificate_on_path(const mpq_t alpha,
							     const struct sotto_matrix *q,
							     struct sotto_certificate *out);

#endif
