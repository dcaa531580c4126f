/* JSON of replies, into memory. */
#include "server/http/json_reply.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/shortest.h"

void sotto_json_init(struct sotto_json *j, size_t cap)
{
	*j = (struct sotto_json){.status = SOTTO_OK};
	sotto_buffer_init(&j->text, cap);
}

void sotto_json_release(struct sotto_json *j)
{
	sotto_buffer_release(&j->text);
}

enum sotto_status sotto_json_status(const struct sotto_json *j)
{
	return j->status;
}

static void put(struct sotto_json *j, const char *bytes, size_t n)
{
	if (j->status == SOTTO_OK)
		j->status = sotto_buffer_append(&j->text, bytes, n);
}

static void begin_item(struct sotto_json *j)
{
	if (j->comma)
		put(j, ",", 1);
	j->comma = true;
}

static void put_item(struct sotto_json *j, const char *text)
{
	begin_item(j);
	put(j, text, strlen(text));
}

void sotto_json_open(struct sotto_json *j, char bracket)
{
	begin_item(j);
	put(j, &bracket, 1);
	j->comma = false;
}

void sotto_json_close(struct sotto_json *j, char bracket)
{
	put(j, &bracket, 1);
	j->comma = true;
}

/* ---- texts -------------------------------------------------------------------------------- */

/* Bytes of the UTF-8 character at s; 0 if there is none. */
static size_t character(const unsigned char *s)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80       ? 1
		   : s[0] >> 5 == 6  ? 2
		   : s[0] >> 4 == 14 ? 3
		   : s[0] >> 3 == 30 ? 4
				     : 0;
	uint32_t code = n == 1 ? s[0] : n ? s[0] & (0x7Fu >> n) : 0;

	for (size_t i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		code = code << 6 | (s[i] & 0x3F);
	}
	if (n > 1 && (code < least[n] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)))
		return 0;
	return n;
}

static void put_character(struct sotto_json *j, const unsigned char *s, size_t n)
{
	char escaped[8];

	if (n == 0)
		put(j, "\xEF\xBF\xBD", 3);
	else if (n == 1 && (s[0] == '"' || s[0] == '\\'))
		put(j, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\%c", s[0]));
	else if (n == 1 && (s[0] < 0x20 || s[0] == '<' || s[0] == 0x7F))
		put(j, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", s[0]));
	else
		put(j, (const char *)s, n);
}

static void put_string(struct sotto_json *j, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	put(j, "\"", 1);
	while (*s) {
		size_t n = character(s);

		put_character(j, s, n);
		s += n ? n : 1;
	}
	put(j, "\"", 1);
}

void sotto_json_key(struct sotto_json *j, const char *key)
{
	begin_item(j);
	put_string(j, key);
	put(j, ":", 1);
	j->comma = false;
}

void sotto_json_text(struct sotto_json *j, const char *text)
{
	if (!text) {
		sotto_json_null(j);
		return;
	}
	begin_item(j);
	put_string(j, text);
}

void sotto_json_bool(struct sotto_json *j, bool x)
{
	put_item(j, x ? "true" : "false");
}

void sotto_json_null(struct sotto_json *j)
{
	put_item(j, "null");
}

/* ---- numbers ------------------------------------------------------------------------------ */

void sotto_json_integer(struct sotto_json *j, int64_t x)
{
	const int64_t exact = INT64_C(1) << 53;
	char text[32];

	(void)snprintf(text, sizeof text,
		       x > exact || x < -exact ? "\"%" PRId64 "\"" : "%" PRId64, x);
	put_item(j, text);
}

void sotto_json_double(struct sotto_json *j, double x)
{
	char text[SOTTO_SHORTEST_SIZE];

	if (isnan(x) || isinf(x)) {
		sotto_json_text(j, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
		return;
	}
	sotto_shortest(x, text);
	put_item(j, text);
}

/* At most 15 digits, written as JSON writes numbers. */
static bool is_short(const char *s)
{
	size_t digits = 0;

	if (*s == '-')
		s++;
	if (*s < '0' || *s > '9' || (s[0] == '0' && s[1] >= '0' && s[1] <= '9'))
		return false;
	for (; *s; s++) {
		if (*s == '.' ? s[1] < '0' || s[1] > '9' : *s < '0' || *s > '9')
			return false;
		digits += *s != '.' && (digits || *s != '0');
	}
	return digits <= 15;
}

void sotto_json_decimal(struct sotto_json *j, const char *number)
{
	if (is_short(number))
		put_item(j, number);
	else
		sotto_json_text(j, number);
}

/* ---- members of an object ------------------------------------------------------------------ */

void sotto_json_member_text(struct sotto_json *j, const char *key, const char *text)
{
	sotto_json_key(j, key);
	sotto_json_text(j, text);
}

void sotto_json_member_integer(struct sotto_json *j, const char *key, int64_t x)
{
	sotto_json_key(j, key);
	sotto_json_integer(j, x);
}

void sotto_json_member_bool(struct sotto_json *j, const char *key, bool x)
{
	sotto_json_key(j, key);
	sotto_json_bool(j, x);
}

void sotto_json_member_double(struct sotto_json *j, const char *key, double x)
{
	sotto_json_key(j, key);
	sotto_json_double(j, x);
}

/* Fifteen digits are all of a short decimal; a small one gets an exponent. */
static void put_short(struct sotto_json *j, const struct sotto_rational *r)
{
	enum { DIGITS = 15 };
	char *text = NULL;
	enum sotto_status st = sotto_rational_format_down(r, DIGITS, &text);

	if (st == SOTTO_OK)
		put_item(j, text);
	else
		j->status = st;
	free(text);
}

static void
amount(struct sotto_json *j, const char *key, const struct sotto_rational *r, double rounded)
{
	char *exact = NULL, *name = NULL;
	enum sotto_status st = sotto_rational_format(r, &exact);

	sotto_json_key(j, key);
	if (st == SOTTO_OK && is_short(exact)) {
		put_short(j, r);
	} else if (st == SOTTO_OK) {
		sotto_json_double(j, rounded);
		if (asprintf(&name, "%s_exact", key) >= 0)
			sotto_json_member_text(j, name, exact);
	} else {
		j->status = st;
	}
	free(exact);
	free(name);
}

void sotto_json_left(struct sotto_json *j, const char *key, const struct sotto_rational *r)
{
	amount(j, key, r, sotto_rational_double_down(r));
}

void sotto_json_spent(struct sotto_json *j, const char *key, const struct sotto_rational *r)
{
	amount(j, key, r, sotto_rational_double_up(r));
}
