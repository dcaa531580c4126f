/*
 * wire_extended.h - Parse, Bind, Describe, Execute, Close
 */
#ifndef SOTTO_WIRE_EXTENDED_H
#define SOTTO_WIRE_EXTENDED_H

#include "server/wire/wire_inside.h"

/* One message of an extended query; false if it is not one. */
bool sotto_wire_extended(struct sotto_wire_connection *c, struct sotto_message *m);

void sotto_wire_drop_portals(struct sotto_wire_connection *c);
void sotto_wire_drop_statements(struct sotto_wire_connection *c);

/* What follows DEALLOCATE: a name, or ALL.  One that is not prepared is none to drop. */
void sotto_wire_deallocate(struct sotto_wire_connection *c, const char *words);

/* An error, after which messages are skipped until Sync. */
void sotto_wire_refuse(struct sotto_wire_connection *c, const char *code, const char *sentence);

#endif
