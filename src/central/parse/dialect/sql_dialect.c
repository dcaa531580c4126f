/*
 * Texts of other dialects, made such as PostgreSQL's parser takes them: names, TOP, intervals.
 */
#include "central/parse/dialect/sql_dialect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "central/parse/dialect/sql_clause.h"
#include "central/parse/dialect/sql_text.h"

/* ---- changes --------------------------------------------------------------------------------- */

/* (SELECT ...) without a name: the parser points at the bracket. */
static bool name_subquery(struct sotto_sql_dialect *d, int at)
{
	const char *s = at >= 0 && (size_t)at < strlen(d->text) ? d->text + at : "";
	char name[40];
	int open = 0;

	if (*s != '(')
		return false;
	do {
		open += *s == '(';
		open -= *s == ')';
		s = sotto_sql_past(s);
	} while (*s && open > 0);
	(void)snprintf(name, sizeof name, " AS \"subquery %zu\"", d->count + 1);
	return open == 0 && sotto_sql_put_in(d, (size_t)(s - d->text), name);
}

static bool is_bracketed_name(const char *text, const char *s)
{
	const char *end = strchr(s, ']');

	if (!end || !(isalpha((unsigned char)s[1]) || s[1] == '_') ||
	    (s > text && (sotto_sql_is_name(s[-1]) || s[-1] == ']' || s[-1] == '"')))
		return false;
	for (const char *c = s + 1; c < end; c++)
		if (!sotto_sql_is_name(*c) && *c != ' ')
			return false;
	return true;
}

/* `a b` and [a b] become "a b". */
static bool quote_names(struct sotto_sql_dialect *d)
{
	char *text = sotto_arena_text(d->arena, d->text);
	bool changed = false;

	for (char *s = text; s && *s; s = text + (sotto_sql_past(s) - text)) {
		if (*s == '`') {
			*s = '"';
			changed = strchr(s + 1, '`') != NULL;
			if (changed)
				*strchr(s + 1, '`') = '"';
		} else if (*s == '[' && is_bracketed_name(text, s)) {
			*strchr(s, ']') = '"';
			*s = '"';
			changed = true;
		}
	}
	if (changed)
		d->text = text;
	return changed;
}

/* What stands behind the TOP of a SELECT; NULL: it has none. */
static const char *past_top(const char *text)
{
	const char *top = sotto_sql_find_words(text, "SELECT", "TOP");

	return top ? top : sotto_sql_find_words(text, "DISTINCT", "TOP");
}

/* SELECT TOP 5 x FROM t ends in LIMIT 5. */
static bool move_top(struct sotto_sql_dialect *d)
{
	const char *top = past_top(d->text), *number, *end;
	char *text = sotto_arena_text(d->arena, d->text);
	size_t start, digits, last;
	char limit[32];

	if (!top || !text || sotto_sql_find_word(d->text, d->text, "SELECT") + 6 > top)
		return false;
	number = sotto_sql_past_spaces(top) + (*sotto_sql_past_spaces(top) == '(');
	digits = strspn(number, "0123456789");
	end = number + digits;
	if (number[-1] == '(')
		end += *end == ')';
	if (digits == 0 || digits > 9 || sotto_sql_find_word(d->text, top, "LIMIT"))
		return false;
	(void)snprintf(limit, sizeof limit, " LIMIT %.*s", (int)digits, number);
	start = (size_t)(top - d->text) - 3;
	memset(text + start, ' ', (size_t)(end - d->text) - start);
	for (last = strlen(text); last > 0 && strchr("; \t\r\n", text[last - 1]);)
		last--;
	d->text = text;
	return sotto_sql_put_in(d, last, limit);
}

/* INTERVAL 3 DAY becomes INTERVAL '3' DAY. */
static bool quote_interval(struct sotto_sql_dialect *d)
{
	for (const char *s = d->text; *s; s = sotto_sql_past(s)) {
		const char *number = s + 8;
		size_t digits, at;

		if ((s > d->text && sotto_sql_is_name(s[-1])) ||
		    !sotto_sql_starts_word(s, "INTERVAL"))
			continue;
		number = sotto_sql_past_spaces(number);
		digits = strspn(number, "0123456789");
		at = (size_t)(number - d->text);
		if (digits > 0)
			return sotto_sql_put_in(d, at + digits, "'") &&
			       sotto_sql_put_in(d, at, "'");
	}
	return false;
}

/* SELECT a, b, FROM t: the comma before the place is left out. */
static bool drop_comma(struct sotto_sql_dialect *d, int at)
{
	char *text = sotto_arena_text(d->arena, d->text);
	size_t i = text ? strlen(text) : 0;

	if (at >= 0 && (size_t)at < i)
		i = (size_t)at;
	while (i > 0 && (isspace((unsigned char)text[i - 1]) || text[i - 1] == ';'))
		i--;
	if (i == 0 || text[i - 1] != ',')
		return false;
	text[i - 1] = ' ';
	d->text = text;
	return true;
}

/* The place after "[OFFSET(", "[SAFE_ORDINAL(" and the like, or NULL; what the first has for number. */
static const char *past_offset(const char *s, long *first)
{
	static const struct {
		const char *word;
		long first;
	} words[] = {{"OFFSET", 0}, {"SAFE_OFFSET", 0}, {"ORDINAL", 1}, {"SAFE_ORDINAL", 1}};

	if (*s != '[')
		return NULL;
	s = sotto_sql_past_spaces(s + 1);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (sotto_sql_starts_word(s, words[i].word)) {
			*first = words[i].first;
			s = sotto_sql_past_spaces(s + strlen(words[i].word));
			return *s == '(' ? sotto_sql_past_spaces(s + 1) : NULL;
		}
	return NULL;
}

/* APPROX_QUANTILES(x, 4)[OFFSET(1)] becomes APPROX_QUANTILES(x, 4, 1), with spaces after it. */
static bool move_offset(struct sotto_sql_dialect *d)
{
	char *text = sotto_arena_text(d->arena, d->text);

	for (char *s = text; s && *s; s = text + (sotto_sql_past(s) - text)) {
		long first = 0, n;
		const char *number = *s == ')'
					     ? past_offset(sotto_sql_past_spaces(s + 1), &first)
					     : NULL,
			   *end;
		size_t digits = number ? strspn(number, "0123456789") : 0;
		char piece[40];

		end = digits ? sotto_sql_past_spaces(number + digits) : "";
		end = *end == ')' ? sotto_sql_past_spaces(end + 1) : "";
		n = digits && digits <= 9 ? strtol(number, NULL, 10) - first : -1;
		if (n < 0 || *end != ']')
			continue;
		(void)snprintf(piece, sizeof piece, ", %ld)", n);
		memset(s, ' ', (size_t)(end + 1 - s));
		memcpy(s, piece, strlen(piece));
		d->text = text;
		return true;
	}
	return false;
}

/* TOP (5) x is a call with an alias to the parser, and no error. */
void sotto_sql_dialect_begin(struct sotto_sql_dialect *d)
{
	const char *top = past_top(d->text);

	if (top && *sotto_sql_past_spaces(top) == '(')
		(void)move_top(d);
}

bool sotto_sql_dialect_repair(struct sotto_sql_dialect *d, const char *message, int at)
{
	if (strstr(message, "in FROM must have an alias"))
		return name_subquery(d, at);
	return quote_names(d) || move_top(d) || quote_interval(d) || move_offset(d) ||
	       sotto_sql_clause_repair(d) || drop_comma(d, at);
}

/* Each edit is about the text as it was then: the last one is undone first. */
int sotto_sql_dialect_place(const struct sotto_sql_dialect *d, int at)
{
	for (size_t i = d->count; i-- > 0;) {
		if (at >= d->edits[i].at + d->edits[i].length)
			at -= d->edits[i].length;
		else if (at > d->edits[i].at)
			at = d->edits[i].at;
	}
	return at;
}

const char *sotto_sql_dialect_hint(const char *text)
{
	static const struct {
		const char *first, *second, *hint;
	} hints[] = {
		{"WITH", "DIFFERENTIAL_PRIVACY",
		 "the cost is given with --epsilon and --delta and the unit by the policy: "
		 "leave "
		 "WITH DIFFERENTIAL_PRIVACY OPTIONS (...) out"},
		{"WITH", "ANONYMIZATION",
		 "the cost is given with --epsilon and --delta and the unit by the policy: "
		 "leave "
		 "WITH ANONYMIZATION OPTIONS (...) out"},
		{"CLAMPED", "BETWEEN", "write clip(x, lowest, highest) for CLAMPED BETWEEN"},
		{"SEMI", "JOIN", "write WHERE EXISTS (SELECT 1 ...) for a semi join"},
		{"ANTI", "JOIN", "write WHERE NOT EXISTS (SELECT 1 ...) for an anti join"},
		{"USING", "SAMPLE",
		 "a sample makes an answer worse and saves nothing: leave USING SAMPLE out, or "
		 "pick rows by a condition like WHERE id % 10 = 0"},
		{"TABLESAMPLE", "",
		 "a sample makes an answer worse and saves nothing: leave TABLESAMPLE out, or "
		 "pick rows by a condition like WHERE id % 10 = 0"},
		{"RLIKE", "", "write x ~ 'pattern' for RLIKE"},
		{"REGEXP", "", "write x ~ 'pattern' for REGEXP"},
		{"*", "REPLACE", "write the columns out instead of * REPLACE (...)"},
		{"*", "RENAME", "write the columns out instead of * RENAME (...)"},
		{"PIVOT", "", "write one aggregate with FILTER (WHERE ...) for each column"},
	};

	if (sotto_sql_starts_word(sotto_sql_past_spaces(text), "FROM"))
		return "SELECT comes first: SELECT ... FROM ...";
	if (sotto_sql_find_colon(text))
		return "a field of a JSON text is written x->>'field'";
	for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
		if (*hints[i].second ? sotto_sql_find_words(text, hints[i].first,
							    hints[i].second) != NULL
				     : sotto_sql_find_word(text, text, hints[i].first) != NULL)
			return hints[i].hint;
	return NULL;
}
