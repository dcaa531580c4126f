/*
 * channel_retune.h - finds the best rate of the exponential mechanism
 */
#ifndef SOTTO_INSIDE_CHANNEL_RETUNE_H
#define SOTTO_INSIDE_CHANNEL_RETUNE_H

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"

/*
 * Makes a channel with weights exp(-rate d) and the largest rate that is exactly private.  Fails:
 * SOTTO_ENOMEM.
 */
SOTTO_MUST_CHECK enum sotto_status sotto_channel_retuned(const struct sotto_graph *graph,
							 const struct sotto_eps *eps,
							 struct sotto_matrix **out);

#endif
