/*
 * census_page.h - writes report.html: the account of a release for people, with pictures
 */
#ifndef SOTTO_CENSUS_PAGE_H
#define SOTTO_CENSUS_PAGE_H

#include <stdio.h>

#include "census/account/census_predict.h"
#include "census/measure/census_world.h"

/* Writes the page.  Fails: SOTTO_ENOMEM; the caller checks the stream for errors. */
SOTTO_MUST_CHECK enum sotto_status
sotto_census_put_page(FILE *f, const struct sotto_census_world *w, bool not_private,
		      const struct sotto_census_predictions *predictions);

#endif
