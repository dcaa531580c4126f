/*
 * Fills the table of functions that the library calls, each of them one function of the JSON
 * writer of replies.
 */
#include "server/http/reply_document.h"

static void open_bracket(void *to, char bracket, bool on_one_line)
{
	(void)on_one_line; /* all of a reply is */
	sotto_json_open(to, bracket);
}

static void close_bracket(void *to, char bracket)
{
	sotto_json_close(to, bracket);
}

static void key(void *to, const char *name)
{
	sotto_json_key(to, name);
}

static void text(void *to, const char *value)
{
	sotto_json_text(to, value);
}

static void integer(void *to, int64_t x)
{
	sotto_json_integer(to, x);
}

static void number(void *to, double x)
{
	sotto_json_double(to, x);
}

static void decimal(void *to, const char *digits)
{
	sotto_json_decimal(to, digits);
}

static void boolean(void *to, bool x)
{
	sotto_json_bool(to, x);
}

static void null(void *to)
{
	sotto_json_null(to);
}

struct sotto_document sotto_reply_document(struct sotto_json *j)
{
	return (struct sotto_document){.to = j,
				       .open = open_bracket,
				       .close = close_bracket,
				       .key = key,
				       .text = text,
				       .integer = integer,
				       .number = number,
				       .decimal = decimal,
				       .boolean = boolean,
				       .null = null};
}
