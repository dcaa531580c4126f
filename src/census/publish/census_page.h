/*
 * census_page.h - report.html: the account of a release for people, with pictures
 */
#ifndef SOTTO_CENSUS_PAGE_H
#define SOTTO_CENSUS_PAGE_H

#include <stdio.h>

#include "census/account/census_predict.h"
#include "census/measure/census_world.h"

/* Fails: SOTTO_ENOMEM; what the stream says is the caller's to look at. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_put_page(FILE *f, const struct sotto_census_world *w, bool not_private,
		      const struct sotto_census_predictions *predictions);

#endif
