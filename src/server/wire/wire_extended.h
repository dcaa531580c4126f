/*
 * wire_extended.h - the messages of extended queries: Parse, Bind, Describe, Execute, Close
 */
#ifndef SOTTO_WIRE_EXTENDED_H
#define SOTTO_WIRE_EXTENDED_H

#include "server/wire/wire_inside.h"

/* Handles one message of an extended query; false if the message is of another kind. */
bool sotto_wire_extended(struct sotto_wire_connection *c, struct sotto_message *m);

void sotto_wire_drop_portals(struct sotto_wire_connection *c);
void sotto_wire_drop_statements(struct sotto_wire_connection *c);

/* Handles the words after DEALLOCATE: a name, or ALL.  Unknown names are ignored. */
void sotto_wire_deallocate(struct sotto_wire_connection *c, const char *words);

/* Sends an error; the messages up to the next Sync are then skipped. */
void sotto_wire_refuse(struct sotto_wire_connection *c, const char *code, const char *sentence);

#endif
