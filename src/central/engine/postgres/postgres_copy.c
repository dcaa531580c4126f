/*
 * Reads rows in place; only what is left of a piece is copied, and a row is taken once all its
 * fields are there.
 */
#include "central/engine/postgres/postgres_copy.h"

#include <string.h>

#include "core/base/failure.h"

enum { SIGNATURE = 11, HEADER = SIGNATURE + 8 };
static const char signature[SIGNATURE] = "PGCOPY\n\377\r\n";
static const size_t row_max = (size_t)1 << 31;

void sotto_copy_init(struct sotto_copy *c, size_t columns)
{
	*c = (struct sotto_copy){.columns = columns};
	sotto_buffer_init(&c->kept, row_max);
}

void sotto_copy_release(struct sotto_copy *c)
{
	sotto_buffer_release(&c->kept);
}

static void look_at_kept(struct sotto_copy *c)
{
	c->next = (const uint8_t *)c->kept.bytes;
	c->end = c->next + c->kept.length;
}

enum sotto_status sotto_copy_feed(struct sotto_copy *c, const void *bytes, size_t n)
{
	if (c->kept.length == 0) {
		c->next = bytes;
		c->end = c->next + n;
		return SOTTO_OK;
	}
	SOTTO_TRY(sotto_buffer_append(&c->kept, bytes, n));
	look_at_kept(c);
	return SOTTO_OK;
}

/* What is left of a piece is moved to where the next one can follow it. */
static enum sotto_status keep_the_rest(struct sotto_copy *c)
{
	size_t n = (size_t)(c->end - c->next);

	if (c->kept.length > 0 && n > 0) {
		memmove(c->kept.bytes, c->next, n);
		c->kept.length = n;
	} else {
		sotto_buffer_clear(&c->kept);
		if (n > 0)
			SOTTO_TRY(sotto_buffer_append(&c->kept, c->next, n));
	}
	c->next = c->end = NULL;
	return SOTTO_OK;
}

static uint32_t word(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Flags (none is known that may be ignored) and an extension of some length. */
static enum sotto_status read_header(struct sotto_copy *c, bool *whole)
{
	size_t n = (size_t)(c->end - c->next), extension;

	*whole = false;
	if (n < HEADER)
		return SOTTO_OK;
	if (memcmp(c->next, signature, SIGNATURE) != 0 || word(c->next + SIGNATURE) != 0)
		return SOTTO_EPARSE;
	extension = word(c->next + SIGNATURE + 4);
	if (n - HEADER < extension)
		return SOTTO_OK;
	c->next += HEADER + extension;
	c->has_begun = *whole = true;
	return SOTTO_OK;
}

/* Leaves c->next behind the row only if all of it is there. */
static enum sotto_status
read_fields(struct sotto_copy *c, struct sotto_copy_field *fields, bool *whole)
{
	const uint8_t *p = c->next + 2;

	for (size_t i = 0; i < c->columns; i++) {
		uint32_t length;

		if (c->end - p < 4)
			return SOTTO_OK;
		length = word(p);
		p += 4;
		fields[i] = (struct sotto_copy_field){NULL, 0};
		if (length == UINT32_MAX)
			continue;
		if (length > INT32_MAX)
			return SOTTO_EPARSE;
		if ((size_t)(c->end - p) < length)
			return SOTTO_OK;
		fields[i] = (struct sotto_copy_field){p, length};
		p += length;
	}
	c->next = p;
	*whole = true;
	return SOTTO_OK;
}

static enum sotto_status
read_row(struct sotto_copy *c, struct sotto_copy_field *fields, bool *whole)
{
	uint32_t count;

	*whole = false;
	if (c->end - c->next < 2)
		return SOTTO_OK;
	count = (uint32_t)c->next[0] << 8 | c->next[1];
	if (count == UINT16_MAX) {
		c->has_ended = true;
		return c->end - c->next == 2 ? SOTTO_OK : SOTTO_EPARSE;
	}
	return count == c->columns ? read_fields(c, fields, whole) : SOTTO_EPARSE;
}

enum sotto_status
sotto_copy_row(struct sotto_copy *c, struct sotto_copy_field *fields, bool *found)
{
	*found = false;
	if (c->has_ended)
		return c->next == c->end ? SOTTO_OK : SOTTO_EPARSE;
	if (!c->has_begun) {
		SOTTO_TRY(read_header(c, found));
		if (!*found)
			return keep_the_rest(c);
	}
	SOTTO_TRY(read_row(c, fields, found));
	if (c->has_ended)
		c->next = c->end;
	return *found ? SOTTO_OK : keep_the_rest(c);
}
