/*
 * local_decoding.h - what `sotto local decode` does with aggregates and google/rappor's files
 */
#ifndef SOTTO_LOCAL_DECODING_H
#define SOTTO_LOCAL_DECODING_H

#include "local/device/local_compat.h"
#include "local/local_command.h"

/* Fewer runs say too little about a standard deviation. */
enum { BOOTSTRAP_MIN = 200 };

struct decode_settings {
	const char *snapshot, *params, *counts, *map, *reports, *candidates, *alphabet, *svg;
	struct option_count keep, bootstrap, seed;
	size_t mode;
	bool fold, dictionary;
	struct local_decoding decoding;
};

struct sotto_local_options local_decode_options(const struct decode_settings *s);

/* A map.csv. */
struct google_map {
	struct sotto_local_map map;
	struct sotto_local_names names;
};

void google_map_release(struct google_map *m);

/* Reads a map.csv; makes the two candidates TRUE and FALSE of one bit. */
enum outcome local_google_map_read(const struct sotto_local_google *params, const char *path,
				   struct google_map *out, struct sotto_error *err);
void local_google_boolean_map(const struct sotto_local_google *params, struct google_map *out);

/* Prints the result, and draws it with --svg. */
enum outcome local_decode_show(const struct local_result *r,
			       const struct sotto_local_options *options,
			       const struct invocation *call, struct sotto_error *err);

/* Runs --params with --counts or --reports, and --map or --candidates. */
enum outcome local_decode_google(const struct invocation *call, struct sotto_error *err);

#endif
