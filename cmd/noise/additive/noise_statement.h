/*
 * noise_statement.h - states what a release cost and how large its error is
 */
#ifndef SOTTO_NOISE_STATEMENT_H
#define SOTTO_NOISE_STATEMENT_H

#include <stdio.h>

#include "noise/additive/noise_release.h"
#include "show/json.h"

/* Prints a sentence on each, for people. */
void noise_statement_print(FILE *out, const struct noise_release *release,
			   const struct noise_input *in, const struct noise_settings *settings);

/* Writes members of the open object: step, sensitivity, scale, cost, accuracy. */
void noise_statement_write(struct json_writer *json, const struct noise_release *release,
			   const struct noise_input *in, const struct noise_settings *settings);

#endif
