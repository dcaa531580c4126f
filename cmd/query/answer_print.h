/*
 * answer_print.h - printing an answer
 */
#ifndef SOTTO_ANSWER_PRINT_H
#define SOTTO_ANSWER_PRINT_H

#include <stdio.h>

#include "show/json.h"
#include "show/output_format.h"
#include "sotto/query.h"

/* `full`: CSV says in comment lines, before the header, what limits one unit. */
void answer_print(const struct sotto_answer *a, enum format format, bool full, FILE *out);

/* For people, "epsilon 0.5" or "epsilon 0.5, delta 1e-7": what was spent is rounded up,
 * what is left down.  delta NULL: it is not said. */
void answer_print_spent(FILE *out, const struct sotto_rational *epsilon,
			const struct sotto_rational *delta);
void answer_print_left(FILE *out, const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta);

/* "key": {"epsilon": ..., "delta": ...}, rounded the same way, with the exact fraction beside
 * what is not a short decimal. */
void answer_write_spent(struct json_writer *w, const char *key,
			const struct sotto_rational *epsilon,
			const struct sotto_rational *delta);
void answer_write_left(struct json_writer *w, const char *key,
		       const struct sotto_rational *epsilon,
		       const struct sotto_rational *delta);

/* How many more questions like this one fit; null: no limit. */
void answer_write_fits(struct json_writer *w, uint64_t fits);

#endif
