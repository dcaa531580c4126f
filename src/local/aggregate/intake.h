/*
 * intake.h - from reports to counters
 *
 * Bit vectors wait per group until a few kilobytes are there, so that the bit
 * sum kernel runs on whole runs; single cells of a table that exceeds the cache
 * wait until they can be sorted by region.
 */
#ifndef SOTTO_INTAKE_H
#define SOTTO_INTAKE_H

#include <stddef.h>
#include <stdint.h>

#include "sotto/client.h"

struct sotto_report_intake;

SOTTO_MUST_CHECK enum sotto_status
sotto_intake_new(const struct sotto_client_params *params, struct sotto_report_intake **out);
void sotto_intake_free(struct sotto_report_intake *in);

/* Checked reports; groups and cells as in report_shape.h, always the same, complete after a flush. */
void sotto_intake_add(struct sotto_report_intake *in, const uint8_t *reports, size_t n,
		      uint64_t *groups, uint64_t *cells);
void sotto_intake_flush(struct sotto_report_intake *in, uint64_t *groups, uint64_t *cells);

#endif
