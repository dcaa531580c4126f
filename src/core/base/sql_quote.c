/* Counts the marks first and then copies the text once, with each of them doubled. */
#include "core/base/sql_quote.h"

#include "core/base/failure.h"

/* Bytes of the text between marks, without a NUL. */
static size_t quoted_length(const char *text, char mark)
{
	size_t n = 2;

	for (; *text; text++)
		n += *text == mark ? 2 : 1;
	return n;
}

static void write_quoted(const char *text, char mark, char *out)
{
	*out++ = mark;
	for (; *text; text++) {
		if (*text == mark)
			*out++ = mark;
		*out++ = *text;
	}
	*out++ = mark;
	*out = '\0';
}

const char *sotto_sql_quote(struct sotto_arena *a, const char *text, char mark)
{
	char *out = sotto_arena_alloc(a, quoted_length(text, mark) + 1);

	if (out)
		write_quoted(text, mark, out);
	return out;
}

const char *sotto_sql_quote_name(struct sotto_arena *a, const char *name)
{
	return sotto_sql_quote(a, name, '"');
}

const char *sotto_sql_quote_text(struct sotto_arena *a, const char *text)
{
	return sotto_sql_quote(a, text, '\'');
}

enum sotto_status sotto_sql_append_quoted(struct sotto_buffer *b, const char *text, char mark)
{
	size_t n = quoted_length(text, mark);

	SOTTO_TRY(sotto_buffer_reserve(b, n));
	write_quoted(text, mark, b->bytes + b->length);
	b->length += n;
	return SOTTO_OK;
}
