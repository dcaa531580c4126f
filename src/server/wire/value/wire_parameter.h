/*
 * wire_parameter.h - values that a client binds to $1, $2, …
 *
 * A client sends a value as text or binary, with or without a type.  It becomes one constant
 * (struct sotto_bound_value); its text never becomes part of the text of a query.
 */
#ifndef SOTTO_WIRE_PARAMETER_H
#define SOTTO_WIRE_PARAMETER_H

#include "server/wire/wire_message.h"
#include "sotto/query.h"

enum { SOTTO_TYPE_TEXT = 25 };

struct sotto_wire_parameters {
	struct sotto_bound_value *items;
	size_t count;
};

/* Reads the formats and values of a Bind message; false if it is malformed, or err says why. */
bool sotto_bound_read(struct sotto_wire_parameters *out, struct sotto_message *m,
		      const int32_t *types, size_t type_count, struct sotto_error *err);

/* How many parameters a statement has: the largest n of its $n. */
size_t sotto_bound_count(const char *sql);

/* Makes up values of the right types, to describe a statement before its values are bound. */
bool sotto_bound_make_up(struct sotto_wire_parameters *out, const int32_t *types,
			 size_t type_count, size_t count);
void sotto_bound_release(struct sotto_wire_parameters *p);

#endif
