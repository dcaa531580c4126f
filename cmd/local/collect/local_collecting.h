/*
 * local_collecting.h - the ways in which reports and counts arrive
 */
#ifndef SOTTO_LOCAL_COLLECTING_H
#define SOTTO_LOCAL_COLLECTING_H

#include "local/local_command.h"

struct collect_settings {
	const char *store, *params, *snapshot, *import;
	const char *http, *tls_cert, *tls_key;
	struct option_count max_reports;
	bool compact, verify;
};

/* Runs --import: makes the counts of a counts.csv an aggregate for decode and merge. */
enum outcome local_import(const struct invocation *call, struct sotto_error *err);

/*
 * Runs --http: accepts batches over HTTP until SIGINT or SIGTERM, or until the store fails.
 * Prints "listening at URL" first.
 */
enum outcome local_intake(struct sotto_local_collector *c, const struct invocation *call,
			  struct sotto_error *err);

#endif
