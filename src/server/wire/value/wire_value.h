/*
 * wire_value.h - values of an answer as PostgreSQL sends them, as text or binary
 */
#ifndef SOTTO_WIRE_VALUE_H
#define SOTTO_WIRE_VALUE_H

#include "server/wire/wire_message.h"
#include "sotto/query.h"

/* PostgreSQL's OID for one of our types ("integer"), and its size; text if it is unknown. */
int32_t sotto_wire_type(const char *type, int16_t *size);

/* The size of one of PostgreSQL's types; -1: it varies. */
int16_t sotto_wire_type_size(int32_t type);

/* Writes one field of a DataRow from a text in PostgreSQL's format; NULL is SQL's NULL. */
void sotto_wire_text_value(struct sotto_wire_stream *s, const char *text, int32_t type,
			   bool binary);

/* Writes one field of a DataRow. */
void sotto_wire_value(struct sotto_wire_stream *s, const struct sotto_value *v,
		      const char *type, bool binary);

#endif
