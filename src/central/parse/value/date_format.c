/*
 * Accepts formats made of a fixed list of signs, and translates the words of to_char into
 * those, longest word first.
 */
#include "central/parse/value/date_format.h"

#include <string.h>

static bool has_only(const char *format, const char *signs)
{
	if (!*format || strlen(format) > 100)
		return false;
	for (const char *s = format; *s; s++) {
		if (*s != '%')
			continue;
		s++;
		s += *s == '-' && s[1] && strchr("dmyHIMSj", s[1]);
		if (!*s || !strchr(signs, *s))
			return false;
	}
	return true;
}

bool sotto_sql_format_is_plain(const char *format)
{
	return has_only(format, "aAbBdGHIjmMpSuUVwWyY%");
}

bool sotto_sql_format_is_read(const char *format)
{
	return has_only(format, "bBdHImMpSyY");
}

/* Longer words first.  Month and Day of PostgreSQL are padded with blanks unless FM says no. */
static const struct {
	const char *word, *means;
} words[] = {
	{"FMMonth", "%B"}, {"FMDay", "%A"}, {"FMMM", "%-m"}, {"FMDD", "%-d"}, {"HH24", "%H"},
	{"YYYY", "%Y"},    {"IYYY", "%G"},  {"HH12", "%I"},  {"Mon", "%b"},   {"DDD", "%j"},
	{"YY", "%y"},      {"MM", "%m"},    {"DD", "%d"},    {"HH", "%I"},    {"MI", "%M"},
	{"SS", "%S"},      {"Dy", "%a"},    {"IW", "%V"},    {"ID", "%u"},
};

static size_t find_word(const char *s)
{
	size_t i = 0;

	while (i < sizeof words / sizeof words[0] &&
	       strncmp(s, words[i].word, strlen(words[i].word)) != 0)
		i++;
	return i;
}

/* What is written as it is. */
static bool is_sign(char c)
{
	return strchr(" -/.,:;_()0123456789", c) != NULL;
}

/* "Q" in double quotes is written out; the end of the text ends it too.  Returns what follows. */
static const char *copy_quoted(const char *s, char **to)
{
	for (s++; *s && *s != '"'; s++) {
		if (*s == '%')
			*(*to)++ = '%';
		*(*to)++ = *s;
	}
	return *s ? s + 1 : s;
}

size_t sotto_sql_format_before_quarter(const char *format)
{
	const char *s = format;

	while (*s && *s != 'Q') {
		if (*s == '"') {
			for (s++; *s && *s != '"';)
				s++;
		}
		s += *s != '\0';
	}
	return (size_t)(s - format);
}

const char *sotto_sql_format_of_to_char(struct sotto_arena *a, const char *format)
{
	char *out = sotto_arena_alloc(a, 2 * strlen(format) + 1), *to = out;

	if (!out)
		return NULL;
	while (*format) {
		size_t i = find_word(format);

		if (i < sizeof words / sizeof words[0]) {
			memcpy(to, words[i].means, strlen(words[i].means));
			to += strlen(words[i].means);
			format += strlen(words[i].word);
		} else if (*format == '"') {
			format = copy_quoted(format, &to);
		} else if (is_sign(*format)) {
			*to++ = *format++;
		} else {
			return "";
		}
	}
	return out;
}
