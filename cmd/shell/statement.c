/*
 * Scans each byte once and keeps in which quote, comment or dollar quote it is, so that a
 * statement may go on over any number of lines.
 */
#include "shell/statement.h"

#include <stdlib.h>
#include <string.h>

#include "frame/allocation.h"

void statement_init(struct statement *s)
{
	*s = (struct statement){0};
}

void statement_release(struct statement *s)
{
	free(s->text);
	free(s->tag);
	statement_init(s);
}

/* A comment that ends with its line is over. */
bool statement_is_quoting(const struct statement *s)
{
	return s->quote && s->quote != '-';
}

bool statement_add(struct statement *s, const char *line)
{
	size_t n = strlen(line);

	if (s->too_long || n > STATEMENT_MAX - 2 - s->length) {
		s->too_long = true;
		return false;
	}
	s->text = memory_resize(s->text, s->length + n + 2, 1);
	memcpy(s->text + s->length, line, n);
	s->length += n;
	if (n == 0 || line[n - 1] != '\n')
		s->text[s->length++] = '\n';
	s->text[s->length] = '\0';
	return true;
}

/* ---- quotes and comments -------------------------------------------------------------------- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* "$body$" or "$$" at the place, malloc'd; NULL: a dollar and no quote. */
static char *dollar_tag(const char *at, bool after_word)
{
	size_t n = 1;

	if (after_word || (at[1] >= '0' && at[1] <= '9'))
		return NULL;
	while (is_word(at[n]))
		n++;
	return at[n] == '$' ? memory_text("%.*s", (int)(n + 1), at) : NULL;
}

static void open_at(struct statement *s, const char *at)
{
	bool after_word = at > s->text && is_word(at[-1]);

	if (strchr("'\"`", *at)) {
		s->quote = *at;
	} else if (at[0] == '-' && at[1] == '-') {
		s->quote = '-';
		s->scanned++;
	} else if (at[0] == '/' && at[1] == '*') {
		s->quote = '*';
		s->depth = 1;
		s->scanned++;
	} else if (*at == '$' && (s->tag = dollar_tag(at, after_word))) {
		s->quote = '$';
		s->scanned += strlen(s->tag) - 1;
	}
}

static void close_comment(struct statement *s, const char *at)
{
	if (at[0] == '/' && at[1] == '*') {
		s->depth++;
		s->scanned++;
	} else if (at[0] == '*' && at[1] == '/') {
		s->scanned++;
		if (--s->depth == 0)
			s->quote = 0;
	}
}

/* A doubled quote closes one and opens the next, which comes to the same. */
static void close_at(struct statement *s, const char *at)
{
	if (s->quote == '*') {
		close_comment(s, at);
	} else if (s->quote == '-') {
		if (*at == '\n')
			s->quote = 0;
	} else if (s->quote == '$') {
		size_t n = strlen(s->tag);

		if (strncmp(at, s->tag, n) == 0) {
			s->scanned += n - 1;
			s->quote = 0;
			free(s->tag);
			s->tag = NULL;
		}
	} else if (*at == s->quote) {
		s->quote = 0;
	}
}

/* Looks on from where it was; true at a semicolon, which text[scanned] then is. */
static bool find_end(struct statement *s)
{
	for (; s->scanned < s->length; s->scanned++) {
		const char *at = s->text + s->scanned;

		if (s->quote)
			close_at(s, at);
		else if (*at == ';')
			return true;
		else
			open_at(s, at);
	}
	return false;
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* Blanks and comments alone. */
static bool is_blank(const char *text, size_t length)
{
	struct statement s = {.text = (char *)text, .length = length};
	bool blank = true;

	for (; blank && s.scanned < length; s.scanned++) {
		const char *at = text + s.scanned;
		char before = s.quote;

		if (before == '-' || before == '*') {
			close_at(&s, at);
			continue;
		}
		if (strchr(" \t\r\n\f\v", *at))
			continue;
		open_at(&s, at);
		blank = s.quote == '-' || s.quote == '*';
	}
	free(s.tag);
	return blank;
}

bool statement_is_blank(const struct statement *s)
{
	return s->length == 0 || is_blank(s->text, s->length);
}

char *statement_take(struct statement *s)
{
	while (find_end(s)) {
		size_t end = s->scanned, rest = s->length - end - 1, lines;
		char *taken =
			is_blank(s->text, end) ? NULL : memory_text("%.*s", (int)end, s->text);

		lines = strspn(s->text + end + 1,
			       "\n"); /* places are told from its first line */
		rest -= lines;
		memmove(s->text, s->text + end + 1 + lines, rest + 1);
		s->length = rest;
		s->scanned = 0;
		if (taken)
			return taken;
	}
	return NULL;
}

char *statement_take_rest(struct statement *s)
{
	char *taken = statement_is_blank(s) ? NULL : memory_copy_text(s->text);

	statement_release(s);
	return taken;
}
