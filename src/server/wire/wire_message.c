/*
 * Lengths are checked before anything is allocated; a message that says more than it has is
 * marked as broken, and the length of one that is written is filled in at its end.
 */
#include "server/wire/wire_message.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- in ----------------------------------------------------------------------------------- */

bool sotto_message_read(struct sotto_wire_stream *s, enum sotto_message_when when,
			struct sotto_message *m, bool *too_long)
{
	const int32_t most = when == SOTTO_MESSAGE_LATER ? SOTTO_MESSAGE_MAX : SOTTO_LOGIN_MAX;
	uint32_t word;
	int32_t length;

	*m = (struct sotto_message){0};
	*too_long = false;
	if (when != SOTTO_MESSAGE_FIRST &&
	    !sotto_stream_read(s, &m->type, 1, SOTTO_MESSAGE_SECONDS))
		return false;
	if (!sotto_stream_read(s, &word, sizeof word, SOTTO_MESSAGE_SECONDS))
		return false;
	length = (int32_t)ntohl(word); /* its own four bytes count */
	*too_long = length < 4 || length - 4 > most;
	if (*too_long)
		return false;
	m->length = (size_t)length - 4;
	m->bytes = malloc(m->length + 1);
	if (!m->bytes || !sotto_stream_read(s, m->bytes, m->length, SOTTO_MESSAGE_SECONDS)) {
		sotto_message_release(m);
		return false;
	}
	m->bytes[m->length] = '\0';
	return true;
}

void sotto_message_release(struct sotto_message *m)
{
	free(m->bytes);
	m->bytes = NULL;
}

const char *sotto_message_bytes(struct sotto_message *m, int32_t n)
{
	const char *at = m->bytes + m->at;

	if (n < 0 || (size_t)n > m->length - m->at) {
		m->broken = true;
		return NULL;
	}
	m->at += (size_t)n;
	return at;
}

int32_t sotto_message_int32(struct sotto_message *m)
{
	const char *bytes = sotto_message_bytes(m, 4);
	uint32_t x = 0;

	if (bytes)
		memcpy(&x, bytes, 4);
	return (int32_t)ntohl(x);
}

int16_t sotto_message_int16(struct sotto_message *m)
{
	const char *bytes = sotto_message_bytes(m, 2);
	uint16_t x = 0;

	if (bytes)
		memcpy(&x, bytes, 2);
	return (int16_t)ntohs(x);
}

char sotto_message_byte(struct sotto_message *m)
{
	const char *bytes = sotto_message_bytes(m, 1);

	return bytes ? *bytes : '\0';
}

const char *sotto_message_text(struct sotto_message *m)
{
	const char *text = m->bytes + m->at, *end = memchr(text, '\0', m->length - m->at);

	if (!end) {
		m->broken = true;
		return "";
	}
	m->at += (size_t)(end - text) + 1;
	return text;
}

/* ---- out ---------------------------------------------------------------------------------- */

size_t sotto_wire_begin(struct sotto_wire_stream *s, char type)
{
	size_t begin;

	sotto_wire_byte(s, type);
	begin = s->out.length;
	sotto_wire_int32(s, 0);
	return begin;
}

void sotto_wire_end(struct sotto_wire_stream *s, size_t begin)
{
	uint32_t length;

	if (s->failed)
		return;
	length = htonl((uint32_t)(s->out.length - begin));
	memcpy(s->out.bytes + begin, &length, sizeof length);
}

void sotto_wire_int32(struct sotto_wire_stream *s, int32_t x)
{
	uint32_t word = htonl((uint32_t)x);

	sotto_stream_put(s, &word, sizeof word);
}

void sotto_wire_int16(struct sotto_wire_stream *s, int16_t x)
{
	uint16_t word = htons((uint16_t)x);

	sotto_stream_put(s, &word, sizeof word);
}

void sotto_wire_byte(struct sotto_wire_stream *s, char c)
{
	sotto_stream_put(s, &c, 1);
}

void sotto_wire_text(struct sotto_wire_stream *s, const char *text)
{
	sotto_stream_put(s, text, strlen(text) + 1);
}

void sotto_wire_send(struct sotto_wire_stream *s, char type, const char *text)
{
	size_t begin = sotto_wire_begin(s, type);

	if (text)
		sotto_wire_text(s, text);
	sotto_wire_end(s, begin);
}

static void field(struct sotto_wire_stream *s, char name, const char *text)
{
	sotto_wire_byte(s, name);
	sotto_wire_text(s, text);
}

void sotto_wire_complain(struct sotto_wire_stream *s, char type, const char *severity,
			 const char *code, const char *sentence, unsigned position)
{
	size_t begin = sotto_wire_begin(s, type);
	char digits[16];

	field(s, 'S', severity);
	field(s, 'V', severity);
	field(s, 'C', code);
	field(s, 'M', sentence);
	if (position) {
		(void)snprintf(digits, sizeof digits, "%u", position);
		field(s, 'P', digits);
	}
	sotto_wire_byte(s, '\0');
	sotto_wire_end(s, begin);
}
