/*
 * Clauses that DuckDB, BigQuery and Snowflake have and PostgreSQL has not.  Each becomes
 * something that the parser takes and that no analyst would write; what it means is found
 * in the tree (parse_select.c, relation/finished/short_clause.c).
 */
#include "central/parse/dialect/sql_clause.h"

#include <string.h>

#include "central/parse/dialect/sql_clause_from.h"
#include "central/parse/dialect/sql_text.h"

enum { BRACKETS_MAX = 128 };

/* Nothing of a clause follows: the SELECT ends here, or its next clause begins. */
static bool ends_clause(const char *s)
{
	static const char *const words[] = {"HAVING", "QUALIFY", "WINDOW", "ORDER",
					    "LIMIT",  "OFFSET",  "FETCH",  "INTERSECT",
					    "UNION",  "EXCEPT"};

	s = sotto_sql_past_spaces(s);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (sotto_sql_starts_word(s, words[i]))
			return true;
	return strchr(");", *s) != NULL; /* or the text is at its end */
}

/* GROUP BY ALL, which has keys in PostgreSQL. */
static bool group_all(struct sotto_sql_dialect *d, const char *s)
{
	const char *end = SOTTO_SQL_AFTER(s, "GROUP", "BY", "ALL");

	return end && ends_clause(end) &&
	       sotto_sql_put_in(d, sotto_sql_place(d, end), " \"" SOTTO_SQL_ALL "\"()");
}

static bool order_all(struct sotto_sql_dialect *d, const char *s)
{
	const char *end = SOTTO_SQL_AFTER(s, "ORDER", "BY", "ALL");

	return end &&
	       sotto_sql_put_over(d, sotto_sql_place(d, end) - 3, 3, "\"" SOTTO_SQL_ALL "\"()");
}

/* ---- QUALIFY ------------------------------------------------------------------------------ */

/* Has the SELECT that s is in named windows before it? */
static bool has_windows(const char *text, const char *s)
{
	bool seen[BRACKETS_MAX] = {false};
	size_t depth = 0;

	for (const char *c = text; c < s; c = sotto_sql_past(c)) {
		bool starts = c == text || !sotto_sql_is_name(c[-1]);

		if (*c == '(' && depth + 1 < BRACKETS_MAX)
			seen[++depth] = false;
		else if (*c == ')' && depth > 0)
			depth--;
		else if (starts && sotto_sql_starts_word(c, "SELECT"))
			seen[depth] = false;
		else if (starts && sotto_sql_starts_word(c, "WINDOW"))
			seen[depth] = true;
	}
	return seen[depth];
}

static const char *end_of_condition(const char *s)
{
	while (*s && !ends_clause(s)) {
		const char *next = *s == '(' ? sotto_sql_past_bracket(s) : sotto_sql_past(s);

		while (next && sotto_sql_is_name(*s) && sotto_sql_is_name(*next))
			next++; /* a word inside a word ends nothing */
		if (!next)
			return NULL;
		s = next;
	}
	return s;
}

/* A condition over windows becomes a window of its own, beside those that have names. */
static bool qualify(struct sotto_sql_dialect *d, const char *s)
{
	const char *from = SOTTO_SQL_AFTER(s, "QUALIFY");
	const char *end = from ? end_of_condition(from) : NULL;
	bool comma = end && has_windows(d->text, s);
	const char *next = end ? sotto_sql_past_spaces(end) : NULL;
	size_t at = sotto_sql_place(d, s);

	if (!end)
		return false;
	if (sotto_sql_starts_word(next, "WINDOW") &&
	    !sotto_sql_put_over(d, sotto_sql_place(d, next), 6, ","))
		return false;
	return sotto_sql_put_in(d, (size_t)(end - s) + at, "\n)") &&
	       sotto_sql_put_over(d, at, 7,
				  comma ? ", \"" SOTTO_SQL_QUALIFY "\" AS (PARTITION BY "
					: "WINDOW \"" SOTTO_SQL_QUALIFY "\" AS (PARTITION BY ");
}

/* ---- lists ---------------------------------------------------------------------------------- */

static const char *past_name(const char *s)
{
	if (*s == '"')
		return sotto_sql_past(s);
	while (sotto_sql_is_name(*s))
		s++;
	return s;
}

/* * EXCLUDE (a, b), * EXCLUDE a and * EXCEPT (a, b). */
static bool exclude(struct sotto_sql_dialect *d, const char *s)
{
	const char *word = *s == '*' ? sotto_sql_past_spaces(s + 1) : "", *list, *end;
	bool other = sotto_sql_starts_word(word, "EXCEPT");
	size_t at = sotto_sql_place(d, s);

	if (!other && !sotto_sql_starts_word(word, "EXCLUDE"))
		return false;
	list = sotto_sql_past_spaces(word + (other ? 6 : 7));
	if (*list == '(')
		return !SOTTO_SQL_AFTER(sotto_sql_past_spaces(list + 1), "SELECT") &&
		       sotto_sql_put_over(d, at, (size_t)(list - s),
					  "\"" SOTTO_SQL_EXCLUDE "\"");
	end = past_name(list);
	return !other && end > list && sotto_sql_put_in(d, sotto_sql_place(d, end), ")") &&
	       sotto_sql_put_over(d, at, (size_t)(list - s), "\"" SOTTO_SQL_EXCLUDE "\"(");
}

/* LIKE ANY ('a%', 'b%') has an array in PostgreSQL. */
static bool like_any(struct sotto_sql_dialect *d, const char *s)
{
	static const char *const words[] = {"LIKE", "ILIKE"}, *const hows[] = {"ANY", "ALL",
									       "SOME"};
	const char *list, *end;

	for (size_t i = 0; i < 6; i++) {
		list = SOTTO_SQL_AFTER(s, words[i / 3], hows[i % 3]);
		list = list ? sotto_sql_past_spaces(list) : NULL;
		end = list && *list == '(' ? sotto_sql_past_bracket(list) : NULL;
		if (end && *sotto_sql_past_spaces(list + 1) == '\'') {
			size_t from = sotto_sql_place(d, list) + 1;

			return sotto_sql_put_in(d, sotto_sql_place(d, end) - 1, "]") &&
			       sotto_sql_put_in(d, from, "ARRAY[");
		}
	}
	return false;
}

/* FILTER (x > 1) has WHERE in PostgreSQL. */
static bool filter(struct sotto_sql_dialect *d, const char *s)
{
	const char *list = SOTTO_SQL_AFTER(s, "FILTER");

	list = list ? sotto_sql_past_spaces(list) : NULL;
	return list && *list == '(' &&
	       !SOTTO_SQL_AFTER(sotto_sql_past_spaces(list + 1), "WHERE") &&
	       sotto_sql_put_in(d, sotto_sql_place(d, list) + 1, "WHERE ");
}

/* Casts are tried everywhere here. */
static bool try_cast(struct sotto_sql_dialect *d, const char *s)
{
	const char *end = SOTTO_SQL_AFTER(s, "TRY_CAST");

	if (!end)
		end = SOTTO_SQL_AFTER(s, "SAFE_CAST");
	return end && sotto_sql_put_over(d, sotto_sql_place(d, s), (size_t)(end - s), "CAST");
}

/* quantile(0.9)(x) becomes quantile(0.9, x). */
static bool parameters(struct sotto_sql_dialect *d, const char *s)
{
	const char *back = s;

	if (s[0] != ')' || s[1] != '(')
		return false;
	while (back > d->text && strchr("0123456789.", back[-1]))
		back--;
	return back < s && back > d->text && back[-1] == '(' &&
	       sotto_sql_put_over(d, sotto_sql_place(d, s), 2, ",");
}

/* ---- operators ------------------------------------------------------------------------------ */

/* x RLIKE 'p' and x REGEXP 'p' become x ~ 'p'. */
static bool rlike(struct sotto_sql_dialect *d, const char *s)
{
	bool not = sotto_sql_starts_word(s, "NOT");
	const char *word = not ? sotto_sql_past_spaces(s + 3) : s, *end;

	end = SOTTO_SQL_AFTER(word, "RLIKE");
	if (!end)
		end = SOTTO_SQL_AFTER(word, "REGEXP");
	if (!end || *sotto_sql_past_spaces(end) == '(' || sotto_sql_place(d, s) == 0)
		return false;
	return sotto_sql_put_over(d, sotto_sql_place(d, s), (size_t)(end - s),
				  not ? "!~" : "~");
}

/* [1, 2] of BigQuery and DuckDB is ARRAY[1, 2]. */
static bool array(struct sotto_sql_dialect *d, const char *s)
{
	const char *before = s, *inside = *s == '[' ? sotto_sql_past_spaces(s + 1) : "";

	while (before > d->text && strchr(" \t\r\n", before[-1]))
		before--;
	return before > d->text && strchr("(,=", before[-1]) && *inside &&
	       strchr("0123456789'-.", *inside) &&
	       sotto_sql_put_in(d, sotto_sql_place(d, s), "ARRAY");
}

/* x:field of Snowflake is (x->>'field'); a path of several is not taken. */
static bool colon(struct sotto_sql_dialect *d, const char *s)
{
	const char *name = s, *end;
	size_t at = sotto_sql_place(d, s);

	if (*s != ':' || at == 0 || !sotto_sql_is_name(s[-1]) || !sotto_sql_is_name(s[1]))
		return false;
	while (name > d->text && (sotto_sql_is_name(name[-1]) || name[-1] == '.'))
		name--;
	end = past_name(s + 1);
	at = sotto_sql_place(d, name);
	if (*end == '.' || *end == '[' || !sotto_sql_put_in(d, sotto_sql_place(d, end), "')"))
		return false;
	return sotto_sql_put_in(d, at + (size_t)(s - name) + 1, ">>'") &&
	       sotto_sql_put_over(d, at + (size_t)(s - name), 1, "-") &&
	       sotto_sql_put_in(d, at, "(");
}

/* x IN UNNEST([a, b]) of BigQuery is x IN (a, b). */
static bool in_unnest(struct sotto_sql_dialect *d, const char *s)
{
	const char *open = SOTTO_SQL_AFTER(s, "IN", "UNNEST"), *inside, *end;
	size_t at = sotto_sql_place(d, s), length;

	open = open ? sotto_sql_past_spaces(open) : "";
	end = *open == '(' ? sotto_sql_past_bracket(open) : NULL;
	inside = end ? sotto_sql_past_spaces(open + 1) : "";
	if (*inside != '[')
		return false;
	for (end -= 2; end > inside && *end == ' ';)
		end--;
	length = (size_t)(inside + 1 - s);
	return *end == ']' && sotto_sql_put_over(d, sotto_sql_place(d, end), 1, " ") &&
	       sotto_sql_put_over(d, at, length, "IN (");
}

/* Every bracket that is opened is closed. */
static bool is_balanced(const char *text)
{
	size_t open = 0;

	for (const char *s = text; *s; s = sotto_sql_past(s)) {
		if (*s == ')' && open == 0)
			return false;
		open += *s == '(';
		open -= *s == ')';
	}
	return open == 0;
}

typedef bool (*repair_fn)(struct sotto_sql_dialect *, const char *);

/* Tries each repair at each word of the text. */
static bool repair_words(struct sotto_sql_dialect *d, const repair_fn *repairs, size_t count)
{
	bool changed = false;

	if (!is_balanced(d->text)) /* and looking for an end would take long, again and again */
		return false;
	for (size_t at = 0; d->text[at] && d->count < SOTTO_SQL_EDITS_MAX;
	     at = sotto_sql_place(d, sotto_sql_past(d->text + at))) {
		if (at > 0 && sotto_sql_is_name(d->text[at - 1]) &&
		    sotto_sql_is_name(d->text[at]))
			continue;
		for (size_t i = 0; i < count; i++)
			changed = repairs[i](d, d->text + at) || changed;
	}
	return changed;
}

bool sotto_sql_clause_repair(struct sotto_sql_dialect *d)
{
	static const repair_fn repairs[] = {group_all, order_all,  qualify,
					    exclude,   like_any,   filter,
					    try_cast,  parameters, sotto_sql_from_first,
					    rlike,     in_unnest,  array,
					    colon};

	return repair_words(d, repairs, sizeof repairs / sizeof repairs[0]);
}

void sotto_sql_half_joins_mark(struct sotto_sql_dialect *d)
{
	static const repair_fn repairs[] = {sotto_sql_half_join_mark};

	if (sotto_sql_find_words(d->text, "SEMI", "JOIN") ||
	    sotto_sql_find_words(d->text, "ANTI", "JOIN"))
		(void)repair_words(d, repairs, 1);
}
