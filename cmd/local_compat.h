/*
 * local_compat.h - encode as deployed clients do
 */
#ifndef SOTTO_CMD_LOCAL_COMPAT_H
#define SOTTO_CMD_LOCAL_COMPAT_H

#include "local.h"

struct encode_settings {
	const char *params, *key_file, *id;
	size_t mode, out;
	struct option_count cohort;
	bool each_device, reveal;
};

/* "native", then the names of enum sotto_compat_mode in order. */
extern const char *const local_modes[];

/* A probability for a deployed client, and what the client makes of f, p and q. */
struct sotto_client_chance local_chance(double p);
void local_realised(size_t mode, struct sotto_local_google *params);

enum outcome local_encode_compat(const struct invocation *call,
				 const struct local_lines *values, struct sotto_error *err);

#endif
