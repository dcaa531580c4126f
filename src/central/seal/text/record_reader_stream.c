/*
 * JSON objects that share lines: an array in one line, or a file of which the owner
 * said that line breaks mean nothing.  After a broken element reading goes on at the
 * next line, or, where there is one line only, at the next comma that a whole object
 * follows.
 */
#include <string.h>

#include "central/seal/text/record_reader.h"
#include "core/base/failure.h"

static void pass(struct sotto_record_reader *r, size_t n)
{
	const char *bytes = sotto_window_bytes(&r->window);

	for (size_t i = 0; i < n; i++)
		r->line += bytes[i] == '\n';
	r->passed += n;
	sotto_window_skip(&r->window, n);
}

static bool is_between(char c)
{
	return strchr(" \t\r\n,[]", c) && c;
}

/* Spaces, commas and brackets around elements. */
static enum sotto_status skip_between(struct sotto_record_reader *r, bool *at_end)
{
	for (;;) {
		const char *bytes;
		size_t n, i = 0;

		SOTTO_TRY(sotto_window_fill(&r->window, 1));
		n = sotto_window_length(&r->window);
		bytes = sotto_window_bytes(&r->window);
		while (i < n && is_between(bytes[i]))
			i++;
		pass(r, i);
		*at_end = n == 0;
		if (i < n || n == 0)
			return SOTTO_OK;
	}
}

/* Goes back to a byte that the window no longer has. */
static enum sotto_status go_back(struct sotto_record_reader *r, uint64_t passed, uint64_t line)
{
	struct sotto_record_reader again;

	SOTTO_TRY(sotto_reader_open(&again, r->text, r->survey));
	while (again.passed < passed) {
		enum sotto_status st = sotto_window_fill(&again.window, 1);
		uint64_t left = passed - again.passed;
		size_t n = sotto_window_length(&again.window);

		if (st != SOTTO_OK || n == 0) {
			sotto_reader_close(&again);
			return st == SOTTO_OK ? SOTTO_ESTATE : st;
		}
		pass(&again, left < n ? (size_t)left : n);
	}
	again.line = line;
	again.in_broken = r->in_broken;
	sotto_reader_close(r);
	*r = again;
	return SOTTO_OK;
}

/*
 * The object at the window's start: *length, 0 if it is not one.  One that is longer than
 * a record may be is passed over, and *gone says so.
 */
static enum sotto_status
measure(struct sotto_record_reader *r, struct sotto_machine *m, size_t *length, bool *gone)
{
	size_t at = 0;

	*gone = false;
	*length = 0;
	sotto_machine_start(m, &r->text->dialect);
	while (m->broken == SOTTO_FLAW_NONE) {
		SOTTO_TRY(sotto_window_fill(&r->window, at + 1));
		if (sotto_window_length(&r->window) <= at)
			return SOTTO_OK;
		sotto_machine_feed(m, sotto_window_bytes(&r->window) + at, 1);
		at++;
		if (sotto_json_is_closed(m)) {
			*length = at;
			return SOTTO_OK;
		}
		if (at > SOTTO_RECORD_MAX) {
			*gone = true;
			pass(r, at);
			at = 0;
		}
	}
	return SOTTO_OK;
}

/*
 * What follows a whole element: a comma, a bracket, the end; in a file of several lines
 * also a new line or another object.
 */
static enum sotto_status is_followed(struct sotto_record_reader *r, size_t at, bool *ok)
{
	for (;; at++) {
		char c;

		SOTTO_TRY(sotto_window_fill(&r->window, at + 1));
		*ok = sotto_window_length(&r->window) <= at;
		if (*ok)
			return SOTTO_OK;
		c = sotto_window_bytes(&r->window)[at];
		*ok = c == ',' || c == ']' ||
		      (!r->text->is_one_line && (c == '{' || c == '\n'));
		if (*ok || !strchr(" \t\r\n", c) || !c)
			return SOTTO_OK;
	}
}

/* To where the next element may begin: a new line, or what follows a comma. */
static enum sotto_status find_next(struct sotto_record_reader *r)
{
	bool comma = false;

	for (;;) {
		const char *bytes;
		size_t n, i;

		SOTTO_TRY(sotto_window_fill(&r->window, 1));
		n = sotto_window_length(&r->window);
		bytes = sotto_window_bytes(&r->window);
		for (i = 0; i < n; i++) {
			if (r->text->is_one_line && comma && bytes[i] == '{')
				break;
			if (!r->text->is_one_line && bytes[i] == '\n')
				break;
			comma = bytes[i] == ',' || (comma && is_between(bytes[i]));
		}
		pass(r, i);
		if (i < n || n == 0)
			return SOTTO_OK;
	}
}

static enum sotto_status
break_off(struct sotto_record_reader *r, enum sotto_flaw flaw, struct sotto_raw_record *out)
{
	*out = (struct sotto_raw_record){.bytes = "", .line = r->line, .flaw = flaw};
	r->in_broken = true;
	return find_next(r);
}

static enum sotto_status
next_object(struct sotto_record_reader *r, struct sotto_raw_record *out)
{
	uint64_t passed = r->passed, line = r->line;
	struct sotto_machine m;
	bool gone, whole;
	size_t length;

	SOTTO_TRY(measure(r, &m, &length, &gone));
	whole = length > 0;
	if (whole)
		SOTTO_TRY(is_followed(r, length, &whole));
	if (!whole) {
		if (gone)
			SOTTO_TRY(go_back(r, passed, line));
		return break_off(r, m.broken ? m.broken : SOTTO_FLAW_SYNTAX, out);
	}
	r->in_broken = false;
	if (m.utf8)
		m.content = m.content ? m.content : SOTTO_FLAW_UTF8;
	if (gone)
		m.content = SOTTO_FLAW_LONG;
	*out = (struct sotto_raw_record){.bytes = m.content ? ""
							    : sotto_window_bytes(&r->window),
					 .length = m.content ? 0 : length,
					 .line = line,
					 .flaw = m.content};
	pass(r, length);
	return SOTTO_OK;
}

static enum sotto_status
next_element(struct sotto_record_reader *r, struct sotto_raw_record *out)
{
	bool at_end;

	SOTTO_TRY(skip_between(r, &at_end));
	if (at_end) {
		*out = (struct sotto_raw_record){0};
		return SOTTO_OK;
	}
	if (*sotto_window_bytes(&r->window) != '{')
		return break_off(r, SOTTO_FLAW_NO_OBJECT, out);
	return next_object(r, out);
}

/* A run of broken elements is reported once: where one ends and another begins is unknown. */
enum sotto_status sotto_stream_next(struct sotto_record_reader *r, struct sotto_raw_record *out)
{
	bool was_broken = r->in_broken;

	do
		SOTTO_TRY(next_element(r, out));
	while (was_broken && r->in_broken && out->bytes);
	return SOTTO_OK;
}
