/*
 * wire_message.h - messages of the PostgreSQL protocol 3.0, in and out
 *
 * An incoming message has a limited length and gets a zero byte after its end; a cursor that
 * never leaves the message reads it.
 */
#ifndef SOTTO_WIRE_MESSAGE_H
#define SOTTO_WIRE_MESSAGE_H

#include "server/wire/wire_stream.h"

enum { SOTTO_MESSAGE_MAX = 1 << 20, SOTTO_MESSAGE_SECONDS = 30 };

/* A login needs no more, so that strangers cannot fill the memory. */
enum { SOTTO_LOGIN_MAX = 10000 };

enum sotto_message_when {
	SOTTO_MESSAGE_FIRST, /* has no type */
	SOTTO_MESSAGE_LOGIN, /* from a client that is not logged in yet */
	SOTTO_MESSAGE_LATER,
};

struct sotto_message {
	char type; /* 0 for the first message of a connection */
	char *bytes; /* malloc'd */
	size_t length, at;
	bool broken; /* a read went past the end */
};

/* False if the connection ended or the message is too long; *too_long says which. */
bool sotto_message_read(struct sotto_wire_stream *s, enum sotto_message_when when,
			struct sotto_message *m, bool *too_long);
void sotto_message_release(struct sotto_message *m);

int32_t sotto_message_int32(struct sotto_message *m);
int16_t sotto_message_int16(struct sotto_message *m);
char sotto_message_byte(struct sotto_message *m);
const char *sotto_message_text(struct sotto_message *m); /* "" if it has no zero byte */
const char *sotto_message_bytes(struct sotto_message *m, int32_t n); /* NULL if broken */

/* Outgoing messages: begin, put, end. */
size_t sotto_wire_begin(struct sotto_wire_stream *s, char type);
void sotto_wire_end(struct sotto_wire_stream *s, size_t begin);
void sotto_wire_int32(struct sotto_wire_stream *s, int32_t x);
void sotto_wire_int16(struct sotto_wire_stream *s, int16_t x);
void sotto_wire_byte(struct sotto_wire_stream *s, char c);
void sotto_wire_text(struct sotto_wire_stream *s, const char *text); /* with its zero byte */

/* Sends a message that holds one text, or nothing. */
void sotto_wire_send(struct sotto_wire_stream *s, char type, const char *text);

/* Sends ErrorResponse or NoticeResponse; position counts characters of the SQL from 1, or is 0. */
void sotto_wire_complain(struct sotto_wire_stream *s, char type, const char *severity,
			 const char *code, const char *sentence, unsigned position);

#endif
