/*
 * cost_text.h - prints a cost for people and for programs
 */
#ifndef SOTTO_COST_TEXT_H
#define SOTTO_COST_TEXT_H

#include <stdio.h>

#include "show/json.h"
#include "sotto/cost.h"

/* Prints "epsilon 0.1, delta 0.000001", numbers rounded up; no newline. */
void cost_text_print(FILE *out, const struct sotto_cost *cost);

/* Writes the member "cost" of the open object: epsilon, delta and rho. */
void cost_text_write(struct json_writer *json, const struct sotto_cost *cost);

#endif
