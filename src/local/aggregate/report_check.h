/*
 * report_check.h - checks whether a client can have sent a report
 */
#ifndef SOTTO_REPORT_CHECK_H
#define SOTTO_REPORT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sotto/collect.h"

/*
 * Looks at n reports of sotto_client_report_bytes each: every number in range,
 * lists ascending, padding zero.
 *
 * Fails: SOTTO_EINVAL for a report that no client can have sent.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_local_reports_check(const struct sotto_client_params *params, const uint8_t *reports,
			  size_t n);

/* What is wrong with the first of them that is; REPORT if nothing else is known. */
enum sotto_local_reason sotto_local_reports_flaw(const struct sotto_client_params *params,
						 const uint8_t *reports, size_t n);

#endif
