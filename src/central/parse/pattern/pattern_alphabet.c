/*
 * Characters outside ASCII are compared as bytes of UTF-8; a class is a row of truth values,
 * one for each kind of character.
 */
#include "central/parse/pattern/pattern_alphabet.h"

#include <ctype.h>
#include <string.h>

static size_t character_length(const char *s)
{
	size_t n = 1;

	while (((unsigned char)*s & 0x80) && ((unsigned char)s[n] & 0xc0) == 0x80 && n < 4)
		n++;
	return n;
}

/* The kind of a character: itself, if it is ASCII or stands in the pattern. */
static unsigned kind_of(const struct sotto_pattern_alphabet *a, const char *s)
{
	size_t n = character_length(s);

	if (!((unsigned char)*s & 0x80))
		return (unsigned char)*s;
	for (unsigned i = 0; i < a->other_count; i++)
		if (strlen(a->others[i]) == n && memcmp(a->others[i], s, n) == 0)
			return 128 + i;
	return 128 + a->other_count;
}

void sotto_alphabet_collect(struct sotto_pattern_alphabet *a, const char *pattern)
{
	for (const char *s = pattern; *s; s += character_length(s)) {
		if (!((unsigned char)*s & 0x80) || kind_of(a, s) < 128 + a->other_count)
			continue;
		memcpy(a->others[a->other_count++], s, character_length(s));
	}
}

unsigned sotto_alphabet_size(const struct sotto_pattern_alphabet *a)
{
	return 128 + a->other_count + 1;
}

static void include(struct sotto_character_kinds *k, unsigned lo, unsigned hi)
{
	for (unsigned i = lo; i <= hi; i++)
		k->has[i] = true;
}

static void include_where(struct sotto_character_kinds *k, int (*is)(int))
{
	for (int i = 0; i < 128; i++)
		k->has[i] = k->has[i] || is(i);
}

static int is_word(int c)
{
	return isalnum(c) || c == '_';
}

static int is_space(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* \d, \w and \s, and capital letters for all others; signs stand for themselves. */
static void
include_escape(const struct sotto_pattern_alphabet *a, struct sotto_character_kinds *k, char c)
{
	struct sotto_character_kinds one = {{false}};
	bool others = isupper((unsigned char)c);

	switch (tolower((unsigned char)c)) {
	case 'd':
		include_where(&one, isdigit);
		break;
	case 'w':
		include_where(&one, is_word);
		break;
	case 's':
		include_where(&one, is_space);
		break;
	default:
		one.has[(unsigned char)c] = true;
	}
	for (unsigned i = 0; i < sotto_alphabet_size(a); i++)
		k->has[i] = k->has[i] || one.has[i] != others;
}

/* [:alpha:], whose brackets are part of it. */
static void include_named(const char **at, struct sotto_character_kinds *k)
{
	static const struct {
		const char *name;
		int (*is)(int);
	} names[] = {
		{"[:alnum:]", isalnum}, {"[:alpha:]", isalpha}, {"[:blank:]", isblank},
		{"[:digit:]", isdigit}, {"[:lower:]", islower}, {"[:punct:]", ispunct},
		{"[:space:]", isspace}, {"[:upper:]", isupper}, {"[:xdigit:]", isxdigit},
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strncmp(*at, names[i].name, strlen(names[i].name)) == 0)
			include_where(k, names[i].is);
	*at = strchr(*at, ']');
}

static void read_class(const struct sotto_pattern_alphabet *a, const char **at,
		       struct sotto_character_kinds *k)
{
	bool others = (*at)[1] == '^';

	for (*at += 1 + others; **at != ']'; *at += character_length(*at)) {
		if (**at == '\\') {
			include_escape(a, k, *++*at);
		} else if (**at == '[') {
			include_named(at, k);
		} else if ((*at)[1] == '-' && (*at)[2] != ']' && !((*at)[0] & 0x80)) {
			include(k, (unsigned char)(*at)[0], (unsigned char)(*at)[2]);
			*at += 2;
		} else {
			k->has[kind_of(a, *at)] = true;
		}
	}
	++*at;
	for (unsigned i = 0; others && i < sotto_alphabet_size(a); i++)
		k->has[i] = !k->has[i];
}

void sotto_alphabet_read(const struct sotto_pattern_alphabet *a, const char **at,
			 struct sotto_character_kinds *k)
{
	if (**at == '[') {
		read_class(a, at, k);
	} else if (**at == '\\') {
		include_escape(a, k, (*at)[1]);
		*at += 2;
	} else if (**at == '.') {
		include(k, 0, sotto_alphabet_size(a) - 1);
		++*at;
	} else {
		k->has[kind_of(a, *at)] = true;
		*at += character_length(*at);
	}
}
