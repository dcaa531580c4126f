/*
 * A recursive descent that accepts only the common part of the language and weighs repetitions,
 * so that no pattern becomes a large automaton; SIMILAR TO and LIKE are rewritten into it.
 */
#include "central/parse/pattern/text_pattern.h"

#include <ctype.h>
#include <string.h>

enum { REPEAT_MAX = 100, WEIGHT_MAX = 1000, DEPTH_MAX = 20 };

struct reader {
	const char *at;
	int depth;
};

static bool read_choice(struct reader *r, int *weight);

static bool is_class_letter(char c)
{
	return c && strchr("dwsDWS", c);
}

static bool read_escape(struct reader *r)
{
	char c = r->at[1];

	if (!is_class_letter(c) && !ispunct((unsigned char)c))
		return false;
	r->at += 2;
	return true;
}

/* [:alpha:] */
static bool read_named_class(struct reader *r)
{
	static const char *const names[] = {"[:alnum:]", "[:alpha:]", "[:blank:]",
					    "[:digit:]", "[:lower:]", "[:punct:]",
					    "[:space:]", "[:upper:]", "[:xdigit:]"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strncmp(r->at, names[i], strlen(names[i])) == 0) {
			r->at += strlen(names[i]);
			return true;
		}
	return false;
}

static bool is_plain_end(char c)
{
	return isalnum((unsigned char)c);
}

/* One character, an escape, a named class or a range of letters or digits. */
static bool read_class_item(struct reader *r)
{
	if (*r->at == '[')
		return read_named_class(r);
	if (*r->at == '\\')
		return read_escape(r);
	if (is_plain_end(r->at[0]) && r->at[1] == '-' && r->at[2] != ']') {
		if (!is_plain_end(r->at[2]) || r->at[2] < r->at[0])
			return false;
		r->at += 3;
		return true;
	}
	if (*r->at == '-' && r->at[1] != ']' && r->at[-1] != '[' && r->at[-1] != '^')
		return false;
	return *r->at++ != '\0';
}

static bool read_class(struct reader *r)
{
	r->at++;
	r->at += *r->at == '^';
	if (*r->at == ']')
		return false;
	while (*r->at != ']')
		if (!read_class_item(r))
			return false;
	r->at++;
	return true;
}

static bool read_group(struct reader *r, int *weight)
{
	r->at += strncmp(r->at, "(?:", 3) == 0 ? 3 : 1;
	if (++r->depth > DEPTH_MAX || !read_choice(r, weight) || *r->at != ')')
		return false;
	r->depth--;
	r->at++;
	return true;
}

static bool read_atom(struct reader *r, int *weight)
{
	*weight = 1;
	switch (*r->at) {
	case '(':
		return read_group(r, weight);
	case '[':
		return read_class(r);
	case '\\':
		return read_escape(r);
	case '*':
	case '+':
	case '?':
	case '{':
	case '}':
	case ']':
		return false;
	default:
		r->at++;
		return true;
	}
}

static bool read_count(struct reader *r, int *n)
{
	*n = 0;
	if (!isdigit((unsigned char)*r->at))
		return false;
	while (isdigit((unsigned char)*r->at) && *n <= REPEAT_MAX)
		*n = *n * 10 + (*r->at++ - '0');
	return *n <= REPEAT_MAX;
}

/* {n}, {n,} and {n,m} */
static bool read_braces(struct reader *r, int *times)
{
	int least, most;

	r->at++;
	if (!read_count(r, &least))
		return false;
	most = least;
	if (*r->at == ',') {
		r->at++;
		if (*r->at != '}' && (!read_count(r, &most) || most < least))
			return false;
	}
	*times = most > 0 ? most : 1;
	return *r->at++ == '}';
}

static bool read_quantifier(struct reader *r, int *times)
{
	*times = 1;
	if (*r->at == '{') {
		if (!read_braces(r, times))
			return false;
	} else if (*r->at && strchr("*+?", *r->at)) {
		r->at++;
	} else {
		return true;
	}
	r->at += *r->at == '?';
	return !*r->at || !strchr("*+?{", *r->at);
}

static bool read_sequence(struct reader *r, int *weight)
{
	while (*r->at && *r->at != '|' && *r->at != ')') {
		bool anchor = *r->at == '^' || *r->at == '$';
		int one, times;

		if (!read_atom(r, &one) || (anchor && *r->at && strchr("*+?{", *r->at)) ||
		    !read_quantifier(r, &times))
			return false;
		*weight += one * times;
		if (*weight > WEIGHT_MAX)
			return false;
	}
	return true;
}

static bool read_choice(struct reader *r, int *weight)
{
	*weight = 0;
	for (;;) {
		if (!read_sequence(r, weight))
			return false;
		if (*r->at != '|')
			return true;
		r->at++;
	}
}

bool sotto_sql_pattern_is_plain(const char *pattern)
{
	struct reader r = {.at = pattern};
	int weight;

	return strlen(pattern) <= SOTTO_SQL_PATTERN_MAX && read_choice(&r, &weight) &&
	       *r.at == '\0';
}

unsigned sotto_sql_pattern_groups(const char *pattern)
{
	struct reader r = {.at = pattern};
	unsigned count = 0;

	while (*r.at) {
		if (*r.at == '[' || *r.at == '\\') {
			if (!(*r.at == '[' ? read_class(&r) : read_escape(&r)))
				break;
			continue;
		}
		count += *r.at == '(' && r.at[1] != '?';
		r.at++;
	}
	return count;
}

/* ---- other kinds of patterns --------------------------------------------------------------- */

const char *sotto_sql_pattern_similar(struct sotto_arena *a, const char *pattern)
{
	char *out = sotto_arena_alloc(a, 2 * strlen(pattern) + 8), *to = out;
	bool in_class = false;

	if (!out)
		return NULL;
	memcpy(to, "^(?:", 4);
	to += 4;
	for (const char *s = pattern; *s; s++) {
		if (*s == '\\' && s[1]) {
			*to++ = *s++;
		} else if (!in_class && *s == '%') {
			*to++ = '.';
			*to++ = '*';
			continue;
		} else if (!in_class && *s == '_') {
			*to++ = '.';
			continue;
		} else if (!in_class && strchr(".^$", *s)) {
			*to++ = '\\';
		}
		in_class = *s == '[' || (in_class && *s != ']');
		*to++ = *s;
	}
	memcpy(to, ")$", 2);
	return out;
}

const char *
sotto_sql_pattern_like(struct sotto_arena *a, const char *pattern, const char *escape)
{
	char *out = strlen(escape) > 1 ? NULL : sotto_arena_alloc(a, 2 * strlen(pattern) + 1);
	char *to = out;

	if (!out)
		return NULL;
	for (const char *s = pattern; *s; s++) {
		if (*escape && *s == *escape && s[1]) {
			s++;
			if (strchr("%_\\", *s))
				*to++ = '\\';
		} else if (*s == '\\') {
			*to++ = '\\';
		}
		*to++ = *s;
	}
	return out;
}
