/*
 * census_round_read.h - reads the input of `sotto release --round`: a table, or a list with a sum
 */
#ifndef SOTTO_CENSUS_ROUND_READ_H
#define SOTTO_CENSUS_ROUND_READ_H

#include <jansson.h>

#include "census/whole/census_round_list.h"

SOTTO_MUST_CHECK enum sotto_status
sotto_round_numbers_init(struct sotto_round_numbers *t, size_t rows, size_t columns);
void sotto_round_numbers_release(struct sotto_round_numbers *t);
void sotto_round_list_release(struct sotto_round_list *l);

/*
 * Read the input into a zeroed struct.  Fail: SOTTO_EPARSE, err names the path; SOTTO_ENOMEM.
 * Pair with _release even then.
 */
SOTTO_MUST_CHECK enum sotto_status
sotto_round_read_cells(struct sotto_round_numbers *t, json_t *rows, struct sotto_error *err);
SOTTO_MUST_CHECK enum sotto_status
sotto_round_read_list(struct sotto_round_list *l, json_t *root, struct sotto_error *err);

#endif
