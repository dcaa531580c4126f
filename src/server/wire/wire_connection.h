/*
 * wire_connection.h - one client of the PostgreSQL protocol, from its first byte to its last
 */
#ifndef SOTTO_WIRE_CONNECTION_H
#define SOTTO_WIRE_CONNECTION_H

struct sotto_wire_connection;

/* Serves the client until it leaves.  The stream still belongs to the caller. */
void sotto_wire_speak(struct sotto_wire_connection *c);

#endif
