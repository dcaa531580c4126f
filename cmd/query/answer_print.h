/*
 * answer_print.h - prints an answer
 */
#ifndef SOTTO_ANSWER_PRINT_H
#define SOTTO_ANSWER_PRINT_H

#include <stdio.h>

#include "show/json.h"
#include "show/output_format.h"
#include "sotto/query.h"

/* Prints an answer.  If `full`, CSV begins with comment lines that say what limits one unit. */
void answer_print(const struct sotto_answer *a, enum format format, bool full, FILE *out);

/*
 * Prints "epsilon 0.5" or "epsilon 0.5, delta 1e-7" for people: spent amounts are rounded up,
 * what is left down.  delta may be NULL.
 */
void answer_print_spent(FILE *out, const struct sotto_rational *epsilon,
			const struct sotto_rational *delta);
void answer_print_left(FILE *out, const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta);

/*
 * Writes "key": {"epsilon": ..., "delta": ...}, rounded the same way, with the exact fraction
 * beside a number that is not a short decimal.
 */
void answer_write_spent(struct json_writer *w, const char *key,
			const struct sotto_rational *epsilon,
			const struct sotto_rational *delta);
void answer_write_left(struct json_writer *w, const char *key,
		       const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta);

/* Writes how many more questions like this one fit; null: no limit. */
void answer_write_fits(struct json_writer *w, uint64_t fits);

#endif
