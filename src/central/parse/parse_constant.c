/*
 * Constants.  The parser's JSON writes an integer only when it is positive, so
 * that -1 and 0 look alike in it; the text of the query decides which it was.
 */
#include "central/parse/parse.h"
#include "central/parse/parse_query.h"

#include <ctype.h>

/* Past spaces, opening brackets and comments, counting minus signs. */
static const char *skip_to_digits(const char *s, int *minus)
{
	for (;; s++) {
		if (s[0] == '-' && s[1] == '-') {
			while (s[0] && s[0] != '\n')
				s++;
		} else if (s[0] == '/' && s[1] == '*') {
			int open = 1;

			for (s += 2; s[0] && open; s++) {
				if (s[0] == '/' && s[1] == '*')
					open++, s++;
				else if (s[0] == '*' && s[1] == '/')
					open--, s++;
			}
			s--;
		} else if (s[0] == '-') {
			++*minus;
		} else if (!isspace((unsigned char)s[0]) && s[0] != '(' && s[0] != '+') {
			return s;
		}
		if (!s[0])
			return s;
	}
}

static enum sotto_status integer_from_text(struct sotto_sql_parser *p, int at, long long *out)
{
	int minus = 0;
	long long value = 0;
	const char *s;

	if (at < 0 || (size_t)at >= strlen(p->text))
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, at,
			"this constant cannot be read back; write it as a decimal");
	s = skip_to_digits(p->text + at, &minus);
	for (; isdigit((unsigned char)*s) && value < 10000000000; s++)
		value = value * 10 + (*s - '0');
	if (value != 0 && minus % 2 == 0)
		return sotto_sql_fail(
			p->err, SOTTO_EREFUSED, p->text, at,
			"this constant cannot be read back; write it without brackets");
	*out = -value;
	return SOTTO_OK;
}

enum sotto_status
sotto_sql_parse_integer(struct sotto_sql_parser *p, const json_t *constant, long long *out)
{
	const json_t *ival = json_object_get(constant, "ival");
	const json_t *value = json_object_get(ival, "ival");

	if (!ival)
		return sotto_sql_fail(p->err, SOTTO_EREFUSED, p->text,
				      sotto_sql_node_int(constant, "location", 0),
				      "a whole number is expected here");
	if (!value)
		return integer_from_text(p, sotto_sql_node_int(constant, "location", 0), out);
	*out = json_integer_value(value);
	return SOTTO_OK;
}
