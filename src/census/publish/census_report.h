/*
 * census_report.h - writes release.json and report.html beside the tables
 */
#ifndef SOTTO_CENSUS_REPORT_H
#define SOTTO_CENSUS_REPORT_H

#include "census/measure/census_world.h"

/* Writes both files into the folder; release.json last.  Fails: SOTTO_EIO. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_report_write(const struct sotto_census_world *w, const char *folder,
			  bool not_private, struct sotto_error *err);

#endif
