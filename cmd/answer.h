/*
 * answer.h - printing an answer
 */
#ifndef SOTTO_CMD_ANSWER_H
#define SOTTO_CMD_ANSWER_H

#include <stdio.h>

#include "format.h"
#include "json.h"
#include "sotto/query.h"

void answer_print(const struct sotto_answer *a, enum format format, FILE *out);

/* A budget or cost for people: exact while that is short. */
void answer_print_amount(FILE *out, const struct sotto_rational *r);

/* "key": {"epsilon": ..., "delta": ...} */
void answer_write_pair(struct json_writer *w, const char *key,
		       const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta);

#endif
