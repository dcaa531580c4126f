/*
 * wire_settings.h - the settings of one connection, for SET and SHOW
 *
 * sotto.epsilon, sotto.delta, sotto.error, sotto.diagnostics, sotto.mechanism, sotto.weights,
 * sotto.fresh and sotto.intervals are ours.  The other settings are those that PostgreSQL clients
 * send: they are stored and shown again, and change nothing.
 */
#ifndef SOTTO_WIRE_SETTINGS_H
#define SOTTO_WIRE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "sotto/query.h"
#include "sotto/rational.h"
#include "sotto/status.h"

enum { SOTTO_SETTINGS_MAX = 32, SOTTO_SETTING_TEXT = 256 };

enum { SOTTO_WIRE_WEIGHTS = 16 };

struct sotto_wire_settings {
	struct sotto_rational epsilon, delta, error, diagnostics;
	bool has_epsilon, has_delta, has_error, has_diagnostics;
	char mechanism[SOTTO_SETTING_TEXT]; /* "": the one with the smaller error */
	char weights[SOTTO_SETTING_TEXT]; /* the text that was set */
	char weighed[SOTTO_SETTING_TEXT]; /* names of the columns, each with a zero byte */
	struct sotto_column_weight weight[SOTTO_WIRE_WEIGHTS];
	size_t weight_count;
	bool fresh, intervals;
	char values[SOTTO_SETTINGS_MAX]
		   [SOTTO_SETTING_TEXT]; /* of other settings; "": the default */
};

void sotto_settings_init(struct sotto_wire_settings *s);
void sotto_settings_release(struct sotto_wire_settings *s);

/* Runs "SET name = value" or "RESET name".  Fails: SOTTO_EREFUSED, SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_settings_set(struct sotto_wire_settings *s, const char *sql, struct sotto_error *err);

/* The same, given a name and a value. */
SOTTO_MUST_CHECK enum sotto_status sotto_settings_put(struct sotto_wire_settings *s,
						      const char *name, const char *value,
						      struct sotto_error *err);

/* The value that SHOW name shows.  Fails: SOTTO_EREFUSED for an unknown name. */
SOTTO_MUST_CHECK enum sotto_status
sotto_settings_show(const struct sotto_wire_settings *s, const char *name,
		    char out[SOTTO_SETTING_TEXT], struct sotto_error *err);

/* The i-th setting that every client is sent after login; false past the last one. */
bool sotto_settings_told(size_t i, const char **name, const char **value);

#endif
