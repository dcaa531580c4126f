/*
 * wire_value.h - values of an answer as PostgreSQL sends them, as text or binary
 */
#ifndef SOTTO_WIRE_VALUE_H
#define SOTTO_WIRE_VALUE_H

#include "server/wire/wire_message.h"
#include "sotto/query.h"

/* PostgreSQL's number for a type of ours ("integer"), and its size; text if it is unknown. */
int32_t sotto_wire_type(const char *type, int16_t *size);

/* One field of a DataRow. */
void sotto_wire_value(struct sotto_wire_stream *s, const struct sotto_value *v,
		      const char *type, bool binary);

#endif
