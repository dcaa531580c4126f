/*
 * Patterns in questions about the catalog: regular expressions and LIKE, each within bounds.
 */
#include <regex.h>
#include <string.h>
#include <strings.h>

#include "server/catalog/catalog_inside.h"

enum { PATTERN_MAX = 300, TEXT_MAX = 1000 };

static const char *text_of(sqlite3_value *v)
{
	return (const char *)sqlite3_value_text(v);
}

/*
 * What takes the matcher long is refused: repeated groups by number, back references, and
 * repetitions of what holds a repetition, each of which doubles the matcher.
 */
static bool is_cheap(const char *pattern)
{
	bool repeats = false; /* something in the pattern so far */
	char last = 0;

	if (strlen(pattern) > PATTERN_MAX || strchr(pattern, '{'))
		return false;
	for (const char *c = pattern; *c; c++) {
		if (*c == '\\' && c[1]) {
			if (*++c >= '1' && *c <= '9')
				return false;
			last = 'a';
			continue;
		}
		if (strchr("*+?", *c)) {
			if (!last || strchr("*+?", last) || (last == ')' && repeats))
				return false;
			repeats = true;
		}
		last = *c;
	}
	return true;
}

void sotto_catalog_match(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *text = text_of(v[0]), *pattern = text_of(v[1]);
	regex_t r;

	(void)n;
	if (!text || !pattern)
		return;
	if (strlen(text) > TEXT_MAX || !is_cheap(pattern) ||
	    regcomp(&r, pattern,
		    REG_EXTENDED | REG_NOSUB | (sqlite3_value_int(v[2]) ? REG_ICASE : 0)) !=
		    0) {
		sqlite3_result_error(c, "this pattern is not understood", -1);
		return;
	}
	sqlite3_result_int(c, regexec(&r, text, 0, NULL, 0) == 0);
	regfree(&r);
}

static bool same(char x, char y, bool fold)
{
	return x == y || (fold && strncasecmp(&x, &y, 1) == 0);
}

/* LIKE with \ as its escape: the last % is where it goes on after a mismatch. */
static bool is_like(const char *text, const char *pattern, bool fold)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		bool escaped = *pattern == '\\' && pattern[1];
		char p = escaped ? pattern[1] : *pattern;

		if (!escaped && p == '%') {
			star = ++pattern;
			from = text;
		} else if (p && ((!escaped && p == '_') || same(*text, p, fold))) {
			text++;
			pattern += escaped ? 2 : 1;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	return pattern[strspn(pattern, "%")] == '\0';
}

void sotto_catalog_like(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *text = text_of(v[0]), *pattern = text_of(v[1]);

	(void)n;
	if (text && pattern && strlen(text) <= TEXT_MAX && strlen(pattern) <= TEXT_MAX)
		sqlite3_result_int(c, is_like(text, pattern, sqlite3_value_int(v[2]) != 0));
}
