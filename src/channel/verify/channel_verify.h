/*
 * channel_verify.h - the exact check of privacy, for the files of this folder
 */
#ifndef SOTTO_INSIDE_CHANNEL_VERIFY_H
#define SOTTO_INSIDE_CHANNEL_VERIFY_H

#include "channel/matrix/channel_eps.h"
#include "channel/matrix/channel_graph.h"
#include "channel/matrix/channel_matrix.h"

/* True if no ratio is above e^(epsilon length); the graph has a node for each row. */
bool sotto_channel_is_private(const struct sotto_matrix *channel,
			      const struct sotto_graph *graph, const struct sotto_eps *eps);

#endif
