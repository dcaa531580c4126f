/*
 * Fills the table of functions that the library calls, each of them one function of the JSON
 * writer.
 */
#include "show/json_document.h"

static void open_bracket(void *to, char bracket, bool on_one_line)
{
	if (bracket == '{')
		(on_one_line ? json_open_record : json_open_object)(to);
	else
		(on_one_line ? json_open_row : json_open_array)(to);
}

static void close_bracket(void *to, char bracket)
{
	(bracket == '}' ? json_close_object : json_close_array)(to);
}

static void key(void *to, const char *name)
{
	json_key(to, name);
}

static void text(void *to, const char *value)
{
	json_write_text(to, value);
}

static void integer(void *to, int64_t x)
{
	json_write_integer(to, x);
}

static void number(void *to, double x)
{
	json_write_double(to, x);
}

static void decimal(void *to, const char *digits)
{
	json_write_number_text(to, digits);
}

static void boolean(void *to, bool x)
{
	json_write_bool(to, x);
}

static void null(void *to)
{
	json_write_null(to);
}

struct sotto_document json_document(struct json_writer *w)
{
	return (struct sotto_document){.to = w,
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
