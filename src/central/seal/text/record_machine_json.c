/*
 * JSON by RFC 8259, a byte at a time.  A record is an object.  In a file that is an
 * array, brackets and commas around the object are not part of it.
 */
#include <string.h>

#include "central/seal/text/record_machine.h"

enum {
	PREFIX, /* before the object */
	VALUE, /* a value must begin */
	FIRST_VALUE, /* or the array ends */
	FIRST_KEY, /* a name, or the object ends */
	KEY,
	COLON,
	AFTER, /* a value has ended */
	STRING,
	ESCAPE,
	HEX,
	LITERAL,
	MINUS, /* numbers */
	ZERO,
	DIGITS,
	POINT,
	FRACTION,
	EXPONENT,
	SIGN,
	POWER,
	SUFFIX, /* behind the object */
};

static void fail(struct sotto_machine *m, enum sotto_flaw flaw)
{
	if (m->broken == SOTTO_FLAW_NONE)
		m->broken = flaw;
}

static bool is_space(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool in_object(const struct sotto_machine *m)
{
	unsigned level = m->depth - 1u;

	return m->objects[level / 64] >> level % 64 & 1;
}

static void open_level(struct sotto_machine *m, bool object)
{
	if (m->depth >= SOTTO_JSON_DEPTH) {
		fail(m, SOTTO_FLAW_DEPTH);
		return;
	}
	m->objects[m->depth / 64] &= ~(UINT64_C(1) << m->depth % 64);
	m->objects[m->depth / 64] |= (uint64_t)object << m->depth % 64;
	m->depth++;
	m->state = object ? FIRST_KEY : FIRST_VALUE;
}

static void close_level(struct sotto_machine *m, bool object)
{
	if (in_object(m) != object) {
		fail(m, SOTTO_FLAW_SYNTAX);
		return;
	}
	m->state = --m->depth > 0 ? AFTER : SUFFIX;
}

static void begin_string(struct sotto_machine *m, bool key)
{
	m->state = STRING;
	m->key = key;
	m->high = false;
}

static void begin_value(struct sotto_machine *m, unsigned char c)
{
	const char *literal = c == 't' ? "rue" : c == 'f' ? "alse" : c == 'n' ? "ull" : NULL;

	if (c == '"') {
		begin_string(m, false);
	} else if (c == '{' || c == '[') {
		open_level(m, c == '{');
	} else if (literal) {
		m->literal = literal;
		m->state = LITERAL;
	} else if (c == '-') {
		m->state = MINUS;
	} else if (c >= '0' && c <= '9') {
		m->state = c == '0' ? ZERO : DIGITS;
	} else {
		fail(m, SOTTO_FLAW_SYNTAX);
	}
}

/* Structure outside the object: of an array, or between objects. */
static void step_outside(struct sotto_machine *m, unsigned char c)
{
	bool lines = m->dialect->kind == SOTTO_TEXT_JSON_LINES;

	if (is_space(c) ||
	    (!lines && (c == ',' || c == ']' || (c == '[' && m->state == PREFIX))))
		return;
	if (c != '{' || (lines && m->state == SUFFIX)) {
		fail(m, m->state == SUFFIX ? SOTTO_FLAW_SYNTAX : SOTTO_FLAW_NO_OBJECT);
		return;
	}
	m->cells++;
	m->cell = 0;
	open_level(m, true);
}

static void step_after(struct sotto_machine *m, unsigned char c)
{
	if (is_space(c))
		return;
	if (c == ',') {
		m->state = in_object(m) ? KEY : VALUE;
		if (m->depth == 1)
			m->cell = 0;
	} else if (c == '}' || c == ']') {
		close_level(m, c == '}');
	} else {
		fail(m, SOTTO_FLAW_SYNTAX);
	}
}

static void step_name(struct sotto_machine *m, unsigned char c)
{
	if (is_space(c))
		return;
	if (m->state == COLON && c == ':') {
		m->state = VALUE;
		if (m->depth == 1)
			m->cell = 0;
	} else if (m->state != COLON && c == '"') {
		begin_string(m, true);
	} else if (m->state == FIRST_KEY && c == '}') {
		close_level(m, true);
	} else {
		fail(m, SOTTO_FLAW_SYNTAX);
	}
}

static void lone(struct sotto_machine *m)
{
	if (m->high && m->content == SOTTO_FLAW_NONE)
		m->content = SOTTO_FLAW_SURROGATE;
	m->high = false;
}

static void step_string(struct sotto_machine *m, unsigned char c)
{
	if (c != '\\')
		lone(m);
	if (c == '"')
		m->state = m->key ? COLON : AFTER;
	else if (c == '\\')
		m->state = ESCAPE;
	else if (c < 0x20)
		fail(m, SOTTO_FLAW_SYNTAX);
}

static void step_escape(struct sotto_machine *m, unsigned char c)
{
	if (c == 'u') {
		m->state = HEX;
		m->escape = 4;
		m->unit = 0;
		return;
	}
	lone(m);
	m->state = STRING;
	if (c == 0 || !strchr("\"\\/bfnrt", c))
		fail(m, SOTTO_FLAW_SYNTAX);
}

static void end_unit(struct sotto_machine *m)
{
	bool low = m->unit >= 0xdc00 && m->unit <= 0xdfff, paired = m->high && low;

	m->state = STRING;
	if (!paired)
		lone(m);
	if (low && !paired && m->content == SOTTO_FLAW_NONE)
		m->content = SOTTO_FLAW_SURROGATE;
	m->high = m->unit >= 0xd800 && m->unit <= 0xdbff;
}

static void step_hex(struct sotto_machine *m, unsigned char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;

	if (!at || (c < '0' || (c > '9' && (c | 0x20) < 'a'))) {
		fail(m, SOTTO_FLAW_SYNTAX);
		return;
	}
	m->unit = (uint16_t)(m->unit << 4 | (unsigned)(at - digits));
	if (--m->escape == 0)
		end_unit(m);
}

static void step_literal(struct sotto_machine *m, unsigned char c)
{
	if (c != (unsigned char)*m->literal)
		fail(m, SOTTO_FLAW_SYNTAX);
	else if (*++m->literal == '\0')
		m->state = AFTER;
}

/* What a digit, or another letter of a number, leads to; AFTER: the number has ended. */
static void step_number(struct sotto_machine *m, unsigned char c)
{
	bool digit = c >= '0' && c <= '9', exponent = c == 'e' || c == 'E';
	bool whole = m->state == ZERO || m->state == DIGITS;

	if (m->state == MINUS && digit)
		m->state = c == '0' ? ZERO : DIGITS;
	else if (m->state == DIGITS && digit)
		m->state = DIGITS;
	else if (whole && c == '.')
		m->state = POINT;
	else if ((m->state == POINT || m->state == FRACTION) && digit)
		m->state = FRACTION;
	else if ((whole || m->state == FRACTION) && exponent)
		m->state = EXPONENT;
	else if (m->state == EXPONENT && (c == '+' || c == '-'))
		m->state = SIGN;
	else if ((m->state == EXPONENT || m->state == SIGN || m->state == POWER) && digit)
		m->state = POWER;
	else if (whole || m->state == FRACTION || m->state == POWER)
		m->state = AFTER, step_after(m, c);
	else
		fail(m, SOTTO_FLAW_SYNTAX);
}

static void step_value(struct sotto_machine *m, unsigned char c)
{
	if (is_space(c))
		return;
	if (m->state == FIRST_VALUE && c == ']')
		close_level(m, false);
	else
		begin_value(m, c);
}

static void step(struct sotto_machine *m, unsigned char c)
{
	switch (m->state) {
	case PREFIX:
	case SUFFIX:
		step_outside(m, c);
		break;
	case VALUE:
	case FIRST_VALUE:
		step_value(m, c);
		break;
	case FIRST_KEY:
	case KEY:
	case COLON:
		step_name(m, c);
		break;
	case AFTER:
		step_after(m, c);
		break;
	case STRING:
		step_string(m, c);
		break;
	case ESCAPE:
		step_escape(m, c);
		break;
	case HEX:
		step_hex(m, c);
		break;
	case LITERAL:
		step_literal(m, c);
		break;
	default:
		step_number(m, c);
	}
}

/* How many bytes from here on are ordinary letters of the string that has begun. */
static size_t run_of(const struct sotto_machine *m, const char *bytes, size_t n)
{
	size_t i = 0;

	if (m->state != STRING || m->utf8 || m->high)
		return 0;
	while (i < n && (signed char)bytes[i] >= 0x20 && bytes[i] != '"' && bytes[i] != '\\')
		i++;
	return i;
}

void sotto_json_feed(struct sotto_machine *m, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n && m->broken == SOTTO_FLAW_NONE; i++) {
		size_t run = run_of(m, bytes + i, n - i);

		sotto_machine_pass(m, run);
		i += run;
		if (i >= n)
			break;
		if (m->depth > 0)
			sotto_machine_check(m, (unsigned char)bytes[i]);
		step(m, (unsigned char)bytes[i]);
	}
}

enum sotto_record_verdict sotto_json_end_line(struct sotto_machine *m, bool last)
{
	bool lines = m->dialect->kind == SOTTO_TEXT_JSON_LINES;

	if (m->broken == SOTTO_FLAW_NONE && m->state == PREFIX)
		return SOTTO_LINE_EMPTY;
	if (m->broken == SOTTO_FLAW_NONE && m->state == SUFFIX)
		return m->cells > 1 ? SOTTO_LINE_SEVERAL : SOTTO_LINE_RECORD;
	if (m->broken == SOTTO_FLAW_NONE) {
		sotto_json_feed(m, "\n", 1); /* ends a number, not allowed in a text */
		if (last || lines)
			fail(m, SOTTO_FLAW_SYNTAX);
	}
	return m->broken == SOTTO_FLAW_NONE ? SOTTO_LINE_OPEN : SOTTO_LINE_BROKEN;
}

bool sotto_json_is_closed(const struct sotto_machine *m)
{
	return m->broken == SOTTO_FLAW_NONE && m->state == SUFFIX;
}
