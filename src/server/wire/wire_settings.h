/*
 * wire_settings.h - the settings of one connection, for SET and SHOW
 *
 * sotto.epsilon, sotto.delta, sotto.error, sotto.diagnostics, sotto.mechanism, sotto.weights,
 * sotto.fresh and sotto.intervals are ours; the others are what clients of PostgreSQL send: they are kept, shown again, and change nothing.
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
	char mechanism[SOTTO_SETTING_TEXT]; /* "": whichever errs less */
	char weights[SOTTO_SETTING_TEXT]; /* as they were set */
	char weighed[SOTTO_SETTING_TEXT]; /* the names of their columns, each with its end */
	struct sotto_column_weight weight[SOTTO_WIRE_WEIGHTS];
	size_t weight_count;
	bool fresh, intervals;
	char values[SOTTO_SETTINGS_MAX][SOTTO_SETTING_TEXT]; /* of the others; "": as it was */
};

void sotto_settings_init(struct sotto_wire_settings *s);
void sotto_settings_release(struct sotto_wire_settings *s);

/* "SET name = value", "RESET name", whole statements.  Fails: SOTTO_EREFUSED, SOTTO_EPARSE. */
SOTTO_MUST_CHECK enum sotto_status
sotto_settings_set(struct sotto_wire_settings *s, const char *sql, struct sotto_error *err);

/* The same for a name and a value alone. */
SOTTO_MUST_CHECK enum sotto_status sotto_settings_put(struct sotto_wire_settings *s,
						      const char *name, const char *value,
						      struct sotto_error *err);

/* What SHOW name shows; fails with SOTTO_EREFUSED for an unknown one. */
SOTTO_MUST_CHECK enum sotto_status
sotto_settings_show(const struct sotto_wire_settings *s, const char *name,
		    char out[SOTTO_SETTING_TEXT], struct sotto_error *err);

/* The i-th that is sent to a client at its start; false past the last. */
bool sotto_settings_told(size_t i, const char **name, const char **value);

#endif
