/*
 * Every walk goes through one step that passes over a whole quoted text, name or comment, so
 * that no word inside of them is found; each piece put in is noted, so that places can be
 * traced back.
 */
#include "central/parse/dialect/sql_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const char *past_quotes(const char *s)
{
	char quote = *s;

	for (s++; *s; s++) {
		if (*s != quote)
			continue;
		if (s[1] != quote)
			return s + 1;
		s++;
	}
	return s;
}

/* One comment may stand inside another. */
static const char *past_comment(const char *s)
{
	size_t open = 0;

	while (*s) {
		bool begins = strncmp(s, "/*", 2) == 0, ends = strncmp(s, "*/", 2) == 0;

		s += begins || ends ? 2 : 1;
		open += begins;
		open -= ends;
		if (ends && open == 0)
			break;
	}
	return s;
}

const char *sotto_sql_past(const char *s)
{
	if (*s == '\'' || *s == '"')
		return past_quotes(s);
	if (strncmp(s, "--", 2) == 0)
		return s + strcspn(s, "\n");
	if (strncmp(s, "/*", 2) == 0)
		return past_comment(s);
	return *s ? s + 1 : s;
}

bool sotto_sql_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

const char *sotto_sql_past_spaces(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

bool sotto_sql_starts_word(const char *s, const char *word)
{
	return strncasecmp(s, word, strlen(word)) == 0 && !sotto_sql_is_name(s[strlen(word)]);
}

const char *sotto_sql_find_word(const char *text, const char *from, const char *word)
{
	for (const char *s = text; *s; s = sotto_sql_past(s))
		if (s >= from && (s == text || !sotto_sql_is_name(s[-1])) &&
		    sotto_sql_starts_word(s, word))
			return s;
	return NULL;
}

const char *sotto_sql_after(const char *s, const char *const *words)
{
	for (size_t i = 0; words[i]; i++) {
		s = i ? sotto_sql_past_spaces(s) : s;
		if (!sotto_sql_starts_word(s, words[i]))
			return NULL;
		s += strlen(words[i]);
	}
	return s;
}

const char *sotto_sql_find_words(const char *text, const char *first, const char *second)
{
	for (const char *s = text; *s; s = sotto_sql_past(s)) {
		const char *next = s + strlen(first);

		if ((s > text && sotto_sql_is_name(s[-1])) || !sotto_sql_starts_word(s, first))
			continue;
		next = sotto_sql_past_spaces(next);
		if (sotto_sql_starts_word(next, second))
			return next + strlen(second);
	}
	return NULL;
}

const char *sotto_sql_find_colon(const char *text)
{
	for (const char *s = text; *s; s = sotto_sql_past(s)) {
		if (s[0] == ':' && s[1] == ':')
			s++;
		else if (s > text && s[0] == ':' && sotto_sql_is_name(s[-1]) &&
			 sotto_sql_is_name(s[1]))
			return s;
	}
	return NULL;
}

const char *sotto_sql_past_bracket(const char *s)
{
	int open = 0;

	do {
		open += *s == '(';
		open -= *s == ')';
		s = sotto_sql_past(s);
	} while (*s && open > 0);
	return open == 0 ? s : NULL;
}

const char *sotto_sql_arguments_of(struct sotto_arena *a, const char *text, int at)
{
	const char *s = at >= 0 && (size_t)at < strlen(text) ? text + at : "", *end;
	size_t n = 0;
	char *out;

	while (sotto_sql_is_name(*s))
		s++;
	s = sotto_sql_past_spaces(s);
	end = *s == '(' ? sotto_sql_past_bracket(s) : NULL;
	if (!end || end - s > 60)
		return "an expression";
	s = sotto_sql_past_spaces(s + 1);
	if (sotto_sql_starts_word(s, "DISTINCT"))
		s = sotto_sql_past_spaces(s + 8);
	out = sotto_arena_alloc(a, (size_t)(end - s) + 1);
	for (; out && s < end - 1; s++) /* spaces and the ends of lines are one space each */
		if (!isspace((unsigned char)*s) || (n > 0 && out[n - 1] != ' '))
			out[n++] = isspace((unsigned char)*s) ? ' ' : *s;
	if (out && n > 0 && out[n - 1] == ' ')
		out[n - 1] = '\0';
	return out && !*out ? "an expression" : out;
}

/* $$a text$$ or $tag$a text$tag$; $1 is a parameter. */
static bool has_dollar_text(const char *s)
{
	for (s = strchr(s, '$'); s; s = strchr(s + 1, '$'))
		if (s[1] == '$' || (sotto_sql_is_name(s[1]) && !isdigit((unsigned char)s[1])))
			return true;
	return false;
}

void sotto_sql_blank_comments(struct sotto_sql_dialect *d)
{
	char *text = sotto_arena_text(d->arena, d->text), *next;

	/* Texts with escapes and between dollars are the parser's: it knows where they end. */
	if (!text || strchr(text, '\\') || has_dollar_text(text))
		return;
	for (char *s = text; *s; s = next) {
		bool is_comment = strncmp(s, "--", 2) == 0 || strncmp(s, "/*", 2) == 0;

		next = text + (sotto_sql_past(s) - text);
		for (char *c = s; is_comment && c < next; c++)
			*c = *c == '\n' ? '\n' : ' ';
	}
	d->text = text;
}

bool sotto_sql_put_in(struct sotto_sql_dialect *d, size_t at, const char *piece)
{
	char *text;

	if (d->count >= SOTTO_SQL_EDITS_MAX)
		return false;
	text = sotto_arena_textf(d->arena, "%.*s%s%s", (int)at, d->text, piece, d->text + at);
	if (!text)
		return false;
	d->text = text;
	d->edits[d->count].at = (int)at;
	d->edits[d->count++].length = (int)strlen(piece);
	return true;
}

bool sotto_sql_put_over(struct sotto_sql_dialect *d, size_t at, size_t length,
			const char *piece)
{
	char *text = sotto_arena_text(d->arena, d->text);
	size_t n = strlen(piece), over = n < length ? n : length;

	if (!text || (n > length && d->count >= SOTTO_SQL_EDITS_MAX))
		return false;
	memset(text + at, ' ', length);
	memcpy(text + at, piece, over);
	d->text = text;
	return n <= length || sotto_sql_put_in(d, at + length, piece + length);
}
